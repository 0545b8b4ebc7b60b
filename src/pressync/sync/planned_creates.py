"""Lists the creates that a plan announces in its claim, before the first call. Pure.

If the run dies, another machine looks these creates up. Many fields of a create are known only when it is
sent: the id of a parent, or the address of a page that it links to. Such a field is listed as unsure, so a
look-up does not compare it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Create, Keep
from pressync.model.fingerprint import UNSURE
from pressync.model.records import UnconfirmedCreate

if TYPE_CHECKING:
    from pressync.model.changes import Plan


def announced_creates(plan: Plan, time: str) -> tuple[UnconfirmedCreate, ...]:
    """List every create of a plan as the unconfirmed create that it is if the run dies; `time` is now."""
    created = {change.path for change in plan.changes if isinstance(change, Create)}
    kept = {change.path for change in plan.changes if isinstance(change, Keep)}
    return tuple(
        _unconfirmed_create(change, plan.commit, time, created, kept)
        for change in plan.changes
        if isinstance(change, Create)
    )


def _unconfirmed_create(
    change: Create, commit: str, time: str, created: set[str], kept: set[str]
) -> UnconfirmedCreate:
    desired = change.desired
    fingerprints = {**desired.fingerprints, **desired.create_only}
    if "content" in fingerprints and not kept.issuperset(desired.links):
        fingerprints["content"] = UNSURE
    if desired.parent_path in created:
        fingerprints["parent"] = UNSURE
    return UnconfirmedCreate(change.path, change.kind, desired.slug, time, commit, fingerprints)
