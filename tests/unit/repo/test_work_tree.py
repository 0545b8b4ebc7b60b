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
