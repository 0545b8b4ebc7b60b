"""Compares a response with what was sent: gives the entry to remember, and the notices for people. Pure.

200 does not mean success: the service may have changed a field, and the response also shows fields that were
*not* sent and that somebody else changed. So the entry holds two fingerprints of a changed field: one of the
value that was sent, and one of the value that came back. The next plan compares the document with the first
and sees no change. It compares the site with the second and sees the next edit of somebody else.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.html.editor_spelling import spellings
from pressync.model.fingerprint import UNSURE, fingerprint, fingerprints, is_unsure, may_be, to_text
from pressync.model.records import TEXTS, TRASH, Desired, Entry, Fields, Record, Value
from pressync.model.visibility import FRONT_PAGE, is_front
from pressync.model.web_address import split
from pressync.sync.field_comparison import BY_DATE, SECRET, Verdict, compare, took_nothing

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pressync.sync.field_comparison import FieldComparison

# A value in a message is shown up to this many characters.
_SHOWN = 60
_DATES = frozenset({"date", "date_gmt"})
_NOT_FRONT = (
    "front_page: the site kept its front page, which only an administrator may change: in wp-admin at "
    "Settings > Reading, “A static page”"
)
_STILL_FRONT = (
    "front_page: it is still the front page, and only an administrator may change that: in wp-admin at "
    "Settings > Reading"
)


@dataclass(frozen=True, slots=True)
class Settlement:
    """The entry after a write, and a sentence for each field that is not as it was meant.

    `failure` says what the service did not take although it reported success; it is "" if the write is done.
    """

    entry: Entry
    notices: tuple[str, ...]
    failure: str = ""

    @property
    def message(self) -> str:
        """All that people are told of it."""
        return "; ".join(filter(None, (self.failure, *self.notices)))


def settle(desired: Desired, sent: Fields, record: Record, previous: Entry | None, commit: str) -> Settlement:
    """Compare a response with what was sent and with what was settled before.

    `previous` is None after a create. A field of `sent` that the response lacks counts as stored. A field
    that the file no longer names is forgotten after it was sent empty.
    """
    compared = compare(sent, record, previous, desired)
    if previous and took_nothing(sent, compared):
        entry = replace(previous, modified=record.modified, modified_gmt=record.modified_gmt)
        return Settlement(entry, (), _nothing_taken(record, sent))
    settled = _settled(desired, sent, record, previous, commit, compared)
    if previous is None and _is_empty(sent, record):
        return Settlement(unsure(settled.entry), (), _nothing_taken(record, sent))
    refused = [field.name for field in compared if field.is_refused]
    if previous is None or not refused:
        return settled
    entry = _with_former(settled.entry, previous, refused)
    return Settlement(entry, settled.notices, _refused(record, refused))


def _settled(  # noqa: PLR0917 - all that is known of one write
    desired: Desired,
    sent: Fields,
    record: Record,
    previous: Entry | None,
    commit: str,
    compared: Collection[FieldComparison],
) -> Settlement:
    named = desired.fingerprints.keys() | desired.create_only.keys()
    effects, conflict = _effects(sent, record, previous), _conflict(desired, sent, record, previous)
    settled = {**as_created(desired, record), **_fingerprints(desired, sent, previous)}
    link = address_of(previous, record.link)
    digests = shared_digests(_of(named, settled), desired.fingerprints)
    entry = replace(
        of_record(desired.path, record, commit, digests, desired.slug),
        blob=desired.blob,
        parent_path=desired.parent_path,
        basis=desired.basis,
        layout=desired.layout,
        links=desired.links,
        changed_by_service=_of(named, _changed_fingerprints(settled, sent, record, previous, effects)),
        conflict=shared_digests(conflict),
        protect=desired.protect,
        aliases=desired.aliases,
        link=link,
        former=former(previous, link) if previous else (),
    )
    notices = [
        _changed_notice(field.name, field.sent, field.stored)
        for field in compared
        if field.verdict is not Verdict.TAKEN and not field.is_refused
    ]
    # An effect on a field that the file does not name is not told.
    notices += [_effect_notice(name, value, previous) for name, value in effects.items() if name in named]
    for name, text in conflict.items():
        value = "" if name == SECRET else f" ({shown(text)})"
        notices.append(f"{name} was changed on the site by somebody else and was not overwritten{value}")
    if sent.keys() & _DATES and "status" not in sent and record.fields.get("status") == "future":
        notices.append("status: the date that was sent makes it 'future', and nobody sees it until then")
    if f"__{TRASH}ed" in record.link and not record.is_trashed:
        notices.append(f"parent: a page above it is in the trash, so its address is {shown(record.link)}")
    return Settlement(entry, tuple(notices))


def as_created(desired: Desired, record: Record) -> dict[str, str]:
    """Give the fingerprints of the values that a create would have sent unasked, where the record has them.

    A record that was adopted got none of them from here. If somebody unpublishes it, that is an edit too.
    """
    return {
        name: digest
        for name, digest in desired.create_only.items()
        if name in record.fields and fingerprint(record.fields[name]) == digest
    }


def _fingerprints(desired: Desired, sent: Fields, previous: Entry | None) -> dict[str, str]:
    """Give the fingerprints of what was sent now or before; a field of names has that of its names."""
    by_name = {mention.field: desired.fingerprints[mention.field] for mention in desired.mentions}
    before = previous.fingerprints if previous else {}
    return {**before, **fingerprints(sent), **_of(sent.keys(), by_name)}


def _changed_fingerprints(
    settled: Mapping[str, str], sent: Fields, record: Record, previous: Entry | None, effects: Fields
) -> dict[str, str]:
    """Give the fingerprints of the values that the service stored instead of those that were sent.

    A field of names always has one: that of the ids that came back.
    """
    before = {**(previous.changed_by_service if previous else {}), **fingerprints(effects)}
    stored = fingerprints(_among(sent, record.fields))
    kept = {name: digest for name, digest in before.items() if name not in sent}
    return kept | {name: digest for name, digest in stored.items() if digest != settled[name]}


def _of(names: Collection[str], digests: Mapping[str, str]) -> Mapping[str, str]:
    return shared_digests({name: digest for name, digest in digests.items() if name in names})


def _among(sent: Fields, fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name in sent}


def _conflict(desired: Desired, sent: Fields, record: Record, previous: Entry | None) -> dict[str, str]:
    """Find the fields that an earlier write sent, this one did not, and somebody else changed."""
    if previous is None:
        return {}
    wanted = {**desired.create_only, **desired.fingerprints}
    found = edits(previous, record, sent)
    if record.is_trashed:
        # This holds also if we never sent a status, as to an adopted record: visitors do not see the record.
        found["status"] = TRASH
        # The trash changed the slug, not a person.
        found.pop("slug", None)
    return {
        name: text
        for name, text in found.items()
        if name in wanted and name not in sent and fingerprint(record.fields[name]) != wanted[name]
    }


def _effects(sent: Fields, record: Record, previous: Entry | None) -> Fields:
    """Find the fields that the service changed because of what was sent."""
    if previous is None:
        return {}
    names = possible_effects(previous, record, sent.keys()) - previous.conflict.keys()
    found = {name: record.fields[name] for name in sorted(names)}
    return {name: value for name, value in found.items() if not _is_ours(previous, record, name)}


def edits(entry: Entry, record: Record, sent: Collection[str] = ()) -> dict[str, str]:
    """Find the fields of a record that hold neither what was sent nor what the service stored instead.

    Gives the value as text, by name; the text of a password is never kept. A field that the service may have
    changed because of the fields `sent` counts as edited only if it did before.
    """
    effects = possible_effects(entry, record, sent) - entry.conflict.keys()
    found = {
        name: "" if name == SECRET else to_text(record.fields[name])
        for name in entry.fingerprints
        if name in record.fields and name not in effects and not _is_ours(entry, record, name)
    }
    return found | parent_edit(entry, record)


def _is_ours(entry: Entry, record: Record, name: str) -> bool:
    """Whether a field of a record can have its value although nobody else changed it."""
    value, settled, stored = record.fields[name], entry.fingerprints[name], entry.changed_by_service.get(name)
    if name == "status" and value in BY_DATE and settled in map(fingerprint, BY_DATE):
        return True
    possible = may_be(settled)
    if possible is None or any(fingerprint(each) in {*possible, stored} for each in spellings(record, name)):
        return True
    # The service changes this text, and the last response was lost: nobody knows what it stored.
    return is_unsure(settled) and stored is not None and isinstance(value, str)


def _is_empty(sent: Fields, record: Record) -> bool:
    """Whether a new record has nothing of the texts that were sent, as after a body over a server's limit."""
    texts = [name for name in TEXTS if sent.get(name)]
    return bool(texts) and not any(record.fields.get(name, sent[name]) for name in texts)


