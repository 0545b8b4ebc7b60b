"""Plan a commit in the short way and in the whole way; both must say the same, in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app import few_edits, unchanged
from pressync.app.revision import Revision
from pressync.app.unchanged import Edited
from pressync.cli.console import plan_exit_code
from pressync.cli.report import documents, text
from pressync.model.changes import Keep
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from pressync.app.workspace import Workspace
    from pressync.model.changes import Plan


def short_plan(workspace: Workspace) -> Plan | None:
    """Plan the few edits of HEAD, if they can be planned alone, and compare with the plan of everything."""
    root = workspace.repository.root
    assert root is not None
    for stamp in (root / ".git/pressync").glob("*.seen"):
        stamp.unlink()
    edited = unchanged.look(root, site=None, config_file=None, most=unchanged.MOST)
    if not isinstance(edited, Edited):
        return None
    planned = few_edits.plan(workspace, edited, PlanOptions())
    if planned is None:
        return None
    short, whole = planned.plan, workspace.plan(Revision(), PlanOptions()).plan
    paths = edited.both.edited
    assert short.changes == tuple(c for c in whole.changes if c.path in paths or not isinstance(c, Keep))
    assert short.unlisted == len(whole.changes) - len(short.changes)
    assert (short.problems, short.notes, short.refusals) == (whole.problems, whole.notes, whole.refusals)
    for shown in (text.plan, documents.plan, text.numbers, text.question):
        assert shown(short) == shown(whole)
    assert (plan_exit_code(short), short.settled) == (plan_exit_code(whole), whole.settled)
    return short
