"""Looks up creates whose answers were lost, right after the loss, all those of one batch together.

A batch of 25 creates is lost as one. Looked up one by one, its creates took 50 requests and more, and a line
that had just broken was asked 50 times.
"""

from __future__ import annotations

from collections import defaultdict
from shlex import quote
from typing import TYPE_CHECKING

from pressync.model.errors import BadAnswer, NoAnswer, ServiceError
from pressync.model.fingerprint import fingerprints
from pressync.model.records import CreateCall
from pressync.sync.doubts import candidates, matching

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.client.port import Reads
    from pressync.model.interface import Kind
    from pressync.model.records import Call, Record
    from pressync.state.state import State

# The most requests for one batch, if none of them has to be repeated.
REQUESTS = 2

# By kind and slug, what was found. A slug that is not in it was not looked up.
Found = dict[tuple["Kind", str], list["Record"]]


def is_lost(end: object) -> bool:
    """Whether a call that ended so may have been carried out, and nobody knows."""
    return isinstance(end, NoAnswer | BadAnswer)


def look_up(service: Reads, state: State, lost: Sequence[tuple[Kind, str]]) -> Found:
    """Read the records that lost creates, each a kind and a slug, may have made; nothing if that fails.

    The creates stay in doubt then, and the next run looks them up.
    """
    try:
        if len(lost) == 1:
            ((kind, slug),) = lost
            return {(kind, slug): candidates(service, state, kind, slug)}
        return _together(service, lost)
    except ServiceError:
        return {}


def created_by(call: CreateCall, found: Sequence[Record], state: State) -> Record | None:
    """Give the record that a lost create made, if exactly one that no document has holds what was sent."""
    unknown = [record for record in found if state.holder(record.kind, record.id) is None]
    return matching(fingerprints(call.fields), unknown)


def advice(call: Call, path: str, error: ServiceError, *, readable: bool) -> str:
    """Say what becomes of a call that stays unconfirmed."""
    if not isinstance(call, CreateCall):
        return f"{error}; the next sync sends it again"
    if readable:
        return f"{error}; the next sync looks whether it was carried out"
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
