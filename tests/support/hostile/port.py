"""The faults of a hostile service and the places where they strike, as frozen data.

It imports nothing of pressync, and holds for both dialects. The strict service always gives the right
response first. So a fault says only three things: whether the action is undone, which response is sent
instead, and how the connection ends.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tests.support.wire import End, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.strict_service import StrictService
    from tests.support.wire import Json

# Made up; who sends others is nobody.
USER, PASSWORD = "editor", "right horse"
AUTHORIZATION = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


@dataclass(frozen=True)
class Fault:
    """How one request, or one item of a batch, is mistreated.

    `acts`: what it asked for is carried out; `late`: only when nobody waits for it any more. `shows`: what is
    answered in place of the honest answer. `bends`: what the site makes of the record that it stores.
    `sends`: what of the answer gets onto the line. `end`: what becomes of the connection.
    """

    name: str
    acts: bool = True
    late: bool = False
    shows: Callable[[Reply, StrictService], Reply] = lambda honest, _site: honest
    bends: Callable[[Json], None] | None = None
    sends: Callable[[bytes], bytes] = lambda answer: answer
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


def showing(status: int, value: object = None, **more: Any) -> Callable[[Reply, StrictService], Reply]:  # noqa: ANN401
    """Make a `shows` that answers this, whatever happened."""
    return lambda _honest, _site: Reply(status, value, **more)


def changed(change: Callable[[Json], object]) -> Callable[[Reply, StrictService], Reply]:
    """Make a `shows` that answers the honest record with something changed in it."""

    def shows(honest: Reply, _site: StrictService) -> Reply:
        record = json.loads(json.dumps(honest.value))
        change(record)
        return replace(honest, value=record)

    return shows
