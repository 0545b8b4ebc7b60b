"""Gives the texts that come with pressync: the skill of agents, and the pages of the guide.

The wheel holds copies of both, because an agent has neither the repository of pressync nor a network.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

# The name in the wheel; beside `agents.md`, that of the source would be the same file on some disks.
_SKILL = "SKILL.md"
_ROOT = Path(__file__).parents[3]


def skill_text() -> str:
    """Give the text of `pressync skill`."""
    packaged = files("pressync").joinpath("guide", _SKILL)
    text = packaged if packaged.is_file() else _ROOT / "AGENTS.md"
    return text.read_text(encoding="utf-8")


def guide_page(name: str) -> str:
    """Give one page of the guide, by the name of its file."""
    return (_guide() / name).read_text(encoding="utf-8")


def guide_pages() -> dict[str, str]:
    """Give the pages of the guide by name."""
    folder = _guide()
    pages = {
        page.relative_to(folder).with_suffix("").as_posix(): page for page in sorted(folder.rglob("*.md"))
    }
    return {name: page.read_text(encoding="utf-8") for name, page in pages.items() if page.name != _SKILL}


def _guide() -> Path:
    packaged = Path(str(files("pressync").joinpath("guide")))
    return packaged if packaged.is_dir() else _ROOT / "content" / "pages"