def _nothing_taken(record: Record, sent: Fields) -> str:
    return (
        f"the service reported success, but {record.kind} {record.id} has nothing of what was sent "
        f"({', '.join(sent)}); see whether the server limits the size of a request, or a plugin undoes the "
        "update, then sync again"
    )


def _refused(record: Record, names: Sequence[str]) -> str:
    """Say which fields that hide, protect or move a record are as before; a password is not shown."""
    still = [n if n == SECRET else f"{n} {shown(to_text(record.fields[n]))}" for n in names]
    return (
        f"the service reported success, but {record.kind} {record.id} still has its former "
        f"{' and '.join(still)}; see on the site what keeps it, then sync again"
    )


def _with_former(entry: Entry, previous: Entry, names: Collection[str]) -> Entry:
    """Give back the memory of the fields that the service did not take, so that the next plan sends them.

    The entry has no basis, so the next plan reads the file.
    """
    fingerprints, changed, conflict = (
        {n: d for n, d in now.items() if n not in names} | {n: before[n] for n in names if n in before}
        for now, before in (
            (entry.fingerprints, previous.fingerprints),
            (entry.changed_by_service, previous.changed_by_service),
            (entry.conflict, previous.conflict),
        )
    )
    return replace(entry, fingerprints=fingerprints, changed_by_service=changed, conflict=conflict, basis="")


