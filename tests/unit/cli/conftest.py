"""The command line in process, in a real repository, against the real embedded service."""

from __future__ import annotations

from tests.support.terminal_fixtures import service, terminal

__all__ = ["service", "terminal"]
