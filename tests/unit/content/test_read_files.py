"""A plan keeps what it has read for the sync that sends it, within bounds."""

from __future__ import annotations

import tracemalloc

import pytest

from pressync.content.read_files import KeptFiles, ReadFile
from pressync.model.interface import Kind
from pressync.model.records import Document

A, B = "content/pages/a.md", "content/pages/b.md"


def document(path: str = A, body: str = "[b](b.md)\n") -> Document:
    return Document(path, "b" * 40, Kind.PAGE, {"title": "A"}, body, 1)


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
        assert tracemalloc.get_traced_memory()[0] < 200 * len(text) / 3
    finally:
        tracemalloc.stop()
    kept = pages.reading("100.md", pytest.fail, keep=True).document
    assert kept
    assert kept.body == text + "y"


def test_a_thousand_documents_are_kept() -> None:
    pages = KeptFiles()
    assert sum(read(pages, f"{number}.md") for number in range(1002)) == 1002
    assert [read(pages, "999.md"), read(pages, "1000.md")] == [0, 1]
    pages = KeptFiles()
    assert [read(pages, body="x" * 10_001), read(pages, B), read(pages)] == [1, 1, 1], "a long one is not"
