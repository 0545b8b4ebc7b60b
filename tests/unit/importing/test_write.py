"""Files are written into the work tree, and nothing is overwritten that Git does not have."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pressync.importing.write import FileWriter, WrittenFiles
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


def test_the_newest_bytes_of_a_path_are_remembered(tmp_path: Path) -> None:
    first = WrittenFiles(tmp_path)
    first.note("a.md", b"one")
    first.note("b.md", b"other")
    first.close()
    second = WrittenFiles(tmp_path)
    assert second.has("a.md", b"one")
    assert not second.has("a.md", b"other")
    assert not second.has("c.md", b"one")
    second.note("a.md", b"two")
    second.close()
    third = WrittenFiles(tmp_path)
    assert [third.has("a.md", data) for data in (b"one", b"two")] == [False, True]
    assert third.has("b.md", b"other")
    (tmp_path / "pressync/imported").write_bytes(b"[1,\n")
    assert not WrittenFiles(tmp_path).has("b.md", b"other"), "damaged notes know nothing"


def test_a_link_at_the_temporary_name_is_not_written_through(repository: SampleRepository) -> None:
    precious = repository.root.parent / "precious"
    precious.write_text("precious")
    (repository.root / "content").mkdir(exist_ok=True)
    (repository.root / "content/.a.md.new").symlink_to(precious)
    FileWriter(Repository(repository.root)).write("content/a.md", b"new")
    assert precious.read_text() == "precious"
    assert not (repository.root / "content/a.md").is_symlink()
    assert (repository.root / "content/a.md").read_bytes() == b"new"


def test_a_file_of_an_import_is_overwritten_until_it_is_edited(repository: SampleRepository) -> None:
    with FileWriter(Repository(repository.root)) as first:
        first.write("content/a.md", b"one")
    with FileWriter(Repository(repository.root)) as second:
        assert second.refusal("content/a.md", b"two") == ""
        second.write("content/a.md", b"two")
    third = FileWriter(Repository(repository.root))
    assert third.refusal("content/a.md", b"three") == ""
    repository.write("content/a.md", "two, and an edit")
    assert third.refusal("content/a.md", b"three").startswith("a file that is not committed is here")


def test_a_file_of_a_killed_import_is_known_after_the_import_that_was_repeated(
    repository: SampleRepository,
) -> None:
    # A killed process leaves no notes.
    FileWriter(Repository(repository.root)).write("content/a.md", b"one")
    with FileWriter(Repository(repository.root)) as repeated:
        repeated.write("content/a.md", b"one")
    assert repeated.changed == 0
    assert FileWriter(Repository(repository.root)).refusal("content/a.md", b"two") == ""


def test_a_path_that_the_disk_does_not_take_is_refused(repository: SampleRepository) -> None:
    (repository.root / "content/a.md").mkdir(parents=True)
    (repository.root / "content/b.md").write_text("")
    os.mkfifo(repository.root / "content/pipe.md")
    writer = FileWriter(Repository(repository.root))
    for path in ("content/a.md", "content/b.md/c.md", "content/pipe.md", f"content/{'c' * 300}.md"):
        assert writer.refusal(path, b"").startswith("the disk takes no file here ("), path
    (repository.root / "linked").symlink_to(repository.root.parent)
    assert "linked is a symlink" in writer.refusal("linked/a.md", b"")
