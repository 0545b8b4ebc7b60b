"""Where the settings of a repository are, in every kind of repository."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from pressync.config import location
from pressync.config.location import SettingsText
from pressync.model.errors import ConfigError
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

NAME, TEXT = "pressync.toml", 'content = "text"\n'


def find(folder: Path, file: Path | None = None) -> SettingsText:
    with Repository(folder) as opened:
        return location.find(opened, file)


def bare_clone(repository: SampleRepository, folder: Path) -> Path:
    """Clone without a working tree, as a server holds it."""
    subprocess.run(["git", "clone", "--quiet", "--bare", repository.root, folder], check=True)
    return folder


def test_the_work_tree_counts_whatever_is_committed(repository: SampleRepository) -> None:
    repository.commit({NAME: 'content = "before"\n'})
    repository.write(NAME, TEXT)
    assert find(repository.root) == SettingsText(TEXT, NAME, is_pushed=False)


def test_there_need_be_none(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    assert find(repository.root) == SettingsText(None, NAME, is_pushed=False)
    assert find(bare_clone(repository, tmp_path / "bare.git")) == SettingsText(None, NAME, is_pushed=True)


def test_in_a_bare_repository_what_is_committed_counts_and_was_pushed(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({NAME: TEXT})
    assert find(bare_clone(repository, tmp_path / "bare.git")) == SettingsText(TEXT, NAME, is_pushed=True)


def test_a_file_that_is_named_goes_before_both_and_was_not_pushed(
    repository: SampleRepository, tmp_path: Path
) -> None:
    repository.commit({NAME: 'content = "before"\n'})
    file = tmp_path / "other.toml"
    file.write_text(TEXT, encoding="utf-8")
    for root in (repository.root, bare_clone(repository, tmp_path / "bare.git")):
        assert find(root, file) == SettingsText(TEXT, str(file), is_pushed=False, is_own=False)


def test_a_file_that_is_named_must_be_there(repository: SampleRepository, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: the file cannot be read"):
        find(repository.root, tmp_path / "nowhere.toml")


@pytest.mark.parametrize("bare", [False, True])
def test_settings_that_are_not_utf8_are_told_so(
    repository: SampleRepository, tmp_path: Path, *, bare: bool
) -> None:
    repository.commit({NAME: b'content = "caf\xe9"\n'})
    root = bare_clone(repository, tmp_path / "bare.git") if bare else repository.root
    with pytest.raises(
        ConfigError, match=r"pressync\.toml: the file cannot be read: .*utf-8.*save it as TOML"
    ):
        find(root)
