"""The services that tests sync to: an independent one for each dialect, and the embedded one."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support import strict_service, strict_wordpress
from tests.support.strict_service import StrictService
from tests.support.syncing import stored_pages

from pressync.server.server import running
from pressync.sync.doubts import settle_doubts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    import pytest
    from tests.support.wire import Json

    from pressync.server.server import RunningService

# Each independent service, and the environment that binds a repository to it, beside its address.
PEERS: Mapping[str, tuple[Callable[[], AbstractContextManager[StrictService]], Mapping[str, str]]] = {
    "documented": (strict_service.serving, {}),
    "wordpress": (strict_wordpress.serving, strict_wordpress.ENVIRON),
}

# What a person runs, but that doubts are looked up at once: `settle_at_once` for a process of its own.
PROGRAM = """
from pressync.sync.doubts import settle_doubts
settle_doubts.__kwdefaults__["settling"] = 0.0
from pressync.__main__ import main
main()
"""


def settle_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have doubts looked up at once: these services are done with a lost request when its connection is."""
    assert settle_doubts.__kwdefaults__ is not None
    monkeypatch.setitem(settle_doubts.__kwdefaults__, "settling", 0.0)


@dataclass
class EmbeddedSite(StrictService):
    """The embedded service behind the face of the others; only its address and its pages are known."""

    served: RunningService = field(kw_only=True)

    @property
    def shown(self) -> dict[int, Json]:
        """The pages that it holds, by id."""
        return {page["id"]: page for page in stored_pages(self.served)}


@contextlib.contextmanager
def embedded() -> Iterator[StrictService]:
    """Serve an empty site with the embedded service."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder, "site.db")) as served:
        yield EmbeddedSite(url=served.url, served=served)
