"""The fixture of the tests of `pull`."""

from __future__ import annotations

from tests.support.desk_fixtures import desk

__all__ = ["desk"]
