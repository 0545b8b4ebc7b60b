"""What the manifest says of a record whose edits have been taken into the file. Pure.

It must not know files or the wire. What decided its shape: an entry says what was sent and, beside it,
what the service made of that. A pulled field is in step in exactly this sense: the file's own text is
what would be sent, and what the site holds is what it made of it. So the next plan is quiet until the
file says something else, and an editor's own markup is not replaced by ours for nothing.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.html.normalize import HEADINGS, canonical, normalized
from pressync.html.pieces import cut
from pressync.html.tree import Element, TooDeepError, parse
from pressync.model.fingerprint import fingerprint, to_text
from pressync.plan.decide import difference, refreshed
from pressync.sync import echo

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pressync.html.tree import Node
    from pressync.model.records import Desired, Entry, Fields, Prepared, Record


def edited(entry: Entry, record: Record) -> Fields:
    """Give the values of the fields that others have changed on the site."""
    return {name: record.fields[name] for name in echo.edits(entry, record)}


def unlike(fields: Fields, record: Record) -> Fields:
    """Give the site's values of what a file says otherwise: for a record that was never written."""
    return {
        name: record.fields[name]
        for name, value in fields.items()
        if name in record.fields and value != record.fields[name]
    }


def seen(
    entry: Entry, record: Record, theirs: Prepared, *, taken: Collection[str], blob: str, commit: str
) -> Entry:
    """Give the entry that knows the edits which `theirs` has taken over; the others stay conflicts.

    `blob` is the id of that text, the base of the next merge; `commit` is for a record never written.
    """
    left = {name: text for name, text in echo.edits(entry, record).items() if name not in taken}
    known = dict(entry.fingerprints) or _agreed(theirs, record)
    bent = dict(entry.changed_by_service)
    for name in taken:
        bent.pop(name, None)
        said, there = theirs.desired.fingerprints[name], fingerprint(record.fields[name])
        known[name] = said if name != "content" or _reads_alike(theirs.fields, record) else there
        if known[name] != there:
            bent[name] = there
    found = replace(
        entry,
        slug=record.slug,
        link=record.link,
        modified=record.modified,
        modified_gmt=record.modified_gmt,
        former=echo.former(entry, record.link),
        fingerprints=known,
        changed_by_service=bent,
        blob=blob,
        commit=entry.commit or commit,
    )
    theirs_read = dataclasses.replace(theirs.desired, blob=blob)
    return replace(_up_to_date(found, theirs_read), conflict=left)


def _up_to_date(entry: Entry, desired: Desired) -> Entry:
    """Let the next plan pass over the file if it has nothing to send, and read it otherwise."""
    differs = difference(desired, entry)
    if differs.fields or differs.resets:
        return replace(entry, basis="")
    return refreshed(entry, desired)


def _agreed(theirs: Prepared, record: Record) -> dict[str, str]:
    """Digest the fields of a record never written of which file and site say the same."""
    return {
        name: theirs.desired.fingerprints[name]
        for name, value in theirs.fields.items()
        if name in record.fields and to_text(value) == to_text(record.fields[name])
    }


def _reads_alike(fields: Fields, record: Record) -> bool:
    """Whether the whole content reads as that of the site, with what a template puts around it."""
    ours, theirs = str(fields["content"]), str(record.fields["content"])
    if ours == theirs:
        return True
    try:
        made = frozenset(_heading_ids(parse(ours)))
        return _reads(ours, made) == _reads(theirs, made)
    except TooDeepError:
        return False


def _reads(html: str, made: Collection[str]) -> list[str]:
    return [canonical(normalized(piece.nodes, made)) for piece in cut(parse(html))]


def _heading_ids(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Element):
            if node.name in HEADINGS and "id" in node.attributes:
                yield node.attributes["id"]
            yield from _heading_ids(node.children)
