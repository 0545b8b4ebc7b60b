"""These tests ask the real tools, and only when somebody asks for it."""

from __future__ import annotations

import pytest
from tests.tools.builders import IS_ASKED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip this folder's tests unless `tests/tools/run` asked for them."""
    here = __file__.removesuffix("conftest.py")
    for item in items:
        if str(item.path).startswith(here) and not IS_ASKED:
            item.add_marker(pytest.mark.skip(reason="tools: tests/tools/run runs them"))
