"""A reviewed plan is the same plan however its reasons are worded, and no other plan is."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.builders import plan
from tests.support.plan_samples import CREATE, DELETE, PLAN, UPDATE

from pressync.cli.report import documents
from pressync.model.changes import Create, Update
from pressync.model.errors import ConfigError
from pressync.sync import control

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pressync.model.changes import Plan


def _written(file: Path, drawn: Plan) -> control.ReviewedPlan:
    file.write_text(documents.plan(drawn))
    return control.read_reviewed(file)


def test_a_plan_whose_reasons_another_version_worded_is_the_reviewed_plan(tmp_path: Path) -> None:
    assert _written(tmp_path / "plan.json", _worded_anew(PLAN)).matches(PLAN)


def test_the_file_of_a_version_without_names_of_codes_is_the_reviewed_plan(tmp_path: Path) -> None:
    document = json.loads(documents.plan(PLAN))
    for row in document["changes"]:
        del row["name"]
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(document))
    assert control.read_reviewed(file).matches(PLAN)


def _worded_anew(drawn: Plan) -> Plan:
    """Give the plan with other sentences and with another fact for each reason."""
    changes = (
        replace(change, why=replace(change.why, sentence=f"said of {change.path}", facts={"new": 1}))
        for change in drawn.changes
    )
    return replace(drawn, changes=tuple(changes))


def test_the_file_of_a_version_without_codes_is_the_reviewed_plan_too(tmp_path: Path) -> None:
    document = json.loads(documents.plan(_worded_anew(PLAN)))
    del document["file_digest"]
    for row in document["changes"]:
        del row["code"], row["facts"]
    hasher = hashlib.sha256(json.dumps([PLAN.target, PLAN.commit]).encode())
    for change, row in zip(PLAN.changes, document["changes"], strict=False):
        shown = [row[key] for key in ("action", "path", "kind", "id", "fields", "reason")]
        sent = sorted(change.desired.fingerprints.items()) if isinstance(change, Create | Update) else []
        hasher.update(json.dumps([*shown, sent]).encode())
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({**document, "digest": hasher.hexdigest()}))
    assert control.read_reviewed(file).matches(PLAN)
    document["changes"][0]["reason"] = "harmless"
    file.write_text(json.dumps({**document, "digest": hasher.hexdigest()}))
    assert not control.read_reviewed(file).matches(PLAN)


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


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: document["changes"].pop(),
        lambda document: document["changes"][0].update(fields=["title"]),
        lambda document: document["changes"][0].update(reason="harmless"),
        lambda document: document["changes"][1].update(id=99),
        lambda document: document["changes"][1].update(code=None),
        lambda document: document["changes"][1].update(facts=None),
        lambda document: document["counts"].update(delete=0),
        lambda document: document.update(site="another"),
    ],
)
def test_an_edited_file_is_not_the_plan(tmp_path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    file = tmp_path / "plan.json"
    document = json.loads(documents.plan(PLAN))
    edit(document)
    file.write_text(json.dumps(document))
    assert not control.read_reviewed(file).matches(PLAN)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"commit": "HEAD", "digest": "x"}', "[" * 100_000])
def test_another_text_is_not_a_plan(tmp_path: Path, text: str) -> None:
    file = tmp_path / "plan.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match="this is not a plan; write one with `pressync plan --out FILE`"):
        control.read_reviewed(file)
