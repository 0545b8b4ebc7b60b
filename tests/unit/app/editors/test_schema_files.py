"""The files that editors read: they name each other rightly, and the task finds every problem."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import jsonschema

from pressync.app.editors import schema_files
from pressync.cli.report import github
from pressync.model.errors import Code, Problem
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pathlib import Path

VALUE = Code.VALUE


def test_a_schema_is_json_that_is_a_schema() -> None:
    for document in (schema_files.CONFIG, schema_files.FRONT_MATTER):
        jsonschema.Draft7Validator.check_schema(json.loads(schema_files.text(document)))
    page = json.loads(schema_files.text(schema_files.FRONT_MATTER, Kind.PAGE, {"layout": ("wide",)}))
    assert page["properties"]["layout"]["anyOf"][0] == {"enum": ["wide"]}
    assert "tags" not in page["properties"]


def test_the_settings_name_the_schema_from_the_root_and_the_content_folder(tmp_path: Path) -> None:
    settings = json.loads(schema_files.of_vscode("docs")[".vscode/settings.json"])
    ((schema, globs),) = settings["yaml.schemas"].items()
    assert (tmp_path / schema).resolve() == tmp_path / schema_files.path(schema_files.FRONT_MATTER)
    assert globs == ["docs/**/*.md", "docs/**/*.markdown"]
    assert '"**/*.md"' in schema_files.of_vscode("")[".vscode/settings.json"]


def test_the_task_finds_the_place_of_each_problem_that_check_writes() -> None:
    (task,) = json.loads(schema_files.of_vscode("")[".vscode/tasks.json"])["tasks"]
    placed, whole = (matcher["pattern"] for matcher in task["problemMatcher"])
    error = Problem("content/a.md", 12, "no", "fix", code=VALUE)
    warning = Problem("content/a b.md", 0, "it is: odd", "x", warning=True, code=VALUE)
    for problem, pattern in ((error, placed), (warning, whole)):
        (line,) = github.problems([problem])
        found = re.match(pattern["regexp"], line)
        assert found
        assert found[pattern["file"]] == problem.path
        assert found[pattern["severity"]] == problem.severity
        assert found[pattern["message"]].startswith(problem.what)
        if "line" in pattern:
            assert found[pattern["line"]] == "12"
    assert not re.match(placed["regexp"], next(iter(github.problems([warning]))))
