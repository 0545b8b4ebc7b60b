"""The results of one run, and the words and the digest that a plan and its run share.

The rows are plain data. Every output format shows the same rows, and the digest of a plan covers them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.model.changes import Blocked, Create, Delete, Keep, Outcome, Plan, Result, Update
from pressync.model.printable import one_line
from pressync.model.reason import NO_REASON, Reason, ReasonCode
from pressync.model.visibility import Visibility

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.model.interface import Kind
    from pressync.model.records import Entry

# The digest of a plan begins so, since it covers the codes of reasons and not their sentences.
_VERSION = "2-"


@dataclass(frozen=True, slots=True)
class Standing:
    """One row of `pressync status`: a record, or a document that has none, its state, and who sees it.

    `title` is that of the document; None if there is no document, or if nobody asked for it. `notes` is the
    number of editors' notes that the last look at the site saw.
    """

    path: str
    kind: Kind
    entry: Entry | None
    state: str
    why: Reason = NO_REASON
    visibility: Visibility = Visibility("")  # noqa: RUF009 - it is frozen
    title: str | None = None
    notes: int = 0

    @property
    def reason(self) -> str:
        """The sentence of `why`."""
        return str(self.why)

    @property
    def id(self) -> int | None:
        """The id of the record; None until it exists."""
        return self.entry.id if self.entry else None

    @property
    def link(self) -> str:
        """The address of the record; "" until it exists."""
        return self.entry.link if self.entry else ""


@dataclass(frozen=True, slots=True)
class KeptManifest:
    """Where a site's manifest is, whether other clones get it as it is now, and whether Git ignores it."""

    path: str
    committed: bool
    ignored: bool = False

    @property
    def next_step(self) -> str:
        """The way to commit it; "" if Git has it as it is."""
        if self.committed:
            return ""
        name = one_line(self.path)
        first = f"take {name} out of .gitignore and commit it" if self.ignored else f"commit {name}"
        return f"next: {first}, so that other clones know these records"


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a sync: the plan that it followed, and the outcome of each pending change.

    `manifest` is None if nobody has to commit it: in a bare repository, and for the embedded service. `run`
    is the id of the run, None if it had nothing to send. `seconds` is the time that it took.
    """

    plan: Plan
    outcomes: tuple[Outcome, ...]
    manifest: KeptManifest | None = None
    run: str | None = None
    seconds: float = 0.0

    @property
    def published(self) -> RunResult:
        """The result for a report that strangers may read: it names no user of the site."""
        return replace(self, outcomes=tuple(outcome.published for outcome in self.outcomes))

    @property
    def counts(self) -> dict[str, int]:
        """The number of changes for each result; a change that needed no call in the end counts as kept."""
        ended = Counter(outcome.result for outcome in self.outcomes)
        ended[Result.KEPT] += sum(isinstance(change, Keep) for change in self.plan.changes)
        return {result.value: ended[result] for result in Result}


def digest(plan: Plan) -> str:
    """Digest the file of a plan: all that a sync would send, the commit, and apart from these the reasons.

    A later version may word a reason anew, or may know more facts. So only the codes of the reasons belong to
    the plan, and the rest to the rows of its file.
    """
    return _digest(plan, [change_row(change) for change in plan.changes if not isinstance(change, Keep)])


def is_digest_of(digest: str, plan: Plan, rows: Sequence[Mapping[str, object]]) -> bool:
    """Tell whether a digest is that of the plan, and of the reasons in these rows of its file."""
    if digest.startswith(_VERSION):
        return digest == _digest(plan, rows)
    # The digest of an earlier version covers the sentences as that version worded them.
    return digest == _of_changes(plan, [row["reason"] for row in rows])


def change_row(change: Create | Update | Delete | Blocked) -> dict[str, object]:
    """Return one change as the row of plans."""
    return {**_what(change), "reason": change.reason, **change.why.document}


def _what(change: Create | Update | Delete | Blocked) -> dict[str, object]:
    return {
        "action": change.action,
        "path": change.path,
        "kind": str(change.kind),
        "id": None if isinstance(change, Create) else change.id,
        "fields": [] if isinstance(change, Delete) else list(change.fields),
    }


def _digest(plan: Plan, rows: Sequence[Mapping[str, object]]) -> str:
    codes = [change.why.codes for change in plan.changes if not isinstance(change, Keep)]
    reasons = json.dumps([[row["reason"], row.get("code"), row.get("facts")] for row in rows], sort_keys=True)
    return f"{_VERSION}{_of_changes(plan, codes)}-{hashlib.sha256(reasons.encode()).hexdigest()}"


def _of_changes(plan: Plan, reasons: Sequence[object]) -> str:
    hasher = hashlib.sha256(json.dumps([plan.target, plan.commit]).encode())
    changes = [change for change in plan.changes if not isinstance(change, Keep)]
    for change, reason in zip(changes, reasons, strict=True):
        sent = sorted(change.desired.fingerprints.items()) if isinstance(change, Create | Update) else []
        hasher.update(json.dumps([*_what(change).values(), reason, sent]).encode())
    return hasher.hexdigest()


def approval(plan: Plan) -> str:
    """Digest what a sync of a plan sends, and what it sends it over, whatever commit the plan is of.

    This is the digest of a plan for people and programs. The merge of a branch makes another commit.
    """
    hasher = hashlib.sha256(json.dumps(plan.target).encode())
    for change in plan.pending:
        sent = sorted(change.desired.fingerprints.items()) if isinstance(change, Create | Update) else []
        over = [] if isinstance(change, Create) else sorted(change.entry.fingerprints.items())
        hasher.update(json.dumps([*_what(change).values(), sent, over]).encode())
    if any(remark.code is ReasonCode.FOR_GOOD for remark in plan.remarks):
        hasher.update(ReasonCode.FOR_GOOD.encode())
    return hasher.hexdigest()[:32]
