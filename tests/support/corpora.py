"""Real Markdown trees, unpacked beside the repository when they are there."""

from __future__ import annotations

import os
import re
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


# The tool of each tree, by the headings of the guide's page on trees of other tools, and its content folder.
TOOLS = {
    "wp-cli-handbook": ("Plain Markdown", "."),
    "hugo-docs": ("Hugo", "content/en"),
    "letsencrypt": ("Hugo", "content/en"),
    "etcd-website": ("Hugo", "content/en"),
    "opensource-guide": ("Jekyll", "_articles"),
    "made-mistakes": ("Jekyll", "src"),
    "pnpm-docs": ("Docusaurus", "."),
    "mkdocs-material": ("MkDocs", "docs"),
    "rust-blog": ("Zola", "content"),
}
_GUIDE = Path(__file__).parents[2] / "content/pages/other-tools.md"


def settings(name: str) -> str:
    """Give the settings that the guide tells for a tree, with its content folder."""
    tool, content = TOOLS[name]
    block = re.search(rf"^## {tool}\n+```toml\n(.*?)^```", _GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    assert block, tool
    text = re.sub(r'^content = "[^"]*"', f'content = "{content}"', block[1], flags=re.MULTILINE)
    # A collection whose folders are languages keeps their addresses, as the guide says.
    return f'folders = "pages"\n{text}' if content == "_articles" else text


def unpack(name: str, target: Path) -> Path:
    """Unpack a tree and return its top folder; skip the test, with a word, when it is not there."""
    archive = FOLDER / f"{name}.tar.gz"
    if not archive.is_file():
        pytest.skip(f"the real Markdown tree {name} is not beside the project")
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    return target / name
