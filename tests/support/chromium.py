"""Marks the tests that need a browser."""

from __future__ import annotations

import pytest

from pressync.stage.browser import find_browser

needs_chromium = pytest.mark.skipif(not find_browser(), reason="there is no chromium on this machine")
