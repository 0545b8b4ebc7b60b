"""What a service changes by itself when another field is written: the effects of a run's own write.

WordPress numbers a slug that is taken at a page's new place, and its answer shows the number in a field
that nobody sent (measured on 6.1, 6.8 and 7.1). Without this table such a field looks like somebody's edit.
Pure.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.fingerprint import fingerprint, is_unsure
from pressync.model.records import TRASH

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.model.records import Entry, Record, Value

# A slug must be free where a page stands, and as soon as it is published or taken out of the trash.
_PLACES = frozenset({"parent", "status"})
# A slug that was left to the service is made from the title, once the record is published.
_NAMES = frozenset({"title", "status"})
_NO_TEXT = fingerprint("")
_NO_TERMS = fingerprint(())
_PRIVATE = "private"

_NUMBERED = re.compile(r"(?P<base>.+)-\d+", re.DOTALL)
_IN_TRASH = re.compile(rf"__{TRASH}ed(-\d+)?$")
# WordPress cuts a slug to this many characters, its number included.
_LONGEST_SLUG = 200


def possible(entry: Entry, record: Record, sent: Collection[str]) -> frozenset[str]:
    """Name the fields of a record that a write of the fields `sent` can have changed without being sent.

    A field of `entry` whose last write got no answer counts as sent: that write may have been carried out.
    """
    written = {*sent, *(name for name, digest in entry.fingerprints.items() if is_unsure(digest))}
    return frozenset(
        name
        for name, digest in entry.fingerprints.items()
        if name in record.fields
        and name not in written
        and _follows(name, record.fields[name], digest, entry, record, written)
    )


def _follows(  # noqa: PLR0917 - one row of the table needs all of it
    name: str, value: Value, settled: str, entry: Entry, record: Record, written: Collection[str]
) -> bool:
    """Whether a field that was not sent can have got this value because `written` was sent."""
    match name:
        case "slug" if settled == _NO_TEXT:
            return not _NAMES.isdisjoint(written)
        case "slug":
            return not _PLACES.isdisjoint(written) and _is_numbered(record.slug, entry)
        case "password":
            # A private record has no password: WordPress drops it.
            return "status" in written and record.fields.get("status") == _PRIVATE and value == ""
        case "categories":
            # A post that is in no category gets the site's default one with each update.
            return bool(written) and settled == _NO_TERMS and isinstance(value, tuple) and len(value) == 1
        case _:
            return False


def _is_numbered(slug: str, entry: Entry) -> bool:
    """Whether a slug is the one that the record had, with the number that a service adds if it is taken."""
    before = _IN_TRASH.sub("", entry.slug)
    match = _NUMBERED.fullmatch(slug)
    if match is None or not before:
        return False
    base = match["base"]
    if base == before:
        return True
    if "slug" in entry.changed_by_service and (numbered := _NUMBERED.fullmatch(before)):
        # The service gave it a number before, and may count on from the slug that was sent.
        return base == numbered["base"]
    # There is no room for the number without a cut.
    return len(before) + len(slug) - len(base) > _LONGEST_SLUG and before.startswith(base)
