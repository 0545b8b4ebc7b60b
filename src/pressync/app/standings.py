"""Lists the state of every record, and of every document without a record, for `status`.

The manifest has neither titles nor dates. So a title is read from the file when somebody asks for it, and the
date only of the few records that wait for one.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from pressync.model import visibility
from pressync.model.changes import Blocked
from pressync.model.outcomes import Standing, action
from pressync.repo.paths import is_below

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.content.content import Content
    from pressync.model.interface import Kind
    from pressync.plan.build import PlannedRun

_NO_NOTES: Mapping[tuple[Kind, int], int] = MappingProxyType({})
_STATES = {"keep": "in_step", "update": "changed", "create": "new", "delete": "deleted"}


def standings(
    planned: PlannedRun,
    content: Content,
    paths: Collection[str] = (),
    *,
    titles: bool = False,
    notes: Mapping[tuple[Kind, int], int] = _NO_NOTES,
) -> list[Standing]:
    """List all records and documents at or below the paths (none means all); `notes` counts each."""
    found = []
    for change in planned.plan.changes:
        if paths and not is_below(change.path, paths):
            continue
        state = change.block.value if isinstance(change, Blocked) else _STATES[action(change)]
        entry = planned.entries.get(change.path)
        seen = visibility.of_entry(entry) if entry else visibility.of_change(change)
        if entry and seen.status == visibility.FUTURE:
            seen = visibility.of_entry(entry, content.date(change.path, planned.entries))
        read = content.parse(change.path).document if titles and change.path in content.sources else None
        title = str(read.fields.get("title", "")) if read else None
        noted = notes.get((entry.kind, entry.id), 0) if entry else 0
        found.append(Standing(change.path, change.kind, entry, state, change.why, seen, title, noted))
    return sorted(found, key=lambda standing: standing.path)
