"""Compares each field of a record with what was sent and with what was there before. Pure.

200 does not mean success: a service may store another value than the one that was sent, or keep the old one.
An update that the site ignores comes back with the whole old record. A response also shows fields that were
not sent, and that somebody else changed. So each field gets one verdict here, and others only read it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.html.editor_spelling import spellings
from pressync.model.fingerprint import UNSURE, fingerprint, from_text, is_unsure, may_be, to_text
from pressync.model.records import TEXTS, TRASH
from pressync.model.visibility import FRONT_PAGE, FUTURE, PUBLISH, is_front, of_desired
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pressync.model.records import Desired, Entry, Fields, Record, Value

# The date of a record and the site's clock decide which of the two it has. A later date takes a published
# page off the site. When that date comes, the page is published without another call (measured).
BY_DATE = frozenset({PUBLISH, FUTURE})
_DIGESTS_BY_DATE = frozenset(map(fingerprint, BY_DATE))
# These fields hide, protect or move a record. If one of them stays as it was, visitors see what the file
# hides from them.
GUARDED = frozenset({"status", "password", "parent"})
# A date to come hides a record until then.
_DATES = frozenset({"date", "date_gmt"})
# The manifest is committed and messages are logged, so neither may hold a password that somebody else set.
SECRET = "password"  # noqa: S105 - a field's name


class FieldVerdict(Enum):
    """The result of a comparison."""

    # A field that was sent has that value, or still the former one, or another one.
    TAKEN = auto()
    KEPT = auto()
    CHANGED = auto()
    # A field that was not sent is not as it was settled: this write changed it, or somebody else did.
    EFFECT = auto()
    EDITED = auto()


@dataclass(frozen=True, slots=True)
class FieldComparison:
    """A field of a record, with the value that was `sent`, if any, and the one that is stored now.

    `previous` are the fingerprints of the values that the field may have had before; None for any value.
    """

    name: str
    sent: Value | None
    stored: Value
    previous: frozenset[str] | None
    verdict: FieldVerdict


@dataclass(frozen=True, slots=True)
class RecordComparison:
    """The fields of a response: those that were sent, and others that are not as they were settled.

    `changed` are to be told: the service stored another value. `refused` names those that hide, protect or
    move the record, and are as before. `effects` are the values that this write changed unasked, and `edited`
    those that somebody else changed, as the manifest keeps them. `dropped` are the ids that were sent, and
    for which nothing came back. `took_nothing` tells that each field that was sent is as before.
    """

    fields: tuple[FieldComparison, ...]
    changed: tuple[FieldComparison, ...]
    refused: tuple[str, ...]
    effects: Fields
    edited: Mapping[str, str]
    dropped: Mapping[str, frozenset[int]]
    took_nothing: bool


def compare(
    sent: Fields,
    record: Record,
    previous: Entry | None,
    desired: Desired,
    read: Collection[str] | None = None,
) -> RecordComparison:
    """Compare a response with what was sent, and with `previous`, which is None after a create.

    A field that the response lacks is not compared: it counts as taken. If the record was `read` right before
    the write, that has the fields that somebody had edited.
    """
    shown = {name: value for name, value in sent.items() if name in record.fields}
    ours = tuple(_compared(name, value, record, previous, desired) for name, value in shown.items())
    others = tuple(_unsent(previous, record, sent.keys(), read)) if previous else ()
    kept = [field.name for field in ours if field.verdict is FieldVerdict.KEPT]
    refused = tuple(name for name in kept if _is_guarded(name, desired, record))
    untaken = [field for field in ours if field.verdict is not FieldVerdict.TAKEN]
    effects = {field.name: field.stored for field in others if field.verdict is FieldVerdict.EFFECT}
    dropped = {field.name: ids for field in untaken if (ids := _dropped(field))}
    keeps_all = len(kept) == len(sent) > 0
    return RecordComparison(
        fields=(*ours, *others),
        changed=tuple(field for field in untaken if field.name not in refused),
        refused=refused,
        effects=effects,
        edited=_edited(previous, record, others) if previous else {},
        dropped=dropped,
        took_nothing=keeps_all and (read is None or not _are_mapped(ours, record, previous)),
    )


# A plug-in that translates terms or joins aliases gives the former terms back for each set that it maps to
# them. Such an update would fail in each run, although the site does what it is there for. Two facts tell it
# from an update that the site ignores. Terms alone were sent, which hide and protect nothing. And the save
# was carried out, because it has a later time. An ignored update keeps the time. If somebody else has saved
# the record since, an ignored one is told once as changed by the service, and not again.
def _are_mapped(ours: Iterable[FieldComparison], record: Record, previous: Entry | None) -> bool:
    """Tell whether the site saved a record with terms alone, and mapped them to those of before."""
    was_saved = previous is not None and record.modified_gmt != previous.modified_gmt
    taxonomies = {field.name for field in record.kind.row.body if field.taxonomy}
    return was_saved and all(field.name in taxonomies for field in ours)


def _is_guarded(name: str, desired: Desired, record: Record) -> bool:
    """Whether visitors see what the file hides from them, as long as this field is as it was."""
    is_date = name in _DATES and record.fields.get("status") == PUBLISH
    return name in GUARDED or (is_date and of_desired(desired).status == FUTURE)


def edits(entry: Entry, record: Record) -> dict[str, str]:
    """Find the fields of a record that hold neither what was sent nor what the service stored instead.

    Gives the value as text, by name; the text of a password is never kept.
    """
    return _edited(entry, record, _unsent(entry, record, ()))


def _edited(entry: Entry, record: Record, others: Iterable[FieldComparison]) -> dict[str, str]:
    edits = {
        field.name: "" if field.name == SECRET else to_text(field.stored)
        for field in others
        if field.verdict is FieldVerdict.EDITED
    }
    return edits | parent_edit(entry, record)


def _compared(
    name: str, sent: Value, record: Record, previous: Entry | None, desired: Desired
) -> FieldComparison:
    stored = record.fields[name]
    before = _possible(name, previous) if previous else None
    follows_date = name == "status" and {sent, stored} == BY_DATE and bool(desired.date)
    # WordPress encodes a slug that is not ASCII. That is the same slug.
    is_same = stored == sent or (name == "slug" and unquote(str(stored)) == sent)
    if not is_same and (field := record.kind.row.fields.get(name)):
        is_same = field.inside == "acf" and field.meaning(stored) == field.meaning(sent)
    if is_same or (follows_date and stored == of_desired(desired).status):
        verdict = FieldVerdict.TAKEN
    elif previous is None or name == FRONT_PAGE or follows_date or _is_private(name, record):
        # A new record had no value before, and the front page is a setting of the site.
        verdict = FieldVerdict.CHANGED
    else:
        is_as_before = _is_as_before(name, record, previous, before)
        verdict = FieldVerdict.KEPT if is_as_before else FieldVerdict.CHANGED
    return FieldComparison(name, sent, stored, before, verdict)


def _unsent(
    entry: Entry, record: Record, sent: Collection[str], read: Collection[str] | None = None
) -> Iterator[FieldComparison]:
    """Compare the fields that were not sent, and are not as they were settled."""
    effects = possible_effects(entry, record, sent)
    if read is not None:
        effects |= _changed_by_save(entry, record) - {*read}
    effects -= entry.conflict.keys()
    for name in entry.fingerprints:
        if name in record.fields and name not in sent and not _is_ours(entry, record, name):
            verdict = FieldVerdict.EFFECT if name in effects else FieldVerdict.EDITED
            yield FieldComparison(name, None, record.fields[name], _possible(name, entry), verdict)


# A plug-in for languages moves a page below the parent of its own language and translates its terms, in the
# very save of ours (measured with Polylang). A record that was read right before had none of that. Nobody
# would forgive a lost text, so a text is always somebody's edit, and so is a record in the trash.
def _changed_by_save(entry: Entry, record: Record) -> frozenset[str]:
    """List the fields that a service may have changed in the save of a record that was read right before."""
    theirs = {"status", "slug"} if record.is_trashed else set[str]()
    return frozenset(entry.fingerprints.keys() - theirs - {*TEXTS})


def _is_ours(entry: Entry, record: Record, name: str) -> bool:
    """Whether a field of a record can have its value although nobody else changed it."""
    value, settled, stored = record.fields[name], entry.fingerprints[name], entry.changed_by_service.get(name)
    if name == "status" and value in BY_DATE and settled in _DIGESTS_BY_DATE:
        return True
    possible = may_be(settled)
    if possible is None or any(
        fingerprint(spelling) in {*possible, stored} for spelling in spellings(record, name)
    ):
        return True
    # The service changes this text, and the last response was lost: nobody knows what it stored.
    return is_unsure(settled) and stored is not None and isinstance(value, str)


# A plug-in for aliases puts another term in the place of one, and deletes that one. Then the site lost
# nothing. One id alone proves less: a record without a term may get the default one of the taxonomy.
def _dropped(field: FieldComparison) -> frozenset[int]:
    """Give the ids that were sent and did not come back, unless others came in their place."""
    sent, stored = _ids(field.sent), _ids(field.stored)
    return frozenset() if stored - sent and len(stored) > 1 else sent - stored


def _ids(value: Value | None) -> frozenset[int]:
    if isinstance(value, tuple):
        # A registered field may have a list of objects.
        return frozenset(number for number in value if isinstance(number, int))
    return frozenset({value} if isinstance(value, int) and not isinstance(value, bool) else ())


def _possible(name: str, entry: Entry) -> frozenset[str] | None:
    """Give the fingerprints of the values that a field may have had before a write; None for any value."""
    if name in entry.conflict:
        value = from_text(entry.kind, name, entry.conflict[name])
        return None if name == SECRET else frozenset({fingerprint(value)})
    settled, stored = may_be(entry.fingerprints.get(name, UNSURE)), entry.changed_by_service.get(name)
    if settled is None:
        return frozenset({stored}) if stored else None
    digests = settled | {stored} if stored else settled
    return digests | _DIGESTS_BY_DATE if name == "status" and digests & _DIGESTS_BY_DATE else digests


def _is_as_before(name: str, record: Record, previous: Entry, before: frozenset[str] | None) -> bool:
    """Whether a field has its former value; of an unknown one, whether it can be the former value.

    A filter may leave anything of a text. If even the former title is not known, as after `adopt`, nothing
    shows that the service filtered.
    """
    value = record.fields[name]
    if before is None:
        knows_title = may_be(previous.fingerprints.get("title", UNSURE)) is not None
        return not (name in TEXTS and value and knows_title)
    return any(fingerprint(spelling) in before for spelling in spellings(record, name))


_FRONT_CONTROLLER = "/index.php/"


# A file without `parent` directly below the content folder sends no parent, so no fingerprint shows the
# move. The address does: a page that moves below another one gets the address of that page in front of its
# own.
def parent_edit(entry: Entry, record: Record) -> dict[str, str]:
    """Give the new parent of a page that somebody moved below another page or to the top; else nothing."""
    parent = record.fields.get("parent")
    if not entry.kind.row.hierarchical or "parent" in entry.fingerprints or not isinstance(parent, int):
        return {}
    before, now = _folder(entry.link), _folder(record.link)
    if before is None or now is None or is_front(entry):
        return {}
    # The address of a page changes with the pages above it, too. Such a change does not add a level here.
    has_moved = now.startswith(f"{before}/") if parent else before.startswith(f"{now}/")
    return {"parent": str(parent)} if has_moved else {}


def _folder(link: str) -> str | None:
    """Give the part of an address before the slug; None for the address of a draft, which has only an id.

    Other permalinks of a site may begin with `/index.php`, which is not a page above others.
    """
    address = split(link)
    if address is None or address.query or not link:
        return None
    return address.path.replace(_FRONT_CONTROLLER, "/", 1).rstrip("/").rpartition("/")[0]


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


# If a page moves and its slug is taken at the new place, WordPress adds a number. The response then shows a
# new slug that we did not send (measured on 6.1, 6.8 and 7.1). Without this table it would look like an edit.
def possible_effects(entry: Entry, record: Record, sent: Collection[str]) -> frozenset[str]:
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
            return "status" in written and _is_private(name, record)
        case "categories":
            # WordPress puts a post without a category into the site's default one, with each update.
            return bool(written) and settled == _NO_TERMS and isinstance(value, tuple) and len(value) == 1
        case _:
            return False


def _is_private(name: str, record: Record) -> bool:
    """Whether this is the password that a private record cannot have: WordPress removes it."""
    return name == SECRET and record.fields.get("status") == _PRIVATE and record.fields[name] == ""


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
