"""The results of one run, and the words and the digest that a plan and its run share.

The rows are plain data. Every output format shows the same rows, and the digest of a plan covers them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked, Create, Delete, Keep, Result, Update
from pressync.model.visibility import Visibility

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
    """One row of `pressync status`: a record, or a document that has none, its state, and who sees it.

    `title` is that of the document; None if there is no document, or if nobody asked for it.
    """

    path: str
    kind: Kind
    entry: Entry | None
    state: str
    reason: str = ""
    visibility: Visibility = Visibility("")  # noqa: RUF009 - it is frozen
    title: str | None = None


@dataclass(frozen=True, slots=True)
class KeptManifest:
    """Where a site's manifest is. `committed` tells that other clones can get it as it is now.

    `ignored` tells that Git is configured to ignore it.
    """

    path: str
    committed: bool
    ignored: bool = False


@dataclass(frozen=True, slots=True)
class Slow:
    """A slow request: the path of its first change, the number of its changes, and its seconds."""

    path: str
    changes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RunAccount:
    """The measures of a run: its begin, its seconds, requests and bytes, and the slowest requests."""

    began: str
    seconds: float
    requests: int
    sent: int
    received: int
    slowest: tuple[Slow, ...] = ()


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a sync: the plan that it followed, and the outcome of each pending change.

    `waiting` tells that the run did all that it could, and waited only for unconfirmed creates. `manifest` is
    None if nobody has to commit it: in a bare repository, and for the embedded service. `run` is the id of
    the run, None if it had nothing to send. `account` has its measures.
    """

    plan: Plan
    outcomes: tuple[Outcome, ...]
    waiting: bool = False
    manifest: KeptManifest | None = None
    run: str | None = None
    account: RunAccount | None = None

    @property
    def counts(self) -> dict[str, int]:
        """The number of changes for each result; a change that needed no call in the end counts as kept."""
        ended = Counter(outcome.result for outcome in self.outcomes)
        kept = ended[Result.KEPT] + sum(isinstance(change, Keep) for change in self.plan.changes)
        return {
            "done": ended[Result.DONE],
            "failed": ended[Result.FAILED],
            "skipped": ended[Result.SKIPPED],
            "blocked": ended[Result.BLOCKED],
            "in_doubt": ended[Result.UNCONFIRMED],
            "kept": kept,
        }


def action(change: Change) -> str:
    """Return the word that every output has for a change."""
    return ACTIONS[type(change)]


def digest(plan: Plan) -> str:
    """Digest everything that a sync of this plan would send, and the target."""
    hasher = hashlib.sha256(json.dumps([plan.target, plan.commit]).encode())
    for change in plan.changes:
        if not isinstance(change, Keep):
            sent = sorted(change.desired.fingerprints.items()) if isinstance(change, Create | Update) else []
            hasher.update(json.dumps([*change_row(change).values(), sent]).encode())
    return hasher.hexdigest()


def change_row(change: Create | Update | Delete | Blocked) -> dict[str, object]:
    """Return one change as the row of plans and digests."""
    return {
        "action": action(change),
        "path": change.path,
        "kind": change.kind.value,
        "id": None if isinstance(change, Create) else change.id,
        "fields": [] if isinstance(change, Delete) else list(change.fields),
        "reason": change.reason,
    }
