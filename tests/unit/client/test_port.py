"""A service is given with the methods that its capabilities promise."""

from __future__ import annotations

import pytest
from tests.support.memory_service import MemoryService

from pressync.client.port import require_readable
from pressync.model.errors import ConfigError


def test_a_service_with_reads_is_given_as_one() -> None:
    service = MemoryService()
    assert service.readable is service
    assert require_readable(service) is service


def test_where_reads_are_needed_a_service_without_is_told_by_its_name() -> None:
    service = MemoryService(reads=False)
    assert service.readable is None
    with pytest.raises(ConfigError, match=f"the {service.name} interface shows no way to read a record"):
        require_readable(service)
