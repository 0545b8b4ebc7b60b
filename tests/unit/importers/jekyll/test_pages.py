"""Which files of a Jekyll site are pages, and what their names and folders say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import left_out
from tests.unit.importers.jekyll.sites import EMPTY, imported, item, items

if TYPE_CHECKING:
    from pathlib import Path


def test_posts_drafts_collections_and_pages_are_found_and_nothing_else(tmp_path: Path) -> None:
    files = dict.fromkeys(
        (
            "_posts/2024-01-31-a.md",
            "news/_posts/24-1-1-b.md",
            "_drafts/c.md",
            "_shown/d.md",
            "e/f.md",
            "g.html",
            "_layouts/page.html",
            "_skipped/_posts/2024-01-01-h.md",
            "style.css",
        ),
        EMPTY,
    )
    found = items(tmp_path, files, "collections: {shown: {output: true}}\n")
    assert sorted(found) == [
        "_drafts/c.md",
        "_posts/2024-01-31-a.md",
        "_shown/d.md",
        "e/f.md",
        "g.html",
        "news/_posts/24-1-1-b.md",
    ]
    assert found["news/_posts/24-1-1-b.md"].date == "2024-01-01T00:00:00"


def test_what_jekyll_makes_no_page_of_is_named_with_the_reason(tmp_path: Path) -> None:
    files = {
        "README.md": "# No front matter\n",
        "_posts/undated.md": EMPTY,
        "_parts/a.md": EMPTY,
        "old.md": "---\nredirect_to: https://example.org/\n---\n",
        "broken.md": "---\ntitle: [\n---\n",
        "feed.xml": "---\n---\n<feed/>\n",
        "plain.xml": "<feed/>\n",
    }
    assert left_out(imported(tmp_path, files, "collections: [parts]\n")) == {
        "README.md": "file without front matter",
        "_posts/undated.md": "post without a date",
        "_parts/a.md": "part of a collection",
        "old.md": "redirect",
        "broken.md": "unreadable front matter",
        "feed.xml": "template of a file",
    }


def test_a_plugin_makes_pages_of_files_without_front_matter(tmp_path: Path) -> None:
    found = item(tmp_path, "# Title\n", "plugins: [jekyll-optional-front-matter]\n", "guide.md")
    assert found.address == "/guide.html"


def test_a_collection_below_the_folder_of_all_collections(tmp_path: Path) -> None:
    config = "collections_dir: rooms\ncollections: {shown: {output: true}}\n"
    files = {"rooms/_shown/a.md": EMPTY, "rooms/_posts/2024-01-01-b.md": EMPTY}
    assert [each.address for each in items(tmp_path, files, config).values()] == [
        "/2024/01/01/b.html",
        "/shown/a.html",
    ]


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2024-01-31 10:00:00 +0100", "2024-01-31T09:00:00+00:00"),
        ("2024-01-31 10:00:00", "2024-01-31T10:00:00+00:00"),
        ("2024-01-31", "2024-01-31"),
        ("someday", ""),
    ],
)
def test_a_date_is_a_moment_where_jekyll_knows_the_moment(tmp_path: Path, written: str, date: str) -> None:
    assert item(tmp_path, f"---\ndate: {written}\n---\n").date.replace("T00:00:00", "") == date


def test_folders_texts_of_words_and_single_categories_are_joined(tmp_path: Path) -> None:
    text = "---\ncategories: a b\ncategory: One Thing\ntags: x y\ntag: [z]\n---\n"
    post = item(tmp_path, text, "", "up/_posts/2024-01-01-a.md")
    assert (post.categories, post.tags) == (("up", "a", "b", "One Thing"), ("x", "y", "z"))
