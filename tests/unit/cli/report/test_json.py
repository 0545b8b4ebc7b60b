"""The JSON documents as text: versioned, in ASCII, and the facts and nothing else."""

from __future__ import annotations

import json as standard
from dataclasses import replace

import pytest
from tests.support.plan_samples import (
    IN_STEP,
    PLAN,
    RUN,
    STANDINGS,
    hostile_plan,
    hostile_run,
    hostile_standings,
)

from pressync.cli.report import json
from pressync.cli.report.documents import plan_document, run_document, status_document


def test_each_document_is_the_facts() -> None:
    assert standard.loads(json.plan(PLAN)) == plan_document(PLAN)
    assert standard.loads(json.run(RUN)) == run_document(RUN)
    assert standard.loads(json.status("production", STANDINGS)) == status_document("production", STANDINGS)


def test_a_plan_with_nothing_to_do_is_to_the_letter() -> None:
    text = json.plan(IN_STEP)
    assert text == (
        "{\n"
        '  "version": 1,\n'
        '  "site": "production",\n'
        f'  "commit": "{IN_STEP.commit}",\n'
        f'  "digest": "{standard.loads(text)["digest"]}",\n'
        '  "counts": {\n'
        '    "create": 0,\n'
        '    "update": 0,\n'
        '    "delete": 0,\n'
        '    "keep": 1,\n'
        '    "blocked": 0\n'
        "  },\n"
        '  "second_writes": 0,\n'
        '  "refusals": [],\n'
        '  "changes": [],\n'
        '  "problems": []\n'
        "}\n"
    )


def test_records_that_were_only_counted_are_in_the_count() -> None:
    counted = replace(IN_STEP, unlisted=9_999)
    document, facts = standard.loads(json.plan(counted)), plan_document(IN_STEP)
    assert document["counts"] == {"create": 0, "update": 0, "delete": 0, "keep": 10_000, "blocked": 0}
    assert document == {**facts, "counts": document["counts"]}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (json.plan(hostile_plan()), plan_document(hostile_plan())),
        (json.run(hostile_run()), run_document(hostile_run())),
        (json.status("x", hostile_standings()), status_document("x", hostile_standings())),
    ],
    ids=["plan", "run", "status"],
)
def test_whatever_comes_from_outside_is_kept_and_harmless(text: str, facts: dict[str, object]) -> None:
    assert standard.loads(text) == facts
    assert text.isascii()
    assert all(character == "\n" or character.isprintable() for character in text)
    assert "##[" not in text
    assert not [line for line in text.splitlines() if line.strip().startswith("::")]
