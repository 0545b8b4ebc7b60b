"""Gives the pages of the guide that come with pressync: an agent and a demo may not have a network.

The wheel holds copies of them. A source tree has the pages themselves.
"""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

# The name of the skill in the wheel. Beside `agents.md`, that of its source would be the same on some disks.
SKILL = "SKILL.md"
_ROOT = Path(__file__).parents[3]
# The page that shows every form, and the folder of its pictures.
GALLERY = ("writing/gallery.md", "writing/gallery")


def skill() -> str:
    """Give the instructions for agents."""
    packaged = files("pressync").joinpath("guide", SKILL)
    text = packaged if packaged.is_file() else _ROOT / "AGENTS.md"
    return text.read_text(encoding="utf-8")


def page(name: str) -> str:
    """Give one page of the guide, by the name of its file."""
    return (_folder() / name).read_text(encoding="utf-8")


def pages() -> dict[str, str]:
    """Give the pages of the guide by name."""
    folder = _folder()
    files = {
        page.relative_to(folder).with_suffix("").as_posix(): page for page in sorted(folder.rglob("*.md"))
    }
    return {name: page.read_text(encoding="utf-8") for name, page in files.items() if page.name != SKILL}


def copy_gallery(folder: Path) -> None:
    """Copy the page with every form, and its pictures, into a folder of pages."""
    text, pictures = (_folder() / name for name in GALLERY)
    shutil.copy(text, folder / text.name)
    shutil.copytree(pictures, folder / pictures.name)


def _folder() -> Path:
    packaged = Path(str(files("pressync").joinpath("guide")))
    return packaged if packaged.is_dir() else _ROOT / "content" / "pages"
