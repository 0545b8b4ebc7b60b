"""Which files are documents, and whose page is above whose."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pressync.content.sources import Exclusion, documents, folder_pages, folder_parent

if TYPE_CHECKING:
    from pathlib import Path


PAGES = {
    *("content/pages/index.md", "content/pages/about.md"),
    *("content/pages/docs/index.md", "content/pages/docs/a.md", "content/pages/docs/deep/b.md"),
    *(
        "content/pages/api.md",
        "content/pages/api/c.md",
        "content/pages/api/v1/_index.md",
        "content/pages/api/v1/d.md",
    ),
    *("content/pages/bare/e.md", "content/guide/index.md", "content/guide/f.md", "content/index.md"),
}


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("content/pages/a.md", "content"),
        ("content/pages/a.markdown", "content"),
        ("a.md", ""),
        ("site/content/pages/a.md", "site/content"),
    ],
)
def test_markdown_files_below_the_content_folder_are_documents(path: str, content: str) -> None:
    assert [*documents([path], content)] == [path]


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("content/pages/a.png", "content"),
        ("content/pages/.a.md", "content"),
        ("contents/a.md", "content"),
        ("content.md", "content"),
    ],
)
def test_other_and_hidden_files_are_not(path: str, content: str) -> None:
    assert not [*documents([path], content)]


@pytest.mark.parametrize(
    ("path", "parent"),
    [
        ("content/pages/index.md", None),
        ("content/pages/docs/a.md", "content/pages/docs/index.md"),
        ("content/pages/docs/deep/b.md", "content/pages/docs/index.md"),
        ("content/pages/api/c.md", "content/pages/api.md"),
        ("content/pages/api/v1/_index.md", "content/pages/api.md"),
        ("content/pages/api/v1/d.md", "content/pages/api/v1/_index.md"),
        ("content/pages/bare/e.md", None),
        ("content/guide/f.md", "content/guide/index.md"),
    ],
)
def test_a_folders_page_is_the_parent_of_its_pages(path: str, parent: str | None) -> None:
    assert folder_parent(path, PAGES, "content") == parent


def test_an_index_goes_before_the_file_beside_the_folder() -> None:
    every = {"pages/a/index.md", "pages/a/_index.md", "pages/a.md", "pages/a/b.md"}
    for expected in ("pages/a/index.md", "pages/a/_index.md", "pages/a.md"):
        assert folder_parent("pages/a/b.md", every, "") == expected
        every.remove(expected)
    assert folder_parent("pages/a/b.md", every, ".") is None


@pytest.mark.parametrize(
    ("pattern", "out", "kept"),
    [
        ("README.md", ["README.md", "a/b/README.md"], ["readme.md", "README.md.md"]),
        ("_includes/**", ["_includes/a.md", "_includes/b/c.md"], ["_includes.md", "x/_includes/a.md"]),
        ("docs/*.md", ["docs/a.md"], ["docs/x/a.md", "x/docs/a.md"]),
        ("a/**/z.md", ["a/z.md", "a/b/z.md", "a/b/c/z.md"], ["z.md", "b/a/z.md"]),
        ("**/tmp/**", ["tmp/a.md", "x/tmp/y/a.md"], ["tmp", "x/tmp.md"]),
        ("20[0-9][0-9]-?.md", ["2024-1.md", "x/2024-2.md"], ["2024-10.md"]),
    ],
)
def test_a_pattern_leaves_out_what_git_would_ignore(pattern: str, out: list[str], kept: list[str]) -> None:
    rules = Exclusion([pattern])
    assert [path for path in (*out, *kept) if rules.leaves_out(path)] == out


def test_the_last_pattern_that_fits_decides_and_an_unused_one_is_named() -> None:
    rules = Exclusion(["*.md", "!index.md", "_old/", "!_old/index.md"])
    paths = ["a.md", "index.md", "x/index.md", "_old/index.md"]
    assert [path for path in paths if rules.leaves_out(path)] == ["a.md", "_old/index.md"]
    rules = Exclusion(["/".join(["**", "*a*a*a*a*a*a"] * 40) + "/b"])
    assert not rules.leaves_out("/".join(["a" * 200] * 100))
    rules = Exclusion(["drafts/**", "_*", "REDME.md", "!keep.md", "old/"])
    assert rules.unused(["README.md", "a/_part.md", "old/x.md"]) == ["drafts/**", "REDME.md", "!keep.md"]


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


ALL_PAGES: dict[str, dict[str, object]] = {"": {"type": "page"}}


def of(
    *paths: str, content: str = "content", defaults: dict[str, dict[str, object]] | None = None
) -> list[str]:
    return list(folder_pages(dict.fromkeys(paths, "b10b"), content, defaults or {}))


def test_every_folder_of_pages_without_a_page_gets_one() -> None:
    assert of("content/pages/a/b/c.md", "content/pages/a/d.md", "content/pages/e.md") == [
        "content/pages/a/index.md",
        "content/pages/a/b/index.md",
    ]


@pytest.mark.parametrize("own", ["a/index.md", "a/_index.md", "a.md", "a/index.markdown"])
def test_a_folder_with_a_page_does_not(own: str) -> None:
    assert of("content/pages/a/b.md", f"content/pages/{own}") == []


@pytest.mark.parametrize(
    ("defaults", "found"),
    [
        (ALL_PAGES, ["docs/index.md", "docs/a/index.md"]),
        ({"docs": {"type": "page"}}, ["docs/index.md", "docs/a/index.md"]),
        ({**ALL_PAGES, "docs": {"type": "post"}}, []),
        ({**ALL_PAGES, "docs/a": {"type": "none"}}, []),
    ],
)
def test_elsewhere_the_type_of_the_defaults_decides(
    defaults: dict[str, dict[str, object]], found: list[str]
) -> None:
    assert of("docs/a/b.md", content="", defaults=defaults) == found
