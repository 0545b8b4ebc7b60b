"""The services that tests sync to: an independent one for each dialect, and the embedded one."""

from __future__ import annotations

import contextlib
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support import embedded_wordpress, strict_service
from tests.support.kinds import TYPES
from tests.support.strict_service import StrictService
from tests.support.syncing import stored_pages

from pressync.stage.server.server import running
from pressync.sync.unconfirmed import settle_unconfirmed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    import pytest
    from tests.support.wire import Json


# Each independent service, and the environment that binds a repository to it, beside its address.
PEERS: Mapping[str, tuple[Callable[[], AbstractContextManager[StrictService]], Mapping[str, str]]] = {
    "documented": (strict_service.serving, {}),
    # A site can have more types than the settings know of.
    "wordpress": (partial(embedded_wordpress.serving, TYPES), embedded_wordpress.ENVIRON),
}

# `settle_at_once` for another process.
SETTLES_AT_ONCE = """
from pressync.sync.unconfirmed import settle_unconfirmed
settle_unconfirmed.__kwdefaults__["settling"] = 0.0
"""
# The command, except that it looks unconfirmed creates up at once.
PROGRAM = f"""
{SETTLES_AT_ONCE}
from pressync.__main__ import main
main()
"""


def settle_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look unconfirmed creates up at once: these services finish a lost request with its connection."""
    assert settle_unconfirmed.__kwdefaults__ is not None
    monkeypatch.setitem(settle_unconfirmed.__kwdefaults__, "settling", 0.0)


@dataclass
class EmbeddedSite(StrictService):
    """The embedded service, as a walk sees the others: `read` gives its pages."""

    read: Callable[[], list[Json]] = field(kw_only=True)

    @property
    def shown(self) -> dict[int, Json]:
        """The pages that it holds, by id."""
        return {page["id"]: page for page in self.read()}


@contextlib.contextmanager
def embedded() -> Iterator[StrictService]:
    """Serve an empty site with the embedded service."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder, "site.db")) as served:
        yield EmbeddedSite(url=served.url, read=partial(stored_pages, served))
