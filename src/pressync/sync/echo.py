"""Compares a response with what was sent: gives the entry to remember, and the notices for people. Pure.

200 does not mean success: the service may have changed a field, and the response also shows fields that were
*not* sent and that somebody else changed. So the entry holds two fingerprints of a changed field: one of the
value that was sent, and one of the value that came back. The next plan compares the document with the first
and sees no change. It compares the site with the second and sees the next edit of somebody else.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from pressync.model.fingerprint import UNSURE, fingerprint, fingerprints, to_text
from pressync.model.records import TEXTS, TRASH, Desired, Entry, Fields, Record, Value
from pressync.model.visibility import FRONT_PAGE, FUTURE, is_front, of_desired
from pressync.sync.field_comparison import SECRET, compare

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from pressync.sync.field_comparison import RecordComparison

_Member = TypeVar("_Member")

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
    `dropped` are the ids that were sent and did not come back, by field.
    """

    entry: Entry
    notices: tuple[str, ...]
    failure: str = ""
    dropped: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """All that people are told of it."""
        return "; ".join(filter(None, (self.failure, *self.notices)))


def settle(  # noqa: PLR0917 - all that is known of one write
    desired: Desired,
    sent: Fields,
    record: Record,
    previous: Entry | None,
    commit: str,
    read: Collection[str] | None = None,
) -> Settlement:
    """Compare a response with what was sent and with what was settled before.

    `previous` is None after a create. A field of `sent` that the response lacks counts as stored. A field
    that the file no longer names is forgotten after it was sent empty. If the record was `read` right before
    the write, that has the names of the fields that somebody had edited.
    """
    compared = compare(sent, record, previous, desired, read)
    if previous and compared.took_nothing:
        entry = replace(previous, modified=record.modified, modified_gmt=record.modified_gmt)
        return Settlement(entry, (), _nothing_taken(record, sent))
    entry = _entry(desired, sent, record, previous, commit, compared)
    if previous is None and _is_empty(sent, record):
        return Settlement(unsure(entry), (), _nothing_taken(record, sent))
    notices, failure = _notices(desired, sent, record, previous, compared, entry.conflict), ""
    if previous and compared.refused:
        entry, failure = _with_former(entry, previous, compared.refused), _refused(record, compared.refused)
    return Settlement(entry, tuple(notices), failure, compared.dropped)


def _entry(  # noqa: PLR0917 - all that is known of one write
    desired: Desired,
    sent: Fields,
    record: Record,
    previous: Entry | None,
    commit: str,
    compared: RecordComparison,
) -> Entry:
    named = desired.fingerprints.keys() | desired.create_only.keys()
    settled = {**as_created(desired, record), **_fingerprints(desired, sent, previous)}
    changed = _changed_fingerprints(settled, sent, record, previous, compared.effects)
    link = address_of(previous, record.link)
    digests = shared_digests(_among(named, settled), desired.fingerprints)
    return replace(
        of_record(desired.path, record, commit, digests, desired.slug),
        blob=desired.blob,
        parent_path=desired.parent_path,
        basis=desired.basis,
        layout=desired.layout,
        links=desired.links,
        changed_by_service=shared_digests(_among(named, changed)),
        conflict=shared_digests(_conflict(desired, sent, record, compared.edited) if previous else {}),
        protect=desired.protect,
        aliases=desired.aliases,
        link=link,
        former=former(previous, link) if previous else (),
    )


def _notices(  # noqa: PLR0917 - all that is known of one write
    desired: Desired,
    sent: Fields,
    record: Record,
    previous: Entry | None,
    compared: RecordComparison,
    conflict: Mapping[str, str],
) -> Iterator[str]:
    """Give a sentence for each field that is not as it was meant."""
    for comparison in compared.changed:
        yield _changed_notice(comparison.name, sent[comparison.name], comparison.stored)
    for name, value in sorted(compared.effects.items()):
        # An effect on a field that the file does not name is not told.
        if name in desired.fingerprints or name in desired.create_only:
            yield _effect_notice(name, value, previous)
    for name, text in conflict.items():
        value = "" if name == SECRET else f" ({shown(text)})"
        yield f"{name} was changed on the site by somebody else and was not overwritten{value}"
    hides = sent.keys() & _DATES and "status" not in sent and record.fields.get("status") == FUTURE
    if hides and of_desired(desired).status != FUTURE:
        yield "status: the date that was sent makes it 'future', and nobody sees it until then"
    if f"__{TRASH}ed" in record.link and not record.is_trashed:
        yield f"parent: a page above it is in the trash, so its address is {shown(record.link)}"


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
    return {**before, **fingerprints(sent), **_among(sent.keys(), by_name)}


