"""A part of the settings was written here only if no commit of somebody else brought it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.config.settings_author import is_written_here
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

FILE = "pressync.toml"
BEFORE, AFTER = 'content = "content"\nurl = "ours"\n', 'content = "content"\nurl = "theirs"\n'


@pytest.fixture
def clone(repository: SampleRepository, tmp_path: Path) -> SampleRepository:
    """Clone a repository in which somebody else then changes a line of the settings."""
    repository.commit({FILE: BEFORE})
    repository.git("clone", "--quiet", str(repository.root), str(tmp_path / "clone"))
    repository.commit({FILE: AFTER})
    return SampleRepository(tmp_path / "clone")


def written_here(clone: SampleRepository, part: str = "theirs") -> bool:
    with Repository(clone.root) as repository:
        return is_written_here(repository, lambda text: part in text)


def test_what_a_pull_brings_was_not_written_here(clone: SampleRepository) -> None:
    clone.git("pull", "--quiet")
    assert not written_here(clone)


def test_an_edit_of_another_line_does_not_make_it_ours(clone: SampleRepository) -> None:
    clone.git("pull", "--quiet")
    clone.write(FILE, f"# mine\n{AFTER}")
    assert not written_here(clone)
    clone.commit()
    assert not written_here(clone)
    assert written_here(clone, "mine")


@pytest.mark.parametrize(
    "commands",
    [
        [["pull", "--quiet"], ["commit", "--quiet", "--amend", "--message", "mine"]],
        [["fetch", "--quiet"], ["merge", "--quiet", "--squash", "origin/main"], ["commit", "-qm", "mine"]],
        [["pull", "--quiet", "--squash", "..", "main"], ["commit", "-qm", "mine"]],
        [["fetch", "--quiet"], ["cherry-pick", "origin/main"]],
        [["fetch", "--quiet"], ["merge", "--quiet", "--no-ff", "--no-commit", "origin/main"]],
        [["fetch", "--quiet"], ["checkout", "--quiet", "origin/main", "--", FILE], ["commit", "-qm", "mine"]],
    ],
    ids=["amend", "squash", "squash without a branch", "pick", "unfinished merge", "checkout"],
)
def test_no_way_to_take_it_over_makes_it_ours(
    clone: SampleRepository, repository: SampleRepository, commands: list[list[str]]
) -> None:
    for command in commands:
        clone.git(*(str(repository.root) if word == ".." else word for word in command))
    assert "theirs" in (clone.root / FILE).read_text(encoding="utf-8")
    assert not written_here(clone)


def test_our_own_work_is_ours_also_after_a_rebase_and_an_amend(clone: SampleRepository) -> None:
    clone.commit({"notes.txt": "one"})
    clone.write(FILE, f"{BEFORE}# mine\n")
    assert written_here(clone, "mine"), "an edit"
    clone.commit()
    assert written_here(clone, "mine"), "a commit"
    clone.git("commit", "--quiet", "--amend", "--message", "Another subject")
    assert written_here(clone, "mine"), "an amended commit"
    clone.git("fetch", "--quiet")
    clone.git("rebase", "--quiet", "--strategy-option", "theirs", "origin/main")
    assert written_here(clone, "mine"), "a rebased commit"
    assert not written_here(clone, '"content"'), "what it was cloned with"


def test_a_link_and_a_name_in_other_letters_have_a_history_of_their_own(clone: SampleRepository) -> None:
    clone.write("theirs.toml", AFTER)
    clone.remove(FILE)
    (clone.root / FILE).symlink_to("theirs.toml")
    clone.commit()
    assert not written_here(clone)
    clone.remove(FILE)
    clone.commit({"Pressync.TOML": AFTER})
    assert not written_here(clone)


def test_a_file_whose_text_differs_from_its_blob_was_not_written_here(clone: SampleRepository) -> None:
    # In EBCDIC, the bytes of the file are another text than that of the blob.
    text = AFTER.encode().decode("cp037")
    clone.commit({".gitattributes": f"{FILE} working-tree-encoding=IBM037\n"})
    (clone.root / FILE).write_bytes(AFTER.encode())
    clone.commit()
    assert clone.git("show", f"HEAD:{FILE}") == text.strip()
    assert not written_here(clone)
    clone.commit({".gitattributes": f"{FILE} filter=lfs\n"})
    assert not written_here(clone)


def test_before_the_first_commit_all_is_ours(tmp_path: Path) -> None:
    new = SampleRepository.create(tmp_path / "new")
    new.write(FILE, AFTER)
    assert written_here(new)
    new.commit()
    assert written_here(new)


def test_the_settings_of_git_do_not_change_the_answer(clone: SampleRepository) -> None:
    for name, value in (("log.showRoot", "false"), ("log.follow", "true"), ("log.showSignature", "true")):
        clone.git("config", name, value)
    assert not written_here(clone, "ours"), "the commit that it was cloned with is the first one"
