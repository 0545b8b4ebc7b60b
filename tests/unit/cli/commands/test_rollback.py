"""`pressync rollback`: what it sends, asks, prints, and the code it ends with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
from tests.support.syncing import stored_pages

if TYPE_CHECKING:
    from tests.support.terminal import Terminal

    from pressync.server.server import RunningService

ABOUT = "content/pages/about.md"


def _titles(service: RunningService) -> dict[str, Any]:
    return {page["slug"]: page["title"]["raw"] for page in stored_pages(service)}


def test_the_id_that_sync_prints_undoes_the_run(terminal: Terminal, service: RunningService) -> None:
    terminal.run("sync", "--yes")
    before = _titles(service)
    terminal.repository.commit({ABOUT: "# Others\n", "content/pages/new.md": "# New\n"})
    run = json.loads(terminal.run("sync", "--yes", "--format", "json").stdout)["run"]
    assert _titles(service) != before
    done = terminal.run("rollback", run, "--yes")
    assert f"Rollback of run {run}: 2 undone." in done.stdout
    assert "sync --again" in done.stderr
    assert _titles(service) == before


def test_the_text_of_sync_names_the_run(terminal: Terminal) -> None:
    shown = terminal.run("sync", "--yes").stdout
    assert "Run 20" in shown
    assert "Run 20" not in terminal.run("sync").stdout


def test_without_a_terminal_it_wants_yes(terminal: Terminal, service: RunningService) -> None:
    terminal.run("sync", "--yes")
    assert "--yes" in terminal.run("rollback", "--max-delete", "100%", exits=2).stderr
    assert len(_titles(service)) == 3


def test_json_has_the_documented_shape(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.commit({"content/pages/new.md": "# New\n"})
    run = json.loads(terminal.run("sync", "--yes", "--format", "json").stdout)["run"]
    document = json.loads(terminal.run("rollback", "--yes", "--format", "json").stdout)
    jsonschema.validate(document, json.loads(terminal.run("schema", "rollback").stdout))
    assert document["rolled_back"] == run
    assert document["run"] not in {None, run}
    assert document["counts"]["done"] == 1
    assert [(o["action"], o["path"]) for o in document["outcomes"]] == [("delete", "content/pages/new.md")]


def test_a_second_rollback_of_a_run_sends_nothing(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.commit({"content/pages/new.md": "# New\n"})
    terminal.run("sync", "--yes")
    terminal.run("rollback", "--yes")
    assert "rolled back already" in terminal.run("rollback", "--yes").stderr


def test_afterwards_sync_is_refused_until_somebody_decides(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.commit({"content/pages/new.md": "# New\n"})
    terminal.run("sync", "--yes")
    terminal.run("rollback", "--yes")
    assert "was rolled back" in terminal.run("sync", "--yes", exits=4).stderr
    assert "was rolled back" in terminal.run("plan").stdout
    assert "was rolled back" in terminal.run("status").stderr
    assert "1 done" in terminal.run("sync", "--yes", "--again").stdout


def test_a_run_that_is_not_known_is_a_mistake_of_usage(terminal: Terminal) -> None:
    assert "git revert" in terminal.run("rollback", "20260131-101500-k3f9p", exits=2).stderr
    assert "no record of a run" in terminal.run("rollback", exits=2).stderr
