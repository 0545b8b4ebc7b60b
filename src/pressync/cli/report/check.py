"""The problems of `check` for programs: JSON, annotations of GitHub, and SARIF 2.1.0 for code scanning.

Programs want every place, so nothing is grouped here. SARIF has a rule for each code that was found, with a
help text for the list of alerts.
"""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote

from pressync import __version__
from pressync.cli.report import github
from pressync.cli.report.documents import VERSION
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.model.errors import Problem

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


_NONE: Mapping[Problem, Sequence[str]] = MappingProxyType({})


def document(
    documents: int, problems: Sequence[Problem], sites: Mapping[Problem, Sequence[str]] = _NONE
) -> str:
    """Write the output of `check --format json`; `sites` has those of each problem, if there are several."""
    rows = [
        {
            "path": each.path,
            "line": each.line,
            "code": each.code.value,
            "severity": each.severity,
            "message": one_line(each.message),
            **({"sites": sites[each]} if each in sites else {}),
        }
        for each in problems
    ]
    return _text({"version": VERSION, "documents": documents, "problems": rows})


def workflow_commands(problems: Sequence[Problem]) -> str:
    """Write a workflow command of GitHub for each problem, with its file and line."""
    return "".join(f"{line}\n" for line in github.problems(problems))


def sarif(problems: Sequence[Problem]) -> str:
    """Write a SARIF log with one run."""
    codes = sorted({each.code for each in problems})
    rules = [
        {"id": code.value, "shortDescription": {"text": code.help}, "help": {"text": code.help}}
        for code in codes
    ]
    driver = {"name": "pressync", "version": __version__, "rules": rules}
    results = [
        {
            "ruleId": each.code.value,
            "ruleIndex": codes.index(each.code),
            "level": each.severity,
            "message": {"text": one_line(each.message)},
            "locations": [{"physicalLocation": _location(each)}],
        }
        for each in problems
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return _text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _location(problem: Problem) -> dict[str, object]:
    uri = quote(problem.path, errors="surrogatepass")
    region = {"region": {"startLine": problem.line}} if problem.line else {}
    return {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, **region}


def _text(log: dict[str, object]) -> str:
    # As in the other JSON documents: ASCII, and nothing that a GitHub runner would obey in a job's log.
    return json.dumps(log, indent=2).replace("##[", "##\\u005b") + "\n"
