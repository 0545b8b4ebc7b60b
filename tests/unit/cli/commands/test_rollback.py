"""`pressync rollback`: what it shows, asks, sends and prints, and the code it ends with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click
import jsonschema
import pytest
from tests.support.library_repository import Shelf
from tests.support.syncing import stored_pages

from pressync.app import rollback as app
from pressync.cli import console
from pressync.cli.commands import rollback
from pressync.cli.main import Globals

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository
    from tests.support.terminal import Terminal

    from pressync.stage.server.server import RunningService

ABOUT = "content/pages/about.md"


def _titles(service: RunningService) -> dict[str, Any]:
    return {page["slug"]: page["title"]["raw"] for page in stored_pages(service)}


def test_the_id_that_sync_prints_undoes_the_run(terminal: Terminal, service: RunningService) -> None:
    assert "no record of a run" in terminal.run("rollback", exits=2).stderr
    assert "Run 20" in terminal.run("sync", "--yes").stdout
    before = _titles(service)
    terminal.repository.commit({ABOUT: "# Others\n", "content/pages/new.md": "# New\n"})
    run = json.loads(terminal.run("sync", "--yes", "--format", "json").stdout)["run"]
    assert "--yes" in terminal.run("rollback", "--max-delete", "100%", exits=2).stderr
    assert "git revert" in terminal.run("rollback", "20260131-101500-k3f9p", exits=2).stderr
    assert _titles(service) != before
    done = terminal.run("rollback", run, "--yes")
    assert f"Rollback of run {run}: 2 undone." in done.stdout
    assert "sync --again" in done.stderr
    assert _titles(service) == before


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


A = "content/pages/a.md"


@pytest.fixture
def shelf(repository: SampleRepository, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Make a site whose page was changed by the last run, and bind the command to it."""
    made = Shelf(repository.root, "https://site.test/wp-json")
    repository.commit({A: "# A\n"})
    made.sync()
    repository.commit({A: "# Anew\n"})
    made.sync()
    monkeypatch.setattr(console, "open_workspace", lambda _globals, **_more: made.workspace())
    return made


def run(**chosen: object) -> None:
    options = {
        "yes": False,
        "notify": False,
        "max_delete": None,
        "concurrency": 4,
        "rate": None,
        "wait": 0.0,
        "form": "text",
        **chosen,
    }
    context = click.Context(rollback.command, obj=Globals())
    context.invoke(rollback.command, run=None, **options)


def test_the_plan_names_the_run_and_is_asked_about(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "is_watched", lambda _globals: True)
    monkeypatch.setattr("click.confirm", lambda question, **_more: "1 change" not in question)
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 1
    shown = capsys.readouterr().err
    with shelf.workspace() as workspace:
        assert f"Rollback of run {app.find(workspace, None).run}" in shown
    assert "back to commit" in shown
    assert shelf.service.held[1].fields["title"] == "Anew"


def test_with_yes_the_plan_is_shown_too_and_the_next_steps_are_named_until_the_files_differ(
    shelf: Shelf, repository: SampleRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(yes=True)
    assert ended.value.code == 0
    out, err = capsys.readouterr()
    assert out.count("\n") == 1
    assert "1 undone" in out
    assert "back to commit" in err
    assert 0 < err.index("next: commit .pressync") < err.index("refuses them. After that: `git diff")
    assert shelf.service.held[1].fields["title"] == "A"
    run()
    again = capsys.readouterr().err
    assert "is rolled back already. Nothing was sent." in again
    steps = [line for line in err.splitlines() if "next: commit" in line or "After that: `git diff" in line]
    assert again.splitlines()[1:] == steps
    repository.commit({A: "# A third text\n"})
    run()
    assert "refuses" not in capsys.readouterr().err
