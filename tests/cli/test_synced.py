"""What `sync` decides: what it takes for a reviewed plan, whom it asks, which manifest it commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.repository import SampleRepository
from tests.terminal import Terminal

from pressync.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.local.server import Running


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"commit": "HEAD"}', "[" * 100_000])
def test_what_is_no_reviewed_plan_is_told_with_the_command_that_writes_one(
    terminal: Terminal, service: Running, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    told = terminal.run("sync", "--plan", str(file), exits=2).stderr
    assert told == f"Error: {file}: this is no plan; write one with `pressync plan --out FILE`\n"
    assert service.store.records(Kind.PAGE) == []


@pytest.mark.parametrize(("word", "code"), [("n", 1), ("", 1), ("y", 0)])
def test_a_person_sees_the_plan_and_is_asked(
    terminal: Terminal, service: Running, monkeypatch: pytest.MonkeyPatch, word: str, code: int
) -> None:
    monkeypatch.setattr("pressync.cli.console.is_watched", lambda _given: True)
    told = terminal.run("sync", exits=code, said=f"{word}\n".encode()).stderr
    assert "content/pages/about.md" in told.partition("Make these changes?")[0]
    assert ("Nothing was sent." in told) == (code == 1)
    assert len(service.store.records(Kind.PAGE)) == (0 if code else 3)


def test_a_manifest_without_a_change_is_not_committed_again(terminal: Terminal) -> None:
    assert "Committed the manifest as " in terminal.run("sync", "--yes", "--commit").stderr
    head = terminal.repository.head()
    assert "no change to commit" in terminal.run("sync", "--yes", "--commit").stderr
    assert terminal.repository.head() == head


def test_a_bare_repository_is_synced_and_has_no_manifest_to_commit(
    terminal: Terminal, service: Running, tmp_path: Path
) -> None:
    terminal.repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "site.git"))
    bare = Terminal(SampleRepository(tmp_path / "site.git"), terminal.environ)
    told = bare.run("sync", "--yes", "--commit", exits=2).stderr
    assert "a bare repository has no manifest to commit" in told
    assert len(service.store.records(Kind.PAGE)) == 3
