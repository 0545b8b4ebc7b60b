"""Where a repository is, paths as people type them, and a repository inside of another one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.repository import SampleRepository

from pressync.model.bounds import FileBound, FileTooLarge
from pressync.model.errors import ConfigError, RepositoryError
from pressync.repo.discover import (
    at_head,
    branch,
    committed,
    find,
    is_inside_git_directory,
    parted,
    prefix,
    stages,
)
from pressync.repo.paths import WorkingPlace, is_below, resolved
from pressync.repo.repository import Repository


def test_a_repository_is_found_from_any_folder(tmp_path: Path, repository: SampleRepository) -> None:
    root = repository.root
    repository.commit({"a folder/a.md": "A\n"})
    for folder in (root / "a folder", root / ".git"):
        place = find(folder)
        assert (place.root, place.git) == (root, root / ".git")
    assert find(root / "a folder").working == root
    bare = tmp_path / "bare.git"
    repository.git("clone", "--quiet", "--bare", ".", str(bare))
    assert (find(bare).root, find(bare).working) == (None, bare)
    repository.git("worktree", "add", "--quiet", str(tmp_path / "other"))
    place = find(tmp_path / "other")
    assert (place.root, place.common) == (tmp_path / "other", root / ".git")
    assert place.git != place.common
    odd = tmp_path / "two\nlines"
    repository.git("clone", "--quiet", ".", str(odd))
    assert find(odd)[:3] == (odd, odd / ".git", odd / ".git")
    (root / ".git/config").write_text("[core\n", encoding="utf-8")
    with pytest.raises(RepositoryError, match="bad config line 1"):
        find(root)


def test_no_repository_is_looked_for_above_where_git_would(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"deep/a.md": "A\n"})
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(repository.root))
    with pytest.raises(RepositoryError, match="not in a Git repository"):
        find(repository.root / "deep")


def test_a_working_tree_is_found_together_with_its_head(repository: SampleRepository) -> None:
    assert at_head(repository.root) is None, "there is no commit"
    commit = repository.commit({"deep/a.md": "A\n"})
    found = at_head(repository.root / "deep")
    assert found
    assert (found.root, found.commit, found.branch) == (repository.root, commit, "refs/heads/main")
    repository.git("checkout", "--quiet", "--detach")
    found = at_head(repository.root)
    assert found
    assert (found.commit, found.branch, branch(repository.root)) == (commit, "HEAD", "")


def test_a_folder_is_named_from_the_root(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({"deep/a.md": "A\n"})
    assert [prefix(repository.root / name) for name in ("", "deep")] == ["", "deep/"]
    inside = [is_inside_git_directory(repository.root / name) for name in ("deep", ".git", ".git/refs")]
    assert inside == [False, True, True]
    with pytest.raises(RepositoryError, match="not in a Git repository"):
        prefix(tmp_path)


def test_one_file_is_read_as_head_and_a_merge_have_it(repository: SampleRepository) -> None:
    repository.commit({"a.md": "one\n"})
    repository.git("switch", "--quiet", "--create", "side")
    side = repository.commit({"a.md": "side\n"})
    repository.git("switch", "--quiet", "main")
    repository.commit({"a.md": "main\n"})
    file, bound, few = repository.root / "a.md", FileBound(9, "it has", ""), FileBound(2, "it has", "")
    assert [committed(repository.root, name, bound) for name in ("a.md", "no.md")] == [b"main\n", None]
    assert stages(file, bound) is None
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "--quiet", side)
    assert stages(file, bound) == ("one", "main", "side")
    with pytest.raises(FileTooLarge):
        committed(repository.root, "a.md", few)
    with pytest.raises(FileTooLarge):
        stages(file, few)


def test_a_renamed_file_is_one_change_under_two_names() -> None:
    assert parted("R  new.md\0?? not untracked\0 M b.md\0?? c.md\0") == (["new.md", "b.md"], ["c.md"])
    assert parted("") == ([], [])


KNOWN = ("content/pages/a.md", "content/pages/a/b.md", "templates/page.html", "docs/a.md")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make the folders of a repository."""
    for name in ("content/pages/a", "docs", "drafts"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def found(argument: str, root: Path | None, folder: str = "") -> str:
    place = WorkingPlace((root or Path.cwd()) / folder, root, "content")
    return resolved([argument], place, KNOWN)[0]


@pytest.mark.parametrize(
    ("folder", "argument", "expected"),
    [
        ("", "content/pages/a.md", "content/pages/a.md"),
        ("", "./content//pages/a.md", "content/pages/a.md"),
        ("", "content/pages", "content/pages"),
        ("", "content/pages/", "content/pages"),
        ("content/pages", "a.md", "content/pages/a.md"),
        ("content/pages", "../../docs/a.md", "docs/a.md"),
        ("content/pages", "docs/a.md", "docs/a.md"),
        ("", "pages/a.md", "content/pages/a.md"),
        ("drafts", "pages/a.md", "content/pages/a.md"),
        ("docs", "a.md", "docs/a.md"),
        ("", "/content/pages/a.md", "content/pages/a.md"),
        ("", ".", ""),
        ("content", ".", "content"),
        ("content/pages", "../..", ""),
    ],
)
def test_a_path_is_looked_for_here_first(root: Path, folder: str, argument: str, expected: str) -> None:
    assert found(argument, root, folder) == expected


def test_a_repository_behind_a_symbolic_link_is_the_same_one(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    assert found("a.md", root, "link/docs") == "docs/a.md"
    assert found(str(link / "docs/a.md"), root) == "docs/a.md"


@pytest.mark.parametrize(
    "argument", ["nothing.md", "/etc/hosts", "../outside.md", "content/pages/a.markdown"]
)
def test_what_is_not_there_is_told(root: Path, argument: str) -> None:
    with pytest.raises(ConfigError, match="is not a committed file or folder, and not in the manifest"):
        found(argument, root)


def test_a_dot_in_a_folder_that_holds_nothing_known_is_not_the_whole_repository(root: Path) -> None:
    assert found(".", root, "drafts") == "drafts"


def test_a_bare_repository_knows_paths_from_its_root_alone() -> None:
    assert found("content/pages/a.md", None) == "content/pages/a.md"
    assert found("pages", None) == "content/pages"
    assert found(".", None) == ""
    with pytest.raises(ConfigError):
        found("drafts", None)


def test_what_is_below_a_chosen_path() -> None:
    chosen: list[list[str]] = [["a"], ["a/b.md"], [""], ["c", "a"], [], ["a/b"]]
    assert [is_below("a/b.md", each) for each in chosen] == [True, True, True, True, False, False]
    assert not is_below("ab.md", ["a"])


# The sweep tries them all.
COMMANDS = [
    *(("plan", "--worktree", "--diff"), ("sync", "--yes", "--commit"), ("hook", "run", "pre-commit")),
    *(
        pytest.param(words.split(), marks=pytest.mark.sweep)
        for words in (
            *(
                "plan",
                "status",
                "status --worktree",
                "check",
                "check --staged",
                "doctor",
                "config",
            ),
            *("init --yes", "manifest log", "hook status", "hook install", "hook run post-commit"),
            "action --mode plan",
        )
    ),
]
# Settings that are the name of a program.
PROGRAMS = (
    *(
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "diff.external",
        "gpg.program",
        "diff.evil.textconv",
    ),
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv"),
)


class Trap:
    """A bare repository that is committed into another one; `evil` is its folder there."""

    def __init__(self, outer: SampleRepository, folder: Path, *, work_tree: bool) -> None:
        self._note = folder / "it ran"
        program = folder / "program"
        program.write_text(f"#!/bin/sh\necho \"$0 $*\" >>'{self._note}'\ncat\n", encoding="utf-8")
        program.chmod(0o755)
        inner = SampleRepository.create(folder / "inner")
        inner.commit({"content/pages/x.md": "# X\n", ".gitattributes": "* filter=evil diff=evil\n"})
        self.evil = outer.root / "content/evil"
        shutil.copytree(inner.root / ".git", self.evil)
        shutil.rmtree(self.evil / "hooks", ignore_errors=True)
        # Git does not commit empty folders.
        for name in ("refs", "objects", "refs/tags"):
            (self.evil / name / "keep").parent.mkdir(exist_ok=True)
            (self.evil / name / "keep").touch()
        for name in PROGRAMS:
            self._set(name, str(program))
        for name, value in {"core.hooksPath": str(folder), "commit.gpgSign": "true"}.items():
            self._set(name, value)
        shutil.copy(program, folder / "post-commit")
        shutil.copy(program, folder / "pre-commit")
        self._set("core.bare", "false" if work_tree else "true")
        if work_tree:
            self._set("core.worktree", "..")
            (self.evil.parent / ".gitattributes").write_text("* filter=evil diff=evil\n", encoding="utf-8")
        outer.commit()
        self.forget()

    def _set(self, name: str, value: str) -> None:
        subprocess.run(["git", "config", "--file", self.evil / "config", name, value], check=True)

    def forget(self) -> None:
        """Forget which programs ran."""
        self._note.unlink(missing_ok=True)

    @property
    def ran(self) -> list[str]:
        """Tell which programs ran."""
        return self._note.read_text(encoding="utf-8").splitlines() if self._note.exists() else []


@pytest.fixture(params=[True, False], ids=["with a work tree", "bare"])
def trap(request: pytest.FixtureRequest, repository: SampleRepository, tmp_path: Path) -> Trap:
    """Clone a repository that a stranger has committed another one into; Git itself runs its programs."""
    made = Trap(repository, tmp_path, work_tree=request.param)
    if request.param:
        subprocess.run(["git", "status"], cwd=made.evil, capture_output=True, check=False)
        assert made.ran
        made.forget()
    return made


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_runs_a_program_of_it(trap: Trap, program: Path, command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [program, *command],
        cwd=trap.evil,
        env={"PATH": "/usr/bin:/bin", "GITHUB_EVENT_NAME": "push", "GIT_CONFIG_GLOBAL": "/dev/null"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert trap.ran == []
    assert done.returncode in {1, 2}
    assert "was committed into the one at" in done.stdout + done.stderr


@pytest.mark.parametrize("below", ["", "objects", "refs/heads"])
def test_it_is_refused_with_the_way_out(trap: Trap, below: str) -> None:
    with pytest.raises(RepositoryError) as refused:
        Repository(trap.evil / below)
    assert str(refused.value).startswith(f"{trap.evil}: this repository was committed into")
    assert "`-C`" in str(refused.value)


def test_the_repository_around_it_is_used_as_ever(trap: Trap, repository: SampleRepository) -> None:
    for folder in (repository.root, trap.evil.parent):
        with Repository(folder) as opened:
            assert opened.root == repository.root
            assert opened.tree(opened.commit()).files
            opened.worktree(["content"])
            opened.uncommitted(["content"])
    assert trap.ran == []


def test_a_bare_repository_that_nobody_committed_is_used(repository: SampleRepository) -> None:
    repository.commit({"a.md": "# A\n"})
    server = repository.root / "server.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", repository.root, server], check=True)
    with Repository(server) as opened:
        assert opened.root is None
        assert opened.commit()


@pytest.mark.sweep
def test_a_watcher_that_the_settings_name_does_not_run(repository: SampleRepository, tmp_path: Path) -> None:
    note = tmp_path / "it ran"
    repository.commit({"content/pages/a.md": "# A\n"})
    repository.git("config", "core.fsmonitor", f"touch '{note}' #")
    with Repository(repository.root) as opened:
        opened.uncommitted([""])
        opened.worktree([""])
    done = subprocess.run(
        [sys.executable, "-m", "pressync", "plan"], cwd=repository.root, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert not note.exists()
