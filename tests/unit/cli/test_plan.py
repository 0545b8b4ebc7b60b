"""`plan` at work: which plans are noted, the exit code of each plan, and the file that `--out` writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pressync.app import unchanged, up_to_date
from pressync.app.workspace import Workspace
from pressync.cli.plan import delete_limit
from pressync.plan.limits import DEFAULT_LIMIT, DeleteLimit

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.terminal import Terminal


@pytest.mark.sweep
def test_a_plan_of_the_whole_head_is_remembered_and_no_other(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRESSYNC_URL", terminal.environ["PRESSYNC_URL"])
    terminal.run("sync", "--yes", "content")
    for part in (("content",), ("--worktree",), ("--ref", "main")):
        terminal.run("plan", *part)
        assert up_to_date.read(terminal.repository.root, site=None, config_file=None) is None, part
    terminal.run("plan")
    assert up_to_date.read(terminal.repository.root, site=None, config_file=None) is not None


def test_what_has_problems_ends_with_two_also_where_nothing_else_is_to_do(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.repository.commit({"content/pages/bad.md": "---\ntitle: [\n---\n"})
    told = "Sync would send nothing, because of 1 problem in the content"
    assert terminal.run("plan", exits=2).stderr.endswith(f"{told}.\n")
    assert told not in terminal.run("plan", "--keep-going").stderr
    terminal.run("plan", "--keep-going", "--exit-code", exits=1)
    terminal.repository.commit({"content/pages/new.md": "# New\n"})
    assert terminal.run("plan", exits=2).stderr.endswith(f"{told}; `--keep-going` syncs the rest.\n")


def test_only_a_service_with_reads_is_looked_at(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    terminal.run("plan", "--exit-code")
    assert "--drift" in terminal.run("plan", "--drift", exits=2).stderr


def test_a_file_gets_the_plan_that_sync_takes_unless_another_is_named(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.cli.console.colour_wanted", lambda: True)
    file = tmp_path / "plan"
    terminal.run("plan", "--out", str(file))
    assert {"commit", "digest"} <= json.loads(file.read_text()).keys()
    terminal.run("plan", "--out", str(file), "--format", "text")
    assert "\x1b" not in file.read_text()


def test_a_plan_fits_the_terminal_and_a_file_and_json_do_not_care(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.cli.console.columns", lambda: 50)
    shown = terminal.run("plan").stdout
    assert max(map(len, shown.splitlines())) <= 50
    terminal.run("plan", "--out", str(tmp_path / "plan"), "--format", "text")
    written = (tmp_path / "plan").read_text()
    assert (shown != written, shown.split()) == (True, written.split())
    assert json.loads(terminal.run("plan", "--format", "json").stdout)["changes"]


def test_a_few_edits_are_planned_from_their_records_alone_and_shown_as_ever(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRESSYNC_URL", terminal.environ["PRESSYNC_URL"])
    terminal.repository.commit({"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"})
    terminal.run("sync", "--yes")
    terminal.repository.commit({"content/pages/a.md": "# A\n\nMore.\n"})
    for words, exits in (((), 0), (("--format", "json", "--exit-code"), 3), (("--summary",), 0)):
        with monkeypatch.context() as patch:
            patch.setattr(unchanged, "MOST", 0)
            whole = terminal.run("plan", *words, exits=exits)
        with monkeypatch.context() as patch:
            patch.setattr(Workspace, "plan", None)
            short = terminal.run("plan", *words, exits=exits)
        assert (short.stdout, short.stderr) == (whole.stdout, whole.stderr)


def test_without_a_limit_of_deletions_the_default_holds() -> None:
    assert delete_limit(None) == DEFAULT_LIMIT
    assert delete_limit("5%") == DeleteLimit.parse("5%")
