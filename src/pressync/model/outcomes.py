"""The results of one run, and the words and the digest that a plan and its run share.

The rows are plain data: every format shows the same ones, and the digest of a plan covers them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked, Create, Delete, Keep, Result, Update

if TYPE_CHECKING:
    from pressync.model.changes import Change, Outcome, Plan
    from pressync.model.interface import Kind
    from pressync.model.records import Entry

ACTIONS: dict[type[Change], str] = {
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
class RunResult:
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
    return ACTIONS[type(change)]


def digest(plan: Plan) -> str:
    """Digest everything that a sync of this plan would send, and to whom."""
    hasher = hashlib.sha256(json.dumps([plan.target, plan.commit]).encode())
    for change in plan.changes:
        if not isinstance(change, Keep):
            sent = sorted(change.desired.fingerprints.items()) if isinstance(change, Create | Update) else []
            hasher.update(json.dumps([*change_row(change).values(), sent]).encode())
    return hasher.hexdigest()


def change_row(change: Create | Update | Delete | Blocked) -> dict[str, object]:
    """Give one change as the row of plans and digests."""
    return {
        "action": action(change),
        "path": change.path,
        "kind": change.kind.value,
        "id": None if isinstance(change, Create) else change.id,
        "fields": [] if isinstance(change, Delete) else list(change.fields),
        "reason": change.reason,
    }
