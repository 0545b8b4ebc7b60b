"""Fixtures that many tests share: a real repository, an environment without anybody's settings."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from tests.repository import SampleRepository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No PRESSYNC_ or GIT_ variable of the person who runs the tests reaches a test."""
    for name in list(os.environ):
        if name.startswith(("PRESSYNC_", "GIT_")):
            monkeypatch.delenv(name)
    for name, value in {
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_AUTHOR_NAME": "A Writer",
        "GIT_AUTHOR_EMAIL": "writer@example.org",
        "GIT_COMMITTER_NAME": "A Writer",
        "GIT_COMMITTER_EMAIL": "writer@example.org",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repository(tmp_path: Path) -> SampleRepository:
    """Make an empty repository on branch main."""
    return SampleRepository.create(tmp_path / "repository")
