"""The output of `plan` and `sync` when everything is up to date.

JSON loads the report modules; text does not, so that a run with nothing to do stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.app.up_to_date import Stamp


def plan(seen: Stamp, form: str) -> str:
    """Write what `plan` prints for a run with nothing to do."""
    if form == "text":
        return f"{summary(seen)}\n"
    from pressync.cli.report import json  # noqa: PLC0415
    from pressync.model.changes import Plan  # noqa: PLC0415 - JSON of nothing is rare enough to be built in full

    return json.plan_in_step(Plan(seen.site, seen.target, seen.commit, ()), seen.kept)


def summary(seen: Stamp) -> str:
    """Say that there is nothing to do."""
    records = "record" if seen.kept == 1 else "records"
    return f"Nothing to do: {seen.kept} {records} in step with {seen.site}."
