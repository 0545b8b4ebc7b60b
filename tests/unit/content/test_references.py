"""References by name, resolved by what the manifest knows of the site."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.content.references import with_ids
from pressync.content.render.editor_blocks import to_blocks
from pressync.model.records import Manifest, Medium, Name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.content.content import Content

POST = "content/posts/hello.md"
URL = "https://site.test/wp-json"
FRONT = "---\ncategories: [News/Local, 7]\nauthor: anna\nfeatured_media: img/a.png\n---\nHi\n"
LOCAL, ANNA = Name("categories", "News/Local"), Name("author", "anna")
OVEN = "https://site.test/uploads/oven-1.png?a=1&b=2"
IDS = {OVEN: 31}
SRC = "https://site.test/uploads/oven-1.png?a=1&amp;b=2"


@contextmanager
def content(
    repository: SampleRepository, manifest: Manifest | None = None, dialect: str = "wordpress"
) -> Iterator[Content]:
    """Open the documents of HEAD for a site of which this is known."""
    environ = {"PRESSYNC_URL": URL, "PRESSYNC_DIALECT": dialect}
    with Workspace.open(repository.root, environ=environ) as workspace:
        yield workspace.content(Revision(), manifest=manifest)


def known(repository: SampleRepository, path: str = "content/posts/img/a.png") -> Manifest:
    """Make the manifest that knows everything that FRONT mentions."""
    blob = repository.git("rev-parse", f"HEAD:{path}")
    return Manifest(
        URL, names={LOCAL: 12, ANNA: 2}, media={blob: Medium(blob, path, 31, "https://site.test/a.png")}
    )


def test_mentions_become_the_ids_that_the_manifest_knows(repository: SampleRepository) -> None:
    repository.commit({POST: FRONT, "content/posts/img/a.png": b"png"})
    with content(repository, known(repository)) as documents:
        prepared = documents.prepare(POST, {})
    fields = {name: prepared.fields[name] for name in ("categories", "author", "featured_media")}
    assert fields == {"categories": (7, 12), "author": 2, "featured_media": 31}
    assert prepared.desired.links == ("content/posts/img/a.png",)


@pytest.mark.parametrize("where", ["content/posts/img/a.png", "content/img/a.png", "img/a.png"])
def test_a_picture_is_beside_the_file_or_at_a_root(repository: SampleRepository, where: str) -> None:
    repository.commit({POST: FRONT, where: b"png"})
    with content(repository, known(repository, where)) as documents:
        assert documents.prepare(POST, {}).fields["featured_media"] == 31


@pytest.mark.parametrize("named", ["img/none.png", "../../../a.png", "hello.md", "img/a.svg"])
def test_a_picture_that_is_missing_is_a_problem(repository: SampleRepository, named: str) -> None:
    files = {"content/posts/img/a.svg": b"<svg/>", "a.png": b"outside of nothing"}
    repository.commit({POST: f"---\nfeatured_media: {named}\n---\n".encode(), **files})
    with content(repository) as documents:
        (problem,) = documents.read(POST, {}).problems
    assert str(problem) == (
        f"{POST}:2: featured_media is '{named}', which is not a file here that the site accepts; "
        "name a file by its path from this one, or by its id on the site"
    )


def test_local_pictures_and_files_in_the_body_get_their_addresses(repository: SampleRepository) -> None:
    body = "![a](img/a.png) [pdf](/files/x.pdf?dl=1) ![site](/logo.png) ![svg](img/b.svg)\n"
    files = {
        "content/posts/img/a.png": b"a",
        "content/files/x.pdf": b"p",
        "content/posts/img/b.svg": b"<svg/>",
    }
    repository.commit({POST: body, **files})
    blobs = {path: repository.git("rev-parse", f"HEAD:{path}") for path in files}
    media = {b: Medium(b, path, 1, f"https://site.test/{path[-5:]}") for path, b in blobs.items()}
    with content(repository, Manifest(URL, media=media)) as documents:
        prepared = documents.prepare(POST, {})
        read = documents.read(POST, {})
    html = str(prepared.fields["content"])
    assert 'src="https://site.test/a.png"' in html
    assert 'href="https://site.test/x.pdf?dl=1"' in html
    assert 'src="/logo.png"' in html
    assert 'src="img/b.svg"' in html
    assert prepared.desired.links == ("content/files/x.pdf", "content/posts/img/a.png")
    assert ["in SVG" in problem.what for problem in read.problems] == [True]


def test_a_page_is_read_again_when_its_missing_picture_is_there(repository: SampleRepository) -> None:
    repository.commit({POST: "![a](img/a.png)\n"})
    with content(repository) as documents:
        before = documents.read(POST, {}).prepared
    assert before
    assert before.desired.links == ("content/posts/img/a.png",)
    repository.commit({"content/posts/img/a.png": b"a"})
    with content(repository) as documents:
        after = documents.basis("", None, before.desired.links, {})
    assert after != before.desired.basis


def image(number: int, size: str, address: str = SRC, more: str = "") -> str:
    return (
        f'<!-- wp:image {{"id":{number},"sizeSlug":"{size}","linkDestination":"none"}} -->\n'
        f'<figure class="wp-block-image size-{size}"><img src="{address}" alt="The oven" '
        f'class="wp-image-{number}"/>{more}</figure>\n<!-- /wp:image -->'
    )


def test_a_picture_becomes_the_block_of_the_editor_in_linear_time() -> None:
    page = to_blocks(f'<p>One</p>\n<p><img src="{SRC}" alt="The oven" title="At six" /></p>\n')
    caption = '<figcaption class="wp-element-caption">At six</figcaption>'
    one = "<!-- wp:paragraph -->\n<p>One</p>\n<!-- /wp:paragraph -->\n\n"
    assert with_ids(page, IDS) == one + image(31, "full", more=caption)
    page = to_blocks('<p><img src="https://other.test/oven.png" alt="The oven" /></p>')
    assert with_ids(page, IDS) == page, "pressync did not upload it"
    for text in ("<!-- wp:a {", "<img wp-image-7 ", "<!-- wp:a -->", f'<img src="{SRC}" class="wp-image-7">'):
        assert len(with_ids(text * 20_000, IDS)) >= len(text)


def test_a_block_of_the_author_gets_the_id_of_the_new_upload_and_keeps_the_rest() -> None:
    """A picture was replaced under its name, so the address is that of another upload."""
    kept = image(9, "medium", "https://site.test/uploads/other.png")
    gallery = '<!-- wp:gallery {"ids":[7,9],"linkTo":"none"} -->\n<figure class="wp-block-gallery">'
    end = "</figure>\n<!-- /wp:gallery -->"
    page = f'{kept}\n\n{gallery}{image(7, "large")}\n\n{kept}{end}\n\n<!-- wp:spacer {{"id":7}} /-->'
    assert with_ids(page, IDS) == page.replace('"ids":[7,9]', '"ids":[31,9]').replace(
        image(7, "large"), image(31, "large")
    )


MEDIA_TEXT = f'<!-- wp:media-text {{"mediaId":7}} -->\n<img src="{SRC}" class="wp-image-7 size-full"/>'
LISTED = f'<ul><li><img src="{SRC}" data-id="7" class="wp-image-7"/></li></ul>'


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (MEDIA_TEXT, MEDIA_TEXT.replace("7", "31")),
        (LISTED, LISTED.replace("7", "31")),
        (f'<img src="{SRC}" class="wp-image-31"/>', f'<img src="{SRC}" class="wp-image-31"/>'),
        ('<img class="wp-image-7"/> wp-image-7', '<img class="wp-image-7"/> wp-image-7'),
    ],
)
def test_every_form_of_an_id_is_known(page: str, expected: str) -> None:
    assert with_ids(page, IDS) == expected
    assert with_ids(expected, IDS) == expected, "a second time changes nothing"
