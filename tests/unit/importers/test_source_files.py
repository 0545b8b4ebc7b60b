"""Files of a source are copied when a page asks for them."""

from __future__ import annotations

from pathlib import Path

from pressync.importers.source_files import FolderFiles


def test_a_file_that_was_asked_for_is_copied_once() -> None:
    files = FolderFiles({"/img/a b.png": Path("/s/a b.png"), "/img/c.png": Path("/s/c.png")})
    assert files.file_of("/img/a%20b.png?v=2") == "media/img/a b.png"
    assert files.file_of("/img/../img/a b.png") == "media/img/a b.png"
    assert list(files.copies()) == [("media/img/a b.png", Path("/s/a b.png"))]
    assert files.missing() == []


def test_to_look_for_a_file_does_not_copy_it() -> None:
    files = FolderFiles({"/a.png": Path("/s/a.png")})
    assert files.has("/a.png")
    assert not files.has("/b.png")
    assert list(files.copies()) == []


def test_pages_and_programs_of_the_old_site_are_not_media() -> None:
    files = FolderFiles({"/a.html": Path("/s/a.html"), "/b.JS": Path("/s/b.JS"), "/c.pdf": Path("/s/c.pdf")})
    assert [files.file_of(f"/{name}") for name in ("a.html", "b.JS", "c.pdf")] == [None, None, "media/c.pdf"]
