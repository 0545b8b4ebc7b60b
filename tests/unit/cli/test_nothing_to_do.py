"""The output of a run with nothing to do is the output of the whole plan."""

from __future__ import annotations

import json

from tests.support.builders import keep, plan

from pressync.app.up_to_date import Stamp
from pressync.cli import nothing_to_do
from pressync.cli.report import json as json_report
from pressync.cli.report import text

PLAN = plan(keep("content/pages/a.md"), keep("content/pages/b.md", 8))
STAMP = Stamp(PLAN.site, PLAN.target, PLAN.commit, 2, readable=False)


def test_the_sentence_counts_the_records() -> None:
    assert nothing_to_do.plan(STAMP, "text") == ("Nothing to do: 2 records are up to date with production.\n")
    assert nothing_to_do.summary(STAMP._replace(kept=1)) == (
        "Nothing to do: 1 record is up to date with production."
    )


def test_the_numbers_are_those_of_the_whole_plan() -> None:
    assert text.plan_summary(PLAN).removesuffix(".") in nothing_to_do.summary(STAMP)
    assert json.loads(nothing_to_do.plan(STAMP, "json")) == json.loads(json_report.plan(PLAN))
