"""Says which edits of other people a plan overwrites, where a person has chosen `--overwrite`. Pure.

`--overwrite` without a path is about every record of the site. Nothing brings an overwritten edit back, so
nobody may lose one that no message has named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.changes import Delete, Update
from pressync.model.fingerprint import fingerprint, from_text
from pressync.model.reason import NO_REASON, Reason, ReasonCode
from pressync.model.visibility import is_thrown_away

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pressync.model.changes import Change

# A sentence names at most this many records, and counts the others. The plan itself lists all of them.
_NAMED = 20


def reason(fields: Collection[str], *, trashed: bool = False) -> Reason:
    """Say that an edit of these fields is overwritten, or nothing."""
    if trashed:
        return Reason(ReasonCode.OUT_OF_TRASH, sentence="it is in the trash on the site, and comes back")
    if not fields:
        return NO_REASON
    were = "was" if len(fields) == 1 else "were"
    said = f"{', '.join(fields)} {were} edited on the site, and the edit is overwritten"
    return Reason(ReasonCode.OVERWRITES, {"overwrites": tuple(fields)}, said)


def overwritten_edits(changes: Iterable[Change]) -> list[str]:
    """Name the records whose edits a plan overwrites, and count them; nothing if there are none."""
    edited = [change.path for change in changes if _overwrites(change)]
    if not edited:
        return []
    count = "1 record" if len(edited) == 1 else f"{len(edited)} records"
    more = f" and {len(edited) - _NAMED} more" if len(edited) > _NAMED else ""
    return [f"Edits on the site are overwritten in {count}: {', '.join(edited[:_NAMED])}{more}."]


def _overwrites(change: Change) -> bool:
    match change:
        case Delete(entry=entry):
            return bool(entry.conflict) and not is_thrown_away(entry)
        case Update(desired=desired, entry=entry, fields=fields):
            # A document may have taken the edit in. Then the site has what is sent.
            wanted = {**desired.create_only, **desired.fingerprints}
            edits = ((name, text) for name, text in entry.conflict.items() if name in fields)
            return any(fingerprint(from_text(name, text)) != wanted.get(name) for name, text in edits)
        case _:
            return False
