"""Files and records are compared beside each other, wherever the pieces end; unconfirmed creates differ."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import entry

from pressync.config import settings
from pressync.content.basis import BasisDigest
from pressync.content.render.renderer import Renderer
from pressync.model.bounds import TEMPLATE
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.records import Manifest
from pressync.model.visibility import FRONT_PAGE
from pressync.plan.side_by_side import SideBySide
from pressync.repo.discover import EMPTY_BLOB
from pressync.state.manifest import codec
from pressync.state.manifest import rows as row_text
from pressync.state.manifest.rows import SortedRows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pressync.config.settings import Settings
    from pressync.model.bounds import FileBound
    from pressync.model.records import Entry


SETTINGS = settings.load("", where="pressync.toml", environ={"PRESSYNC_URL": "https://site.test/wp-json"})
GUIDE, CHILD, ABOUT = "content/pages/guide/index.md", "content/pages/guide/a.md", "content/pages/about.md"
TEMPLATES = {"templates/page.html": "t" * 40}


def read(_blob: str, _bound: FileBound = TEMPLATE, /) -> bytes:
    return b"<main>{{ content }}</main>"


DIGEST = BasisDigest(
    SETTINGS, Renderer.of_files(TEMPLATES, lambda _path, *blob: read(*blob), SETTINGS).digest
)


def known(path: str, number: int, parent: tuple[str, int] | None = None, *links: Entry) -> Entry:
    """Make the entry of a page with a template, a parent and links to other pages."""
    basis = DIGEST.of("page.html", parent[1] if parent else 0, [(other.path, other.link) for other in links])
    paths = tuple(other.path for other in links)
    above = parent[0] if parent else None
    return entry(path, number, layout="page.html", parent_path=above, basis=basis, links=paths)


def compare(
    entries: Iterable[Entry],
    rows: Sequence[str] | None = None,
    *,
    settings: Settings = SETTINGS,
    escaped: str = "",
    together: int = 1,
) -> SideBySide:
    """Compare entries with rows; JSON allows to write each of the `escaped` letters in another way."""
    entries = [*entries]
    text = codec.encode(Manifest(SETTINGS.site.target, {each.path: each for each in entries}))
    for letter in escaped:
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    listed = rows or [
        *(f"100644 blob {each.blob}\t{each.path}" for each in sorted(entries, key=lambda each: each.path)),
        *(f"100644 blob {blob}\t{path}" for path, blob in TEMPLATES.items()),
    ]
    return SideBySide(
        settings,
        iter(
            [
                "".join(f"{row}\0" for row in listed[at : at + together])
                for at in range(0, len(listed), together)
            ]
        ),
        SortedRows(io.BytesIO(text.encode()), where="manifest.json"),
        read,
    )


ABOVE, OTHER = known(GUIDE, 4), known(ABOUT, 5)


@pytest.mark.parametrize("size", [300, 1 << 20])
@pytest.mark.parametrize("together", [1, 2, 9])
def test_records_are_equal_whatever_they_depend_on_and_wherever_the_pieces_end(
    monkeypatch: pytest.MonkeyPatch, size: int, together: int
) -> None:
    monkeypatch.setattr(row_text, "_PIECE", size)
    below = known(CHILD, 6, (GUIDE, 4), OTHER)
    named = known("content/pages/z.md", 7, (ABOUT, 5))
    both = compare([ABOVE, OTHER, below, named], together=together)
    assert both.are_equal()
    assert (both.count, both.commits) == (4, {OTHER.commit})


@pytest.mark.parametrize(
    "wrong",
    [
        known(CHILD, 6, (GUIDE, 5)),
        known(CHILD, 6, (ABOUT, 4)),
        known(CHILD, 6, ("content/pages/none.md", 4)),
        known(CHILD, 6, ("content/pages/../none.md", 0)),
        known(CHILD, 6, None, structs.replace(OTHER, link="https://site.test/other/")),
        known(CHILD, 6, None, structs.replace(OTHER, path="content/pages/none.md")),
        known(CHILD, 5),
        known(CHILD, 1 << 30),
        structs.replace(known(CHILD, 6), layout="post.html"),
        structs.replace(known(CHILD, 6), conflict={"title": "Theirs"}),
        structs.replace(known(CHILD, 6), fingerprints={"title": "?aa,bb"}),
        known("templates/plan.md", 6),
        known("content/pages/../plan.md", 6),
    ],
)
def test_one_entry_that_a_plan_would_look_into_is_a_difference(wrong: Entry) -> None:
    assert compare([ABOVE, OTHER]).are_equal()
    assert not compare([ABOVE, OTHER, wrong]).are_equal()


def test_a_page_and_a_post_may_have_one_id_and_no_record_at_all_is_a_difference() -> None:
    post = structs.replace(known("content/posts/a.md", 5), kind=Kind.POST)
    assert compare([OTHER, post]).are_equal()
    assert not compare([]).are_equal()


def test_one_front_page_is_no_difference_and_two_are_a_problem_for_the_plan() -> None:
    front = {FRONT_PAGE: fingerprint(value=True)}
    first = structs.replace(OTHER, fingerprints=front)
    assert compare([ABOVE, first]).are_equal()
    assert not compare([structs.replace(ABOVE, fingerprints=front), first]).are_equal()


def test_an_escape_hides_neither_an_unsure_field_nor_a_second_front_page() -> None:
    assert compare([OTHER], escaped="m").are_equal()
    unsure = structs.replace(OTHER, fingerprints={"title": "?aa"})
    assert not compare([unsure], escaped="?").are_equal()
    front = [
        structs.replace(each, fingerprints={FRONT_PAGE: fingerprint(value=True)}) for each in (ABOVE, OTHER)
    ]
    assert not compare(front, escaped="_").are_equal()


@pytest.mark.parametrize(
    "rows",
    [
        [f"100644 blob {'b' * 40}\t{CHILD}"],
        [f"100644 blob {'b' * 40}\t{ABOUT}", f"100644 blob {'b' * 40}\t{CHILD}"],
        [f"100644 blob {'a' * 40}\t{ABOUT}"],
        [f"120000 blob {'b' * 40}\t{ABOUT}"],
    ],
)
def test_other_documents_than_the_entries_are_a_difference(rows: list[str]) -> None:
    templates = [f"100644 blob {blob}\t{path}" for path, blob in TEMPLATES.items()]
    assert compare([OTHER], [f"100755 blob {'b' * 40}\t{ABOUT}", *templates]).are_equal()
    assert not compare([OTHER], [*rows, *templates]).are_equal()


def test_a_file_in_the_place_of_a_page_that_only_its_folder_needed_is_a_difference() -> None:
    settings = SETTINGS._replace(folders="pages")
    deep = "content/pages/deep/index.md"
    page, below = (
        structs.replace(known(deep, 5), blob=EMPTY_BLOB),
        known("content/pages/deep/a.md", 6, (deep, 5)),
    )
    rows = [f"100644 blob {blob}\t{path}" for path, blob in {below.path: below.blob, **TEMPLATES}.items()]
    assert compare([below, page], rows, settings=settings).are_equal()
    rows.insert(1, f"100644 blob {'c' * 40}\t{deep}")
    assert not compare([below, page], rows, settings=settings).are_equal()


def test_one_record_does_not_count_as_two_by_a_blob_that_looks_like_the_end_of_a_row() -> None:
    first, second = known("content/pages/a.md", 4), known("content/pages/b.md", 5)
    rows = [f"100644 blob {blob}\t{path}" for path, blob in TEMPLATES.items()]
    rows = [*(f"100644 blob {each.blob}\t{each.path}" for each in (first, second)), *rows]
    assert compare([first, second], rows).are_equal()
    made_up = f"{first.blob}\t{first.path}\0100644 blob {second.blob}"
    assert not compare([structs.replace(second, blob=made_up)], rows).are_equal()


def test_a_file_that_is_left_out_is_not_a_document() -> None:
    leaving_out = SETTINGS._replace(exclude=("about.md",))
    rows = [f"100644 blob {'b' * 40}\t{path}" for path in (ABOUT, GUIDE)]
    rows += [f"100644 blob {blob}\t{path}" for path, blob in TEMPLATES.items()]
    both = compare([ABOVE], rows, settings=leaving_out)
    assert both.are_equal()
    assert both.others == {ABOUT: "b" * 40, **TEMPLATES}
