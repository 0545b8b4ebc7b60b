"""The settings of a Hugo site, as one file or as a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import tree

from pressync.importing.sources.hugo_config import Mount, read_config
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_of_settings_is_merged_and_the_public_environment_wins(tmp_path: Path) -> None:
    files = {
        "config/_default/hugo.toml": 'baseURL = "https://test.example/"\ndefaultContentLanguage = "en"\n',
        "config/_default/languages.de.toml": 'contentDir = "content/de"\nweight = 2\n',
        "config/_default/languages.en.toml": 'contentDir = "content/en"\nweight = 1\n',
        "config/_default/params.toml": 'version = "1"\n[social]\nname = "x"\n',
        "config/_default/params.de.toml": 'version = "eins"\n',
        "config/_default/menus.de.toml": '[[main]]\nname = "a"\n',
        "config/production/hugo.toml": 'baseURL = "https://example.org/"\n',
    }
    config = read_config(tree(tmp_path, files))
    assert config.address == "https://example.org/"
    assert {code: language.prefix for code, language in config.languages.items()} == {"de": "de", "en": ""}
    assert config.content == (Mount("content/de", "", "de"), Mount("content/en", "", "en"))
    assert [config.parameter(code, "version") for code in ("de", "en")] == ["eins", "1"]
    assert config.parameter("de", "social.name") == "x"


def test_mounts_replace_the_folders_of_content_and_files(tmp_path: Path) -> None:
    text = """
        [[module.mounts]]
        source = "content/en"
        target = "content"
        [module.mounts.sites.matrix]
        languages = ["en"]
        [[module.mounts]]
        source = "docs"
        target = "content/handbook"
        [[module.mounts]]
        source = "pictures"
        target = "static/img"
    """
    config = read_config(tree(tmp_path, {"hugo.toml": text}))
    assert config.content == (Mount("content/en", "", "en"), Mount("docs", "handbook"))
    assert config.static == (Mount("pictures", "img"),)
    text = 'theme = "plain"\nstaticDir = ["static", "more"]\n'
    config = read_config(tree(tmp_path / "theme", {"hugo.toml": text}))
    assert [mount.source for mount in config.static] == ["static", "more", "themes/plain/static"]


def test_languages_with_hosts_have_no_prefix_and_one_must_be_enabled(tmp_path: Path) -> None:
    text = """
        baseURL = "https://example.org/x/"
        [languages.en]
        baseURL = "https://example.org/"
        [languages.de]
        baseURL = "https://example.de/"
    """
    config = read_config(tree(tmp_path, {"hugo.toml": text}))
    assert (config.base, [each.prefix for each in config.languages.values()]) == ("", ["", ""])
    with pytest.raises(ConfigError, match=r"hugo\.toml: every language is disabled; enable one of them"):
        read_config(tree(tmp_path, {"hugo.toml": "[languages.en]\ndisabled = true\n"}))


def test_dates_blogs_and_taxonomies_have_defaults_that_settings_replace(tmp_path: Path) -> None:
    plain = read_config(tree(tmp_path / "a", {"hugo.toml": ""}))
    assert plain.dates[0] == "date"
    assert "posts" in plain.blogs
    assert plain.taxonomies == {"category": "categories", "tag": "tags"}
    text = """
        [frontmatter]
        date = [":filename", ":default"]
        [params]
        mainSections = ["diary"]
        [taxonomies]
        tag = "tags"
        [uglyURLs]
        diary = true
    """
    own = read_config(tree(tmp_path / "b", {"hugo.toml": text}))
    assert own.dates[:2] == (":filename", "date")
    assert own.blogs == ("diary",)
    assert own.taxonomies == {"tag": "tags"}
    assert own.is_ugly("diary", "en")
    assert not own.is_ugly("docs", "en")


@pytest.mark.parametrize(
    ("parser", "way"),
    [
        ("", "github"),
        ('autoIDType = "blackfriday"', "blackfriday"),
        ("autoDefinitionTermID = true", "github terms"),
        ("autoDefinitionTermID = false", "github"),
    ],
)
def test_the_settings_say_how_ids_are_made(tmp_path: Path, parser: str, way: str) -> None:
    settings = f"[markup.goldmark.parser]\n{parser}\n"
    assert read_config(tree(tmp_path, {"hugo.toml": settings})).heading_ids == way
