"""Uncommitted work is read beside the repository, and nothing is written through a link."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import ODD_NAMES, SampleRepository
from tests.support.terminal import Terminal

from pressync.app import init
from pressync.model.errors import ConfigError, RepositoryError
from pressync.repo import run_git
from pressync.repo.merge_file import MergedText, merge
from pressync.repo.repository import Repository
from pressync.repo.work_tree import refuse_symlink

if TYPE_CHECKING:
    from pathlib import Path


ALTERNATES = "GIT_ALTERNATE_OBJECT_DIRECTORIES"


@pytest.mark.parametrize("name", ["plain", "with a: colon", 'with "quotes"', "with a \\ backslash"])
def test_what_is_written_there_is_read_there_and_gone_with_it(
    repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    committed = repository.commit({"a.md": "A"})
    (repository.root / "new.md").write_text("new", encoding="utf-8")
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with Repository(repository.root) as opened:
        files = opened.worktree([""]).files
        assert {path: opened.read(blob) for path, blob in files.items()} == {"a.md": b"A", "new.md": b"new"}
        assert opened.tree(committed).files == {"a.md": files["a.md"]}
    assert list(folder.iterdir()) == []
    assert repository.git("ls-files") == "a.md"
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("cat-file", "-e", files["new.md"])


def test_what_a_push_keeps_apart_is_seen_beside_the_place_and_without_it(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ALTERNATES, "/incoming")
    repository.commit({"a.md": "A"})
    with Repository(repository.root) as opened:
        opened.worktree([""])
        assert opened.environment[ALTERNATES].endswith(":/incoming")
    assert run_git.without_scratch_objects() == {ALTERNATES: "/incoming"}


# Uncommitted work as a tree: it is read like a commit, and the repository is not written to.


def everything_below(folder: Path) -> dict[str, bytes]:
    """Read every file of a folder, to tell whether anything was written there."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_it_has_edits_and_untracked_files_of_its_folders(repository: SampleRepository) -> None:
    head = repository.commit(
        {"content/a.md": "A", "content/gone.md": "G", "code.py": "old", "x/a.md": "X", "ignored/a.md": "A"}
    )
    repository.commit({".gitignore": "*.tmp\nignored\n"})
    repository.write("content/a.md", "B")
    repository.write("content/new.md", "new")
    repository.write("content/new.tmp", "ignored")
    repository.write("code.py", "new")
    repository.write("more.py", "more")
    repository.write("ignored/a.md", "B")
    repository.write("ignored/b.md", "ignored")
    (repository.root / "content/gone.md").unlink()
    shutil.rmtree(repository.root / "x")
    with Repository(repository.root) as opened:
        tree = opened.worktree(["content", "x", "ignored", "templates"])
        assert (tree.commit != head, tree.committed) == (True, False)
        files = {".gitignore", "content/a.md", "content/new.md", "code.py", "ignored/a.md"}
        assert tree.files.keys() == files
        assert opened.blob_at(tree, "content/a.md") == opened.blob_at(tree, "ignored/a.md") == b"B"
        assert opened.blob_at(tree, "code.py") == b"old"
        repository.write("content/a.md", "second")
        assert opened.blob_at(opened.worktree(["content"]), "content/a.md") == b"second"
        assert opened.blob_at(tree, "content/a.md") == b"B"


def test_a_file_may_have_become_a_folder_or_a_repository(repository: SampleRepository) -> None:
    repository.commit({"content/a.md": "A", "content/b.md/c.md": "C"})
    (repository.root / "content/a.md").unlink()
    repository.write("content/a.md/inner.md", "I")
    shutil.rmtree(repository.root / "content/b.md")
    repository.write("content/b.md", "B")
    SampleRepository.create(repository.root / "content/inner").commit({"b.md": "B"})
    with Repository(repository.root) as opened:
        assert opened.worktree(["content"]).files.keys() == {"content/a.md/inner.md", "content/b.md"}


def test_odd_names_are_no_patterns(repository: SampleRepository) -> None:
    repository.commit({"other.md": "O"})
    repository.write("a/a.md", "not meant")
    for name in ODD_NAMES:
        repository.write(f"{name}/{name}", "here")
        with Repository(repository.root) as opened:
            assert opened.worktree([name]).files.keys() == {"other.md", f"{name}/{name}"}


def test_an_edit_of_the_same_size_in_the_same_moment_is_seen(repository: SampleRepository) -> None:
    for text in ("aaaa", "bbbb", "cccc", "dddd"):
        repository.commit({"content/a.md": "zzzz", "content/b.md": text})
        repository.write("content/a.md", text)
        with Repository(repository.root) as opened:
            assert opened.blob_at(opened.worktree(["content"]), "content/a.md") == text.encode()


