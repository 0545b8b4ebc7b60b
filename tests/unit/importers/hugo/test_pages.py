"""Which files are pages, and which values sections hand down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import tree

from pressync.importers.hugo.config import read_config
from pressync.importers.hugo.pages import HugoPage, is_target, read_pages
from pressync.importers.item import LeftOut
from pressync.importers.source_tree import Front

if TYPE_CHECKING:
    from pathlib import Path


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
    }
    found, left = pages(tmp_path, files)
    assert {path: page.kind for path, page in found.items()} == {
        "content/_index.md": "home",
        "content/a/index.md": "page",
        "content/b/_index.md": "section",
        "content/b/c.md": "page",
    }
    assert left == {"content/a/part.md": "page resource", "content/a/deep/other.md": "page resource"}


def test_formats_that_only_hugo_reads_are_left_out(tmp_path: Path) -> None:
    files = {"content/a.adoc": "", "content/b.org": "", "content/c/_content.gotmpl": "", "content/d.html": ""}
    found, left = pages(tmp_path, files)
    assert list(found) == ["content/d.html"]
    assert left == {
        "content/a.adoc": "page in another format",
        "content/b.org": "page in another format",
        "content/c/_content.gotmpl": "content adapter",
    }


def test_unreadable_front_matter_is_left_out_with_its_line(tmp_path: Path) -> None:
    site = tree(tmp_path, {"hugo.toml": "", "content/a.md": "---\ntitle: A\nb: [\n---\n"})
    (left,) = read_pages(site, read_config(site))
    assert isinstance(left, LeftOut)
    assert (left.kind, str(left.place)) == ("unreadable front matter", "content/a.md:4")


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
        ({"path": "/docs/*"}, False),
        ({"path": "{/docs/a/b,/x}"}, True),
        ({"path": "/docs/?/b"}, True),
        ({"kind": "section"}, False),
        ({"lang": "en", "environment": "production"}, True),
        ({"environment": "development"}, False),
        ({"path": "{/docs"}, False),
        ({"path": "*" * 50}, False),
        ("text", True),
    ],
)
def test_a_target_names_pages_by_path_kind_and_language(target: object, *, expected: bool) -> None:
    page = HugoPage("content/docs/a/b.md", "docs/a/b", "en", "page", Front())
    assert is_target({"_target": target}, page) is expected


def test_a_file_name_gives_date_and_slug_only_if_the_settings_say_so(tmp_path: Path) -> None:
    files = {"content/2024-01-31-hello.md": "", "content/2024-01-31-10-11-12-late.md": ""}
    found, _ = pages(tmp_path / "a", files)
    assert {(page.date, page.slug) for page in found.values()} == {("", "")}
    found, _ = pages(tmp_path / "b", {**files, "hugo.toml": '[frontmatter]\ndate = [":filename"]\n'})
    assert {(page.date, page.slug) for page in found.values()} == {
        ("2024-01-31", "hello"),
        ("2024-01-31T10:11:12", "late"),
    }
