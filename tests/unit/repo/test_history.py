"""What Git knows of the past: one contract of the questions for both implementations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.model import bounds
from pressync.model.errors import RepositoryError
from pressync.repo import history
from pressync.repo.history import Departures, Head, departures
from pressync.repo.port import OutOfTime
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.support.repository import SampleRepository


# Commits, paths and blobs.


def test_of_two_branches_base_and_beginning_are_known(
    repository: SampleRepository, opened: Repository
) -> None:
    first = repository.commit({"a.md": "A"})
    repository.git("switch", "--quiet", "--create", "side")
    side = repository.commit({"b.md": "B"})
    repository.git("switch", "--quiet", "main")
    main = repository.commit({"a.md": "C"})
    past, lost = opened.history, "0" * 40
    assert past.known([first, lost, side]) == {first, side}
    assert past.ancestors([first, side], "main") == {first}
    assert past.non_ancestors([first, side], "main") == {side}
    assert (past.merge_base("main", "side"), past.merge_base("main", "no")) == (first, "")
    assert past.newest([first, lost]) == ""
    assert past.newest([first]) == first
    assert [past.first(name) for name in ("side", "no")] == [first, ""]
    assert [past.commit(name) for name in ("side", "main^", "HEAD:a.md", "no")] == [side, first, "", ""]
    assert {head.short: head for head in past.heads("refs/heads")} == {
        "main": Head("refs/heads/main", "main", main),
        "side": Head("refs/heads/side", "side", side),
    }
    assert past.before_and_after({main, side}, "a.md", 1) == [main, first]
    assert [past.has(main, name) for name in ("a.md", "b.md")] == [True, False]
    with pytest.raises(RepositoryError, match="git show failed"):
        past.seconds("no")


def test_the_commits_that_changed_a_path_are_told(repository: SampleRepository, opened: Repository) -> None:
    first = repository.commit({"a[1].md": "A", "b.md": "B"})
    second = repository.commit({"a[1].md": "C"}, "Move it")
    third = repository.commit({"b.md": "D"})
    repository.remove("b.md")
    last = repository.commit()
    past = opened.history
    assert past.changing("HEAD", "a[1].md") == [second, first], "a name is not a pattern"
    assert past.changing("HEAD", "*.md", ":(exclude)b.md", patterns=True) == [second, first]
    assert past.changing("HEAD", "b.md", limit=1) == [last]
    assert past.changing(f"{second}..HEAD", "b.md") == [last, third]
    assert past.single_change(first, last, "a*") == second
    assert [past.single_change(*ends, "b.md") for ends in ((second, last), (first, second))] == ["", ""]
    assert [sorted(past.paths_of(commit)) for commit in (first, second, third)] == [
        ["a[1].md", "b.md"],
        ["a[1].md"],
        ["b.md"],
    ]
    assert [past.last_with_subject("Move", name) for name in ("HEAD", first, "no")] == [second, "", ""]
    assert [past.was_file_removed(name) for name in ("b.md", "a[1].md", "never.md")] == [True, False, False]


def test_what_an_upstream_has_is_told(repository: SampleRepository, opened: Repository) -> None:
    repository.commit({"m.json": "1"})
    past = opened.history
    assert (past.upstream(), past.upstream_has_newer("m.json")) == ("", False)
    repository.git("branch", "far")
    repository.git("branch", "--quiet", "--set-upstream-to=far")
    assert (past.upstream(), past.upstream_has_newer("m.json")) == ("refs/heads/far", False)
    repository.git("switch", "--quiet", "far")
    repository.commit({"m.json": "2"})
    repository.git("switch", "--quiet", "main")
    assert past.upstream_has_newer("m.json")
    repository.git("switch", "--quiet", "far")
    repository.remove("m.json")
    repository.commit()
    repository.git("switch", "--quiet", "main")
    assert not past.upstream_has_newer("m.json"), "it was removed there"


def test_a_blob_is_traced_to_those_who_brought_it(repository: SampleRepository, opened: Repository) -> None:
    first = repository.commit({"a.md": "one", "m.json": "x"})
    repository.git("switch", "--quiet", "--create", "side")
    repository.commit({"a.md": "two"})
    blob = repository.git("rev-parse", "HEAD:a.md")
    noted = repository.commit({"m.json": f"{blob}\n"}, "Sync")
    past = opened.history
    assert past.holder(["0" * 40, blob], first, "refs/kept") == "side"
    assert past.holder([blob], "side", "refs/kept") == ""
    assert [past.has_had(blob, name) for name in (first, "side")] == [False, True]
    brought = past.bringing(blob, "side", "m.json")
    assert brought
    assert (brought.id, brought.who, brought.subject) == (noted, "A Writer", "Sync")
    assert past.seconds("side") == brought.seconds
    assert past.bringing(blob, first, "m.json") is None
    [(seconds, people)] = past.authors(f"{first}..side", ["a.md"])
    assert (seconds > 0, brought.who in people, brought.address in people) == (True, True, True)
    assert f"+{blob}" in past.patches_with("[0-9a-f]{40}", "side", "m.json")
    assert past.patches_with("[0-9a-f]{40}", first, "m.json") == ""
    assert past.files_with("tw", "side", "") == {"a.md"}


def test_blobs_are_named_and_measured(repository: SampleRepository, opened: Repository) -> None:
    repository.commit({"blob 5": "12345", "a b.md": "1"})
    five, one = (repository.git("rev-parse", f"HEAD:{name}") for name in ("blob 5", "a b.md"))
    past = opened.history
    assert past.blobs_named(["HEAD:blob 5", "HEAD:no blob 5", "HEAD", "HEAD:a b.md"]) == [five, "", "", one]
    assert past.blobs_named(["HEAD:blob 5", "HEAD:a b.md"], 4) == ["", one]
    assert past.blobs_below([five, one, "0" * 40], 5) == [one]
    assert past.blobs_below([], 5) == []


def test_all_questions_share_a_time_and_no_network(repository: SampleRepository, tmp_path: Path) -> None:
    head = repository.commit({"a.md": "A"})
    with Repository(repository.partial_clone(tmp_path / "partial")) as opened:
        assert opened.offline(60).blobs_named([f"{head}:a.md"]) == [""]
        past = opened.offline(1e-9)
        with pytest.raises(OutOfTime):
            past.upstream()
        with pytest.raises(OutOfTime):
            past.text("a" * 40, bounds.PAGE)


def test_a_blob_is_found_through_merges(repository: SampleRepository, opened: Repository) -> None:
    first = repository.commit({"a.md": "one", "ü b.md": "ü"})
    repository.git("switch", "--quiet", "--create", "topic")
    second = repository.commit({"a.md": "two"})
    repository.git("switch", "--quiet", "main")
    repository.commit({"b.md": "again"})
    repository.git("merge", "--quiet", "--no-edit", "topic")
    merge = repository.head()
    repository.remove("a.md")
    removed, again = repository.commit(), repository.commit({"a.md": "three"})
    past, pairs = opened.history, {(first, "a.md"), (second, "a.md"), (second, "ü b.md")}
    found = past.blobs_at({*pairs, (first, "c.md"), ("", "a.md"), ("0" * 40, "a.md")})
    assert {pair: opened.read(blob).decode() for pair, blob in found.items()} == {
        (first, "a.md"): "one",
        (second, "a.md"): "two",
        (second, "ü b.md"): "ü",
    }
    assert past.blobs_at(set()) == {}
    ever = past.blobs_ever(removed, {"a.md", "never.md"})
    assert {path: sorted(map(opened.read, blobs)) for path, blobs in ever.items()} == {
        "a.md": [b"one", b"two"]
    }
    assert past.was_removed("a.md", merge, again)
    for start in (removed, "0" * 40, ""):
        assert not past.was_removed("a.md", start, again)
    assert not past.was_removed("a.md", again, merge)


def test_the_lines_that_a_file_ever_had_are_found(repository: SampleRepository, opened: Repository) -> None:
    repository.commit({"a.md": "# One\ntext\n", "b.md": "# Other\n"})
    repository.commit({"a.md": "# Much\n" + " " * bounds.PAGE.most})
    repository.commit({"a.md": "# Two\n## Three\n"})
    assert opened.history.lines_ever("a.md", "^#+ ") == ["# Two", "## Three", "# One"], (
        "no version above the bound"
    )
    assert opened.history.lines_ever("never.md", "^#+ ") == []


def test_a_history_can_be_that_of_one_file(repository: SampleRepository, opened: Repository) -> None:
    odd = "One\u2028two\x85three\vfour\ffive\x1csix"
    repository.commit({"m.json": "1"}, odd)
    repository.commit({"other": "2"}, "Two")
    last = repository.commit({"m.json": "3"}, "Three")
    runs = opened.history.commits("HEAD", "m.json", limit=9)
    assert [run.subject for run in runs] == ["Three", odd]
    assert (runs[0].id, runs[0].who) == (last, "A Writer")
    assert [run.subject for run in opened.history.commits("HEAD", limit=9, but="T")] == [odd]
    with pytest.raises(RepositoryError, match="git log failed"):
        opened.history.commits("nowhere", limit=1)


# How files left their paths.


class TestPassage:
    """Two trees compared."""

    TEXT = "".join(f"Line {number} of a page that is long enough.\n" for number in range(20))

    def test_renames_and_removals_are_told(self, repository: SampleRepository, opened: Repository) -> None:
        first = repository.commit({"content/a.md": self.TEXT, "b.md": "B", "content/c.md": self.TEXT[:300]})
        blob = repository.git("rev-parse", "HEAD:b.md")
        repository.move("content/a.md", 'content/a "2"\n.md')
        repository.commit({'content/a "2"\n.md': self.TEXT + "One line more.\n"})
        repository.remove("b.md")
        repository.commit()
        passage = opened.history.departures_between(first, opened.tree(opened.commit()).id)
        assert (passage.renamed, passage.removed) == ({"content/a.md": 'content/a "2"\n.md'}, {"b.md": blob})
        (repository.root / "content/c.md").rename(repository.root / "content/d.md")
        passage = opened.history.departures_between(first, opened.worktree(["content"]).id)
        assert passage.renamed["content/c.md"] == "content/d.md"

    def test_anybodys_settings_change_nothing(self, repository: SampleRepository, opened: Repository) -> None:
        first = repository.commit({"a.md": self.TEXT, "c.md": "C"})
        for name, value in {"diff.renames": "false", "core.quotePath": "true", "color.ui": "always"}.items():
            repository.git("config", name, value)
        repository.git("config", "log.showSignature", "true")
        repository.move("a.md", "ä.md")
        repository.remove("c.md")
        head = repository.commit()
        assert opened.history.departures_between(first, opened.tree(head).id).renamed == {"a.md": "ä.md"}
        assert set(opened.history.last_departures({"c.md"}, head).removed) == {"c.md"}


class TestDepartures:
    """How files left their paths, in the whole of a history."""

    TEXT = TestPassage.TEXT

    def test_the_last_of_departures_counts(self, repository: SampleRepository, opened: Repository) -> None:
        names = [f"content/{number}.md" for number in range(150)]
        repository.commit({"a.md": self.TEXT, "c.md": "C", **{name: f"{name}\n" * 5 for name in names}})
        repository.remove("a.md", "content")
        repository.commit()
        repository.commit({"a.md": self.TEXT})
        repository.move("a.md", "b.md")
        head = repository.commit()
        found = opened.history.last_departures({"a.md"}, head)
        assert (found.renamed, found.removed) == ({"a.md": "b.md"}, {})
        found = opened.history.last_departures({*names, "c.md", "never.md"}, head)
        assert (found.renamed, set(found.removed)) == ({}, set(names))

    def test_departures_in_merges_are_found(self, repository: SampleRepository, opened: Repository) -> None:
        repository.commit({"a.md": self.TEXT, "b.md": "B", "d.md": "D"})
        repository.git("branch", "old")
        repository.commit({"e.md": "E"})
        repository.remove("e.md")
        repository.commit()
        repository.git("switch", "--quiet", "--create", "side")
        repository.move("a.md", "c.md")
        repository.remove("b.md")
        repository.commit()
        repository.commit({"c.md": "rewritten from top to bottom"})
        repository.git("switch", "--quiet", "main")
        repository.commit({"other.md": "O"})
        repository.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
        repository.remove("d.md")
        found = opened.history.last_departures({"a.md", "b.md", "d.md"}, repository.commit())
        assert (found.renamed, set(found.removed)) == ({"a.md": "c.md"}, {"b.md", "d.md"})
        # A branch that never had the file hides nothing.
        repository.git("switch", "--quiet", "old")
        repository.commit({"f.md": "F"})
        repository.git("merge", "--quiet", "--no-ff", "-m", "Merge", "main")
        assert set(opened.history.last_departures({"e.md"}, repository.head()).removed) == {"e.md"}


# The differences that Git prints.

OLD, NEW, NONE = "a" * 40, "b" * 40, "0" * 40


def row(status: str, *paths: str, old: str = OLD) -> str:
    """Write one row of a raw diff with its paths."""
    return "\0".join((f":100644 100644 {old} {NEW} {status}", *paths, ""))


MERGED = (
    f"::100644 100644 000000 {OLD} {NEW} {NONE} DD\0a.md\0"
    f"::100644 100644 000000 {OLD} {NEW} {NONE} AD\0b.md\0"
    f"::100644 100644 100644 {OLD} {OLD} {NEW} RR\0c.md\0"
)


@pytest.mark.parametrize(
    ("rows", "renamed", "removed"),
    [
        (row("R087", "a.md", "b.md") + row("D", "c.md"), {"a.md": "b.md"}, {"c.md": OLD}),
        # Between commits stand their ids, and the newest word counts.
        (
            f"{NEW}\0{row('D', 'a.md')}{OLD}\0{row('R100', 'a.md', 'b.md')}{row('D', 'c.md', old=NONE)}",
            {},
            {"a.md": OLD, "c.md": NONE},
        ),
        (row("D", ":100644 x") + row("R100", ":a", ":b"), {":a": ":b"}, {":100644 x": OLD}),
        # A merge removed only what all its parents had.
        (MERGED + row("D", "d.md"), {}, {"a.md": OLD, "d.md": OLD}),
    ],
)
def test_a_rename_has_two_paths_and_a_removal_the_blob_that_was_there(
    rows: str, renamed: dict[str, str], removed: dict[str, str]
) -> None:
    assert departures(rows) == Departures(renamed, removed)


# HEAD has the patches of commits that it does not descend from, or it lacks one of them.

PAGE, PICTURE = "content/pages/a.md", "content/pages/a.png"
TEXT = "".join(f"Line {number}\n" for number in range(20))
FIRST, FIRST_INDENTED = TEXT.replace("Line 3\n", "Line three\n"), TEXT.replace("Line 3\n", "  Line 3\n")


def has(repository: SampleRepository, *commits: str) -> bool:
    with Repository(repository.root) as opened:
        return opened.history.has_changes(commits, opened.commit())


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
    monkeypatch.setattr(history, "_PATCHES", (*history._PATCHES, "--quiet"))  # noqa: SLF001
    repository.commit({"b.md": "B\n"})
    assert has(repository, empty), "it has no changes"
    assert not has(repository, synced)


class TestConfigurationOfGit:
    """The user's settings for `git log` and `git diff` do not hide a change."""

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

    def test_a_rebased_commit_is_found_and_a_submodule_counts(self, repository: SampleRepository) -> None:
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
        start = repository.head()
        repository.git("update-index", "--add", "--cacheinfo", f"160000,{start},theme")
        repository.git("commit", "--quiet", "--message", "Add a theme")
        synced = repository.head()
        repository.git("reset", "--quiet", "--hard", start)
        repository.git("config", "diff.ignoreSubmodules", "all")
        repository.commit({"b.md": "Another\n"})
        assert not has(repository, synced)


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
