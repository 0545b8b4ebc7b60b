"""What was sent x what came back -> the entry to remember, and what to tell people. Pure.

200 is not success: the service may have bent a field, and its echo of the fields that were *not* sent
shows what somebody else changed. The decision that shaped it: what was bent is remembered beside the
fingerprint of what was sent, so that the next plan compares documents with what was sent (and is quiet)
and echoes with what the service made of it (and notices the next hand).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.fingerprint import fingerprint, fingerprints, is_unsure, may_be, to_text
from pressync.model.records import TEXTS, TRASH, UNSURE, Entry
from pressync.sync import side_effects

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.model.records import Desired, Fields, Record, Value

# A value in a message is shown up to this many characters.
_SHOWN = 60
# Which of the two a record has follows from its date and the site's clock (measured: a later date takes a
# published page off the site, and its time brings it back without anybody's doing).
_BY_DATE = ("publish", "future")
_DATES = frozenset({"date", "date_gmt"})
# The manifest is committed and messages are logged: what others set here is kept out of both.
_SECRET = "password"  # noqa: S105 - a field's name


@dataclass(frozen=True, slots=True)
class Settled:
    """The entry after a write, and a sentence for each thing that is not as it was meant."""

    entry: Entry
    notices: tuple[str, ...]


def settle(desired: Desired, sent: Fields, record: Record, previous: Entry | None, commit: str) -> Settled:
    """Compare the echo with what was sent and with what was settled before.

    `previous` is None after a create. A field of `sent` that the echo lacks counts as taken. A field
    that is no longer named is forgotten once it has been sent empty.
    """
    bent = {name: value for name, value in _among(sent, record.fields).items() if value != sent[name]}
    # A mentioned field's fingerprint is of its names; that of the ids that came back stands beside it.
    by_name = {mention.field: desired.fingerprints[mention.field] for mention in desired.mentions}
    settled = {**fingerprints(sent), **_of(sent.keys(), by_name)}
    echoed = fingerprints(_among(sent, record.fields))
    made = {name: digest for name, digest in echoed.items() if digest != settled[name]}
    conflict = _conflict(desired, sent, record, previous)
    followed = _followed(sent, record, previous)
    named = desired.fingerprints.keys() | desired.create_only.keys()
    before = previous.fingerprints if previous else {}
    bent_before = previous.changed_by_service if previous else {}
    entry = Entry(
        path=desired.path,
        kind=record.kind,
        id=record.id,
        slug=record.slug,
        link=record.link,
        modified=record.modified,
        modified_gmt=record.modified_gmt,
        blob=desired.blob,
        commit=commit,
        fingerprints=_of(named, {**before, **settled}),
        parent_path=desired.parent_path,
        basis=desired.basis,
        layout=desired.layout,
        links=desired.links,
        changed_by_service=_of(named - sent.keys(), {**bent_before, **fingerprints(followed)})
        | _of(named, made),
        conflict=conflict,
        protect=desired.protect,
        aliases=desired.aliases,
        former=former(previous, record.link) if previous else (),
    )
    notices = [_bent_notice(name, sent[name], value) for name, value in bent.items()]
    notices += [_effect_notice(name, value, previous) for name, value in followed.items() if name in named]
    notices += [_conflict_notice(name, text) for name, text in conflict.items()]
    if sent.keys() & _DATES and "status" not in sent and record.fields.get("status") == "future":
        notices.append("status: with the date that was sent it is 'future', and nobody sees it until then")
    return Settled(entry, tuple(notices))


def _of(names: Collection[str], digests: Mapping[str, str]) -> dict[str, str]:
    return {name: digest for name, digest in digests.items() if name in names}


def _among(sent: Fields, fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if name in sent}


def _conflict(desired: Desired, sent: Fields, record: Record, previous: Entry | None) -> dict[str, str]:
    """Find the fields that we wrote once, did not write now, and that hold what nobody here wants."""
    if previous is None:
        return {}
    wanted = {**desired.create_only, **desired.fingerprints}
    found = edits(previous, record, sent)
    if record.fields.get("status") == TRASH:
        # Also of a record that we never gave a status, as an adopted one: nobody sees what was sent to it.
        found["status"] = TRASH
        # The trash changed it, not a person.
        found.pop("slug", None)
    return {
        name: text
        for name, text in found.items()
        if name in wanted and name not in sent and fingerprint(record.fields[name]) != wanted[name]
    }


def _followed(sent: Fields, record: Record, previous: Entry | None) -> Fields:
    """Find the fields that the service changed by itself, because of what was sent."""
    if previous is None:
        return {}
    names = side_effects.possible(previous, record, sent.keys()) - previous.conflict.keys()
    found = {name: record.fields[name] for name in sorted(names)}
    return {name: value for name, value in found.items() if not _is_ours(previous, name, value)}


def edits(entry: Entry, record: Record, sent: Collection[str] = ()) -> dict[str, str]:
    """Find the fields of a record that hold neither what was sent nor what the service made of it.

    By name, with the value as text; the text of a password is never kept. The service may also have made
    another field of it, because of the fields `sent`: that one was edited only if it was so before.
    """
    followed = side_effects.possible(entry, record, sent) - entry.conflict.keys()
    return {
        name: "" if name == _SECRET else to_text(record.fields[name])
        for name in entry.fingerprints
        if name in record.fields and name not in followed and not _is_ours(entry, name, record.fields[name])
    }


def _is_ours(entry: Entry, name: str, value: Value) -> bool:
    """Whether a field can hold this value without anybody else having changed it."""
    settled, bent = entry.fingerprints[name], entry.changed_by_service.get(name)
    if name == "status" and value in _BY_DATE and settled in map(fingerprint, _BY_DATE):
        return True
    possible = may_be(settled)
    if possible is None or fingerprint(value) in {*possible, bent}:
        return True
    # Of a text that the service bends nobody knows what it made of the one whose answer was lost.
    return is_unsure(settled) and bent is not None and isinstance(value, str)


def is_another(sent: Fields, record: Record) -> bool:
    """Whether a create was answered with a record that it cannot have made: nothing in it is what was sent.

    A service may bend a title, filter a text and number a slug that is taken, but not all three at once.
    """
    title, slug = record.fields.get("title"), str(sent.get("slug", ""))
    return (
        bool(title)
        and title != sent.get("title")
        and record.fields.get("content") != sent.get("content")
        and re.fullmatch(rf"{re.escape(slug)}(-\d+)?", record.slug) is None
    )


def took_nothing(sent: Fields, record: Record, previous: Entry | None) -> bool:
    """Whether the service answered as for success and stored nothing of what was sent.

    A body over a web server's limit ends so: a create makes an empty record, an update changes nothing. A
    text alone that comes back as it was may have been filtered; no filter brings back the title before.
    """
    if previous is None:
        texts = [name for name in TEXTS if sent.get(name)]
        return bool(texts) and not any(record.fields.get(name, sent[name]) for name in texts)
    return "title" in sent and all(
        name in record.fields
        and record.fields[name] != value
        and fingerprint(record.fields[name])
        == previous.changed_by_service.get(name, previous.fingerprints.get(name))
        for name, value in sent.items()
    )


def ignored(desired: Desired, sent: Fields, record: Record, previous: Entry | None, commit: str) -> Entry:
    """Make the entry of a record that took nothing of what was sent: the next plan sends it again."""
    if previous is None:
        return unsure(settle(desired, sent, record, None, commit).entry)
    return replace(previous, modified=record.modified, modified_gmt=record.modified_gmt)


def dropped(sent: Fields, record: Record) -> dict[str, set[int]]:
    """Find the ids that were sent and did not come back, by field: what they were of is there no more.

    WordPress takes an id of a term or of a picture that does not exist, and drops it without a word.
    """
    return {
        name: gone
        for name, value in sent.items()
        if name in record.fields and (gone := _ids(value) - _ids(record.fields[name]))
    }


def _ids(value: Value) -> set[int]:
    match value:
        case tuple():
            return set(value)
        case int() if not isinstance(value, bool):
            return {value}
        case _:
            return set()


def unsure(entry: Entry, fields: Collection[str] | None = None) -> Entry:
    """Make the entry of a record of which these fields, or all, are not known to hold what was sent."""
    doubted = entry.fingerprints.keys() if fields is None else entry.fingerprints.keys() & fields
    return replace(
        entry,
        fingerprints={**entry.fingerprints, **dict.fromkeys(doubted, UNSURE)},
        changed_by_service={
            name: digest for name, digest in entry.changed_by_service.items() if name not in doubted
        },
    )


def moved(entry: Entry, link: str) -> Entry:
    """Make the entry of a record whose address changed because a page above it moved."""
    return replace(entry, link=link, former=former(entry, link))


def former(previous: Entry, link: str) -> tuple[str, ...]:
    """List the addresses that the record had before `link`, oldest first, none twice."""
    if not previous.link or previous.link == link:
        return tuple(address for address in previous.former if address != link)
    earlier = (address for address in previous.former if address not in {link, previous.link})
    return (*earlier, previous.link)


def _bent_notice(name: str, sent: Value, came: Value) -> str:
    if name == _SECRET:
        return f"{name}: the service made it another one than was sent"
    if isinstance(sent, str) and isinstance(came, str) and max(len(sent), len(came)) > _SHOWN:
        return f"{name}: the service changed it ({len(sent)} characters sent, {len(came)} came back)"
    return f"{name}: sent {shown(to_text(sent))}, the service made it {shown(to_text(came))}"


def _effect_notice(name: str, value: Value, previous: Entry | None) -> str:
    if name == _SECRET:
        return f"{name}: the service removed it, as an effect of this update"
    if name == "slug" and previous is not None:
        return (
            f"slug: the service made '{previous.slug}' {shown(to_text(value))}, "
            "as an effect of this update; another record has the slug there"
        )
    return f"{name}: the service made it {shown(to_text(value))}, as an effect of this update"


def _conflict_notice(name: str, text: str) -> str:
    value = "" if name == _SECRET else f" ({shown(text)})"
    return f"{name} was changed on the site by somebody else and is left so{value}"


def shown(text: str) -> str:
    """Quote a value for a message, cut to a readable length."""
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[: _SHOWN - 1]}…'"
