"""What was sent x what came back -> the entry to remember, and what to tell people. Pure.

200 is not success: the service may have bent a field, and its echo of the fields that were *not* sent
shows what somebody else changed. The decision that shaped it: what was bent is remembered beside the
fingerprint of what was sent, so that the next plan compares documents with what was sent (and is quiet)
and echoes with what the service made of it (and notices the next hand).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.fingerprint import fingerprint, fingerprints, to_text
from pressync.model import UNSURE, Entry

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.model import Desired, Fields, Record, Value

# A value in a message is shown up to this many characters.
_SHOWN = 60
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
    bent = {name: value for name, value in record.fields.items() if name in sent and value != sent[name]}
    conflict = _conflict(desired, sent, record, previous)
    named = desired.fingerprints.keys() | desired.create_only.keys()
    before = previous.fingerprints if previous else {}
    bent_before = previous.bent if previous else {}
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
        fingerprints=_of(named, {**before, **fingerprints(sent)}),
        parent_path=desired.parent_path,
        basis=desired.basis,
        layout=desired.layout,
        links=desired.links,
        bent=_of(named - sent.keys(), bent_before) | _of(named, fingerprints(bent)),
        conflict=conflict,
        protect=desired.protect,
        aliases=desired.aliases,
        former=former(previous, record.link) if previous else (),
    )
    notices = [_bent_notice(name, sent[name], value) for name, value in bent.items()]
    notices += [_conflict_notice(name, text) for name, text in conflict.items()]
    return Settled(entry, tuple(notices))


def _of(names: Collection[str], digests: Mapping[str, str]) -> dict[str, str]:
    return {name: digest for name, digest in digests.items() if name in names}


def _conflict(desired: Desired, sent: Fields, record: Record, previous: Entry | None) -> dict[str, str]:
    """Find the fields that we wrote once, did not write now, and that hold what nobody here wants."""
    if previous is None:
        return {}
    wanted = {**desired.create_only, **desired.fingerprints}
    return {
        name: text
        for name, text in edits(previous, record).items()
        if name in wanted and name not in sent and fingerprint(record.fields[name]) != wanted[name]
    }


def edits(entry: Entry, record: Record) -> dict[str, str]:
    """Find the fields of a record that hold neither what was sent nor what the service made of it.

    By name, with the value as text; the text of a password is never kept.
    """
    return {
        name: "" if name == _SECRET else to_text(record.fields[name])
        for name, settled in entry.fingerprints.items()
        if settled != UNSURE
        and name in record.fields
        and fingerprint(record.fields[name]) not in {settled, entry.bent.get(name)}
    }


def unsure(entry: Entry) -> Entry:
    """Make the entry of a record of which no field is known to hold what was sent."""
    return replace(entry, fingerprints=dict.fromkeys(entry.fingerprints, UNSURE), bent={})


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


def _conflict_notice(name: str, text: str) -> str:
    value = "" if name == _SECRET else f" ({shown(text)})"
    return f"{name} was changed on the site by somebody else and is left so{value}"


def shown(text: str) -> str:
    """Quote a value for a message, cut to a readable length."""
    return f"'{text}'" if len(text) <= _SHOWN else f"'{text[: _SHOWN - 1]}…'"
