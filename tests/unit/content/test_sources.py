"""Which files are documents, and whose page is above whose."""

from __future__ import annotations

import pytest

from pressync.content.sources import documents, folder_parent

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
        ("content/README.MD", "content"),
        ("a.md", ""),
        ("docs/a.md", "."),
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
        ("content/.drafts/a.md", "content"),
        ("README.md", "content"),
        ("contents/a.md", "content"),
        ("content.md", "content"),
        (".github/a.md", ""),
    ],
)
def test_other_and_hidden_files_are_not(path: str, content: str) -> None:
    assert not [*documents([path], content)]


@pytest.mark.parametrize(
    ("path", "parent"),
    [
        ("content/pages/index.md", None),
        ("content/pages/about.md", None),
        ("content/pages/docs/index.md", None),
        ("content/pages/docs/a.md", "content/pages/docs/index.md"),
        ("content/pages/docs/deep/b.md", "content/pages/docs/index.md"),
        ("content/pages/api.md", None),
        ("content/pages/api/c.md", "content/pages/api.md"),
        ("content/pages/api/v1/_index.md", "content/pages/api.md"),
        ("content/pages/api/v1/d.md", "content/pages/api/v1/_index.md"),
        ("content/pages/bare/e.md", None),
        ("content/guide/index.md", None),
        ("content/guide/f.md", "content/guide/index.md"),
        ("content/index.md", None),
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
