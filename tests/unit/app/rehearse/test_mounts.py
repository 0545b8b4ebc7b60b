"""The folders that `--mount` gives to a WordPress stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.rehearse.mounts import Mounts, copy
from pressync.model.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from pathlib import Path


def folder(place: Path, **files: str) -> Path:
    """Make a folder with these files; two underscores in a name stand for a dot."""
    place.mkdir(parents=True)
    for name, text in files.items():
        (place / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return place


def test_a_theme_a_plugin_and_wordpress_are_known_by_their_files(tmp_path: Path) -> None:
    theme = folder(tmp_path / "harbour", style__css="/* Theme Name: Harbour */")
    plugin = folder(
        tmp_path / "notes", a__php="<?php // a part", main__php="<?php\n/**\n * Plugin Name: Notes\n */"
    )
    folder(tmp_path / "wp/wp-includes", version__php="<?php")

    found = Mounts.of([f"theme={theme}", f"plugin={plugin}", f"wordpress={tmp_path / 'wp'}"])

    assert found == Mounts(theme, ((plugin, "notes/main.php"),), tmp_path / "wp")
    assert found.named == ("harbour", "notes")
    assert Mounts.of([]) == Mounts()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{0}", "does not name what the folder is"),
        ("skin={0}", "does not name what the folder is"),
        ("theme=", "does not name what the folder is"),
        ("theme={0}/missing", "names no folder"),
        ("theme={0}", "has no `style.css`"),
        ("plugin={0}", "has no file with the header"),
        ("wordpress={0}", "has no `wp-includes/version.php`"),
    ],
)
def test_a_folder_that_is_not_what_it_should_be_is_named(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        Mounts.of([text.format(tmp_path)])


def test_a_site_has_one_theme(tmp_path: Path) -> None:
    themes = [folder(tmp_path / name, style__css="") for name in ("one", "two")]

    with pytest.raises(ConfigError, match="second of its kind"):
        Mounts.of([f"theme={theme}" for theme in themes])


def test_a_stage_gets_a_copy_without_the_folders_of_developers(tmp_path: Path) -> None:
    theme = folder(tmp_path / "theme", style__css="/* */")
    folder(theme / "node_modules", big__js="")
    (theme / "linked.css").symlink_to(theme / "style.css")
    (theme / "gone.css").symlink_to(theme / "nothing")

    copied = copy(theme, tmp_path / "copy")

    assert sorted(path.name for path in copied.iterdir()) == ["linked.css", "style.css"]
    assert not (copied / "linked.css").is_symlink()


def test_a_folder_that_cannot_be_copied_is_an_error(tmp_path: Path) -> None:
    theme = folder(tmp_path / "theme", style__css="/* */")

    with pytest.raises(StorageError, match="cannot be copied"):
        copy(theme, theme)
