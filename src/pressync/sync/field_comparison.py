"""Compares each field of a response with what was sent and with what was there before. Pure.

200 does not mean success: a service may store another value than the one that was sent, or keep the old one.
An update that the site ignores comes back with the whole old record. So each field that was sent gets one
verdict here, and the settlement only reads the verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.html.editor_spelling import spellings
from pressync.model.fingerprint import UNSURE, fingerprint, from_text, may_be
from pressync.model.records import TEXTS
from pressync.model.visibility import FRONT_PAGE, FUTURE, PUBLISH, of_desired

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.model.records import Desired, Entry, Fields, Record, Value

# The date of a record and the site's clock decide which of the two it has (measured: a later date takes a
# published page off the site, and when that date comes, the page is published without another call).
BY_DATE = frozenset({PUBLISH, FUTURE})
# These fields hide, protect or move a record. If one of them stays as it was, visitors see what the file
# hides from them.
GUARDED = frozenset({"status", "password", "parent"})
# The manifest is committed and messages are logged, so neither may hold a password that somebody else set.
SECRET = "password"  # noqa: S105 - a field's name


class Verdict(Enum):
    """What the service did with a field that was sent: took it, kept the former value, stored another."""

    TAKEN = auto()
    KEPT = auto()
    CHANGED = auto()


@dataclass(frozen=True, slots=True)
class FieldComparison:
    """A field that was sent, and the value that the response shows.

    `previous` are the fingerprints of the values that the field may have had before; None for any value.
    """

    name: str
    sent: Value
    stored: Value
    previous: frozenset[str] | None
    verdict: Verdict

    @property
    def is_refused(self) -> bool:
        """Whether it hides, protects or moves the record, and the service kept its former value."""
        return self.verdict is Verdict.KEPT and self.name in GUARDED


def compare(
    sent: Fields, record: Record, previous: Entry | None, desired: Desired
) -> tuple[FieldComparison, ...]:
    """Compare the fields that were sent with those that came back.

    A field that the response lacks is not compared: it counts as taken. `previous` is None after a create.
    """
    return tuple(
        _compared(name, value, record, previous, desired)
        for name, value in sent.items()
        if name in record.fields
    )


def took_nothing(sent: Fields, compared: Collection[FieldComparison]) -> bool:
    """Whether the service kept the former value of each field that was sent."""
    return len(compared) == len(sent) and all(field.verdict is Verdict.KEPT for field in compared)


def _compared(
    name: str, sent: Value, record: Record, previous: Entry | None, desired: Desired
) -> FieldComparison:
    stored = record.fields[name]
    before = _possible(name, previous) if previous else None
    follows_date = name == "status" and {sent, stored} == BY_DATE and bool(desired.date)
    if _is_same(name, sent, stored) or (follows_date and stored == of_desired(desired).status):
        verdict = Verdict.TAKEN
    elif previous is None or name == FRONT_PAGE or follows_date:
        # A new record had no value before, and the front page is a setting of the site.
        verdict = Verdict.CHANGED
    else:
        verdict = Verdict.KEPT if _is_as_before(name, record, previous, before) else Verdict.CHANGED
    return FieldComparison(name, sent, stored, before, verdict)


def _is_same(name: str, sent: Value, stored: Value) -> bool:
    # WordPress encodes a slug that is not ASCII. That is the same slug.
    return stored == sent or (name == "slug" and unquote(str(stored)) == sent)


def _possible(name: str, entry: Entry) -> frozenset[str] | None:
    """Give the fingerprints of the values that a field may have had before a write; None for any value."""
    if name in entry.conflict:
        value = from_text(entry.kind, name, entry.conflict[name])
        return None if name == SECRET else frozenset({fingerprint(value)})
    settled, stored = may_be(entry.fingerprints.get(name, UNSURE)), entry.changed_by_service.get(name)
    if settled is None:
        return frozenset({stored}) if stored else None
    by_date = frozenset(map(fingerprint, BY_DATE)) if name == "status" else frozenset[str]()
    known = settled | {stored} if stored else settled
    return known | by_date if known & by_date else known


def _is_as_before(name: str, record: Record, previous: Entry, before: frozenset[str] | None) -> bool:
    """Whether a field has its former value; of an unknown one, whether it can be the former value.

    A filter may leave anything of a text. If even the former title is not known, as after `adopt`, nothing
    shows that the service filtered.
    """
    value = record.fields[name]
    if before is None:
        knows_title = may_be(previous.fingerprints.get("title", UNSURE)) is not None
        return not (name in TEXTS and value and knows_title)
    return any(fingerprint(each) in before for each in spellings(record, name))
