"""Real Markdown trees, unpacked beside the repository when they are there."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parents[2] / "shared" / "corpora"


def unpack(name: str, target: Path) -> Path:
    """Unpack a tree and return its top folder; skip the test, with a word, when it is not there."""
    archive = _FOLDER / f"{name}.tar.gz"
    if not archive.is_file():
        pytest.skip(f"the real Markdown tree {name} is not beside the project")
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    return target / name
