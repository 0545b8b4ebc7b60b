"""Reads and writes the claim of a run: which process runs, and which creates it is about to send. Pure.

A machine may die between its first call and its last, and its journal may be lost with it. The claim then
tells the next run which records may have been created.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pressync.model.errors import ManifestError
from pressync.model.records import UnconfirmedCreate  # noqa: TC001 - it is a member's type
from pressync.state.manifest.lines import as_json, one_line

VERSION = 1


@dataclass(frozen=True, slots=True)
class ClaimTimes:
    """How long things take, in seconds.

    A run renews its claim every `pulse`. A claim is considered dead if this machine has watched it for `dead`
    without a change, or for a `glance` if it is `old` by its date. `poll` is the time between two looks.
    """

    pulse: float = 60.0
    dead: float = 300.0
    old: float = 1800.0
    glance: float = 90.0
    poll: float = 2.0


TIMES = ClaimTimes()


class Claim(msgspec.Struct, frozen=True):
    """The claim of one run: `run` is a random id, `since` is in ISO 8601 and UTC."""

    run: str
    host: str
    process: int
    since: str
    creates: tuple[UnconfirmedCreate, ...]

    def __str__(self) -> str:
        return f"process {self.process} on host {self.host}, since {self.since}"


class _Version(msgspec.Struct):
    version: int


def encode(claim: Claim) -> str:
    """Write a claim; each create has a line of its own."""
    head = {"version": VERSION, "run": claim.run, "host": claim.host, "process": claim.process}
    rows = ",".join(one_line(create) for create in claim.creates)
    return f'{as_json({**head, "since": claim.since})[:-1]},\n "creates": [{rows}]}}\n'


def decode(data: bytes, where: str) -> Claim:
    """Read a claim; `where` names its place in messages.

    :raises ManifestError: the text is not a claim, or a newer version wrote it.
    """
    try:
        written = msgspec.json.decode(data, type=_Version).version
        claim = msgspec.json.decode(data, type=Claim)
    except (ValueError, RecursionError) as error:
        raise ManifestError(
            f"it is not a claim of a run: {error}", where=where, todo="upgrade pressync"
        ) from error
    if written != VERSION:
        raise ManifestError("it was written by a newer pressync", where=where, todo="upgrade pressync")
    return claim
