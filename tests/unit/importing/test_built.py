"""The built site of a source lies where the settings of its tool say, and may be older than the source."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pressync.importing.built import build_of, built_of
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

FOLDERS = {
    "hugo": ("hugo.toml", 'publishDir = "out"\n', "out"),
    "hugo of its own": ("hugo.toml", 'title = "x"\n', "public"),
    "hugo beside": ("hugo.toml", 'publishDir = "../out"\n', "../out"),
    "hugo far away": ("hugo.toml", 'publishDir = "/etc"\n', "public"),
    "jekyll": ("_config.yml", "destination: ./out\n", "out"),
    "mkdocs": ("mkdocs.yml", "site_name: x\nsite_dir: out\n", "out"),
    "astro": ("astro.config.mjs", "export default { outDir: './out' };\n", "out"),
    "docusaurus": ("docusaurus.config.js", "module.exports = {};\n", "build"),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_the_settings_of_the_tool_name_the_folder(tmp_path: Path, case: str) -> None:
    file, text, folder = FOLDERS[case]
    source = tmp_path / "site"
    source.mkdir()
    (source / file).write_text(text)
    build = build_of(source, case.partition(" ")[0])
    assert build is not None
    assert build.folder == (source / folder).resolve()
    assert not build.is_there


@pytest.mark.sweep
def test_another_source_has_no_built_site(tmp_path: Path) -> None:
    assert build_of(tmp_path) is None
    assert built_of(tmp_path, "x") == (tmp_path, "")


def test_a_person_names_the_source_or_its_built_site_and_a_newer_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
    with pytest.raises(ConfigError, match="there is no folder site"):
        built_of(tmp_path, "x")
    page, saved = tmp_path / "site/index.html", tmp_path / "docs/index.md"
    for file in (page, saved):
        file.parent.mkdir()
        file.write_text("x")
    os.utime(saved, (1, 1))
    os.utime(tmp_path / "mkdocs.yml", (1, 1))
    assert built_of(tmp_path, "x") == built_of(tmp_path / "site", "x") == (tmp_path / "site", "")
    os.utime(page, (2, 2))
    os.utime(saved, (3, 3))
    assert built_of(tmp_path / "site", "x") == (tmp_path / "site", "docs/index.md")
