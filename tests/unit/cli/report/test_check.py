"""The problems of `check` for programs: every place, and nothing that a terminal or a runner would obey."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import unquote

from tests.support.plan_samples import PROBLEMS, hostile_plan

from pressync.cli.report import check
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

HOSTILE = hostile_plan().problems
MANY = (*PROBLEMS, Problem("ä b%.md", 2, "no", code=Code.BROKEN_LINK, warning=True), *HOSTILE)


def sarif(problems: tuple[Problem, ...] = MANY) -> dict[str, Any]:
    """Read a SARIF log and give its only run."""
    log = json.loads(check.sarif(problems))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    return dict(run)


def test_json_has_each_problem_with_its_place_code_and_severity() -> None:
    assert json.loads(check.document(3, (PROBLEMS[0], PROBLEMS[0], PROBLEMS[1]))) == {
        "version": 1,
        "documents": 3,
        "problems": [
            {
                "path": "content/pages/bad.md",
                "line": 3,
                "code": "value",
                "severity": "error",
                "message": "no number; write one",
            }
        ]
        * 2
        + [
            {
                "path": "content/pages/odd.md",
                "line": 0,
                "code": "value",
                "severity": "warning",
                "message": "two of one slug",
            }
        ],
    }


def test_workflow_commands_are_one_line_each_whatever_the_text_holds() -> None:
    lines = check.workflow_commands(MANY).splitlines()
    assert lines[:2] == [
        "::error file=content/pages/bad.md,line=3::no number; write one",
        "::warning file=content/pages/odd.md::two of one slug",
    ]
    assert len(lines) == len(MANY)
    assert all(re.match("::(error|warning) file=[^:,]+(,line=[0-9]+)?::", line) for line in lines)


def test_sarif_names_the_program_and_has_a_rule_with_a_help_for_each_code() -> None:
    driver = sarif()["tool"]["driver"]
    assert driver["name"] == "pressync"
    assert driver["version"]
    assert [rule["id"] for rule in driver["rules"]] == ["broken-link", "value"]
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] == rule["help"]["text"]
        assert rule["help"]["text"] in {code.help for code in Code if code == rule["id"]}


def test_each_result_of_sarif_has_the_members_that_the_standard_demands() -> None:
    run = sarif()
    assert len(run["results"]) == len(MANY)
    for result, problem in zip(run["results"], MANY, strict=True):
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == problem.code
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


def test_without_problems_there_is_a_run_without_results() -> None:
    run = sarif(())
    assert run["results"] == []
    assert run["tool"]["driver"]["rules"] == []


def test_all_formats_are_printable() -> None:
    for text in (check.document(1, HOSTILE), check.workflow_commands(HOSTILE), check.sarif(HOSTILE)):
        assert all(character.isprintable() or character == "\n" for character in text)
        assert "##[" not in text
