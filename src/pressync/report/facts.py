"""The numbers and rows that every format shows, as plain data; the JSON documents are exactly these.

Must not format anything for people. The shapes are part of the program's face: a key is never renamed
and never removed within one `version`.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.changes import Blocked, Create, Delete, Keep, Result, Update

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.changes import Change, Outcome, Plan
    from pressync.interface import Kind
    from pressync.model import Entry

VERSION = 1

_ACTIONS: dict[type[Change], str] = {
    Create: "create",
    Update: "update",
    Delete: "delete",
    Keep: "keep",
    Blocked: "blocked",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """One record, or one document without one, and its state: a row of `pressync status`."""

    path: str
    kind: Kind
    entry: Entry | None
    state: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a site's manifest is, and whether other clones can have it as it is now: it is committed.

    `ignored` tells that Git is told to leave it out.
    """

    path: str
    committed: bool
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """What a sync did: the plan that it followed, and the outcome of each pending change.

    `waiting` tells that all was done that could be, and the run waited only for unconfirmed creates.
    `manifest` is None where nobody has to commit it: in a bare repository, and of the embedded service.
    """

    plan: Plan
    outcomes: tuple[Outcome, ...]
    waiting: bool = False
    manifest: Kept | None = None

    @property
    def counts(self) -> dict[str, int]:
        """How many changes ended how; changes that needed no call after all count as kept."""
        ended = Counter(outcome.result for outcome in self.outcomes)
        kept = ended[Result.KEPT] + sum(isinstance(change, Keep) for change in self.plan.changes)
        return {
            "done": ended[Result.DONE],
            "failed": ended[Result.FAILED],
            "skipped": ended[Result.SKIPPED],
            "blocked": ended[Result.BLOCKED],
            "in_doubt": ended[Result.IN_DOUBT],
            "kept": kept,
        }


def action(change: Change) -> str:
    """Give the word for a change in every output."""
    return _ACTIONS[type(change)]


def plan_counts(plan: Plan) -> dict[str, int]:
    """Count the changes of a plan by their word."""
    found = Counter(action(change) for change in plan.changes)
    return {name: found[name] for name in _ACTIONS.values()}


def digest(plan: Plan) -> str:
    """Digest everything that a sync of this plan would send, and to whom."""
    hasher = hashlib.sha256(json.dumps([plan.target, plan.commit]).encode())
    for change in plan.changes:
        if not isinstance(change, Keep):
            sent = sorted(change.desired.fingerprints.items()) if isinstance(change, Create | Update) else []
            hasher.update(json.dumps([*_row(change).values(), sent]).encode())
    return hasher.hexdigest()


def plan_document(plan: Plan) -> dict[str, object]:
    """Make the document of `plan --format json`; what is kept is only counted."""
    return {
        "version": VERSION,
        "site": plan.site,
        "commit": plan.commit,
        "digest": digest(plan),
        "counts": plan_counts(plan),
        "second_writes": plan.second_writes,
        "refusals": list(plan.refusals),
        "changes": [_row(change) for change in plan.changes if not isinstance(change, Keep)],
        "problems": [
            {"path": p.path, "line": p.line, "what": p.what, "todo": p.todo, "warning": p.warning}
            for p in plan.problems
        ],
    }


def run_document(run: Run) -> dict[str, object]:
    """Make the document of `sync --format json`; what was kept is only counted."""
    kept = run.manifest
    return {
        "version": VERSION,
        "site": run.plan.site,
        "commit": run.plan.commit,
        "counts": run.counts,
        "manifest": kept and {"path": kept.path, "committed": kept.committed},
        "outcomes": [_outcome(outcome) for outcome in run.outcomes if outcome.result is not Result.KEPT],
    }


def status_document(site: str, standings: Sequence[Standing]) -> dict[str, object]:
    """Make the document of `status --format json`."""
    return {
        "version": VERSION,
        "site": site,
        "records": [
            {
                "path": standing.path,
                "kind": standing.kind.value,
                "id": standing.entry.id if standing.entry else None,
                "slug": standing.entry.slug if standing.entry else None,
                "link": standing.entry.link if standing.entry else None,
                "modified": standing.entry.modified if standing.entry else None,
                "modified_gmt": standing.entry.modified_gmt if standing.entry else None,
                "state": standing.state,
            }
            for standing in standings
        ],
    }


def _row(change: Create | Update | Delete | Blocked) -> dict[str, object]:
    return {
        "action": action(change),
        "path": change.path,
        "kind": change.kind.value,
        "id": None if isinstance(change, Create) else change.id,
        "fields": [] if isinstance(change, Delete) else list(change.fields),
        "reason": change.reason,
    }


def _outcome(outcome: Outcome) -> dict[str, object]:
    change, entry = outcome.change, outcome.entry
    return {
        "action": action(change),
        "path": change.path,
        "kind": change.kind.value,
        "id": entry.id if entry else None if isinstance(change, Create) else change.id,
        "result": outcome.result.value,
        "message": outcome.message,
        "modified": entry.modified if entry else None,
        "link": entry.link if entry else None,
    }
