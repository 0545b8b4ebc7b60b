"""Files are written into the work tree, and nothing is overwritten that Git does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.import_site.write import FileWriter
from pressync.model.errors import StorageError
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


def test_a_new_file_is_written_once(repository: SampleRepository) -> None:
    writer = FileWriter(Repository(repository.root))
    for _ in range(2):
        assert writer.refusal("content/a.md", b"new") == ""
        writer.write("content/a.md", b"new")
    assert (repository.root / "content/a.md").read_bytes() == b"new"
    assert writer.changed == 1
    assert [each.name for each in (repository.root / "content").iterdir()] == ["a.md"]


def test_a_committed_link_at_the_name_of_the_temporary_file_is_not_written_through(
    repository: SampleRepository,
) -> None:
    precious = repository.root.parent / "precious"
    precious.write_text("precious")
    (repository.root / "content").mkdir(exist_ok=True)
    (repository.root / "content/.a.md.new").symlink_to(precious)
    FileWriter(Repository(repository.root)).write("content/a.md", b"new")
    assert precious.read_text() == "precious"
    assert not (repository.root / "content/a.md").is_symlink()
    assert (repository.root / "content/a.md").read_bytes() == b"new"


def test_a_committed_file_is_overwritten_and_an_edited_one_is_not(repository: SampleRepository) -> None:
    repository.commit({"content/a.md": "old", "content/b.md": "old"})
    repository.write("content/b.md", "edited")
    repository.write("content/c.md", "not committed")
    writer = FileWriter(Repository(repository.root))
    assert writer.refusal("content/a.md", b"new") == ""
    for path in ("content/b.md", "content/c.md"):
        assert writer.refusal(path, b"new").startswith("a file that is not committed is here")
    assert writer.refusal("content/c.md", b"not committed") == ""


def test_a_file_that_is_as_an_import_wrote_it_is_overwritten_until_somebody_edits_it(
    repository: SampleRepository,
) -> None:
    # The first import is killed: nobody closes it.
    FileWriter(Repository(repository.root)).write("content/a.md", b"one")
    second = FileWriter(Repository(repository.root))
    assert second.refusal("content/a.md", b"two") == ""
    second.write("content/a.md", b"two")
    second.close()
    third = FileWriter(Repository(repository.root))
    assert third.refusal("content/a.md", b"three") == ""
    repository.write("content/a.md", "two, and an edit")
    assert third.refusal("content/a.md", b"three").startswith("a file that is not committed is here")


def test_nothing_is_written_through_a_symlink(repository: SampleRepository) -> None:
    (repository.root / "content").symlink_to(repository.root.parent)
    assert "content is a symlink" in FileWriter(Repository(repository.root)).refusal("content/a.md", b"")


def test_a_folder_in_the_place_of_a_file_is_an_error_with_its_name(repository: SampleRepository) -> None:
    (repository.root / "content/a.md").mkdir(parents=True)
    with pytest.raises(StorageError, match=r"content/a\.md: cannot be read"):
        FileWriter(Repository(repository.root)).refusal("content/a.md", b"")
