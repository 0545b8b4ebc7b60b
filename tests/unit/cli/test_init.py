"""The commands that `init` names next: each is for what was written, and none is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress

from pressync.cli import init
from pressync.cli.init import Answers
from pressync.cli.main import Globals
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

EMBEDDED = Answers(None, None, None, hook=False, workflow=None)


def _next(repository: SampleRepository, answers: Answers, capsys: pytest.CaptureFixture[str]) -> list[str]:
    init.run(Globals(repository.root, None, None, quiet=True, verbose=False), answers, asks=False)
    return [line.split()[0] for line in capsys.readouterr().out.partition("Next:\n")[2].splitlines()]


def test_the_embedded_service_is_served_and_synced(
    repository: SampleRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _next(repository, EMBEDDED, capsys) == ["git", "pressync", "pressync"]


def test_an_action_that_nobody_named_must_still_be_filled_in(
    repository: SampleRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _next(repository, replace(EMBEDDED, workflow=""), capsys)[-1] == "$EDITOR"


def test_a_comment_that_does_not_fit_into_the_terminal_goes_before_its_command(
    repository: SampleRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.cli.console.columns", lambda **_: 80)
    with embedded_wordpress.serving() as site:
        answers = Answers(site.url, None, None, hook=False, workflow="")
        init.run(Globals(repository.root, quiet=True), answers, asks=False)
    steps = capsys.readouterr().out.partition("Next:\n")[2].splitlines()
    password = steps.index("  read -rs PRESSYNC_PASSWORD && export PRESSYNC_PASSWORD")
    assert steps[password - 1].startswith("  # an application password:")
    assert [step for step in steps if len(step) > 80] == []
    above = site.url.removesuffix("/wp-json")
    assert f"  pressync import {above}   # if the site has pages already" in steps


def test_the_hook_is_installed_with_the_answers(
    repository: SampleRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    init.run(
        Globals(repository.root, None, None, quiet=True, verbose=False),
        Answers(None, None, "pages", hook=True, workflow=None),
        asks=False,
    )
    assert "Installed post-commit" in capsys.readouterr().out
    assert 'content = "pages"' in (repository.root / "pressync.toml").read_text()


def test_another_settings_file_is_refused_before_anything_is_written(repository: SampleRepository) -> None:
    elsewhere = Globals(repository.root, None, repository.root / "other.toml", quiet=True, verbose=False)
    with pytest.raises(ConfigError, match=r"`init` writes pressync\.toml at the root"):
        init.run(elsewhere, EMBEDDED, asks=False)
    assert not (repository.root / "pressync.toml").exists()
