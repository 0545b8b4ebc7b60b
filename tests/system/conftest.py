"""Whole runs use the command line in process, or a site in memory."""

from __future__ import annotations

from tests.support.desk_fixtures import desk
from tests.support.terminal_fixtures import service, terminal

__all__ = ["desk", "service", "terminal"]
