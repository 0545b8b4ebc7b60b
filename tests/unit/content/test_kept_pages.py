"""What a plan has read or rendered is kept for the sync that sends it, within bounds."""

from __future__ import annotations

import tracemalloc

import pytest
from tests.support.builders import desired

from pressync.content.documents import ParsedFile
from pressync.content.kept_pages import KeptPage, KeptPages
from pressync.content.kept_texts import KeptTexts
from pressync.content.render.link_targets import UNKNOWN
from pressync.model.interface import Kind
from pressync.model.records import Document, Prepared

A, B = "content/pages/a.md", "content/pages/b.md"
ADDRESS = "https://site.test/b/"


def document(path: str = A, body: str = "[b](b.md)\n") -> Document:
    return Document(path, "b" * 40, Kind.PAGE, {"title": "A"}, body, 1)


def prepared(path: str = A, content: str = "<p>b</p>") -> Prepared:
    return Prepared(document(path), desired(path), {"title": "A", "content": content})


def read(pages: KeptPages, path: str = A, *, keep: bool = True, body: str = "x") -> int:
    """Read a document, and give the number of times that its file was read for it."""
    parsed: list[str] = []

    def parse(path: str) -> ParsedFile:
        parsed.append(path)
        return ParsedFile(document(path, body))

    pages.reading(path, parse, keep=keep)
    return len(parsed)


def test_a_document_that_was_read_is_given_away_once() -> None:
    pages = KeptPages()
    assert [read(pages), read(pages), read(pages, keep=False), read(pages, keep=False)] == [1, 0, 0, 1]


def test_a_document_is_given_as_it_was_read_also_after_others() -> None:
    pages = KeptPages()
    first = pages.reading(A, lambda path: ParsedFile(document(path, "[é](b.md) \ud800\n")), keep=True)
    read(pages, B)
    assert pages.reading(A, pytest.fail, keep=True) == pages.reading(A, pytest.fail, keep=True) == first


def test_the_texts_of_kept_pages_are_not_in_the_memory() -> None:
    text = "x" * 9_000
    tracemalloc.start()
    try:
        pages = KeptPages()
        for number in range(200):
            read(pages, f"{number}.md", body=text + "y")
            pages.keep_prepared(prepared(f"{number + 1000}.md", content=text + "y"), {})
        assert tracemalloc.get_traced_memory()[0] < 200 * len(text) / 3
    finally:
        tracemalloc.stop()
    kept = pages.prepared("1000.md")
    assert kept
    assert kept.content == text + "y"


def test_without_room_on_the_disk_a_document_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KeptTexts, "keep", lambda _texts, _text: None)
    pages = KeptPages()
    assert [read(pages), read(pages, B), read(pages)] == [1, 1, 1]
    pages.keep_prepared(prepared(), {})
    assert pages.prepared(A) is None


def test_a_long_document_is_read_again() -> None:
    pages = KeptPages()
    assert [read(pages, body="x" * 10_001), read(pages, B), read(pages)] == [1, 1, 1]


def test_a_thousand_documents_are_kept() -> None:
    pages = KeptPages()
    assert sum(read(pages, f"{number}.md") for number in range(1002)) == 1002
    assert [read(pages, "999.md"), read(pages, "1000.md")] == [0, 1]


def test_a_page_is_kept_as_html_and_no_longer_as_markdown() -> None:
    pages = KeptPages()
    read(pages)
    pages.keep_prepared(prepared(), {B: ADDRESS})
    kept = pages.take_prepared(A)
    assert kept
    assert (kept.content, kept.document.body) == ("<p>b</p>", "")
    assert pages.take_prepared(A) is None
    assert read(pages) == 1


def test_a_page_whose_link_has_no_address_yet_is_kept_as_markdown() -> None:
    pages = KeptPages()
    read(pages)
    pages.keep_prepared(prepared(), {B: UNKNOWN})
    assert pages.prepared(A) is None
    assert read(pages) == 0


def test_html_holds_as_long_as_each_address_in_it() -> None:
    kept = KeptPage(document(), desired(A), "<p>b</p>", {B: ADDRESS})
    assert kept.holds({B: ADDRESS}.__getitem__)
    assert not kept.holds({B: "https://site.test/c/"}.__getitem__)