def still_there(record: Record) -> str:
    """Say that a delete that can be undone left its record where it was; "" if it is in the trash.

    A service that removed it for good, and shows the record of before, tells so at the next delete.
    """
    status = record.fields.get("status", TRASH)
    if status == TRASH:
        return ""
    return (
        f"the service reported success, but {record.kind} {record.id} is not in the trash after the delete: "
        f"its status is {shown(to_text(status))}; see on the site what keeps it there, then sync again"
    )


def dropped(sent: Fields, record: Record) -> dict[str, set[int]]:
    """Find the ids that were sent and did not come back, by field: the site has these objects no longer."""
    return {
        name: gone
        for name, value in sent.items()
        if name in record.fields and (gone := _ids(value) - _ids(record.fields[name]))
    }


def _ids(value: Value) -> set[int]:
    if isinstance(value, tuple):
        return set(value)
    return {value} if isinstance(value, int) and not isinstance(value, bool) else set()


def _changed_notice(name: str, sent: Value, stored: Value) -> str:
    if name == SECRET:
        return f"{name}: changed by the service; it is not the one that was sent"
    if name == FRONT_PAGE:
        return _NOT_FRONT if sent else _STILL_FRONT
    if isinstance(sent, str) and isinstance(stored, str) and max(len(sent), len(stored)) > _SHOWN:
        return f"{name}: changed by the service ({len(sent)} characters sent, {len(stored)} came back)"
    return f"{name}: changed by the service from {shown(to_text(sent))} to {shown(to_text(stored))}"


def _effect_notice(name: str, value: Value, previous: Entry | None) -> str:
    if name == SECRET:
        return f"{name}: removed by the service, as an effect of this update"
    if name == "slug" and previous is not None:
        return (
            f"slug: changed by the service from '{previous.slug}' to {shown(to_text(value))}, "
            "as an effect of this update; another record has the slug there"
        )
    return f"{name}: changed by the service to {shown(to_text(value))}, as an effect of this update"


def shown(text: str) -> str:
    """Quote a value for a message, cut to a readable length."""
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[: _SHOWN - 1]}…'"


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
    """Give the part of an address before the slug; None for the address of a draft, which has only an id."""
    address = split(link)
    if address is None or address.query or not link:
        return None
    return address.path.rstrip("/").rpartition("/")[0]


# Nobody changes it: entries are frozen.
_NOTHING: Mapping[str, str] = {}
_LOCAL = re.compile(r"^http://127\.0\.0\.1:\d+(?=/)")


def of_record(
    path: str, record: Record, commit: str, fingerprints: Mapping[str, str], wanted: str = ""
) -> Entry:
    """Make the entry of a record that the service returned; it has no blob, so the file is read again.

    `wanted` is the slug that was sent. If the record has it, the two share their memory.
    """
    return Entry(
        path=path,
        kind=record.kind,
        id=record.id,
        slug=wanted if wanted == record.slug else record.slug,
        link=record.link,
        # Many records have the time of one second.
        modified=sys.intern(record.modified),
        modified_gmt=sys.intern(record.modified_gmt),
        blob="",
        commit=commit,
        fingerprints=fingerprints,
    )


def shared_digests(digests: Mapping[str, str], held: Mapping[str, str] = _NOTHING) -> Mapping[str, str]:
    """Give equal digests, in the same order, as the mapping that a run holds anyway, to save its memory."""
    return held if [*digests.items()] == [*held.items()] else digests


def unsure(entry: Entry, fields: Collection[str] | None = None) -> Entry:
    """Make the entry of a record that may not hold what was sent in these fields, or in any field."""
    uncertain = entry.fingerprints.keys() if fields is None else entry.fingerprints.keys() & fields
    return replace(
        entry,
        fingerprints={**entry.fingerprints, **dict.fromkeys(uncertain, UNSURE)},
        changed_by_service={
            name: digest for name, digest in entry.changed_by_service.items() if name not in uncertain
        },
    )


def moved(entry: Entry, link: str) -> Entry:
    """Make the entry of a record whose address changed because a page above it moved."""
    return replace(entry, link=link, former=former(entry, link))


def address_of(previous: Entry | None, link: str) -> str:
    """Give the address of a record whose response has this link.

    The embedded service may have another port at each start, and its pages lead to the right one. So another
    port of this machine is not a move: all texts with links to this record would change.
    """
    before = previous.link if previous else ""
    return before if _LOCAL.sub("", before) == _LOCAL.sub("", link) else link


def former(previous: Entry, link: str) -> tuple[str, ...]:
    """List the addresses that the record had before `link`, oldest first, each once."""
    # The address of the site itself belongs to its front page, and leads nowhere else.
    if not previous.link or previous.link == link or is_front(previous):
        return tuple(address for address in previous.former if address != link)
    earlier = (address for address in previous.former if address not in {link, previous.link})
    return (*earlier, previous.link)


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
