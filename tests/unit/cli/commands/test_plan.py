"""`pressync plan`: what it shows in each format, which plans are noted, and that it changes nothing."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest

from pressync.app import unchanged, up_to_date
from pressync.app.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.terminal import Terminal


def test_json_has_the_commit_and_every_change(terminal: Terminal) -> None:
    document = json.loads(terminal.run("plan", "--format", "json").stdout)
    assert (document["site"], document["commit"]) == ("default", terminal.repository.head())
    assert document["counts"] == {"create": 3, "update": 0, "delete": 0, "keep": 0, "blocked": 0}
    about = {change["path"]: change for change in document["changes"]}["content/pages/about.md"]
    assert (about["action"], about["code"], about["status"]) == ("create", "new", "publish")
    assert about["fields"] == ["content", "menu_order", "slug", "status", "title"]


def test_it_opens_no_socket_and_writes_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a plan opened a socket")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    terminal.run("plan")
    assert terminal.repository.git("status", "--porcelain") == ""


def test_exit_code_three_means_that_changes_are_pending(terminal: Terminal) -> None:
    terminal.run("plan", "--exit-code", exits=3)
    terminal.run("sync", "--yes")
    terminal.run("plan", "--exit-code")


@pytest.mark.parametrize(
    ("form", "sign"),
    [
        ("markdown", "| `content/pages/about.md` | page | publish | new document |"),
        ("html", 'data-action="create"'),
        ("github", "### pressync"),
    ],
)
def test_other_formats_show_the_same_changes(terminal: Terminal, form: str, sign: str) -> None:
    assert sign in terminal.run("plan", "--format", form).stdout


def test_a_file_that_cannot_be_written_is_told(terminal: Terminal) -> None:
    said = terminal.run("plan", "--out", "/nowhere/plan.json", exits=1).stderr
    assert "Error: /nowhere/plan.json: the file cannot be written (No such file or directory)" in said


def test_a_path_that_is_not_committed_is_said_to_be_so(terminal: Terminal) -> None:
    terminal.repository.write("content/pages/new.md", "# New\n")
    for command in (("plan",), ("sync", "--yes"), ("check",)):
        said = terminal.run(*command, "content/pages/new.md", exits=2).stderr
        assert "'content/pages/new.md' is not in the commit; commit it, or include" in said
    assert "1 to create" in terminal.run("plan", "content/pages/new.md", "--worktree").stdout


def test_a_summary_has_numbers_and_no_paths(terminal: Terminal) -> None:
    shown = terminal.run("plan", "--summary").stdout
    assert "  + 3 pages to create\n" in shown
    assert ".md" not in shown
    terminal.run("sync", "--yes")
    assert "Nothing to do: 3 records are up to date" in terminal.run("plan", "--summary").stdout


@pytest.mark.parametrize("words", [["--diff"], ["--format", "json"], ["--out", "plan.json"]])
def test_a_summary_is_text(terminal: Terminal, words: list[str]) -> None:
    assert "leave out --diff, --format and --out" in terminal.run("plan", "--summary", *words, exits=2).stderr


def test_json_has_the_diff_of_each_change_if_asked_for(terminal: Terminal) -> None:
    document = json.loads(terminal.run("plan", "--diff", "--format", "json").stdout)
    shown = {change["path"]: change["diff"] for change in document["changes"]}
    assert shown["content/pages/about/history.md"].splitlines()[:2] == [
        "--- nothing yet",
        "+++ as it will be",
    ]
    assert "diff" not in json.loads(terminal.run("plan", "--format", "json").stdout)["changes"][0]


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


def test_a_file_gets_the_plan_that_sync_takes_unless_another_is_named(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pressync.cli.console.colour_wanted", lambda: True)
    file = tmp_path / "plan"
    terminal.run("plan", "--out", str(file))
    written = json.loads(file.read_text())
    assert ({"commit", "digest"} <= written.keys(), written["counts"]["create"]) == (True, 3)
    terminal.run("plan", "--out", str(file), "--format", "text")
    assert "\x1b" not in file.read_text()
    terminal.run("plan", "--out", str(file), "--format", "markdown")
    assert file.read_text().startswith("### pressync")


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
