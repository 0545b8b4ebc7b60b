"""The claim of a run <-> its text: who is at it, and what it is about to create. Pure.

It must not know where it is kept. It exists because a machine may die between its first call and its
last, and be thrown away with its journal: whoever comes after it then knows what may have been made.
"""

from __future__ import annotations

import msgspec

from pressync.model.errors import ManifestError
from pressync.model.records import Doubt  # noqa: TC001 - it is a member's type
from pressync.state.manifest.lines import as_json, one_line

VERSION = 1


class Claim(msgspec.Struct, frozen=True):
    """One run's word that it is about to write: `run` is its own, `since` is ISO 8601 in UTC."""

    run: str
    host: str
    process: int
    since: str
    creates: tuple[Doubt, ...]

    def __str__(self) -> str:
        return f"process {self.process} on host {self.host}, since {self.since}"


class _Version(msgspec.Struct):
    version: int


def encode(claim: Claim) -> str:
    """Write a claim; what it is about to create stands on a line each."""
    head = {"version": VERSION, "run": claim.run, "host": claim.host, "process": claim.process}
    rows = ",".join(one_line(doubt) for doubt in claim.creates)
    return f'{as_json({**head, "since": claim.since})[:-1]},\n "creates": [{rows}]}}\n'


def decode(data: bytes, where: str) -> Claim:
    """Read a claim; `where` is its place, for messages.

    :raises ManifestError: it is no claim that this version wrote.
    """
    try:
        written = msgspec.json.decode(data, type=_Version).version
        claim = msgspec.json.decode(data, type=Claim)
    except (ValueError, RecursionError) as error:
        raise ManifestError(
            f"it is no claim of a run: {error}", where=where, todo="upgrade pressync"
        ) from error
    if written != VERSION:
        raise ManifestError("it was written by a newer pressync", where=where, todo="upgrade pressync")
    return claim
