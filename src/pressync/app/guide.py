"""The sections of the guide that explain one name each: an error, a limit, a problem, a state of a document.

The guide is the one place that explains them. The wheel holds a copy of its pages, because people ask where
they have neither the repository nor a network. In a checkout the pages themselves are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

# The pages with sections that explain a name, in the order in which `pressync help` lists them.
PAGES = ("troubleshooting.md", "problems.md")

_SECTION = re.compile(r"^### `([a-z_-]+)`\n+(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_PART = re.compile(r"^## (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_FENCE = "```"
# Names that people meet elsewhere, and the sections that explain them.
_ALSO = {"unconfirmed": "in_doubt", "orphans": "orphaned-record", "401": "refused", "403": "refused"}


@dataclass(frozen=True, slots=True)
class Section:
    """One section: its name, the part of the page that it is in, and its paragraphs and messages."""

    name: str
    page: str
    part: str
    text: str

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """Its text for a terminal: a line for each paragraph, messages indented, links as their words."""
        shown = []
        for block in re.split(r"\n{2,}", self.text.strip()):
            lines = block.split("\n")
            if lines[0].startswith(_FENCE):
                shown.append("\n".join(f"    {line}" for line in lines[1:-1]))
            else:
                shown.append(_LINK.sub(r"\1", " ".join(lines)))
        return tuple(shown)

    @property
    def further(self) -> tuple[str, ...]:
        """The places of the guide that it leads to, as `page.md#section`."""
        targets = (match[2] for match in _LINK.finditer(self.text))
        whole = (f"{self.page}{target}" if target.startswith("#") else target for target in targets)
        return tuple(dict.fromkeys(target for target in whole if "://" not in target))


@cache
def sections() -> dict[str, Section]:
    """Give all sections by name."""
    found = {}
    for page in PAGES:
        text = _folder().joinpath(page).read_text(encoding="utf-8")
        parts = [(match.start(), match[1]) for match in _PART.finditer(text)]
        for match in _SECTION.finditer(text):
            part = next((title for start, title in reversed(parts) if start < match.start()), "")
            found[match[1]] = Section(match[1], page, part, match[2])
    return found


def find(name: str) -> Section | None:
    """Find the section of a name, however its words are joined: `LockHeld` is `lock-held` and `lock_held`."""
    wanted = _plain(_ALSO.get(name, name))
    return next((section for key, section in sections().items() if _plain(key) == wanted), None)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def _folder() -> Traversable:
    packaged = files("pressync").joinpath("guide")
    return packaged if packaged.is_dir() else Path(__file__).parents[3] / "content/pages"
