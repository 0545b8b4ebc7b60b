"""A plan keeps what it has read or rendered for the sync that sends it, within bounds."""

from __future__ import annotations

import os
import tempfile
import tracemalloc
from typing import TYPE_CHECKING

from tests.support.builders import desired

from pressync.content import read_files
from pressync.content.read_files import KeptFiles, KeptTexts, ReadFile, TextPlace
from pressync.content.render.links import Unresolved
from pressync.model.interface import Kind
from pressync.model.records import Document, Prepared

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


# What a plan has read or rendered is kept for the sync that sends it, within bounds.

A, B = "content/pages/a.md", "content/pages/b.md"
ADDRESS = "https://site.test/b/"


def document(path: str = A, body: str = "[b](b.md)\n") -> Document:
    return Document(path, "b" * 40, Kind.PAGE, {"title": "A"}, body, 1)


def prepared(path: str = A, content: str = "<p>b</p>") -> Prepared:
    return Prepared(document(path), desired(path), {"title": "A", "content": content})


def read(pages: KeptFiles, path: str = A, *, keep: bool = True, body: str = "x") -> int:
    """Read a document, and give the number of times that its file was read for it."""
    parsed: list[str] = []

    def parse(path: str) -> ReadFile:
        parsed.append(path)
        return ReadFile(document(path, body))

    pages.reading(path, parse, keep=keep)
    return len(parsed)


def test_a_document_that_was_read_is_given_away_once() -> None:
    pages = KeptFiles()
    assert [read(pages), read(pages), read(pages, keep=False), read(pages, keep=False)] == [1, 0, 0, 1]


def test_the_texts_of_read_files_are_not_in_the_memory() -> None:
    text = "x" * 9_000
    tracemalloc.start()
    try:
        pages = KeptFiles()
        for number in range(200):
            read(pages, f"{number}.md", body=text + "y")
            pages.keep_prepared(prepared(f"{number + 1000}.md", content=text + "y"), {})
        assert tracemalloc.get_traced_memory()[0] < 200 * len(text) / 3
    finally:
        tracemalloc.stop()
    kept = pages.prepared("1000.md")
    assert kept
    assert kept.prepared
    assert kept.prepared.fields["content"] == text + "y"


def test_without_room_on_the_disk_a_document_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KeptTexts, "keep", lambda _texts, _text: None)
    pages = KeptFiles()
    assert [read(pages), read(pages, B), read(pages)] == [1, 1, 1]
    pages.keep_prepared(prepared(), {})
    assert pages.prepared(A) is None


def test_a_thousand_documents_are_kept() -> None:
    pages = KeptFiles()
    assert sum(read(pages, f"{number}.md") for number in range(1002)) == 1002
    assert [read(pages, "999.md"), read(pages, "1000.md")] == [0, 1]


def test_a_page_is_kept_as_html_and_no_longer_as_markdown() -> None:
    pages = KeptFiles()
    read(pages)
    pages.keep_prepared(prepared(), {B: ADDRESS})
    kept = pages.prepared(A, keep=False)
    assert kept
    assert kept.prepared
    assert (kept.prepared.fields, kept.prepared.document.body) == ({"content": "<p>b</p>"}, "")
    assert kept.addresses == {B: ADDRESS}
    assert pages.prepared(A) is None
    assert read(pages) == 1


def test_a_page_whose_link_has_no_address_yet_is_kept_as_markdown() -> None:
    pages = KeptFiles()
    read(pages)
    pages.keep_prepared(prepared(), {B: Unresolved.UNKNOWN})
    assert pages.prepared(A) is None
    assert read(pages) == 0


# Texts are kept in a file that nobody else sees, and come back as they were.


def test_the_file_has_no_name_and_ends_with_its_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept = KeptTexts()
    assert kept.keep("a private page")
    assert list(tmp_path.iterdir()) == []
    file = kept._opened()  # noqa: SLF001 - its place has no other name
    del kept
    assert file.closed


def test_without_a_folder_for_it_no_text_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    kept = KeptTexts()
    assert kept.keep("text") is None
    assert kept.read(TextPlace(0, 4)) is None


def test_a_full_disk_keeps_what_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = KeptTexts()
    first = kept.keep("first")
    assert first
    file = kept._opened()  # noqa: SLF001 - its place has no other name
    os.ftruncate(file.fileno(), 3)
    assert kept.read(first) is None
    monkeypatch.setattr(read_files, "_MOST_BYTES", 8)
    assert kept.keep("more than that") is None
    assert kept.keep("two")
