"""Fixtures of the hooks' tests."""

from __future__ import annotations

from tests.support.hook_fixtures import hooked, strict

__all__ = ["hooked", "strict"]
