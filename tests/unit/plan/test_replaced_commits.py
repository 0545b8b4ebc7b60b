"""HEAD has the patches of commits that it does not descend from, or it lacks one; and what a plan says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.shared_manifest import Clones

from pressync.model.changes import Update
from pressync.model.errors import SafetyRefusal
from pressync.plan import replaced_commits
from pressync.plan.replaced_commits import has_changes
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.support.strict_service import StrictService
    from tests.support.syncing import Site


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


A, B, NEW = (f"content/pages/{name}.md" for name in "abc")


@pytest.fixture
def clones(tmp_path: Path, strict: StrictService) -> Clones:
    """Push two pages to an origin whose clones share the manifest in its reference."""
    return Clones.create(tmp_path, strict.url, {A: "# A\n", B: "# B\n"})


@pytest.fixture
def rebased(clones: Clones) -> tuple[Site, Site]:
    """Sync a commit, and rebase it on what somebody else has pushed meanwhile; the other clone has all."""
    here, there = clones.site(), clones.site()
    mine, theirs = clones.made
    here.sync()
    mine.commit({A: "# A2\n"})
    here.sync()
    theirs.commit({B: "# B2\n"})
    theirs.git("push", "--quiet", "origin", "HEAD:main")
    mine.git("pull", "--quiet", "--rebase")
    mine.git("push", "--quiet", "origin", "HEAD:main")
    theirs.git("pull", "--quiet")
    return here, there


def test_a_rebase_of_what_was_synced_needs_no_consent_and_the_others_need_none_afterwards(
    rebased: tuple[Site, Site], strict: StrictService
) -> None:
    here, there = rebased
    assert [(type(change), change.path) for change in here.plan().pending] == [(Update, B)]
    here.sync()
    assert not there.plan().refusals
    there.sync()
    assert there.plan().settled
    assert sorted(page["title"]["raw"] for page in strict.pages) == ["A2", "B2"]
    head = SampleRepository(here.root).head()
    assert {entry.commit for entry in there.entries().values()} == {head}


@pytest.mark.sweep
def test_a_clone_without_the_rebased_commit_may_send_what_takes_nothing_of_it_back(
    rebased: tuple[Site, Site], clones: Clones
) -> None:
    """The commit may have removed the page that looks new."""
    there = rebased[1]
    assert not there.plan().refusals
    assert not there.plan().settled, "the sync still has to note the new commit"
    clones.made[1].commit({NEW: "# C\n"})
    (refusal,) = there.plan().refusals
    assert refusal.code == "rewritten_history"
    assert "After a rebase, a sync in the clone that did it ends this" in refusal.message
    clones.made[1].git("reset", "--quiet", "--hard", "HEAD^")
    clones.made[1].commit({A: "# A, as before\n"})
    assert there.plan().refusals
    with pytest.raises(SafetyRefusal, match="--allow-rewind"):
        there.sync()
