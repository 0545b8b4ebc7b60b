"""Whole runs use the command line in process."""

from __future__ import annotations

from tests.support.terminal_fixtures import service, terminal

__all__ = ["service", "terminal"]
