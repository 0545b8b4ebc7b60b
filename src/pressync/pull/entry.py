"""The manifest entry of a record whose edits have been taken over into the file. Pure.

An entry holds what was sent and what the service changed in it (`bent`). A pulled field fits that form: the
file's text counts as sent, and the value on the site counts as the service's version of it. So the next plan
is empty until the file changes, and our markup does not replace an editor's markup without need.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.html.normalize import canonical, ids_of_headings, normalized
from pressync.html.paragraphs import paragraphs
from pressync.html.pieces import cut
from pressync.html.shortcodes import unescape_shortcodes
from pressync.html.tree import TooDeepError, parse
from pressync.model.fingerprint import fingerprint, to_text
from pressync.plan.decide import difference, refreshed
from pressync.sync import echo, entries

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.model.records import Desired, Entry, Fields, Prepared, Record, Value


def remote_edits(entry: Entry, record: Record) -> Fields:
    """Give the site's values of the fields that others have changed there."""
    return {name: _on_site(record, name) for name in echo.edits(entry, record)}


def differing(fields: Fields, record: Record) -> Fields:
    """Give the site's values of the fields that differ in the file, for a record that was never written."""
    return {
        name: _on_site(record, name)
        for name, value in fields.items()
        if name in record.fields and value != record.fields[name]
    }


def _on_site(record: Record, name: str) -> Value:
    """Give the site's value of a field; the content as readers see it."""
    value = record.fields[name]
    return paragraphs(str(value)) if name == "content" and record.classic else value


def after_pull(
    entry: Entry, record: Record, theirs: Prepared, *, taken: Collection[str], blob: str, commit: str
) -> Entry:
    """Give the entry after the edits in `theirs` were taken over; the other edits stay conflicts.

    `blob` is the id of that text, the base of the next merge. `commit` is for a record never written.
    """
    left = {name: text for name, text in echo.edits(entry, record).items() if name not in taken}
    link = entries.address(entry, record.link)
    known = dict(entry.fingerprints) or {**echo.as_created(theirs.desired, record), **_agreed(theirs, record)}
    bent = dict(entry.changed_by_service)
    for name in taken:
        bent.pop(name, None)
        ours, there = theirs.desired.fingerprints[name], fingerprint(record.fields[name])
        known[name] = ours if name != "content" or _is_same_content(theirs.fields, record) else there
        if known[name] != there:
            bent[name] = there
    updated = replace(
        entry,
        slug=record.slug,
        link=link,
        modified=record.modified,
        modified_gmt=record.modified_gmt,
        former=entries.former(entry, link),
        fingerprints=known,
        changed_by_service=bent,
        blob=blob,
        commit=entry.commit or commit,
    )
    theirs_read = dataclasses.replace(theirs.desired, blob=blob)
    return replace(_up_to_date(updated, theirs_read), conflict=left)


def _up_to_date(entry: Entry, desired: Desired) -> Entry:
    """Let the next plan skip the file if it has nothing to send, and read it otherwise."""
    differs = difference(desired, entry)
    if differs.fields or differs.resets:
        return replace(entry, basis="")
    return refreshed(entry, desired)


def _agreed(theirs: Prepared, record: Record) -> dict[str, str]:
    """Give the fingerprints of the fields that are equal in file and site, for a record never written."""
    return {
        name: theirs.desired.fingerprints[name]
        for name, value in theirs.fields.items()
        if name in record.fields and to_text(value) == to_text(record.fields[name])
    }


def _is_same_content(fields: Fields, record: Record) -> bool:
    """Whether the whole content, with its template, is the same as that of the site once normalized.

    A heading that was edited in the block editor keeps its old id. The ids of headings are not compared: the
    draft was, and it has every id that somebody chose.
    """
    ours, theirs = map(unescape_shortcodes, (str(fields["content"]), str(_on_site(record, "content"))))
    if ours == theirs:
        return True
    try:
        ids = frozenset(ids_of_headings((*parse(ours), *parse(theirs))))
        return _canonical(ours, ids) == _canonical(theirs, ids)
    except TooDeepError:
        return False


def _canonical(html: str, heading_ids: Collection[str]) -> list[str]:
    return [canonical(normalized(piece.nodes, heading_ids)) for piece in cut(parse(html))]
