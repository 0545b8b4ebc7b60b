"""The contract of every service, kept by a real WordPress."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.live.live import empty
from tests.support.contract import Contract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.live.sites import Site

    from pressync.client.wordpress import WordPressService


class TestWordPress(Contract):
    """Against each of the three versions."""

    # WordPress knows whole seconds.
    has_a_fine_clock = False

    @pytest.fixture
    def service(self, wordpress: Site) -> Iterator[WordPressService]:
        """Open the site as its administrator, with nothing on it."""
        empty(wordpress)
        opened = wordpress.service()
        yield opened
        opened.close()
