"""Paths as people type them, from wherever they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from pressync.model.errors import ConfigError
from pressync.repo.paths import WorkingPlace, is_below, resolved

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
def test_a_path_is_looked_for_here_then_from_the_root_then_below_the_content(
    root: Path, folder: str, argument: str, expected: str
) -> None:
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


@pytest.mark.parametrize(
    ("path", "chosen", "below"),
    [
        ("a/b.md", ["a"], True),
        ("a/b.md", ["a/b.md"], True),
        ("a/b.md", [""], True),
        ("ab.md", ["a"], False),
        ("a/b.md", ["c", "a"], True),
        ("a/b.md", [], False),
    ],
)
def test_what_is_below_a_chosen_path(path: str, chosen: list[str], below: bool) -> None:
    assert is_below(path, chosen) is below
