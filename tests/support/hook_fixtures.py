"""Fixtures for tests of hooks; the conftest of each folder that needs them imports them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.hooked import Hooked, counting_program
from tests.support.strict_service import serving

from pressync.app.hooks import installation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService


@pytest.fixture
def hooked(
    repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Path
) -> Hooked:
    """Make a repository of one page; the hooks that are installed in it start a program that counts."""
    repository.commit({"content/pages/index.md": "# Home\n"})
    starts = tmp_path / "starts"
    counting = counting_program(tmp_path, starts, program)
    monkeypatch.setattr(installation, "program", lambda: [str(counting)])
    return Hooked(repository, starts)


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> Iterator[StrictService]:
    """Serve with an independent service, whose address is in the environment of every hook."""
    with serving() as service:
        monkeypatch.setenv("PRESSYNC_URL", service.url)
        yield service
