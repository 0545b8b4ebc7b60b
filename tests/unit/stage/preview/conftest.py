"""The fixture of the tests of the preview."""

from __future__ import annotations

from tests.support.desk_fixtures import desk

__all__ = ["desk"]
