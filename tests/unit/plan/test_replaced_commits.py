"""HEAD has the patches of commits that it does not descend from, or it lacks one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.plan import replaced_commits
from pressync.plan.replaced_commits import has_changes
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.repository import SampleRepository

PAGE, PICTURE = "content/pages/a.md", "content/pages/a.png"
TEXT = "".join(f"Line {number}\n" for number in range(20))
FIRST, FIRST_INDENTED = TEXT.replace("Line 3\n", "Line three\n"), TEXT.replace("Line 3\n", "  Line 3\n")


def has(repository: SampleRepository, *commits: str) -> bool:
    with Repository(repository.root) as opened:
        return has_changes(opened, commits, opened.commit())


def replaced(repository: SampleRepository, ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Commit texts of a page, then others from the same start; tell whether these have the former."""
    repository.commit({PAGE: TEXT, "b.md": "B\n"})
    start = repository.head()
    for text in ours:
        repository.commit({PAGE: text})
    synced = repository.head()
    repository.git("reset", "--quiet", "--hard", start)
    repository.commit({"b.md": "Somebody else's\n"})
    for text in theirs:
        repository.commit({PAGE: text})
    return has(repository, synced)


ABOVE = TEXT.replace("Line 15\n", "Line fifteen\n")


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        ([FIRST], [FIRST], True),
        ([FIRST], [f"Above\n{TEXT}", f"Above\n{FIRST}"], True),
        ([FIRST, TEXT, FIRST], [FIRST, TEXT, FIRST, ABOVE], True),
        # The last commit was taken back.
        ([FIRST, TEXT, FIRST], [FIRST, TEXT], False),
        ([ABOVE, TEXT], [TEXT.replace("Line 15\n", "Line 15!\n")], False),
        # White space is text in Markdown.
        ([FIRST_INDENTED], [FIRST_INDENTED.replace("  Line", "    Line")], False),
        ([FIRST], [], False),
    ],
    ids=["rebased", "moved", "in order", "one less", "other", "indented", "reset"],
)
def test_each_patch_must_be_there_again(
    repository: SampleRepository, ours: list[str], theirs: list[str], found: bool
) -> None:
    assert replaced(repository, ours, theirs) is found


def test_a_squash_has_the_files_of_its_last_commit(repository: SampleRepository) -> None:
    start = repository.commit({PAGE: TEXT})
    commits = [repository.commit({PAGE: text}) for text in (FIRST, ABOVE, FIRST_INDENTED)]
    repository.git("reset", "--quiet", "--soft", start)
    repository.commit(message="All at once")
    repository.commit({PAGE: FIRST})
    assert has(repository, *commits[:2], commits[2])
    assert not has(repository, commits[1])


def test_a_picture_is_compared_as_a_whole_and_a_merge_proves_nothing(repository: SampleRepository) -> None:
    start = repository.commit({PAGE: TEXT})
    one = repository.commit({PICTURE: b"\0one"})
    repository.git("reset", "--quiet", "--hard", start)
    repository.commit({PICTURE: b"\0two", "b.md": "B\n"})
    assert not has(repository, one)
    repository.git("reset", "--quiet", "--hard", start)
    repository.commit({"b.md": "B\n"})
    repository.git("cherry-pick", one)
    assert has(repository, one)
    repository.git("branch", "side", start)
    repository.git("switch", "--quiet", "side")
    repository.git("merge", "--quiet", "--no-ff", "--no-edit", one)
    merge = repository.head()
    repository.git("switch", "--quiet", "main")
    assert not has(repository, merge)


