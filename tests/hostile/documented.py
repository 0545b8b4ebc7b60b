"""The documented service as a site for faults: what `strict_service` answers, with a memory to go back to."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from tests import strict_service
from tests.hostile.port import AUTHORIZATION, Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.hostile.port import Json, Mistreat, Received

_VERBS = {"DELETE": "delete", "POST": "update", "GET": "read"}


class DocumentedSite:
    """A strict service, and one post (id 1), because there is no way to create one."""

    def __init__(self) -> None:
        self._service = strict_service.StrictService(authorization=AUTHORIZATION)
        self._service.records[strict_service.FIRST_POST] = strict_service.new_record(
            strict_service.FIRST_POST, "post"
        )

    def inhabit(self, title: str) -> None:
        """Put a page and a post there that nobody here made."""
        for number, kind in enumerate(("page", "post"), strict_service.FIRST_POST + 1):
            stranger = strict_service.new_record(number, kind)
            stranger["title"]["raw"] = f"{title} {kind}"
            self._service.records[number] = stranger

    @property
    def records(self) -> dict[int, Json]:
        """All records by id, those in the trash among them."""
        return self._service.records

    @property
    def violations(self) -> list[str]:
        """Name whatever the document does not show and somebody sent."""
        return self._service.violations

    def link(self, record: Json) -> str:
        """Give the address of a record."""
        return str(record["link"])

    def verbs(self, received: Received) -> list[str]:
        """Name what a request asks for."""
        known = received.method != "POST" or re.search(r"/\d+$", received.path)
        return [_VERBS[received.method] if known else "create"]

    def answer(self, received: Received, _mistreat: Mistreat) -> Reply:
        """Carry a request out."""
        came = strict_service.Received(received.method, received.path, received.headers, received.body)
        status, value = strict_service.respond(self._service, came)
        return Reply(status, value)

    def memory(self) -> dict[int, Json]:
        """Give everything that the site knows."""
        return copy.deepcopy(self._service.records)

    def recall(self, memory: dict[int, Json]) -> None:
        """Forget everything that happened since."""
        self._service.records = copy.deepcopy(memory)

    def bent(self, reply: Reply, bends: Callable[[Json], None]) -> Reply:
        """Change the record that was just answered, and answer it once more."""
        record = self.records[reply.value["id"]]
        bends(record)
        strict_service.change(record, {})
        return Reply(reply.status, copy.deepcopy(record))
