"""The list of what is saved is the tree that Git would make of it, or there is none."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pressync.repo import saved_tree
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.repository import SampleRepository

    from pressync.repo.repository import Tree

    Edit = Callable[[SampleRepository], object]

A, NEW = "content/a.md", "content/new.md"


def linked(repository: SampleRepository) -> None:
    (repository.root / NEW).symlink_to("a.md")


def unlinked(repository: SampleRepository) -> None:
    (repository.root / "content/link").unlink()


def typed_otherwise(repository: SampleRepository) -> None:
    (repository.root / A).unlink()
    (repository.root / A).symlink_to("b.md")


def made_a_folder(repository: SampleRepository) -> None:
    (repository.root / A).unlink()
    repository.write(f"{A}/b.md", "In a folder.\n")


def staged_and_taken_back(repository: SampleRepository) -> None:
    repository.write(A, "Other.\n")
    repository.git("add", A)
    repository.write(A, "A.\n")


def removed_and_written_again(repository: SampleRepository) -> None:
    repository.git("rm", "--quiet", "--cached", A)


def filtered(repository: SampleRepository) -> None:
    repository.git("config", "filter.other.clean", "tr a-z A-Z")
    repository.write(".git/info/attributes", "new.md filter=other\n")
    repository.write(NEW, "words\n")


def expanded(repository: SampleRepository, *, staged: bool) -> None:
    repository.write(".git/info/attributes", "new.md ident\n")
    repository.write(NEW, "$Id: 1 $\n" if staged else "B.\n")
    if staged:
        repository.git("add", NEW)


def with_other_line_ends(repository: SampleRepository) -> None:
    repository.git("config", "core.autocrlf", "input")
    repository.write(A, "A.\r\nB.\r\n")


def merging(repository: SampleRepository) -> None:
    repository.git("checkout", "--quiet", "-b", "other")
    repository.commit({A: "Theirs.\n"})
    repository.git("checkout", "--quiet", "-")
    repository.commit({A: "Ours.\n"})
    # Git ends with 1 because of the conflict.
    with suppress(subprocess.CalledProcessError):
        repository.git("merge", "--quiet", "other")


def with_a_repository_inside(repository: SampleRepository) -> None:
    repository.git("init", "--quiet", "content/inner")
    repository.write("content/inner/x.md", "X.\n")


ORDINARY: dict[str, Edit] = {
    "a text in which Git has nothing to expand": lambda repository: expanded(repository, staged=False),
    "nothing": lambda _: None,
    "an edited file": lambda repository: repository.write(A, "B.\n"),
    "a new file": lambda repository: repository.write(NEW, "B.\n"),
    "a new file in a new folder": lambda repository: repository.write("content/x/y.md", "B.\n"),
    "a file that Git ignores": lambda repository: repository.write("content/x.tmp", "B.\n"),
    "an edit outside of the folders": lambda repository: repository.write("other.md", "B.\n"),
    "a deleted file": lambda repository: (repository.root / A).unlink(),
    "a file that may be run": lambda repository: (repository.root / A).chmod(0o755),
    "a staged edit that was taken back": staged_and_taken_back,
    "a staged deletion": lambda repository: repository.git("rm", "--quiet", A),
    "a staged file": lambda repository: (repository.write(NEW, "B.\n"), repository.git("add", NEW)),
    "a folder in the place of a file": made_a_folder,
}
UNUSUAL: dict[str, Edit] = {
    "a link": linked,
    "a deleted link": unlinked,
    "a link in the place of a file": typed_otherwise,
    "a file that is no longer tracked": removed_and_written_again,
    "a file that is only announced": lambda repository: (
        repository.write(NEW, "B.\n"),
        repository.git("add", "--intent-to-add", NEW),
    ),
    "a filter": filtered,
    "a staged text that Git expands": lambda repository: expanded(repository, staged=True),
    "line ends that Git changes": with_other_line_ends,
    "a merge that is not finished": merging,
    "a repository inside": with_a_repository_inside,
    "a name with a line break": lambda repository: repository.write("content/two\nlines.md", "B.\n"),
    "many edits": lambda repository: [repository.write(f"content/{n}.md", "B.\n") for n in range(60)],
}


def both(repository: SampleRepository, edit: Edit) -> tuple[Tree | None, Tree, frozenset[str]]:
    """List what is saved after an edit, and let Git make a tree of it; also give the paths that differ."""
    (repository.root / "content").mkdir()
    (repository.root / "content/link").symlink_to("a.md")
    repository.commit({A: "A.\n", "content/b.md": "B.\n", "other.md": "O.\n", ".gitignore": "*.tmp\n"})
    edit(repository)
    with Repository(repository.root) as opened:
        quick = saved_tree.read(opened, ["content", "templates"])
        made = opened.worktree(["content", "templates"], merging=True)
        return quick, made, frozenset(opened.changed_files(made.commit, made.id))


@pytest.mark.parametrize("edit", ORDINARY.values(), ids=ORDINARY.keys())
def test_an_ordinary_edit_is_listed_as_git_would_commit_it(repository: SampleRepository, edit: Edit) -> None:
    quick, made, differing = both(repository, edit)
    assert quick is not None
    assert (quick.commit, quick.files, quick.symlinks) == (made.commit, made.files, made.symlinks)
    assert (quick.submodules, quick.edited) == (made.submodules, differing)


@pytest.mark.parametrize("edit", UNUSUAL.values(), ids=UNUSUAL.keys())
def test_what_is_unusual_is_left_to_git(repository: SampleRepository, edit: Edit) -> None:
    quick, _, _ = both(repository, edit)
    assert quick is None
