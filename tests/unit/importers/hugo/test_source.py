"""A whole Hugo site as items."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from tests.support.corpora import unpack
from tests.support.source_trees import by_file, left_out, origin, tree

from pressync.importers.hugo.config import read_config
from pressync.importers.hugo.source import HugoSource, recognises
from pressync.importers.item import Form, ImportSource, Item, LeftOut, Place, Remainder
from pressync.importers.source_files import FolderFiles
from pressync.importers.source_tree import SourceTree
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.importers.item import Imported

SITE = {
    "hugo.toml": 'baseURL = "https://example.org/"\n[params]\nversion = "3.1"\n',
    "content/_index.md": "---\ntitle: Home\n---\nWelcome\n",
    "content/docs/_index.md": "---\ntitle: Docs\nweight: 2\n---\n",
    "content/docs/x.md": """\
        ---
        title: X
        weight: 5
        description: About X.
        categories: [a]
        ---
        ## Set up {#install}

        Version {{< param version >}}, {{< own >}}
        """,
    "content/blog/2024/hello/index.md": """\
        +++
        title = "Hello"
        date = 2024-01-31T10:00:00+02:00
        lastmod = 2024-02-01
        author = "Anna"
        tags = ["bread", "2024"]
        categories = ["News"]
        +++
        ![Oven](oven.jpg)
        """,
    "content/blog/2024/hello/oven.jpg": "",
    "content/page.html": "---\ntitle: H\n---\n<p>Hi</p>\n",
    "content/draft.md": "---\ndraft: true\n---\n",
    "content/part.md": "---\nbuild: {render: never}\n---\n",
    "content/tags/bread/_index.md": "---\ntitle: Bread\n---\n",
    "static/img/a.png": "",
    "layouts/shortcodes/own.html": "",
}


def imported(site: SourceTree) -> list[Imported]:
    return list(HugoSource(site, read_config(site), dt.date(2026, 1, 1)).items())


def test_each_file_is_an_item_or_left_out(tmp_path: Path) -> None:
    found = imported(tree(tmp_path, SITE))
    assert origin(found) == "https://example.org/"
    assert {path: (each.kind.value, each.path, each.address) for path, each in by_file(found).items()} == {
        "content/_index.md": ("page", "pages/index.md", "/"),
        "content/docs/_index.md": ("page", "pages/docs/index.md", "/docs/"),
        "content/docs/x.md": ("page", "pages/docs/x.md", "/docs/x/"),
        "content/blog/2024/hello/index.md": ("post", "posts/2024/hello.md", "/blog/2024/hello/"),
        "content/page.html": ("page", "pages/page.md", "/page/"),
        "content/draft.md": ("page", "pages/draft.md", "/draft/"),
    }
    assert left_out(found) == {
        "content/part.md": "headless page",
        "content/tags/bread/_index.md": "page of a term",
    }


def test_a_page_has_its_order_and_a_post_its_terms(tmp_path: Path) -> None:
    found = by_file(imported(tree(tmp_path, SITE)))
    page, post = found["content/docs/x.md"], found["content/blog/2024/hello/index.md"]
    assert (page.order, page.excerpt, page.fields) == (5, "About X.", {"params": {"categories": ["a"]}})
    assert page.body == '## <a id="install"></a>Set up\n\nVersion 3.1, {{< own >}}\n'
    assert page.remainders == (Remainder("shortcode own", Place("content/docs/x.md", 9), "{{< own >}}"),)
    assert (post.kind, post.date, post.modified) == (
        Kind.POST,
        "2024-01-31T08:00:00+00:00",
        "2024-02-01T00:00:00",
    )
    assert (post.author, post.tags, post.categories, post.fields) == (
        "Anna",
        ("bread", "2024"),
        ("News",),
        {},
    )
    assert found["content/draft.md"].status == "draft"
    assert found["content/page.html"].form is Form.HTML


def test_files_of_static_and_of_bundles_are_found_by_their_addresses(tmp_path: Path) -> None:
    (files,) = (each for each in imported(tree(tmp_path, SITE)) if isinstance(each, FolderFiles))
    assert files.file_of("/img/a.png") == "media/img/a.png"
    assert files.file_of("/blog/2024/hello/oven.jpg") == "media/blog/2024/hello/oven.jpg"
    assert [file for _, file in files.copies()] == [
        tmp_path / "content/blog/2024/hello/oven.jpg",
        tmp_path / "static/img/a.png",
    ]


def test_languages_become_folders(tmp_path: Path) -> None:
    site = {
        "hugo.toml": 'defaultContentLanguage = "en"\n[languages.en]\n[languages.de]\n',
        "content/a.md": "",
        "content/a.de.md": "",
        "content/posts/p.de.md": "",
        "content/b.md": "---\nurl: /c/\n---\n",
        "content/c.md": "",
    }
    found = by_file(imported(tree(tmp_path, site)))
    assert {path: each.path for path, each in found.items()} == {
        "content/a.md": "pages/a.md",
        "content/a.de.md": "pages/de/a.md",
        "content/posts/p.de.md": "posts/de/p.md",
        "content/b.md": "pages/c.md",
        "content/c.md": "pages/c.md",
    }
    assert len({each.key for each in found.values()}) == len(found)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"hugo.toml": ""}, True),
        ({"config/_default/config.toml": ""}, True),
        ({"config.toml": "", "content/a.md": ""}, True),
        ({"config.toml": ""}, False),
        ({"content/a.md": ""}, False),
    ],
)
def test_a_site_is_recognised_by_its_settings(
    tmp_path: Path, files: dict[str, str], *, expected: bool
) -> None:
    tree(tmp_path, files)
    assert recognises(ImportSource(str(tmp_path), tmp_path)) is expected


# Hugo 0.168 built these trees, with empty templates for their shortcodes, and had these addresses.
@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "addresses", "left"),
    [
        (
            "letsencrypt",
            {
                "content/en/post/2017-6-14-acme-v2-api.markdown": "/2017/06/14/acme-v2-api.html",
                "content/en/post/_index.md": "/blog/",
                "content/de/docs/_index.md": "/de/docs/",
                "content/en/stats.html": "/stats/",
            },
            0,
        ),
        (
            "etcd-website",
            {
                "content/en/docs/v3.5/op-guide/_index.md": "/docs/v3.5/op-guide/",
                "content/en/blog/2025/announcing-etcd-3.6.md": "/blog/2025/announcing-etcd-3.6/",
            },
            0,
        ),
    ],
)
def test_a_real_site_is_carried_with_its_addresses(
    tmp_path: Path, name: str, addresses: dict[str, str], left: int
) -> None:
    root = unpack(name, tmp_path)
    files = [path for path in (root / "content").rglob("*") if path.suffix in {".md", ".markdown", ".html"}]
    found = imported(SourceTree(root))
    items = [each for each in found if isinstance(each, Item)]
    assert sum(isinstance(each, LeftOut) for each in found) == left
    assert len(items) + left == len(files)
    known = {each.place.path: each.address for each in items}
    assert {path: known[path] for path in addresses} == addresses
