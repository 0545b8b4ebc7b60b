"""`pressync help`: explains a name without a network, and outside of any repository."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner

from pressync.cli.main import pressync

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.support.terminal import Terminal


def said(*arguments: str, exits: int = 0) -> str:
    result = CliRunner().invoke(pressync, ["help", *arguments])
    assert result.exit_code == exits, result.output
    return result.output


def test_a_name_is_explained_where_there_is_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = said("not_pulled")
    assert text.startswith("not_pulled (A limit stopped the sync)\n\n    which was synced before")
    assert "Run `git pull`" in text


def test_the_places_of_the_guide_come_last() -> None:
    assert said("lost_manifest").rstrip().split("\n")[-1] == (
        "In the guide: manifest.md#a-manifest-that-is-not-here"
    )


def test_without_a_name_all_names_are_listed() -> None:
    text = said()
    assert max(map(len, text.splitlines())) <= 80
    for name in ("conflict", "too_many_deletes", "lock-held", "broken-link"):
        assert name in text


def test_the_name_of_a_command_shows_its_help() -> None:
    assert said("sync") == CliRunner().invoke(pressync, ["sync", "--help"]).output


def test_a_name_of_both_shows_the_help_of_the_command_and_then_the_explanation() -> None:
    text = said("manifest")
    assert text.startswith(CliRunner().invoke(pressync, ["manifest", "--help"]).output)
    assert "\n\nMessages with this name:\n\nmanifest (Outside of the content)\n" in text


def test_a_misspelt_name_gets_the_one_that_was_meant() -> None:
    assert "Did you mean `pressync help broken-link`?" in said("brokn-link", exits=2)
    assert "`pressync help` lists all" in said("zzz", exits=2)


def test_a_long_error_ends_with_the_command_that_explains_it(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/a.md": "# A\n"})
    terminal.run("sync", "--yes")
    terminal.repository.commit({"pressync.toml": 'content = "elsewhere"\n'})
    told = terminal.run("sync", "--yes", exits=4).stderr
    assert told.rstrip().endswith("(`pressync help no_documents` says more)")
    last = terminal.run("--log-format", "json", "sync", "--yes", exits=4).stderr.splitlines()[-1]
    assert json.loads(last)["code"] == "no_documents"


def test_content_errors_and_check_name_the_problems_to_look_up(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/a.md": "---\nstatus: publik\ntitel: A\n---\n# A\n"})
    assert "(`pressync help value` explains the first)" in terminal.run("sync", "--yes", exits=2).stderr
    assert "these are: unknown-key, value." in terminal.run("check", exits=2).stderr
    lines = terminal.run("--log-format", "json", "sync", "--yes", exits=2).stderr.splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["value", "content-error"]
