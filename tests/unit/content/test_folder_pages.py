"""Folders without a page of their own: which they are, and which get one."""

from __future__ import annotations

import pytest

from pressync.content.folder_pages import added, problems

PAGES: dict[str, dict[str, object]] = {"": {"type": "page"}}


def of(
    *paths: str, content: str = "content", defaults: dict[str, dict[str, object]] | None = None
) -> list[str]:
    return list(added(dict.fromkeys(paths, "b10b"), content, defaults or {}))


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
        ({}, []),
        (PAGES, ["docs/index.md", "docs/a/index.md"]),
        ({"docs": {"type": "page"}}, ["docs/index.md", "docs/a/index.md"]),
        ({**PAGES, "docs": {"type": "post"}}, []),
        ({**PAGES, "docs/a": {"type": "none"}}, []),
        ({**PAGES, "docs": {"status": "draft"}}, ["docs/index.md", "docs/a/index.md"]),
    ],
)
def test_in_other_folders_the_type_of_the_defaults_decides(
    defaults: dict[str, dict[str, object]], found: list[str]
) -> None:
    assert of("docs/a/b.md", content="", defaults=defaults) == found


def test_a_page_beside_the_folders_needs_none() -> None:
    assert of("a.md", "docs/b.md", content="", defaults=PAGES) == ["docs/index.md"]
    assert of("content/a.md", defaults=PAGES) == []


def test_a_folder_of_posts_has_no_page() -> None:
    assert of("content/posts/2024/a.md", defaults=PAGES) == []


def test_without_the_setting_the_folders_of_new_pages_are_told() -> None:
    sources = ["content/pages/a/b.md", "content/pages/c/d.md", "content/pages/c.md"]
    (problem,) = problems(sources, sources, "content")
    assert (problem.path, problem.warning) == ("content/pages/a", True)
    assert problem.message == (
        "the folder does not have a page, so the addresses of its pages do not have its name; "
        'add an `index.md`, or set `folders = "pages"` in pressync.toml'
    )
