"""A rollback at a terminal: the plan is shown before the question, and the report is short."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.library_repository import Shelf

from pressync.app import rollback as app
from pressync.cli import console, rollback
from pressync.cli.main import Globals

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

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
        "max_delete": None,
        "concurrency": 4,
        "rate": None,
        "wait": 0.0,
        "form": "text",
        **chosen,
    }
    rollback.run(Globals(), None, **options)  # type: ignore[arg-type]


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


def test_with_yes_the_plan_is_shown_too_and_the_report_is_one_line(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
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


def test_what_stays_is_listed_with_its_reason(shelf: Shelf, capsys: pytest.CaptureFixture[str]) -> None:
    shelf.service.held[1].fields["title"] = "Somebody's"  # type: ignore[index]
    with pytest.raises(SystemExit) as ended:
        run(yes=True)
    assert ended.value.code == 1
    out = capsys.readouterr().out
    assert "somebody has edited it on the site since: title" in out
    assert out.endswith(": 1 left as it is.\n")
    # The manifest does not have the conflict, so only a look at the site finds it.
    assert "1 conflict: `pressync plan --drift --diff` shows" in out


@pytest.mark.usefixtures("shelf")
def test_a_rollback_that_is_done_already_names_the_next_steps_again(
    repository: SampleRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(yes=True)
    first = capsys.readouterr().err
    run()
    again = capsys.readouterr().err
    assert "is rolled back already. Nothing was sent." in again
    steps = [line for line in first.splitlines() if "next: commit" in line or "After that: `git diff" in line]
    assert len(steps) == 2
    assert again.splitlines()[1:] == steps
    repository.commit({A: "# A third text\n"})
    run()
    assert "refuses" not in capsys.readouterr().err
