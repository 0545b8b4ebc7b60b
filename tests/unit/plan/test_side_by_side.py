"""Files and records are compared beside each other, wherever the pieces end; unconfirmed creates differ."""

from __future__ import annotations

import io
from dataclasses import replace
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
from pressync.plan.side_by_side import ListedFiles, SideBySide
from pressync.repo.discover import EMPTY_BLOB
from pressync.state.manifest import codec
from pressync.state.manifest import rows as row_text
from pressync.state.manifest.rows import RecordStream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from pressync.config.settings import Settings
    from pressync.model.bounds import FileBound
    from pressync.model.records import Entry
    from pressync.state.manifest.rows import RecordOutline


SETTINGS = settings.load("", where="pressync.toml", environ={"PRESSYNC_URL": "https://site.test/wp-json"})
GUIDE, CHILD, ABOUT = "content/pages/guide/index.md", "content/pages/guide/a.md", "content/pages/about.md"
TEMPLATES = {"templates/page.html": "t" * 40}


def read(_blob: str, _bound: FileBound = TEMPLATE, /) -> bytes:
    return b"<main>{{ content }}</main>"


DIGEST = BasisDigest(SETTINGS, Renderer.of_files(TEMPLATES, read, SETTINGS).digest)


def known(path: str, number: int, parent: tuple[str, int] | None = None, *links: Entry) -> Entry:
    """Make the entry of a page with a template, a parent and links to other pages."""
    basis = DIGEST.of("page.html", parent[1] if parent else 0, [(other.path, other.link) for other in links])
    paths = tuple(other.path for other in links)
    above = parent[0] if parent else None
    return entry(path, number, layout="page.html", parent_path=above, basis=basis, links=paths)


def compare(
    entries: Iterable[Entry],
    rows: Iterable[str] | None = None,
    *,
    most: int = 0,
    settings: Settings = SETTINGS,
    escaped: str = "",
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
        iter([f"{row}\0" for row in listed]),
        lambda: RecordStream(io.BytesIO(text.encode()), where="manifest.json"),
        read,
        most,
    )


ABOVE, OTHER = known(GUIDE, 4), known(ABOUT, 5)


