"""Says in a plan what a look at every record has shown and no document asks for.

A file need not name a status, so an editor may unpublish its record, and a sync leaves it so. The reader of
a drift plan wants to know of it. If somebody deletes a term, every record loses it, and nobody has edited
these records.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.model.changes import Block, Blocked, Keep, Update
from pressync.model.reason import NO_REASON, joined
from pressync.model.records import TRASH
from pressync.plan import reasons

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.model.changes import Change
    from pressync.model.reason import Reason
    from pressync.model.records import Entry


def shown(
    changes: Iterable[Change], entries: Mapping[str, Entry], lost: Mapping[str, Reason]
) -> list[Change]:
    """Word the changes of a plan that knows every record; `lost` says by path which terms are deleted."""
    return [_shown(change, entries.get(change.path), lost.get(change.path, NO_REASON)) for change in changes]


def _shown(change: Change, entry: Entry | None, lost: Reason) -> Change:
    status = entry.conflict.get("status", TRASH) if entry else TRASH
    match change:
        case Keep(path, kind, number) if status != TRASH:
            # A sync would keep it. A reader who asked for drift has to choose.
            return Blocked(path, kind, number, reasons.unasked(status, path), Block.CONFLICT, ("status",))
        case Update() if status != TRASH and "status" not in change.fields:
            return replace(change, why=joined(change.why, reasons.stays(status)))
        case Blocked(block=Block.CONFLICT) if lost:
            return replace(change, why=lost)
        case _:
            return change