@pytest.mark.parametrize("split", [False, True])
def test_the_repository_is_not_written_to(repository: SampleRepository, split: bool) -> None:
    repository.commit({"content/a.md": "A", "content/b.md": "B"})
    if split:
        repository.git("update-index", "--split-index")
    repository.write("content/a.md", "edited")
    repository.write("content/new.md", "new")
    before = everything_below(repository.root)
    with Repository(repository.root) as opened:
        tree = opened.worktree(["content"])
        assert opened.blob_at(tree, "content/new.md") == b"new"
        assert opened.uncommitted(["content"]) == (["content/a.md"], ["content/new.md"])
    assert everything_below(repository.root) == before


def test_an_unfinished_merge_is_refused(repository: SampleRepository) -> None:
    repository.commit({"content/a.md": "A"})
    repository.git("checkout", "--quiet", "-b", "other")
    repository.commit({"content/a.md": "theirs"})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"content/a.md": "ours"})
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "--quiet", "other")
    with (
        Repository(repository.root) as opened,
        pytest.raises(RepositoryError, match="a merge is not finished; resolve"),
    ):
        opened.worktree(["content"])


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    """Give a terminal in a repository of one page."""
    repository.commit({"content/pages/about.md": "# About\n"})
    return Terminal(repository, {})


@pytest.mark.parametrize("end", ["../outside", "/nowhere/at/all", "a", "."])
def test_a_link_may_not_wherever_it_leads(tmp_path: Path, end: str) -> None:
    (tmp_path / "link").symlink_to(end)
    for name in ("link", "link/b.md"):
        with pytest.raises(ConfigError) as refused:
            refuse_symlink(tmp_path, name)
        assert str(refused.value).startswith(
            f"link: it is a symlink to {end}, and pressync does not write through symlinks; "
        )


@pytest.mark.parametrize(
    "name",
    ["pressync.toml", ".gitignore", "content", "content/pages", "templates", "content/pages/index.md"],
)
def test_init_writes_nothing_through_a_link(terminal: Terminal, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    if name.endswith((".toml", ".md", "ignore")):
        outside.parent.mkdir(exist_ok=True)
    else:
        outside.mkdir()
    root = terminal.repository.root
    terminal.repository.git("rm", "-rq", "--ignore-unmatch", ".")
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).symlink_to(outside)
    terminal.repository.commit()
    said = terminal.run("init", "--yes", exits=2).output
    assert f"{name}: it is a symlink to {outside}" in said
    assert not outside.is_file()
    assert not outside.is_dir() or not list(outside.iterdir())
    assert terminal.repository.git("status", "--porcelain") == ""


def test_the_workflow_is_not_written_through_a_link(repository: SampleRepository, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (repository.root / ".github").symlink_to(tmp_path / "outside")
    with pytest.raises(ConfigError, match="it is a symlink"):
        init.begin(repository.root, "live", None, workflow="name: Site\n")
    assert not list((tmp_path / "outside").iterdir())


def test_settings_behind_a_link_that_are_there_are_left_as_ever(repository: SampleRepository) -> None:
    repository.write("config/site.toml", 'content = "text"\n')
    (repository.root / "pressync.toml").symlink_to("config/site.toml")
    steps = init.begin(repository.root, "live", None)
    assert (steps[0].path, steps[0].text) == ("pressync.toml", None)


def test_the_merge_driver_is_not_installed_through_a_link(terminal: Terminal, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine\n")
    (terminal.repository.root / ".gitattributes").symlink_to(outside)
    terminal.repository.commit()
    said = terminal.run("manifest", "merge", "--install", exits=2).output
    assert f".gitattributes: it is a symlink to {outside}" in said
    assert outside.read_text() == "mine\n"
    assert "merge.pressync" not in terminal.repository.git("config", "--list")


NAMES = ("here", "before", "there")


@pytest.mark.parametrize(
    ("ours", "base", "theirs", "expected", "conflicts"),
    [
        ("A\nb\nc\nd\ne\n", "a\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n", 0),
        ("x\n", "a\n", "y\n", "<<<<<<< here\nx\n||||||| before\na\n=======\ny\n>>>>>>> there\n", 1),
        *(
            (*texts, "b\n", 0)
            for texts in (("a\n", "a\n", "b\n"), ("b\n", "a\n", "a\n"), ("b\n", "a\n", "b\n"))
        ),
    ],
)
def test_two_edits_are_put_together_or_marked_with_all_three_sides(
    ours: str, base: str, theirs: str, expected: str, conflicts: int
) -> None:
    assert merge(ours, base, theirs, names=NAMES) == MergedText(expected, conflicts)
    with pytest.raises(RepositoryError, match="binary"):
        merge("a\0\n", "b\n", "c\n", names=NAMES)
