"""`pressync doctor`: a line for each finding, its next step below, and an exit code for scripts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.terminal import Terminal
from tests.support.wordpress_lookalike import Lookalike, serving

from pressync.app.doctor.finding import Finding, Verdict
from pressync.cli.commands import doctor

if TYPE_CHECKING:
    import pytest
    from tests.support.repository import SampleRepository


def test_each_finding_is_a_line_with_its_next_step_and_the_counts_come_last(terminal: Terminal) -> None:
    lines = terminal.run("doctor").stdout.splitlines()
    assert any(line.startswith("ok       repository: ") for line in lines)
    unknown = next(place for place, line in enumerate(lines) if line.startswith("unknown  dialect: "))
    assert lines[unknown + 1].startswith("         → ")
    assert lines[-1].endswith(" ok, 0 wrong, 3 unknown.")


def test_the_evidence_stands_in_a_column_in_colour(terminal: Terminal) -> None:
    lines = terminal.run("doctor", "--color", "always").stdout.splitlines()
    assert all(line.startswith("\x1b[32mok\x1b[0m       ") for line in lines if "ok\x1b" in line)
    assert lines[1].index("/") == len("\x1b[32m\x1b[0m") + 23
    assert lines[-1].startswith("\x1b[1m")


def test_a_cause_of_several_findings_is_told_once(repository: SampleRepository) -> None:
    said = Terminal(repository, {}).run("doctor", exits=1).stdout
    assert said.count("there is no commit yet") == said.count("commit your content first") == 1
    assert "unknown  content:      for the reason of repository\n" in said
    assert said.endswith(" ok, 1 wrong, 5 unknown.\n")


def test_on_a_terminal_the_evidence_goes_on_below_itself() -> None:
    finding = Finding("history", Verdict.WRONG, "the clone is shallow " * 5, "fetch the whole history " * 4)
    assert doctor.lines(finding, colour=False, columns=80).splitlines() == [
        "wrong    history:      the clone is shallow the clone is shallow the clone is",
        "                       shallow the clone is shallow the clone is shallow",
        "         → fetch the whole history fetch the whole history fetch the whole",
        "           history fetch the whole history",
    ]


def test_anything_wrong_ends_it_with_one(terminal: Terminal) -> None:
    terminal.environ["PRESSYNC_USER"] = "ada"
    said = terminal.run("doctor", exits=1).stdout
    assert "wrong    credentials: " in said


def test_the_json_has_every_finding_and_the_counts(terminal: Terminal) -> None:
    document = json.loads(terminal.run("doctor", "--format", "json").stdout)
    assert document["version"] == 1
    assert document["counts"]["wrong"] == 0
    assert sum(document["counts"].values()) == len(document["findings"])
    assert set(document["findings"][0]) == {"name", "verdict", "evidence", "todo"}


def test_a_folder_without_a_repository_is_a_finding_and_no_error(
    terminal: Terminal, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = str(tmp_path_factory.mktemp("plain"))
    assert "wrong    repository: " in terminal.run("-C", folder, "doctor", exits=1).stdout


def test_text_from_the_site_cannot_write_to_the_terminal(terminal: Terminal) -> None:
    with serving(Lookalike(version="6.8\x1b[31m")) as site:
        terminal.environ |= {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress"}
        assert "\x1b" not in terminal.run("doctor", exits=1).stdout


def test_no_password_is_in_what_it_prints(terminal: Terminal) -> None:
    with serving() as site:
        terminal.environ |= {
            "PRESSYNC_URL": site.base,
            "PRESSYNC_DIALECT": "wordpress",
            "PRESSYNC_USER": "editor",
            "PRESSYNC_PASSWORD": "right hunter2",
        }
        assert "hunter2" not in terminal.run("doctor", exits=1).output
