"""The files of a commit are compared with records piece by piece, wherever the pieces end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import entry

from pressync.config import settings
from pressync.model.records import Manifest
from pressync.plan.listed_files import ListedFiles
from pressync.state.manifest import codec
from pressync.state.manifest.rows import RecordStream

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pressync.config.settings import Settings
    from pressync.state.manifest.rows import RecordOutline

SETTINGS = settings.load("", where="pressync.toml", environ={})
A, B, C = (f"content/pages/{name}.md" for name in "abc")
PICTURE, TEMPLATE = "content/pages/aa.png", "templates/page.html"


def outlines(folder: Path, *paths: str) -> list[RecordOutline]:
    manifest = Manifest("there", {path: entry(path, n) for n, path in enumerate(paths, 1)})
    file = folder / "manifest.json"
    file.write_text(codec.encode(manifest), encoding="utf-8")
    with file.open("rb") as opened:
        stream = RecordStream(opened, where="")
        return [each for piece in stream.pieces() for each in stream.outlines(piece)]


def listed(
    paths: Sequence[str], blob: str = "b" * 40, *, of: Settings = SETTINGS, most: int = 0, piece: int = 2
) -> ListedFiles:
    rows = [f"100644 blob {blob}\t{path}\0" for path in paths]
    return ListedFiles(of, iter(["".join(rows[at : at + piece]) for at in range(0, len(rows), piece)]), most)


@pytest.mark.parametrize("piece", [1, 2, 9])
def test_documents_that_the_records_name_are_the_same_and_all_else_is_given_by_path(
    tmp_path: Path, piece: int
) -> None:
    entries = outlines(tmp_path, A, B, C)
    files = listed([A, PICTURE, B, C, TEMPLATE], piece=piece)
    assert files.are(entries[:1])
    assert files.are(entries[1:])
    assert files.are_over()
    assert files.others == {PICTURE: "b" * 40, TEMPLATE: "b" * 40}


@pytest.mark.parametrize("paths", [[A, B], [A, B, C, TEMPLATE], [B, C]])
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
    leaving_out = replace(SETTINGS, exclude=("b.md",))
    files = listed([A, B], of=leaving_out)
    assert files.are(outlines(tmp_path, A))
    assert files.are_over()
    assert files.others == {B: "b" * 40}


def test_a_folder_without_a_page_gets_one_which_has_a_record_and_no_file(tmp_path: Path) -> None:
    deep = "content/pages/deep/a.md"
    files = listed([deep], of=replace(SETTINGS, folders="pages"))
    assert files.are(outlines(tmp_path, deep))
    assert not files.are_over()
