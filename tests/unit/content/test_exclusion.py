"""Patterns of files that are no documents: the answers are those of Git for a `.gitignore`."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pressync.content.exclusion import Exclusion

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("pattern", "out", "kept"),
    [
        ("README.md", ["README.md", "a/b/README.md"], ["readme.md", "README.md.md"]),
        ("/README.md", ["README.md"], ["a/README.md"]),
        ("_includes/**", ["_includes/a.md", "_includes/b/c.md"], ["_includes.md", "x/_includes/a.md"]),
        ("_drafts/", ["_drafts/a.md", "x/_drafts/b/c.md"], ["_drafts", "x/_drafts.md"]),
        ("docs/*.md", ["docs/a.md"], ["docs/x/a.md", "x/docs/a.md"]),
        ("**/en/*.md", ["en/a.md", "x/y/en/a.md"], ["en/x/a.md"]),
        ("a/**/z.md", ["a/z.md", "a/b/z.md", "a/b/c/z.md"], ["z.md", "b/a/z.md"]),
        ("**/tmp/**", ["tmp/a.md", "x/tmp/y/a.md"], ["tmp", "x/tmp.md"]),
        ("20[0-9][0-9]-?.md", ["2024-1.md", "x/2024-2.md"], ["2024-10.md"]),
        ("**", ["a.md", "x/a.md"], []),
    ],
)
def test_a_pattern_leaves_out_what_git_would_ignore(pattern: str, out: list[str], kept: list[str]) -> None:
    rules = Exclusion([pattern])

    assert [path for path in (*out, *kept) if rules.leaves_out(path)] == out


def test_the_last_pattern_that_fits_decides_but_a_folder_that_is_out_stays_out() -> None:
    rules = Exclusion(["*.md", "!index.md", "_old/", "!_old/index.md"])

    paths = ["a.md", "index.md", "x/index.md", "_old/index.md"]
    assert [path for path in paths if rules.leaves_out(path)] == ["a.md", "_old/index.md"]


def test_without_patterns_nothing_is_left_out() -> None:
    assert not Exclusion([]).leaves_out("a.md")


def test_a_hostile_pattern_takes_no_time() -> None:
    rules = Exclusion(["/".join(["**", "*a*a*a*a*a*a"] * 40) + "/b"])

    assert not rules.leaves_out("/".join(["a" * 200] * 100))


NAMES = st.sampled_from(["a", "b", "ab", "_a", "a.md", "b.md"])
PARTS = st.sampled_from(["a", "b", "ab", "a*", "*", "**", "?", "[ab]", "*.md", "a.md"])
PATTERNS = st.builds(
    lambda again, root, parts, folder: f"{again}{root}{'/'.join(parts)}{folder}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "/"]),
    st.lists(PARTS, min_size=1, max_size=4),
    st.sampled_from(["", "/"]),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an empty repository, in which only `.gitignore` decides."""
    root = tmp_path_factory.mktemp("ignored")
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".git/info/exclude").unlink(missing_ok=True)
    return root


@given(
    patterns=st.lists(PATTERNS, min_size=1, max_size=4),
    paths=st.lists(
        st.lists(NAMES, min_size=1, max_size=4).map("/".join), min_size=1, max_size=30, unique=True
    ),
)
@settings(max_examples=25, deadline=None)
def test_git_gives_the_same_answers(folder: Path, patterns: list[str], paths: list[str]) -> None:
    (folder / ".gitignore").write_text("".join(f"{pattern}\n" for pattern in patterns))
    asked = subprocess.run(
        ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "--stdin"],
        cwd=folder,
        input="\n".join(paths),
        capture_output=True,
        text=True,
        check=False,
    )
    rules = Exclusion(patterns)

    assert sorted(path for path in paths if rules.leaves_out(path)) == sorted(asked.stdout.split())


def test_a_pattern_that_fits_neither_a_file_nor_a_folder_is_unused() -> None:
    rules = Exclusion(["drafts/**", "_*", "REDME.md", "!keep.md", "old/"])
    assert rules.unused(["README.md", "a/_part.md", "old/x.md"]) == ["drafts/**", "REDME.md", "!keep.md"]
