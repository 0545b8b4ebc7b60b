"""Which files are pages, and which values sections hand down."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.source_trees import tree

from pressync.importing.sources.hugo_config import read_config
from pressync.importing.sources.hugo_pages import (
    HugoPage,
    date_of,
    fields_of,
    is_target,
    read_pages,
    status_of,
)
from pressync.importing.sources.item import LeftOut, Place, Remainder
from pressync.importing.sources.links import FolderFiles
from pressync.importing.sources.source_tree import Front, author_of


def pages(folder: Path, files: dict[str, str]) -> tuple[dict[str, HugoPage], dict[str, str]]:
    """Give the pages by file, and the kinds of what is left out by file."""
    site = tree(folder, {"hugo.toml": "", **files})
    read = list(read_pages(site, read_config(site)))
    found = {each.file: each for each in read if isinstance(each, HugoPage)}
    return found, {each.place.path: each.kind for each in read if isinstance(each, LeftOut)}


def test_an_index_makes_a_bundle_of_its_folder(tmp_path: Path) -> None:
    files = {
        "content/a/index.md": "",
        "content/a/part.md": "",
        "content/a/deep/other.md": "",
        "content/a/figure.html": "",
        "content/b/_index.md": "",
        "content/b/c.md": "",
        "content/_index.md": "",
        "content/a.adoc": "",
        "content/c/_content.gotmpl": "",
        "content/d.html": "",
        "content/broken.md": "---\ntitle: A\nb: [\n---\n",
    }
    found, left = pages(tmp_path, files)
    assert {path: page.kind for path, page in found.items()} == {
        "content/_index.md": "home",
        "content/a/index.md": "page",
        "content/b/_index.md": "section",
        "content/b/c.md": "page",
        "content/d.html": "page",
    }
    assert left == {
        "content/a/part.md": "page resource",
        "content/a/deep/other.md": "page resource",
        "content/a.adoc": "page in another format",
        "content/c/_content.gotmpl": "content adapter",
        "content/broken.md": "unreadable front matter",
    }


def test_a_section_hands_values_down_and_a_page_overrides_them(tmp_path: Path) -> None:
    files = {
        "content/_index.md": "---\ncascade: {author: Anna, params: {x: 1, y: 1}}\n---\n",
        "content/b/_index.md": """\
            ---
            cascade:
              - author: Ben
                target: {kind: page, path: "/b/{p,q}*"}
            ---
            """,
        "content/b/page.md": "---\nparams: {y: 2}\n---\n",
        "content/b/other.md": "",
        "content/c.md": "---\nauthor: Carla\n---\n",
    }
    found, _ = pages(tmp_path, files)
    named = {path: page.front.text("author") for path, page in found.items()}
    assert named == {
        "content/_index.md": "Anna",
        "content/b/_index.md": "Anna",
        "content/b/page.md": "Ben",
        "content/b/other.md": "Anna",
        "content/c.md": "Carla",
    }
    assert found["content/b/page.md"].front.values["params"] == {"x": 1, "y": 2}
    assert found["content/b/page.md"].own == {"params": {"y": 2}}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ({"path": "/docs/**"}, True),
        ({"path": "{/docs/a/b,/x}"}, True),
        ({"path": "/docs/?/b"}, True),
        ({"kind": "section"}, False),
        ({"lang": "en", "environment": "production"}, True),
        ({"path": "{/docs"}, False),
        ({"path": "*" * 5000}, False),
        ({"path": "/docs/{a,c}/{b,d}"}, True),
        ({"path": "/docs/{a/{b,c},d}"}, True),
        ({"path": "/docs/a/b,c"}, False),
        ("text", True),
    ],
)
def test_a_target_names_pages_by_path_kind_and_language(target: object, *, expected: bool) -> None:
    page = HugoPage("content/docs/a/b.md", "docs/a/b", "en", "page", Front())
    assert is_target({"_target": target}, page) is expected


@pytest.mark.parametrize("pattern", ["/" + "*a" * 90, "/" + "{a,a}" * 40 + "b", "/" + "**a" * 90])
def test_a_hostile_pattern_takes_linear_time(pattern: str) -> None:
    # An expression of `re` would not come back.
    page = HugoPage("content/a.md", "a" * 4000 + "c", "en", "page", Front())
    assert not is_target({"_target": {"path": pattern}}, page)


def test_a_file_name_gives_date_and_slug_only_if_the_settings_say_so(tmp_path: Path) -> None:
    files = {"content/2024-01-31-hello.md": "", "content/2024-01-31-10-11-12-late.md": ""}
    found, _ = pages(tmp_path / "a", files)
    assert {(page.date, page.slug) for page in found.values()} == {("", "")}
    found, _ = pages(tmp_path / "b", {**files, "hugo.toml": '[frontmatter]\ndate = [":filename"]\n'})
    assert {(page.date, page.slug) for page in found.values()} == {
        ("2024-01-31", "hello"),
        ("2024-01-31T10:11:12", "late"),
    }


def page(**values: Any) -> HugoPage:  # noqa: ANN401 - front matter holds anything
    spelled = {key.lower(): key for key in values}
    low = {key.lower(): value for key, value in values.items()}
    front = Front(low, spelled, dict.fromkeys(low, 3))
    return HugoPage("content/a.md", "a", "en", "page", front, own=low, date=front.text("date"))


def test_dates_decide_the_status_and_the_moment_of_a_page() -> None:
    today = dt.date(2026, 1, 1)
    named = Remainder("expiry date", Place("content/a.md", 3), "2025-12-31")
    assert status_of(page(expiryDate="2025-12-31"), today) == ("draft", [("expirydate", named)])
    assert status_of(page(expiryDate="2026-01-01"), today)[0] == ""
    assert status_of(page(draft=True), today) == ("draft", [])
    assert date_of(page(date="2024-01-01", publishDate="2030-01-01"))[0] == "2030-01-01T00:00:00"
    assert date_of(page(date="2024-01-01", publishDate="2020-01-01")) == ("2024-01-01T00:00:00", [])
    date, lost = date_of(replace(page(date="Spring 2024"), unread=("date",)))
    assert date == ""
    assert [each.text for _, each in lost] == ["Spring 2024"]


@pytest.mark.parametrize(
    ("values", "author"),
    [
        ({"author": " Anna  Berg "}, "Anna Berg"),
        ({"authors": ["Anna", "Ben"]}, ""),
        ({"author": {"name": "Anna", "email": "a@example.org"}}, "Anna"),
        ({}, ""),
    ],
)
def test_one_author_is_the_author(values: dict[str, object], author: str) -> None:
    assert author_of(page(**values).front.values) == author


def test_keys_that_nothing_takes_stay_and_a_picture_beside_the_page_is_featured() -> None:
    given = page(title="A", linkTitle="B", layout="wide", params={"x": 1}, password="secret", tags=["t"])
    assert fields_of(given, "/a/", FolderFiles({}), {"tags"}) == {
        "params": {"linkTitle": "B", "layout": "wide", "x": 1}
    }
    files = FolderFiles({"/a/cover.jpg": Path("cover.jpg")})
    assert fields_of(page(images=["cover.jpg"]), "/a/", files, set())["featured_media"] == "/a/cover.jpg"
    assert "featured_media" not in fields_of(page(images=["none.jpg"]), "/a/", files, set())
