"""The field that makes a page the front page of its site, and tells whether a record is that page. Pure.

The interface has no such field, because WordPress keeps the front page in the settings of the site. As a
field of the page it gets all that a field has: a line in the plan, the journal, drift and conflicts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.fingerprint import UNSURE, fingerprint, may_be, unsure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.records import Entry

FRONT_PAGE = "front_page"
_YES, _NO = map(fingerprint, (True, False))


def is_wanted(fingerprints: Mapping[str, str]) -> bool:
    """Tell whether a document, by its fingerprints, is to be the front page."""
    return fingerprints.get(FRONT_PAGE) == _YES


def is_front(entry: Entry) -> bool:
    """Tell whether a record is, or may be, the front page, as the last response showed it."""
    held = may_be(entry.fingerprints.get(FRONT_PAGE, _NO)) or frozenset()
    return _YES in held and FRONT_PAGE not in entry.changed_by_service


def with_unwritten(entry: Entry, wanted: Mapping[str, str], previous: Entry | None) -> Entry:
    """Mark the field in an entry whose record was written without it, if the field is to change.

    The setting of the site is a request of its own, after the write of the page. If the run is killed between
    the two, only this mark shows that a request is missing.
    """
    known = previous.fingerprints.get(FRONT_PAGE) if previous else None
    if previous and FRONT_PAGE in previous.conflict:
        known = UNSURE
    if wanted.get(FRONT_PAGE, _NO) == (known or _NO):
        return entry
    mark = unsure(known or UNSURE)
    return replace(entry, fingerprints={**entry.fingerprints, FRONT_PAGE: mark})
