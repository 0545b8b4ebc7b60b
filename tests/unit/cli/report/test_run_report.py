"""The report of a run: failures grouped with the next command, slow requests, the service's changes."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.support.builders import blocked, create, plan, update

from pressync.cli.report.run_report import as_json, as_markdown, line
from pressync.model.changes import Block, Outcome, Result
from pressync.model.outcomes import RunAccount, RunResult, Slow

A, B, C, D, E = (f"content/pages/{name}.md" for name in "abcde")
LIMIT = "429: too many requests"
OUTCOMES = (
    Outcome(update(A), Result.DONE, "slug: changed by the service from 'a' to 'a-2'"),
    Outcome(update(B), Result.FAILED, LIMIT),
    Outcome(update(C), Result.FAILED, LIMIT),
    Outcome(create(D), Result.UNCONFIRMED, f"no response; look, then `pressync resolve {D} --not-created`"),
    Outcome(replace(blocked(E, "somebody edited it"), block=Block.CONFLICT), Result.BLOCKED, "edited"),
)
RUN = RunResult(
    plan(*(outcome.change for outcome in OUTCOMES)),
    OUTCOMES,
    run="20260131-101500-k3f9p",
    account=RunAccount("2026-01-31T10:15:00+00:00", 3.25, 9, 1200, 5400, (Slow(A, 25, 1.5), Slow(B, 1, 0.5))),
)


def test_failures_are_grouped_with_the_next_command_the_largest_group_first() -> None:
    document = json.loads(as_json(RUN))
    assert [(f["result"], f["paths"], f["next"]) for f in document["failures"]] == [
        ("failed", [B, C], f"pressync sync {B}"),
        ("unconfirmed", [D], f"pressync resolve {D} --not-created"),
        ("blocked", [E], f"pressync plan --drift --diff {E}"),
    ]


def test_it_has_the_measures_and_what_the_service_changed() -> None:
    document = json.loads(as_json(RUN))
    assert (document["run"], document["seconds"], document["requests"]) == (RUN.run, 3.25, 9)
    assert document["bytes"] == {"sent": 1200, "received": 5400}
    assert document["slowest"][0] == {"path": A, "changes": 25, "seconds": 1.5}
    assert [each["path"] for each in document["changed_by_service"]] == [A]


def test_markdown_says_the_same() -> None:
    text = as_markdown(RUN)
    assert "# Run 20260131-101500-k3f9p" in text
    assert f"- failed: `{B}` and 1 more: {LIMIT}. Next: `pressync sync {B}`" in text
    assert f"- 1.50 s: `{A}` and 24 more" in text
    assert "9 requests, 1200 bytes sent, 5400 bytes received" in text


def test_text_of_others_makes_no_line_of_its_own() -> None:
    hostile = Outcome(update(A), Result.FAILED, "evil\n# Heading\x1b[2J")
    assert "\n# Heading" not in as_markdown(replace(RUN, outcomes=(hostile,)))


def test_one_line_of_it_is_for_the_log_of_the_manifest() -> None:
    shown = line(json.loads(as_json(RUN)))
    assert shown.startswith("run 20260131-101500-k3f9p  2026-01-31T10:15:00+00:00  1 done, 2 failed")
    assert "rollback of" in line(json.loads(as_json(RUN, "20260131-101400-22222")))
    assert line({}), "a damaged report is shown, and stops nobody"


def test_a_run_with_nothing_to_send_has_a_short_report() -> None:
    empty = RunResult(plan(), ())
    assert json.loads(as_json(empty))["run"] is None
    assert "without a change" in as_markdown(empty)