def test_a_commit_of_which_git_shows_no_patch_is_compared_by_its_files(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = repository.commit({PAGE: TEXT})
    empty, synced = repository.commit(message="Nothing"), repository.commit({PAGE: FIRST})
    repository.git("reset", "--quiet", "--hard", start)
    monkeypatch.setattr(replaced_commits, "_PATCHES", (*replaced_commits._PATCHES, "--quiet"))  # noqa: SLF001
    repository.commit({"b.md": "B\n"})
    assert has(repository, empty), "it has no changes"
    assert not has(repository, synced)


def test_an_empty_file_and_an_empty_first_commit_are_found(repository: SampleRepository) -> None:
    first = repository.commit(message="Nothing")
    synced = repository.commit({PAGE: ""})
    repository.git("switch", "--quiet", "--orphan", "other")
    repository.commit({"b.md": "B\n"})
    assert has(repository, first)
    assert not has(repository, synced)
    repository.git("cherry-pick", synced)
    repository.commit({PAGE: "Text\n"})
    assert has(repository, synced)


def test_a_new_message_needs_no_patch(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = repository.commit({PAGE: TEXT})
    repository.git("commit", "--quiet", "--amend", "--message", "Another message")
    monkeypatch.setattr(replaced_commits, "_PATCHES", ("none",))
    assert has(repository, synced)


class TestConfigurationOfGit:
    """The user's settings for `git log` and `git diff` do not hide a change."""

    def test_the_first_commit_of_another_history_has_files(self, repository: SampleRepository) -> None:
        repository.git("config", "log.showRoot", "false")
        repository.commit({PAGE: TEXT})
        repository.git("switch", "--quiet", "--orphan", "other")
        synced = repository.commit({PAGE: FIRST})
        repository.git("switch", "--quiet", "main")
        assert not has(repository, synced)

    @pytest.mark.parametrize("hidden", ["config", "environment"])
    def test_the_lines_around_a_change_count(
        self, repository: SampleRepository, hidden: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if hidden == "config":
            repository.git("config", "diff.context", "0")
        else:
            monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=0")
        twice = "".join(f"{line}\nLine\n{line}\n" for line in ("First", "Second", "Third"))
        above, below = (twice.replace(f"{line}\nLine\n", f"{line}\nNew\n") for line in ("First", "Third"))
        repository.commit({PAGE: twice, "b.md": "B\n"})
        start, synced = repository.head(), repository.commit({PAGE: above})
        repository.git("reset", "--quiet", "--hard", start)
        repository.commit({PAGE: below})
        assert not has(repository, synced)

    def test_a_submodule_counts(self, repository: SampleRepository) -> None:
        start = repository.commit({PAGE: TEXT})
        repository.git("update-index", "--add", "--cacheinfo", f"160000,{start},theme")
        repository.git("commit", "--quiet", "--message", "Add a theme")
        synced = repository.head()
        repository.git("reset", "--quiet", "--hard", start)
        repository.git("config", "diff.ignoreSubmodules", "all")
        repository.commit({"b.md": "B\n"})
        assert not has(repository, synced)

    def test_a_rebased_commit_is_found(self, repository: SampleRepository) -> None:
        settings = {
            "diff.noPrefix": "true",
            "diff.external": "false",
            "diff.algorithm": "patience",
            "color.ui": "always",
            "core.quotePath": "false",
            "log.showSignature": "true",
            "log.follow": "true",
        }
        for name, value in settings.items():
            repository.git("config", name, value)
        assert replaced(repository, [FIRST], [FIRST])


@pytest.mark.parametrize("hidden", ["in a long text", "by an attribute"])
def test_bytes_after_a_zero_byte_count(repository: SampleRepository, hidden: str) -> None:
    """`git patch-id --verbatim` does not read them, so it gives both of these commits one id."""
    path, text = (PAGE, "x\n" * 5000) if hidden == "in a long text" else (PICTURE, "")
    repository.commit({".gitattributes": "*.png diff\n", path: text or "P\n"})
    start = repository.head()
    synced = repository.commit({path: f"{text}P\0one\n"})
    repository.git("reset", "--quiet", "--hard", start)
    repository.commit({"b.md": "B\n"})
    repository.commit({path: f"{text}P\0two\n"})
    assert not has(repository, synced)
    repository.git("reset", "--quiet", "--hard", "HEAD~1")
    repository.git("cherry-pick", synced)
    assert has(repository, synced)
