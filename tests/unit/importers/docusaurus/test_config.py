"""The settings of Docusaurus are searched, and never run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.source_trees import tree

from pressync.importers.docusaurus.config import Root, read_config, settings_of

if TYPE_CHECKING:
    from pathlib import Path

PRESET = """
// url: "https://wrong.example",
import {themes} from 'prism-react-renderer';
const config = {
  url: 'https://example.org',
  baseUrl: '/base/', // comment
  locales: { de: { baseUrl: `/${locale}/` } },
  trailingSlash: true,
  presets: [['classic', {
    docs: { path: './manual', routeBasePath: '/', sidebarPath: require.resolve('./sidebars.js') },
    blog: false,
  }]],
  plugins: [['@docusaurus/plugin-content-docs', { id: 'api', path: 'api', routeBasePath: 'reference' }]],
  themeConfig: { footer: { docs: { label: 'x' } } },
};
"""


def test_a_preset_and_further_instances_are_found(tmp_path: Path) -> None:
    files = {
        "docusaurus.config.ts": PRESET,
        "manual/a.md": "",
        "api/a.md": "",
        "blog/a.md": "",
        "docs/a.md": "",
    }
    config = read_config(tree(tmp_path, files))
    assert (config.address, config.base, config.has_slash) == ("https://example.org", "/base", True)
    assert config.roots == (Root("manual", ""), Root("api", "reference"))


def test_defaults_hold_for_what_the_settings_do_not_say(tmp_path: Path) -> None:
    files = {
        "docusaurus.config.js": "module.exports = make();",
        "docs/a.md": "",
        "blog/a.md": "",
        "src/pages/a.md": "",
    }
    config = read_config(tree(tmp_path, files))
    assert (config.address, config.base, config.has_slash) == ("", "", None)
    assert config.roots == (Root("docs", "docs"), Root("blog", "blog", is_blog=True), Root("src/pages", ""))


def test_versions_and_languages_are_folders_of_their_own(tmp_path: Path) -> None:
    files = {
        "docusaurus.config.js": "module.exports = {presets: [['classic', {docs: {sidebarPath: 'x'}}]]};",
        "versions.json": '["2.0", "1.0"]',
        "docs/a.md": "",
        "versioned_docs/version-1.0/a.md": "",
        "versioned_docs/version-2.0/a.md": "",
        "i18n/de/docusaurus-plugin-content-docs/version-2.0/a.md": "",
        "i18n/de/docusaurus-plugin-content-blog/a.md": "",
        "blog/a.md": "",
    }
    assert read_config(tree(tmp_path, files)).roots == (
        Root("versioned_docs/version-2.0", "docs/"),
        Root("versioned_docs/version-1.0", "docs/1.0"),
        Root("docs", "docs/next"),
        Root("blog", "blog", is_blog=True),
        Root(
            "i18n/de/docusaurus-plugin-content-docs/version-2.0",
            "de/docs/",
            original="versioned_docs/version-2.0",
        ),
        Root("i18n/de/docusaurus-plugin-content-blog", "de/blog", is_blog=True, original="blog"),
    )


@pytest.mark.parametrize("name", ["docusaurus.config.js", "docusaurus.config.mts"])
def test_the_settings_have_one_of_several_names(tmp_path: Path, name: str) -> None:
    assert settings_of(tree(tmp_path, {name: ""})) == name
    assert settings_of(tree(tmp_path / "none", {"config.js": ""})) == ""
