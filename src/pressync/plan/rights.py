"""Blocks the changes that the site's user may not make, each with the right that it needs. Pure.

WordPress decides about each write alone: an author may publish posts, and may not change those of others. So
one missing right blocks the records that need it, and the other records are synced.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pressync.model.changes import Blocked, Create, Delete, Update
from pressync.model.fingerprint import fingerprint
from pressync.model.reason import Reason, ReasonCode
from pressync.model.records import Name
from pressync.model.visibility import FUTURE, PUBLISH, of_change, of_entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.client.capabilities import UserRights
    from pressync.model.changes import Change
    from pressync.model.interface import Kind
    from pressync.model.records import Desired, Record

_LIVE = frozenset({PUBLISH, FUTURE})
# WordPress asks for the right to publish before a record gets one of these statuses.
_TO_PUBLISH = _LIVE | {"private"}
_AUTHOR = "author"


class Held(NamedTuple):
    """The author of a record on the site, and its status; 0 and "" if this user may not read the record."""

    author: int
    status: str

    @classmethod
    def of(cls, record: Record) -> Held:
        """Take both from a record."""
        author = record.fields.get(_AUTHOR)
        return cls(author if isinstance(author, int) else 0, str(record.fields.get("status", "")))


HIDDEN = Held(0, "")


@dataclass(frozen=True, slots=True)
class Permissions:
    """The changes that a user may make; None as `rights` means all.

    `held` says whose the records of the site are, as far as somebody has looked. `names` has the ids of the
    authors whom documents name.
    """

    rights: UserRights | None
    held: Mapping[tuple[Kind, int], Held]
    names: Mapping[Name, int]

    def missing(self, change: Change) -> str:
        """Name a right that a change needs and the user lacks; "" if there is none."""
        if self.rights is None or not isinstance(change, Create | Update | Delete):
            return ""
        needed = (right.format(f"{change.kind}s") for right in self._needed(change, self.rights.user))
        return next((right for right in needed if right in self.rights.lacking), "")

    def block_forbidden(self, changes: list[Change]) -> list[Change]:
        """Block each change that needs a right which the user lacks."""
        if self.rights is None or not self.rights.lacking:
            return changes
        return [
            self._blocked(change, right) if (right := self.missing(change)) else change for change in changes
        ]

    def _needed(self, change: Create | Update | Delete, user: int) -> Iterator[str]:
        verb = "delete" if isinstance(change, Delete) else "edit"
        yield f"{verb}_{{}}"
        status = ""
        if not isinstance(change, Create) and (held := self.held.get((change.kind, change.id))):
            # The manifest knows the status of most records that the user may not read.
            status = held.status or of_entry(change.entry).status
            if status in _LIVE:
                yield f"{verb}_published_{{}}"
            if held.author != user:
                yield f"{verb}_others_{{}}"
        if isinstance(change, Delete):
            return
        if _AUTHOR in change.fields and self._is_given_away(change.desired, user):
            yield "edit_others_{}"
        wanted = of_change(change).status if "status" in change.fields else ""
        if wanted in _TO_PUBLISH and wanted != status:
            yield "publish_{}"

    def _is_given_away(self, desired: Desired, user: int) -> bool:
        """Whether a document makes another user the author; a name whose id is not known does not count."""
        for mention in desired.mentions:
            if mention.field == _AUTHOR:
                given = mention.given[0]
                author = self.names.get(Name(_AUTHOR, given), user) if isinstance(given, str) else given
                return author != user
        return desired.fingerprints.get(_AUTHOR, "") not in {"", fingerprint(user)}

    def _blocked(self, change: Change, right: str) -> Blocked:
        record = None if isinstance(change, Create) else change.id
        fields = change.fields if isinstance(change, Create | Update) else ()
        held = self.held.get((change.kind, record or 0))
        whose = ""
        if "_others_" in right and held and self.rights and held.author != self.rights.user:
            whose = f"{change.kind} {record} is another user's, and "
        return Blocked(change.path, change.kind, record, reason(right, whose), fields=fields)


def reason(right: str, whose: str = "") -> Reason:
    """Say that a right is missing, and the next step; `whose` begins the sentence about another's record."""
    lacks = f"this user lacks the right {right}; sync it as a user who has it: an editor has all of them"
    return Reason(ReasonCode.NO_RIGHT, {"right": right}, whose + lacks)
