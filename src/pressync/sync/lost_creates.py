"""Looks up creates whose responses were lost, right after the loss, all creates of one batch together.

One lost response loses a batch of 25 creates. To look them up one by one took 50 requests and more, over a
connection that had just failed.
"""

from __future__ import annotations

from collections import defaultdict
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.calls import CreateCall
from pressync.model.errors import BadAnswer, NoAnswer, ServiceError
from pressync.model.fingerprint import fingerprints
from pressync.sync.unconfirmed import candidates, matching, without_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.client.port import Reads
    from pressync.model.calls import Call
    from pressync.model.interface import Kind
    from pressync.model.records import Record
    from pressync.state.state import State

# The most requests for one batch, if none of them has to be repeated.
REQUESTS = 2

# The records that were found, by kind and slug. A slug that is absent was not looked up.
Found = dict[tuple["Kind", str], list["Record"]]


def is_lost(end: object) -> bool:
    """Whether the service may have carried out a call that ended so."""
    return isinstance(end, NoAnswer | BadAnswer)


def look_up(service: Reads, state: State, lost: Sequence[tuple[Kind, str]]) -> Found:
    """Read the records that lost creates may have made; each create is a kind and a slug.

    If the service cannot be read, nothing is found. The creates stay unconfirmed, and the next run looks them
    up.
    """
    try:
        if len(lost) == 1:
            ((kind, slug),) = lost
            return {(kind, slug): candidates(service, state, kind, slug)}
        return _together(service, lost)
    except ServiceError:
        return {}


def created_by(call: CreateCall, found: Sequence[Record], state: State) -> Record | None:
    """Give the record that a lost create made, if exactly one without a document holds what was sent."""
    return matching(fingerprints(call.fields), without_document(state, found))


def advice(call: Call, path: str, error: ServiceError, *, readable: bool) -> str:
    """Say what happens next with a call that stays unconfirmed."""
    if not isinstance(call, CreateCall):
        return f"{error}; the next sync sends it again"
    if readable:
        return f"{error}; the next sync checks whether it was carried out"
    resolve = f"pressync resolve {quote(path)}"
    return (
        f"{error}; it may exist: look for it on the site, then `{resolve} --id N` or "
        f"`{resolve} --not-created`"
    )


def _together(service: Reads, lost: Sequence[tuple[Kind, str]]) -> Found:
    slugs: Mapping[Kind, dict[str, None]] = defaultdict(dict)
    for kind, slug in lost:
        slugs[kind][slug] = None
    found: Found = {}
    for kind, wanted in slugs.items():
        looked = service.find_recent(kind, tuple(wanted), requests=REQUESTS // len(slugs))
        found |= {(kind, slug): records for slug, records in looked.items()}
    return found