@pytest.mark.parametrize("size", [300, 1 << 20])
def test_records_are_equal_whatever_they_depend_on(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(row_text, "_PIECE", size)
    below = known(CHILD, 6, (GUIDE, 4), OTHER)
    named = known("content/pages/z.md", 7, (ABOUT, 5))
    both = compare([ABOVE, OTHER, below, named])
    assert both.are_equal()
    assert (both.count, both.commits) == (4, {OTHER.commit})


@pytest.mark.parametrize(
    "wrong",
    [
        known(CHILD, 6, (GUIDE, 5)),
        known(CHILD, 6, (ABOUT, 4)),
        known(CHILD, 6, ("content/pages/none.md", 4)),
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


def test_a_page_and_a_post_may_have_one_id() -> None:
    post = structs.replace(known("content/posts/a.md", 5), kind=Kind.POST)
    assert compare([OTHER, post]).are_equal()


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


def test_no_record_at_all_is_a_difference() -> None:
    assert not compare([]).are_equal()


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


def test_a_few_files_may_have_other_bytes_than_their_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_text, "_PIECE", 300)
    child = known(CHILD, 6, (GUIDE, 4))
    rows = [
        f"100644 blob {'c' * 40}\t{ABOUT}",
        f"100644 blob {child.blob}\t{CHILD}",
        f"100644 blob {'d' * 40}\t{GUIDE}",
        *(f"100644 blob {blob}\t{path}" for path, blob in TEMPLATES.items()),
    ]
    both = compare([ABOVE, OTHER, child], rows, most=2)
    assert both.are_equal()
    assert both.edited == {ABOUT: "c" * 40, GUIDE: "d" * 40}
    assert both.others == TEMPLATES
    assert sorted(both.slugs) == sorted(hash(each.slug) for each in (ABOVE, OTHER, child))
    assert not compare([ABOVE, OTHER, child], rows, most=1).are_equal()
    assert not compare([ABOVE, OTHER, structs.replace(child, basis="0")], rows, most=2).are_equal()
    assert not compare([ABOVE, OTHER, child], rows[1:], most=2).are_equal()


def test_a_file_in_the_place_of_a_page_that_only_its_folder_needed_is_a_difference() -> None:
    settings = replace(SETTINGS, folders="pages")
    deep = "content/pages/deep/index.md"
    rows = [f"100644 blob {'c' * 40}\t{deep}", *(f"100644 blob {b}\t{p}" for p, b in TEMPLATES.items())]
    for blob, is_edit in (("b" * 40, True), (EMPTY_BLOB, False)):
        page = structs.replace(known(deep, 5), blob=blob)
        both = compare([page], rows, most=2, settings=settings)
        assert both.are_equal() is is_edit
        assert both.edited == ({deep: "c" * 40} if is_edit else {})


PLAIN = settings.load("", where="pressync.toml", environ={})
A, B, C = (f"content/pages/{name}.md" for name in "abc")
PICTURE, LAYOUT = "content/pages/aa.png", "templates/page.html"


def outlines(folder: Path, *paths: str) -> list[RecordOutline]:
    manifest = Manifest("there", {path: entry(path, n) for n, path in enumerate(paths, 1)})
    file = folder / "manifest.json"
    file.write_text(codec.encode(manifest), encoding="utf-8")
    with file.open("rb") as opened:
        stream = RecordStream(opened, where="")
        return [each for piece in stream.pieces() for each in stream.outlines(piece)]


def listed(
    paths: Sequence[str], blob: str = "b" * 40, *, of: Settings = PLAIN, most: int = 0, piece: int = 2
) -> ListedFiles:
    rows = [f"100644 blob {blob}\t{path}\0" for path in paths]
    return ListedFiles(of, iter(["".join(rows[at : at + piece]) for at in range(0, len(rows), piece)]), most)


@pytest.mark.parametrize("piece", [1, 2, 9])
def test_documents_that_the_records_name_are_the_same_and_all_else_is_given_by_path(
    tmp_path: Path, piece: int
) -> None:
    entries = outlines(tmp_path, A, B, C)
    files = listed([A, PICTURE, B, C, LAYOUT], piece=piece)
    assert files.are(entries[:1])
    assert files.are(entries[1:])
    assert files.are_over()
    assert files.others == {PICTURE: "b" * 40, LAYOUT: "b" * 40}


@pytest.mark.parametrize("paths", [[A, B], [A, B, C, LAYOUT], [B, C]])
def test_one_document_more_or_less_is_a_difference(tmp_path: Path, paths: list[str]) -> None:
    files = listed(paths)
    assert not (files.are(outlines(tmp_path, A, C)) and files.are_over())


def test_as_many_documents_as_are_allowed_may_have_other_bytes(tmp_path: Path) -> None:
    entries = outlines(tmp_path, A, B)
    files = listed([A, B], "c" * 40, most=2)
    assert files.are(entries)
    assert files.edited == {A: "c" * 40, B: "c" * 40}
    assert not listed([A, B], "c" * 40, most=1).are(entries)


def test_one_record_does_not_count_as_two_by_a_blob_that_looks_like_the_end_of_a_row(tmp_path: Path) -> None:
    made_up = f"{'b' * 40}\t{A}\0100644 blob {'b' * 40}"
    entries = [structs.replace(each, blob=made_up) for each in outlines(tmp_path, B)]
    assert not listed([A, B]).are(entries)


def test_a_file_that_is_left_out_is_not_a_document(tmp_path: Path) -> None:
    leaving_out = replace(PLAIN, exclude=("b.md",))
    files = listed([A, B], of=leaving_out)
    assert files.are(outlines(tmp_path, A))
    assert files.are_over()
    assert files.others == {B: "b" * 40}


def test_a_folder_without_a_page_gets_one_which_has_a_record_and_no_file(tmp_path: Path) -> None:
    deep = "content/pages/deep/a.md"
    files = listed([deep], of=replace(PLAIN, folders="pages"))
    assert files.are(outlines(tmp_path, deep))
    assert not files.are_over()
