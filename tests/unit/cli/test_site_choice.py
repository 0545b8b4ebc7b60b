"""A command that needs no site in particular is about the chosen site, or about all of the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.cli import site_choice
from pressync.cli.main import Globals

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

TWO = '[sites.live]\nurl = "https://a.test/wp-json"\n[sites.staging]\nurl = "https://b.test/wp-json"\n'


@pytest.fixture
def here(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> Globals:
    """Stand in a repository with two sites."""
    monkeypatch.delenv("PRESSYNC_SITE", raising=False)
    repository.commit({"pressync.toml": TWO})
    return Globals(repository.root)


def names(globals_: Globals) -> list[str | None]:
    return [each.site for each in site_choice.for_each_site(globals_)]


def test_without_a_choice_there_is_one_turn_for_each_site(here: Globals) -> None:
    assert site_choice.known(here) == (("live", "staging"), "pressync.toml")
    assert names(here) == ["live", "staging"]


def test_a_chosen_site_is_alone(here: Globals, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(here._replace(site="staging")) == ["staging"]
    monkeypatch.setenv("PRESSYNC_SITE", "live")
    assert names(here) == [None]


def test_the_settings_choose_an_only_site(here: Globals) -> None:
    (here.directory / "pressync.toml").write_text(TWO.partition("[sites.staging]")[0], encoding="utf-8")
    assert names(here) == [None]
