"""Compares the two sides of each change as source and as a reader sees them, for pages that show both.

The manifest keeps fingerprints and no texts. So the older side is made again from the commit that was last
synced, or it is the text of the site where somebody has read it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app import last_synced, rendered_diff
from pressync.app.diffs import Sides
from pressync.model.changes import Block, Blocked, Create, Delete, Keep, Update
from pressync.model.errors import PressyncError
from pressync.model.fingerprint import from_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.content.content import Content
    from pressync.model.changes import Change
    from pressync.model.records import Manifest
    from pressync.plan.build import PlannedRun


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides of one change: the diff of its source, and the rows of its rendered text.

    `rendered` is "" if both sides look the same, and None if a side cannot be shown; then `why` says why.
    """

    path: str
    source: str
    rendered: str | None
    why: str = ""


class Comparisons:
    """Makes the comparisons of one plan; each is made when it is asked for."""

    def __init__(
        self,
        workspace: Workspace,
        content: Content,
        manifest: Manifest,
        planned: PlannedRun,
        text: Callable[[str], str | None] | None = None,
    ) -> None:
        """Compare the changes of a plan; `text` renders a file elsewhere, where new pages have addresses."""
        self._workspace = workspace
        self._content = content
        self._manifest = manifest
        self._planned = planned
        self._sides = Sides(content, manifest, planned)
        self._text = text or self._rendered
        self._former = {new: old for old, new in planned.renamed.items()}

    def of(self, changes: Collection[Change]) -> Iterator[Comparison]:
        """Compare the sides of changes, in any order; those without two sides are left out."""
        shown = [change for change in changes if _has_sides(change)]
        yield from (self._compared(change, None) for change in shown if isinstance(change, Create))
        older = {self._former.get(c.path, c.path): c for c in shown if not isinstance(c, Create)}
        head = self._workspace.repository.commit()
        for record in last_synced.records(self._workspace, self._manifest, head, older.keys()):
            change = older.pop(record.entry.path)
            yield self._compared(change, self._there(change, record) if record.has_text else None)
        yield from (self._compared(change, None) for change in older.values())

    def _there(self, change: Change, record: last_synced.LastSynced) -> str:
        """Give the text on the site: that of the last sync, or somebody's edit of it."""
        known = self._planned.entries.get(change.path)
        edit = known.conflict.get("content", "") if known else ""
        return str(from_text("content", edit) if edit else record.fields.get("content", ""))

    def _compared(self, change: Change, before: str | None) -> Comparison:
        source = self._sides.of(change) or ""
        if isinstance(change, Delete):
            after = None
        elif (after := self._will_be(change.path)) is None:
            return Comparison(change.path, source, None, "the file has problems, so it is not rendered")
        if before is None and _was_sent(change):
            return Comparison(change.path, source, None, "the text on the site is not in this clone")
        return Comparison(change.path, source, rendered_diff.rows(before, after))

    def _will_be(self, path: str) -> str | None:
        return self._text(path) if path in self._content.sources else ""

    def _rendered(self, path: str) -> str | None:
        try:
            prepared = self._content.read(path, self._planned.entries, check=False).prepared
        except PressyncError:
            return None
        return str(prepared.fields.get("content", "")) if prepared else None


@contextmanager
def opened(workspace: Workspace, revision: Revision, planned: PlannedRun) -> Iterator[Comparisons]:
    """Open the tree of a plan, to compare the sides of its changes."""
    with workspace.reading() as state:
        content = workspace.content(revision, manifest=state.manifest)
        yield Comparisons(workspace, content, state.manifest, planned)


def _was_sent(change: Change) -> bool:
    """Tell whether the site has a text of this change that pressync sent, or that somebody wrote there."""
    return not isinstance(change, Create) and not (isinstance(change, Update) and not change.entry.blob)


def _has_sides(change: Change) -> bool:
    match change:
        case Create() | Update() | Delete():
            return True
        case Blocked(block=Block.CONFLICT):
            return bool(change.fields)
        case Keep() | Blocked():
            return False
