"""Tells which fields a service can have changed because of a run's own write to other fields. Pure.

If a page moves and its slug is taken at the new place, WordPress adds a number. The response then shows a new
slug that we did not send (measured on 6.1, 6.8 and 7.1). Without this table it would look like an edit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.fingerprint import fingerprint, is_unsure
from pressync.model.records import TRASH

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.model.records import Entry, Record, Value

# A slug must be free below its parent, from the time when the page is published or restored from the trash.
_SLUG_CHECKED_ON = frozenset({"parent", "status"})
# If we sent an empty slug, the service makes it from the title when the record is published.
_SLUG_MADE_FROM = frozenset({"title", "status"})
_NO_TEXT = fingerprint("")
_NO_TERMS = fingerprint(())
_PRIVATE = "private"

_NUMBERED = re.compile(r"(?P<base>.+)-\d+", re.DOTALL)
_IN_TRASH = re.compile(rf"__{TRASH}ed(-\d+)?$")
# WordPress cuts a slug to this many characters, including its number.
_LONGEST_SLUG = 200


def possible(entry: Entry, record: Record, sent: Collection[str]) -> frozenset[str]:
    """List the fields that a write of the fields `sent` can have changed although they were not sent.

    A field of `entry` counts as sent if its last write got no response: it may have been carried out.
    """
    written = {*sent, *(name for name, digest in entry.fingerprints.items() if is_unsure(digest))}
    return frozenset(
        name
        for name, digest in entry.fingerprints.items()
        if name in record.fields
        and name not in written
        and _is_effect(name, record.fields[name], digest, entry, record, written)
    )


def _is_effect(  # noqa: PLR0917 - the rows of the table need all of these
    name: str, value: Value, settled: str, entry: Entry, record: Record, written: Collection[str]
) -> bool:
    """Whether a field that was not sent can have this value because the fields `written` were sent."""
    match name:
        case "slug" if settled == _NO_TEXT:
            return not _SLUG_MADE_FROM.isdisjoint(written)
        case "slug":
            return not _SLUG_CHECKED_ON.isdisjoint(written) and _is_numbered(record.slug, entry)
        case "password":
            # A private record cannot have a password: WordPress removes it.
            return "status" in written and record.fields.get("status") == _PRIVATE and value == ""
        case "categories":
            # WordPress puts a post without a category into the site's default one, with each update.
            return bool(written) and settled == _NO_TERMS and isinstance(value, tuple) and len(value) == 1
        case _:
            return False


def _is_numbered(slug: str, entry: Entry) -> bool:
    """Whether a slug is the record's former slug with the number that a service adds to a taken one."""
    before = _IN_TRASH.sub("", entry.slug)
    match = _NUMBERED.fullmatch(slug)
    if match is None or not before:
        return False
    base = match["base"]
    if base == before:
        return True
    if "slug" in entry.changed_by_service and (numbered := _NUMBERED.fullmatch(before)):
        # The service added a number before. It may now have added another one to the slug that was sent.
        return base == numbered["base"]
    # The slug is so long that the service had to cut it to add the number.
    return len(before) + len(slug) - len(base) > _LONGEST_SLUG and before.startswith(base)
