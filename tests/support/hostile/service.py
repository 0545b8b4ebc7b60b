"""A strict service with a fault at one request, or at one item of a batch, that a test names.

It imports nothing of pressync. It numbers requests and carries them out under one lock, so that a fault
strikes once and at the right place.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tests.support import embedded_wordpress
from tests.support.embedded_wordpress import EmbeddedWordPress
from tests.support.hostile.faults import STRANGE
from tests.support.hostile.port import AUTHORIZATION, EVERYWHERE, NOWHERE, PASSWORD, USER, Asked, Point
from tests.support.kinds import TYPES
from tests.support.strict_service import StrictService, is_look
from tests.support.wire import End, FarSide, Reply, listening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.embedded_wordpress import Each
    from tests.support.hostile.port import Fault
    from tests.support.wire import Json, Received

DIALECTS = ("documented", "wordpress")


@dataclass
class HostileService(FarSide):
    """A site with a fault at a point. `asked` is what came."""

    site: StrictService = field(default_factory=StrictService)
    fault: Fault | None = None
    point: Point = NOWHERE
    fired: int = 0
    asked: list[Asked] = field(default_factory=list)

    def begin(self, fault: Fault | None = None, point: Point = NOWHERE) -> None:
        """Wait until nothing is under way, forget what came, and lie in wait with a fault."""
        self.wait_until_answered()
        with self.lock:
            self.fault, self.point, self.fired = fault, point, 0
            self.received.clear()
            self.asked.clear()

    def take(self, received: Received) -> tuple[bytes, End]:
        """Note a request and act on it, or mistreat it."""
        number = len(self.received) - 1
        whole, *items = _verbs(received)
        self.asked.append(Asked(Point(number), whole))
        self.asked += [Asked(Point(number, place), verb) for place, verb in enumerate(items)]
        # A look at the address is not a call: only a fault at that very request strikes it.
        struck = {Point(number)} if is_look(received) else {Point(number), EVERYWHERE}
        if self.fault is None or self.point not in struck:
            return self._answer(received, partial(self._item, number)).spelled(), End.KEEP
        self.fired += 1
        if self.fault.late:
            return b"", self.fault.end
        reply = self._mistreated(self.fault, lambda: self._answer(received))
        return self.fault.sends(reply.spelled()), self.fault.end

    def hung_up(self, received: Received) -> None:
        """Carry out what nobody waits for any more."""
        if self.fault and self.fault.late:
            self._answer(received)

    def _answer(
        self,
        received: Received,
        each: Each | None = None,
    ) -> Reply:
        if isinstance(self.site, EmbeddedWordPress):
            self.site.each = each
        return self.site.respond(received)

    def _item(self, number: int, place: int, act: Callable[[], Reply]) -> Reply:
        if self.fault is None or self.point != Point(number, place):
            return act()
        self.fired += 1
        return self._mistreated(self.fault, act)

    def _mistreated(self, fault: Fault, act: Callable[[], Reply]) -> Reply:
        before = self.site.memory()
        honest = act()
        if not fault.acts:
            self.site.recall(before)
        elif fault.bends and honest.status < 300:
            honest = self._bent(honest, fault.bends)
        return fault.shows(honest, self.site)

    def _bent(self, reply: Reply, bends: Callable[[Json], None]) -> Reply:
        """Change the record that was just answered, and answer it once more, with the same members."""
        number = reply.value["id"]
        self.site.bend(number, bends)
        shown = self.site.shown[number]
        return Reply(reply.status, json.loads(json.dumps({name: shown[name] for name in reply.value})))


@contextlib.contextmanager
def serving(dialect: str) -> Iterator[HostileService]:
    """Serve a site on loopback until the block ends: one post (id 1), and a page and a post of others."""
    sites: dict[str, contextlib.AbstractContextManager[StrictService]] = {
        "documented": contextlib.nullcontext(StrictService(authorization=AUTHORIZATION)),
        "wordpress": embedded_wordpress.site(USER, PASSWORD, TYPES),
    }
    with sites[dialect] as site:
        site.put("News", "news", "post")
        for kind in ("page", "post"):
            put_stranger(site, kind)
        service = HostileService(site=site)
        with listening(service):
            yield service


def put_stranger(site: StrictService, kind: str) -> None:
    """Make a record of somebody else."""
    site.put(f"Somebody else's {kind}", STRANGE, kind)


def _verbs(received: Received) -> list[str]:
    """Name what a request asks for; for a batch `batch`, and behind it each of its items."""
    if received.path.endswith("/batch/v1"):
        items = json.loads(received.body)["requests"]
        return ["batch", *(_verb(item["method"], item["path"]) for item in items)]
    return [_verb(received.method, received.path)]


def _verb(method: str, path: str) -> str:
    if method == "POST" and urlsplit(path).path.endswith("/settings"):
        return "setting"
    if method == "POST":
        return "update" if re.search(r"/\d+$", urlsplit(path).path) else "create"
    return "delete" if method == "DELETE" else "read"
