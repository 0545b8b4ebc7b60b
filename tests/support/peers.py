"""The two independent services that a sync is tested before, by the dialect that they speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import strict_service, strict_wordpress

from pressync.sync.doubts import settle_doubts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    import pytest
    from tests.support.strict_service import StrictService

# How to serve each, and the environment that binds a repository to it, beside its address.
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
