"""The problems of the content in each format, and the findings about the setup."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from tests.support.plan_samples import PROBLEMS, hostile_plan
from tests.support.repository import SampleRepository
from tests.support.terminal import Terminal
from tests.support.wordpress_lookalike import Lookalike, serving

from pressync.cli.commands import check
from pressync.model.errors import Code, Problem

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("files", "words", "place"),
    [
        (
            {"content/pages/bad.md": "---\ntitle: x\nmenu_order: first\n---\n"},
            (".",),
            "content/pages/bad.md:3: ",
        ),
        ({"content/pages/bad.md": "# Bad\n\n[x](nowhere.md)\n"}, ("--strict",), "content/pages/bad.md:3: "),
        # A broken template is told whatever the path.
        ({"templates/page.html": "{{ content }"}, ("content/pages/about.md",), "templates/page.html:1: "),
    ],
)
def test_problems_have_places_and_end_with_two(
    terminal: Terminal, files: dict[str, str], words: tuple[str, ...], place: str
) -> None:
    assert terminal.run("check").stdout == "3 documents: 0 problems, 0 warnings.\n"
    terminal.repository.commit(files)
    told = terminal.run("check", *words, exits=2)
    assert place in told.stderr
    assert " 1 problem, 0 warnings." in told.stdout


def test_a_layout_of_another_tool_is_a_warning_and_a_typo_is_a_problem(terminal: Terminal) -> None:
    terminal.repository.commit({"content/pages/a.md": "---\ntitle: A\nlayout: wide\n---\n"})
    assert "content/pages/a.md:3: its layout belongs to another tool" in terminal.run("check").stderr
    terminal.repository.commit({"templates/wider.html": "{{ content }}"})
    assert "content/pages/a.md:3: its layout is `wide`" in terminal.run("check", exits=2).stderr


@pytest.mark.parametrize(("form", "sign"), [("json", '"version": 1'), ("sarif", '"2.1.0"')])
def test_a_program_gets_every_place_as_one_document(terminal: Terminal, form: str, sign: str) -> None:
    assert sign in terminal.run("check", "--format", form).stdout
    terminal.repository.commit(
        {"content/pages/bad.md": "---\nmenu_order: first\n---\n", "content/pages/c.md": "[x](no.md)\n" * 2}
    )
    told = terminal.run("check", "--format", form, exits=2)
    assert told.stderr == ""
    document = json.loads(told.stdout)
    assert len(document["problems"] if form == "json" else document["runs"][0]["results"]) == 3


def test_an_import_is_checked_before_the_first_commit(terminal: Terminal, tmp_path: Path) -> None:
    new = SampleRepository.create(tmp_path / "new")
    new.write("content/pages/bad.md", "# Bad\n\n[x](nowhere.md)\n")
    terminal.repository = new
    told = terminal.run("check", "--worktree")
    assert "warning: content/pages/bad.md:3: " in told.stderr
    assert told.stdout == "1 document: 0 problems, 1 warning.\n"
    assert "there is no commit yet" in terminal.run("sync", "--worktree", exits=2).stderr


def test_without_a_chosen_site_the_content_is_checked_for_each(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL")
    terminal.repository.commit(
        {
            "pressync.toml": '[sites.live]\nurl = "https://a.test/wp-json"\ndialect = "wordpress"\n'
            '[sites.staging]\nurl = "https://b.test/wp-json"\n',
            "content/posts/a.md": "---\ntags: [x]\n---\n# A\n\n[x](gone.md)\n",
        }
    )
    told = terminal.run("check", "content/posts")
    assert told.stdout == "1 document for 2 sites (live, staging): 0 problems, 3 warnings.\n"
    lines = told.stderr.splitlines()
    (link,) = (line for line in lines if "gone.md" in line)
    assert sum("tags takes ids here (for site staging); " in line for line in lines) == 1
    assert sum("(for site staging)" in line for line in lines) == 2, "it cannot create posts either"
    assert link == "warning: content/posts/a.md:6: links to `gone.md`, which does not exist; fix the link"
    rows = json.loads(terminal.run("check", "content/posts", "--format", "json").stdout)["problems"]
    assert [row["sites"] for row in rows] == [["staging"], ["staging"], ["live", "staging"]]
    rows = json.loads(terminal.run("--site", "live", "check", "--format", "json").stdout)["problems"]
    assert [sorted(row) for row in rows] == [["code", "line", "message", "path", "severity"]]


def test_a_link_to_a_file_that_nobody_has_committed_says_so(terminal: Terminal) -> None:
    long = "x" * 5000
    terminal.repository.commit({"content/pages/a.md": f"# A\n\n![a](a.png) [b](b.md) [c]({long}.md)\n"})
    terminal.repository.write("content/pages/a.png", "a picture")

    told = terminal.run("check", "content/pages/a.md").stderr

    assert "content/pages/a.md:3: links to `a.png`, which is not committed; add it, and commit it" in told
    assert "links to `b.md`, which does not exist; fix the link" in told
    assert "does not exist" in terminal.run("check", "--worktree").stderr.replace("a.png", "")


HOSTILE = hostile_plan().problems
MANY = (*PROBLEMS, Problem("ä b%.md", 2, "no", code=Code.BROKEN_LINK, warning=True), *HOSTILE)


def sarif(problems: tuple[Problem, ...] = MANY) -> dict[str, Any]:
    """Read a SARIF log and give its only run."""
    log = json.loads(check.sarif(problems))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    return dict(run)


def test_workflow_commands_are_one_line_each_whatever_the_text_holds() -> None:
    lines = check.workflow_commands(MANY).splitlines()
    assert lines[:2] == [
        "::error file=content/pages/bad.md,line=3::no number; write one",
        "::warning file=content/pages/odd.md::two of one slug",
    ]
    assert len(lines) == len(MANY)
    assert all(re.match("::(error|warning) file=[^:,]+(,line=[0-9]+)?::", line) for line in lines)


def test_sarif_has_a_rule_for_each_code_and_the_members_that_the_standard_demands() -> None:
    run = sarif()
    driver = run["tool"]["driver"]
    assert driver["name"] == "pressync"
    assert driver["version"]
    assert [rule["id"] for rule in driver["rules"]] == ["broken-link", "value"]
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] == rule["help"]["text"]
        assert rule["help"]["text"] in {code.help for code in Code if code == rule["id"]}
    for result, problem in zip(run["results"], MANY, strict=True):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == problem.code
        assert result["level"] == problem.severity
        assert result["message"]["text"]
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        # A URI reference of RFC 3986: relative, and only with characters that need no escape.
        assert re.fullmatch(r"(?:[A-Za-z0-9/_.~-]|%[0-9A-F]{2})+", place["artifactLocation"]["uri"])
        # SARIF counts lines from 1, so an unknown line is left out.
        assert place.get("region", {}) == ({"startLine": problem.line} if problem.line else {})
    uri = run["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == "ä b%.md"
    assert sarif(())["results"] == []


def test_all_formats_are_printable() -> None:
    for text in (check.document(1, HOSTILE), check.workflow_commands(HOSTILE), check.sarif(HOSTILE)):
        assert all(character.isprintable() or character == "\n" for character in text)
        assert "##[" not in text


def test_each_finding_is_a_line_with_its_next_step_and_the_counts_come_last(terminal: Terminal) -> None:
    lines = terminal.run("doctor").stdout.splitlines()
    assert any(line.startswith("ok       repository: ") for line in lines)
    unknown = next(place for place, line in enumerate(lines) if line.startswith("unknown  dialect: "))
    assert lines[unknown + 1].startswith("         → ")
    assert lines[-1].endswith(" ok, 0 wrong, 3 unknown.")
    document = json.loads(terminal.run("doctor", "--format", "json").stdout)
    assert document["version"] == 1
    assert document["counts"]["wrong"] == 0
    assert sum(document["counts"].values()) == len(document["findings"])
    assert set(document["findings"][0]) == {"name", "verdict", "evidence", "todo"}


def test_a_cause_of_several_findings_is_told_once(repository: SampleRepository) -> None:
    said = Terminal(repository, {}).run("doctor", exits=1).stdout
    assert said.count("there is no commit yet") == said.count("commit your content first") == 1
    assert "unknown  content:      for the reason of repository\n" in said
    assert said.endswith(" ok, 1 wrong, 5 unknown.\n")


def test_text_from_the_site_cannot_write_to_the_terminal(terminal: Terminal) -> None:
    with serving(Lookalike(version="6.8\x1b[31m")) as site:
        terminal.environ |= {"PRESSYNC_URL": site.base, "PRESSYNC_DIALECT": "wordpress"}
        assert "\x1b" not in terminal.run("doctor", exits=1).stdout
