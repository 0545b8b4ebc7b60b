"""The JSON schemas describe every key of the documents that the program prints."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from tests.support.plan_samples import PLAN, PROBLEMS, REFUSED, RUN, STANDINGS, hostile_plan

from pressync.cli.report import check as check_report
from pressync.cli.report import json as json_report

if TYPE_CHECKING:
    from tests.support.terminal import Terminal

ROOT = Path(__file__).parents[4]
DOCUMENTS = ("plan", "sync", "status", "check", "rehearse")


def schema(terminal: Terminal, document: str) -> dict[str, Any]:
    """Print a schema as a program would get it, and hold it to the draft that it names."""
    found: dict[str, Any] = json.loads(terminal.run("schema", document).stdout)
    assert found["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(found)
    return found


def strict(of: Any) -> Any:  # noqa: ANN401 - any JSON
    """Forbid what the schema does not name: programs must bear a new key, and we must not forget one."""
    if isinstance(of, dict):
        closed = {"unevaluatedProperties": False} if "required" in of else {}
        return {**{key: strict(value) for key, value in of.items()}, **closed}
    return [strict(part) for part in of] if isinstance(of, list) else of


def check(schema: dict[str, Any], text: str) -> Any:  # noqa: ANN401 - any JSON
    """Validate a document, and allow no key that the schema does not name."""
    document = json.loads(text)
    jsonschema.Draft202012Validator(strict(schema)).validate(document)
    return document


def test_what_the_commands_print_is_what_the_schemas_say(terminal: Terminal) -> None:
    schemas = {name: schema(terminal, name) for name in DOCUMENTS}
    plan = check(schemas["plan"], terminal.run("plan", "--format", "json").stdout)
    assert plan["counts"]["create"] == 3
    check(schemas["status"], terminal.run("status", "--format", "json").stdout)
    check(schema(terminal, "doctor"), terminal.run("doctor", "--format", "json").stdout)
    check(schemas["rehearse"], terminal.run("rehearse", "--format", "json").stdout)
    sync = check(schemas["sync"], terminal.run("sync", "--yes", "--format", "json").stdout)
    assert sync["counts"]["done"] == 3
    check(schemas["plan"], terminal.run("plan", "--format", "json").stdout)
    terminal.repository.remove("content/pages/about/history.md")
    terminal.repository.commit(
        {"content/pages/about.md": "---\ntitle: We\n---\n", "content/posts/new.md": "# A post\n"}
    )
    changed = check(schemas["plan"], terminal.run("plan", "--format", "json").stdout)
    assert {change["action"] for change in changed["changes"]} == {"update", "delete", "blocked"}
    check(schemas["status"], terminal.run("status", "--format", "json").stdout)
    check(
        schemas["sync"],
        terminal.run("sync", "--yes", "--max-delete", "50%", "--format", "json", exits=1).stdout,
    )


def test_every_kind_of_change_outcome_and_standing_is_in_them(terminal: Terminal) -> None:
    plan, sync, status, checked, _ = (schema(terminal, name) for name in DOCUMENTS)
    check(checked, check_report.document(3, (*PLAN.problems, *hostile_plan().problems)))
    for drawn in (PLAN, REFUSED, hostile_plan()):
        check(plan, json_report.plan(drawn))
    check(sync, json_report.run(RUN))
    check(status, json_report.status("production", STANDINGS))


@pytest.mark.parametrize(
    ("document", "wrong"),
    [
        ("plan", '{"version": 1}'),
        ("plan", json_report.plan(PLAN).replace('"version": 1', '"version": 2')),
        ("plan", json_report.plan(PLAN).replace('"id": 8', '"id": null')),
        ("sync", json_report.run(RUN).replace('"done"', '"fine"')),
        ("status", json_report.status("production", STANDINGS).replace("in_step", "well")),
        ("check", check_report.document(3, PROBLEMS).replace('"warning"', '"bad"')),
        ("check", check_report.document(3, PROBLEMS).replace('"line": 0', '"line": null')),
    ],
)
def test_what_they_do_not_say_is_refused(terminal: Terminal, document: str, wrong: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(wrong), schema(terminal, document))


def test_the_guide_shows_them(terminal: Terminal) -> None:
    guide = (ROOT / "content/pages/exit-codes-and-json.md").read_text(encoding="utf-8")
    shown = re.findall(r"^### The schema of `(\w+)`\n\n```json\n(.*?)^```", guide, re.MULTILINE | re.DOTALL)
    assert shown == [(name, terminal.run("schema", name).stdout) for name in DOCUMENTS]


def test_a_new_key_is_not_an_error_for_a_validator(terminal: Terminal) -> None:
    document = {**json.loads(json_report.plan(PLAN)), "new": 1}
    jsonschema.validate(document, schema(terminal, "plan"))
