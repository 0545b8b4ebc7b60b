"""Fixtures of the plans that are drawn beside a service in memory."""

from __future__ import annotations

from tests.support.desk_fixtures import desk

__all__ = ["desk"]
