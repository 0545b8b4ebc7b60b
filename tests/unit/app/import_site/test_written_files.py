"""The bytes that imports wrote are remembered, also by an import that was killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.import_site.written_files import WrittenFiles

if TYPE_CHECKING:
    from pathlib import Path


def test_the_bytes_of_a_path_are_remembered(tmp_path: Path) -> None:
    written = WrittenFiles(tmp_path)
    written.note("a.md", b"one")
    written.note("b.md", b"other")
    for each in (written, WrittenFiles(tmp_path)):
        assert each.has("a.md", b"one")
        assert not each.has("a.md", b"other")
        assert not each.has("c.md", b"one")


def test_while_an_import_works_both_texts_of_a_file_are_known_and_then_the_newest(tmp_path: Path) -> None:
    first = WrittenFiles(tmp_path)
    first.note("a.md", b"one")
    first.close()
    second = WrittenFiles(tmp_path)
    second.note("a.md", b"two")
    # It may be killed before it writes the file.
    killed = WrittenFiles(tmp_path)
    assert killed.has("a.md", b"one")
    assert killed.has("a.md", b"two")
    second.close()
    third = WrittenFiles(tmp_path)
    assert not third.has("a.md", b"one")
    assert third.has("a.md", b"two")


def test_damaged_notes_know_nothing(tmp_path: Path) -> None:
    (tmp_path / "pressync").mkdir()
    (tmp_path / "pressync/imported").write_bytes(b"[1,\n")
    written = WrittenFiles(tmp_path)
    assert not written.has("a.md", b"one")
    written.note("a.md", b"one")
    assert WrittenFiles(tmp_path).has("a.md", b"one")
