"""`pressync help` explains a name with the sections of the guide, without a network or a repository."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from pressync.cli.commands import help as guide
from pressync.cli.main import pressync

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.terminal import Terminal


def said(*arguments: str, exits: int = 0) -> str:
    result = CliRunner().invoke(pressync, ["help", *arguments])
    assert result.exit_code == exits, result.output
    return result.output


def test_a_name_is_explained_without_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = said("not_pulled")
    assert text.startswith("not_pulled (A limit stopped the sync)\n\n    which was synced before")
    assert "Run `git pull`" in text
    assert said("lost_manifest").rstrip().split("\n")[-1] == (
        "In the guide: manifest.md#a-manifest-that-is-not-here"
    )
    assert "Did you mean `pressync help broken-link`?" in said("brokn-link", exits=2)
    assert "`pressync help` lists all" in said("zzz", exits=2)


def test_without_a_name_all_names_are_listed() -> None:
    text = said()
    assert max(map(len, text.splitlines())) <= 80
    for name in ("conflict", "too_many_deletes", "lock-held", "broken-link"):
        assert name in text


def test_the_name_of_a_command_shows_its_help_and_then_the_explanation() -> None:
    assert said("sync") == CliRunner().invoke(pressync, ["sync", "--help"]).output
    text = said("manifest")
    assert text.startswith(CliRunner().invoke(pressync, ["manifest", "--help"]).output)
    assert "\n\nMessages with this name:\n\nmanifest (Outside of the content)\n" in text


def test_errors_and_check_end_with_the_command_that_explains_them(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/a.md": "---\nstatus: publik\ntitel: A\n---\n# A\n"})
    assert "(`pressync help value` explains the first)" in terminal.run("sync", "--yes", exits=2).stderr
    assert "these are: unknown-key, value." in terminal.run("check", exits=2).stderr
    lines = terminal.run("--log-format", "json", "sync", "--yes", exits=2).stderr.splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["value", "content-error"]
    terminal.repository.commit({"content/pages/a.md": "# A\n"})
    terminal.run("sync", "--yes")
    terminal.repository.commit({"pressync.toml": 'content = "elsewhere"\n'})
    told = terminal.run("sync", "--yes", exits=4).stderr
    assert told.rstrip().endswith("(`pressync help no_documents` says more)")
    last = terminal.run("--log-format", "json", "sync", "--yes", exits=4).stderr.splitlines()[-1]
    assert json.loads(last)["code"] == "no_documents"


@pytest.mark.parametrize("said", ["lock-held", "lock_held", "LockHeld", "lock held"])
def test_a_name_is_found_however_its_words_are_joined(said: str) -> None:
    found = guide.find(said)
    assert found is not None
    assert (found.name, found.page, found.part) == (
        "lock-held",
        "troubleshooting.md",
        "A limit stopped the sync",
    )


def test_a_paragraph_is_a_line_a_message_is_indented_and_links_are_places_after_it() -> None:
    text = "```text\nit is wrong\n```\n\nSee [it](c.md#d), [it](c.md#d),\n[below](#e) and [them](https://example.org)."
    section = guide.Section("a", "b.md", "", text)
    assert section.paragraphs == ("    it is wrong", "See it, it, below and them.")
    assert section.further == ("c.md#d", "b.md#e")
