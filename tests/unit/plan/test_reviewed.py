"""A reviewed plan is the same plan however its reasons are worded, and no other plan is."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.builders import keep, plan
from tests.support.plan_samples import CREATE, DELETE, PLAN, UPDATE

from pressync.cli.report import json as json_report
from pressync.model.changes import Keep
from pressync.model.errors import ConfigError
from pressync.plan import reviewed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pressync.model.changes import Plan


def _written(file: Path, drawn: Plan) -> reviewed.ReviewedPlan:
    file.write_text(json_report.plan(drawn))
    return reviewed.read(file)


def test_a_plan_whose_reasons_another_version_worded_is_the_reviewed_plan(tmp_path: Path) -> None:
    changes = [c if isinstance(c, Keep) else replace(c, reason=f"said of {c.path}") for c in PLAN.changes]
    assert _written(tmp_path / "plan.json", plan(*changes)).matches(PLAN)


@pytest.mark.parametrize(
    "other",
    [
        replace(PLAN, target="https://elsewhere.test"),
        replace(PLAN, commit="d" * 40),
        plan(*PLAN.changes[1:]),
        plan(CREATE, replace(UPDATE, id=99), *PLAN.changes[2:]),
        plan(CREATE, UPDATE, replace(DELETE, path="x.md"), *PLAN.changes[3:]),
        plan(replace(CREATE, path="x.md"), *PLAN.changes[1:]),
    ],
    ids=["target", "commit", "one less", "record", "deleted file", "created file"],
)
def test_a_plan_that_sends_something_else_is_another_plan(tmp_path: Path, other: Plan) -> None:
    assert not _written(tmp_path / "plan.json", PLAN).matches(other)


def test_a_reason_that_was_changed_in_the_file_makes_the_file_another_plan(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    document = json.loads(json_report.plan(PLAN))
    document["changes"][0]["reason"] = "harmless"
    file.write_text(json.dumps(document))
    assert not reviewed.read(file).matches(PLAN)


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: document["changes"].pop(),
        lambda document: document["changes"][0].update(fields=["title"]),
        lambda document: document["changes"][1].update(id=99),
        lambda document: document["counts"].update(delete=0),
        lambda document: document.update(site="another"),
    ],
    ids=["a row less", "fields", "id", "counts", "site"],
)
def test_a_file_that_was_edited_is_not_the_plan(
    tmp_path: Path, edit: Callable[[dict[str, Any]], object]
) -> None:
    file = tmp_path / "plan.json"
    document = json.loads(json_report.plan(PLAN))
    edit(document)
    file.write_text(json.dumps(document))
    assert not reviewed.read(file).matches(PLAN)


def test_a_reason_of_a_record_that_is_kept_does_not_count(tmp_path: Path) -> None:
    assert _written(tmp_path / "plan.json", PLAN).matches(plan(*PLAN.changes, keep("more.md")))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"commit": "HEAD", "digest": "x"}', "[" * 100_000])
def test_another_text_is_not_a_plan(tmp_path: Path, text: str) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match="this is not a plan; write one with `pressync plan --out FILE`"):
        reviewed.read(file)
