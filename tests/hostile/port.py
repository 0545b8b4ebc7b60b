"""What a hostile service is made of: an honest site, faults, and the places where they strike. Frozen data.

It must not import pressync, nor know which interface a site speaks. What decided its shape: a site is asked
for the honest answer every time, so a fault only says three things: whether what was done is taken back,
what is shown instead, and how the connection ends.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

Json = dict[str, Any]

# Made up; who sends others is nobody.
USER, PASSWORD = "editor", "right horse"
AUTHORIZATION = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


class End(StrEnum):
    """What becomes of a connection, and of the answer on it."""

    KEEP = "answered, and kept for the next request"
    CLOSE = "closed without an answer"
    RESET = "reset without an answer"
    HALF = "closed before the last bytes of the answer"
    ANSWER_AND_CLOSE = "answered, and closed without a word about it"
    HANG = "silent until the client hangs up"
    LATE = "silent until the client hangs up, and only then carried out"
    DRIP = "one byte after the other, without end"
    FLOOD = "more and more bytes, without end"


@dataclass(frozen=True)
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """One answer: a JSON value, or `raw` bytes in its place."""

    status: int
    value: Any
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes | None = None
    content_type: str = "application/json; charset=UTF-8"

    @property
    def body(self) -> bytes:
        """What stands below the headers."""
        return json.dumps(self.value).encode() if self.raw is None else self.raw

    def spelled(self) -> bytes:
        """Give the whole answer as bytes, in one piece: two would wait for each other's acknowledgement."""
        lines = [f"HTTP/1.1 {self.status} Whatever", f"Content-Type: {self.content_type}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        lines += [] if self.status == 204 else [f"Content-Length: {len(self.body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


@dataclass(frozen=True)
class Fault:
    """How one request, or one item of a batch, is mistreated.

    `acts`: what it asked for is carried out. `shows`: what is answered in place of the honest answer.
    `bends`: what the site makes of the record that it stores. `end`: what becomes of the connection.
    """

    name: str
    acts: bool = True
    shows: Callable[[Reply, Site], Reply] = lambda honest, _site: honest
    bends: Callable[[Json], None] | None = None
    end: End = End.KEEP


@dataclass(frozen=True)
class Point:
    """A place of a run: the number of a request, from 0; within a batch the number of an item, or all."""

    request: int
    item: int | None = None


NOWHERE, EVERYWHERE = Point(-1), Point(-2)


@dataclass(frozen=True)
class Asked:
    """What a request, or an item of a batch, asked for: `create update delete read batch`."""

    point: Point
    verb: str


class Site(Protocol):
    """The honest part of a service: what it holds, and how it answers."""

    @property
    def records(self) -> dict[int, Json]:
        """All records by id, those in the trash among them."""

    def link(self, record: Json) -> str:
        """Give the address of a record."""

    def verbs(self, received: Received) -> list[str]:
        """Name what a request asks for; for a batch `batch`, and behind it each of its items."""

    def answer(self, received: Received, mistreat: Mistreat) -> Reply:
        """Carry a request out; each item of a batch goes through `mistreat`, with its number."""

    def memory(self) -> object:
        """Give everything that the site knows, for `recall`."""

    def recall(self, memory: Any) -> None:  # noqa: ANN401 - whatever `memory` gave
        """Forget everything that happened since."""

    def bent(self, reply: Reply, bends: Callable[[Json], None]) -> Reply:
        """Change the record that was just answered, and answer it once more."""


# Carries something out, honestly or not: its number, and what does it honestly.
Mistreat = Callable[[int, Callable[[], Reply]], Reply]


def showing(status: int, value: object = None, **more: Any) -> Callable[[Reply, Site], Reply]:  # noqa: ANN401
    """Make a `shows` that answers this, whatever happened."""
    return lambda _honest, _site: Reply(status, value, **more)


def changed(change: Callable[[Json], object]) -> Callable[[Reply, Site], Reply]:
    """Make a `shows` that answers the honest record with something changed in it."""

    def shows(honest: Reply, _site: Site) -> Reply:
        record = json.loads(json.dumps(honest.value))
        change(record)
        return replace(honest, value=record)

    return shows
