"""A desk for every test of pulling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.desk import Desk

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


@pytest.fixture
def desk(repository: SampleRepository) -> Desk:
    """Bind the repository to a site in memory."""
    return Desk(repository.root, "https://site.test/wp-json")