def _changed_fingerprints(
    settled: Mapping[str, str], sent: Fields, record: Record, previous: Entry | None, effects: Fields
) -> dict[str, str]:
    """Give the fingerprints of the values that the service stored instead of those that were sent.

    A field of names always has one: that of the ids that came back.
    """
    before = {**(previous.changed_by_service if previous else {}), **fingerprints(effects)}
    stored = fingerprints(_among(sent.keys(), record.fields))
    kept = {name: digest for name, digest in before.items() if name not in sent}
    return kept | {name: digest for name, digest in stored.items() if digest != settled[name]}


def _among(names: Collection[str], values: Mapping[str, _Member]) -> dict[str, _Member]:
    return {name: value for name, value in values.items() if name in names}


def _conflict(desired: Desired, sent: Fields, record: Record, edited: Mapping[str, str]) -> dict[str, str]:
    """Give the fields that an earlier write sent, this one did not, and somebody else changed."""
    wanted = {**desired.create_only, **desired.fingerprints}
    if record.is_trashed:
        # This holds also if we never sent a status, as to an adopted record: visitors do not see the record.
        # The trash changed the slug, not a person.
        edited = {name: text for name, text in edited.items() if name != "slug"} | {"status": TRASH}
    return {
        name: text
        for name, text in edited.items()
        if name in wanted and name not in sent and fingerprint(record.fields[name]) != wanted[name]
    }


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

    def given_back(now: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
        others = {name: digest for name, digest in now.items() if name not in names}
        return others | {name: before[name] for name in names if name in before}

    fingerprints = given_back(entry.fingerprints, previous.fingerprints)
    changed = given_back(entry.changed_by_service, previous.changed_by_service)
    conflict = given_back(entry.conflict, previous.conflict)
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


def _changed_notice(name: str, sent: Value, stored: Value) -> str:
    if name == SECRET:
        return f"{name}: changed by the service; it is not the one that was sent"
    if name == FRONT_PAGE:
        return _NOT_FRONT if sent else _STILL_FRONT
    if isinstance(sent, str) and isinstance(stored, str) and max(len(sent), len(stored)) > _SHOWN:
        return f"{name}: changed by the service ({len(sent)} characters sent, {len(stored)} came back)"
    told = f"{name}: changed by the service from {shown(to_text(sent))} to {shown(to_text(stored))}"
    base, _, number = to_text(stored).rpartition("-")
    is_taken = name == "slug" and (base, number.isdecimal()) == (sent, True)
    return f"{told}, because another record or a file of the media library has it" if is_taken else told


def _effect_notice(name: str, value: Value, previous: Entry | None) -> str:
    if name == SECRET:
        return f"{name}: removed by the service, as an effect of this update"
    if name == "slug" and previous is not None:
        return (
            f"slug: changed by the service from '{previous.slug}' to {shown(to_text(value))}, "
            "as an effect of this update; another record has the slug there"
        )
    return f"{name}: changed by the service to {shown(to_text(value))}, as an effect of this update"


def without_notice_of_slug(message: str, before: Entry, wanted: str, stored: str) -> str:
    """Take out of a message what it tells of a slug that the service changed; the rest stays."""
    for told in (_effect_notice("slug", stored, before), _changed_notice("slug", wanted, stored)):
        if told in message:
            start, _, end = message.partition(told)
            return "; ".join(filter(None, (start.removesuffix("; "), end.removeprefix("; "))))
    return message


def shown(text: str) -> str:
    """Quote a value for a message, cut to a readable length."""
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[: _SHOWN - 1]}…'"


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
