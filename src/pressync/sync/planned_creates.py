"""A plan -> what its run is about to create, told before the first call to those who may come after it. Pure.

It must not know who is told. What decided its shape: much of what a create sends is known only when its
turn has come (the id of a parent, the address of a page it links to), and a look-up must not go by it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Create, Keep
from pressync.model.records import UNSURE, Doubt

if TYPE_CHECKING:
    from pressync.model.changes import Plan


def announced_creates(plan: Plan, time: str) -> tuple[Doubt, ...]:
    """Name every create of a plan as what it would be if nobody heard of it again; `time` is now."""
    made = {change.path for change in plan.changes if isinstance(change, Create)}
    settled = {change.path for change in plan.changes if isinstance(change, Keep)}
    return tuple(
        _doubt(change, plan.commit, time, made, settled)
        for change in plan.changes
        if isinstance(change, Create)
    )


def _doubt(change: Create, commit: str, time: str, made: set[str], settled: set[str]) -> Doubt:
    desired = change.desired
    fingerprints = {**desired.fingerprints, **desired.create_only}
    if "content" in fingerprints and not settled.issuperset(desired.links):
        fingerprints["content"] = UNSURE
    if desired.parent_path in made:
        fingerprints["parent"] = UNSURE
    return Doubt(change.path, change.kind, desired.slug, time, commit, fingerprints)
