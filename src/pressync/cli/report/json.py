"""The JSON documents as text, for programs: the keys and their order are stable."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pressync.cli.report.documents import (
    plan_document,
    rehearsal_document,
    rollback_document,
    run_document,
    status_document,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.app.rehearse.rehearse import Rehearsal
    from pressync.model.changes import Plan
    from pressync.model.outcomes import RunResult, Standing


def plan(plan: Plan, *, diffs: Mapping[str, str] | None = None) -> str:
    """Write the output of `plan --format json`."""
    return text(plan_document(plan, diffs))


def run(result: RunResult) -> str:
    """Write the output of `sync --format json`."""
    return text(run_document(result))


def rollback(result: RunResult, undone: str) -> str:
    """Write the output of `rollback --format json`; `undone` is the run that was rolled back."""
    return text(rollback_document(result, undone))


def status(site: str, standings: Sequence[Standing]) -> str:
    """Write the output of `status --format json`."""
    return text(status_document(site, standings))


def rehearsal(account: Rehearsal, exit_code: int) -> str:
    """Write the output of `rehearse --format json`."""
    return text(rehearsal_document(account, exit_code))


def text(document: dict[str, object]) -> str:
    """Write a document."""
    # ASCII, so that every terminal, pipe and shell gets the same characters. `##[` can only be inside a
    # string; a GitHub runner would obey it in a job's log.
    return json.dumps(document, indent=2).replace("##[", "##\\u005b") + "\n"
