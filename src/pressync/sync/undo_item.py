"""The nouns of a rollback: one record that a run touched, and what undoes it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pressync.model.fingerprint import is_unsure
from pressync.model.records import TRASH
from pressync.state.run_records import digest, record_after

if TYPE_CHECKING:
    from pressync.model.changes import Delete, Update
    from pressync.model.records import Desired, Entry, Fields, Record
    from pressync.state.run_records import RecordAfter, TouchedRecord


BY_LATER_RUN = "a later run has changed it; roll that one back first, or change the file"
BY_PULL = "`pressync pull` has taken an edit of the site into its file since; change the file and sync"
BY_OTHERS = "`pressync adopt` or another clone has changed its entry since; change the file and sync"


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoItem:
    """One record that a run touched, and all that is known of it.

    `after` tells how the run left it, None if it left no entry. `now` is the entry of today. `other` tells
    that the path of before has another record. `record` is the one on the site, None if it is gone; that
    counts only if the site was `read`. `text` is what the document of before says, or that of the run if
    there was none. `image` has the values that were not ours. `begun` tells that a rollback of this run has
    begun with the record, and `unconfirmed` that its create got no response. `overtaken` says who changed
    the entry, if it is not as the run left it. `restore` says how the manifest gets back what the run
    settled; it is "" if the manifest has that.
    """

    touched: TouchedRecord
    after: RecordAfter | None
    now: Entry | None
    other: bool = False
    record: Record | None = None
    read: bool = False
    text: Desired | None = None
    image: Fields = field(default_factory=dict)
    permanent: bool = False
    begun: bool = False
    unconfirmed: bool = False
    overtaken: str = BY_LATER_RUN
    restore: str = ""

    @property
    def is_as_left(self) -> bool:
        """Whether the manifest has what the run settled."""
        return self.begun or (record_after(self.now) if self.now else None) == self.after

    @property
    def is_half_deleted(self) -> bool:
        """Whether the run was killed after it had put the record into the trash."""
        marked = self.now is not None and is_unsure(self.now.fingerprints.get("status", ""))
        return marked and self.record is not None and self.record.fields.get("status") == TRASH

    @property
    def was_in_trash(self) -> bool:
        """Whether the record was in the trash before the run; no call puts it there and keeps its text."""
        return self.image.get("status") == TRASH

    @property
    def values(self) -> Fields:
        """The values that were not ours, as far as they can be sent."""
        return {n: value for n, value in self.image.items() if n != "status" or value != TRASH}

    @property
    def is_untouched(self) -> bool:
        """Whether the run did not change the record after all, or it is undone already."""
        before = self.touched.before
        return self.now is not None and before is not None and digest(self.now) == digest(before)


@dataclass(frozen=True, slots=True)
class Undo:
    """The undoing of one record: a change to send, or none, and the entry that the manifest has in the end.

    `path` is that of the change, else that of the entry. `entry` is None if the manifest has none in the end.
    An update sends what the document of before says, and `values` in place of some fields of it; if not
    `from_file`, it sends nothing else.
    """

    path: str
    change: Update | Delete | None
    entry: Entry | None
    values: Fields = field(default_factory=dict)
    from_file: bool = False
