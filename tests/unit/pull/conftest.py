"""A desk for every test of pulling."""

from __future__ import annotations

from tests.support.desk_fixtures import desk

__all__ = ["desk"]
