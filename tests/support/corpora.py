"""Real Markdown trees, unpacked beside the repository when they are there."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).parents[3] / "shared" / "corpora"

# Where a test reads single documents, it reads one in so many; all with PRESSYNC_TEST_CORPORA=all. Read while
# the tests are collected: while they run, no PRESSYNC_ variable of anybody is there.
_ALL = os.environ.get("PRESSYNC_TEST_CORPORA") == "all"


def thinned(files: Iterable[Path], every: int) -> list[Path]:
    """Leave one file in so many, always the same ones."""
    return sorted(files)[:: 1 if _ALL else every]


def unpack(name: str, target: Path) -> Path:
    """Unpack a tree and return its top folder; skip the test, with a word, when it is not there."""
    archive = FOLDER / f"{name}.tar.gz"
    if not archive.is_file():
        pytest.skip(f"the real Markdown tree {name} is not beside the project")
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    return target / name
