"""What may be written in a work tree: files, nothing at the end of a link, and two texts that were one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.terminal import Terminal

from pressync.app import init
from pressync.model.errors import ConfigError, RepositoryError
from pressync.repo.merge_file import MergedText, merge
from pressync.repo.work_tree import refuse_symlink

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    """Give a terminal in a repository of one page."""
    repository.commit({"content/pages/about.md": "# About\n"})
    return Terminal(repository, {})


def test_a_file_and_a_file_that_is_not_there_may_be_written(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.md").write_text("b")
    for name in ("a/b.md", "a/c.md", "c/d/e.md"):
        refuse_symlink(tmp_path, name)


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
def test_init_writes_nothing_at_all_where_one_of_its_files_is_a_committed_link(
    terminal: Terminal, tmp_path: Path, name: str
) -> None:
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
    assert (steps[0].path, steps[0].written) == ("pressync.toml", False)


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


def test_edits_in_different_places_are_put_together() -> None:
    base = "a\nb\nc\nd\ne\n"
    assert merge(base.replace("a", "A"), base, base.replace("e", "E"), names=NAMES) == MergedText(
        "A\nb\nc\nd\nE\n", 0
    )


def test_edits_of_one_line_are_marked_with_all_three_sides() -> None:
    merged = merge("x\n", "a\n", "y\n", names=NAMES)
    assert merged == MergedText("<<<<<<< here\nx\n||||||| before\na\n=======\ny\n>>>>>>> there\n", 1)


@pytest.mark.parametrize(
    ("ours", "base", "theirs", "expected"),
    [("a\n", "a\n", "b\n", "b\n"), ("b\n", "a\n", "a\n", "b\n"), ("b\n", "a\n", "b\n", "b\n")],
)
def test_an_edit_of_one_side_alone_is_taken(ours: str, base: str, theirs: str, expected: str) -> None:
    assert merge(ours, base, theirs, names=NAMES) == MergedText(expected, 0)


def test_what_git_cannot_merge_is_an_error() -> None:
    with pytest.raises(RepositoryError, match="binary"):
        merge("a\0\n", "b\n", "c\n", names=NAMES)
