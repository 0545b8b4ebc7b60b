"""The output of `plan` and `sync` when everything is up to date.

Text loads no report module, so that a run with nothing to do stays cheap. Only JSON loads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.app.up_to_date import Stamp


def plan(stamp: Stamp, form: str) -> str:
    """Write what `plan` prints for a run with nothing to do."""
    if form == "text":
        return f"{summary(stamp)}\n"
    from pressync.cli.report import json  # noqa: PLC0415
    from pressync.model.changes import Plan  # noqa: PLC0415 - few runs ask for JSON

    return json.plan(Plan(stamp.site, stamp.target, stamp.commit, (), unlisted=stamp.kept))


def summary(stamp: Stamp) -> str:
    """Say that there is nothing to do."""
    records = "record is" if stamp.kept == 1 else "records are"
    return f"Nothing to do: {stamp.kept} {records} up to date with {stamp.site}."
