"""The settings of a Jekyll site: folders, exclusions and the defaults of front matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import tree

from pressync.importers.jekyll.config import JekyllConfig, read_config
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_public_address_has_the_base_path() -> None:
    assert (
        JekyllConfig({"url": "https://example.org/", "baseurl": "/blog"}).address
        == "https://example.org/blog"
    )
    assert JekyllConfig({"baseurl": "/blog"}).address == ""


def test_files_of_jekyll_and_excluded_files_are_left_out_unless_they_are_included() -> None:
    config = JekyllConfig({"include": ["_pages"], "exclude": ["docs", "*.draft.md", "vendor"]})
    out = ["_layouts", ".git", "docs", "docs/a.md", "a.draft.md", "old~", "#x", "node_modules", "vendor"]
    assert [path for path in out if not config.leaves_out(path)] == []
    assert not config.leaves_out("_pages")
    assert not config.leaves_out("about.md")


def test_defaults_are_merged_as_jekyll_merges_them() -> None:
    scopes = [
        {"scope": {"path": "_posts/notes", "type": "posts"}, "values": {"a": "notes", "deep": {"x": 1}}},
        {"scope": {"path": ""}, "values": {"a": "all", "b": "all", "deep": {"y": 2}}},
        {"scope": {"path": "", "type": "post"}, "values": {"b": "posts"}},
        {"scope": {"path": "", "type": "pages"}, "values": {"b": "pages"}},
        {"scope": {"path": "_posts/*/x"}, "values": {"c": "pattern"}},
        "nothing",
    ]
    config = JekyllConfig({"defaults": scopes})
    assert config.defaults("_posts/notes/x/2024-01-01-a.md", "posts") == {
        "a": "notes",
        "b": "all",
        "c": "pattern",
        "deep": {"x": 1, "y": 2},
    }
    assert config.defaults("about.md", "pages") == {"a": "all", "b": "pages", "deep": {"y": 2}}


def test_a_source_that_a_build_makes_is_read_where_its_files_are(tmp_path: Path) -> None:
    built = tree(tmp_path / "a", {"_config.yml": "source: .tmp/src\n", "src/index.md": "---\n---\n"})
    assert read_config(built).source == "src"
    named = tree(tmp_path / "b", {"_config.yml": "source: docs\n", "docs/index.md": "---\n---\n"})
    assert read_config(named).source == "docs"
    assert read_config(tree(tmp_path / "c", {"_config.yml": ""})).source == ""


def test_settings_that_cannot_be_read_are_told_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"_config\.yml:3: the file is not YAML"):
        read_config(tree(tmp_path, {"_config.yml": "a: 1\nb: [\n"}))
