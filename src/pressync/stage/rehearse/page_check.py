"""Checks pages in a browser, as readers see them: nothing is too wide, no target misses, no markup shows.

The bytes of a page can be right while its picture runs out of the theme. Only a browser with the theme knows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.stage.browser import Browser

# The texts of people in the stock themes, and in the web pages of the embedded service.
CONTENT = ".entry-content, .wp-block-post-content, .wp-block-post-excerpt, .sheet .content"
# A window of a desktop, and one of a telephone.
WIDTHS = (1280, 375)
# Nobody reads more faults of one page, nor longer words of one. The page itself could make up any number.
_MOST, _LONGEST = 200, 300


@dataclass(frozen=True, slots=True)
class PageFault:
    """One fault that a reader sees.

    `kind` is `empty`, `wide`, `picture`, `unsized`, `double id`, `dead link` or `typed`. `place` is the
    element with its first words, `detail` says the fault, and `width` is that of the window in pixels.
    """

    kind: str
    place: str
    detail: str
    width: int


def check_page(browser: Browser, address: str, *, width: int, is_list: bool = False) -> list[PageFault]:
    """Open a page in a window of this width, and give its faults; `is_list` tells that it is a list of posts.

    :raises BrowserFailed: the browser ended, or refused the page.
    """
    browser.screen(width, 900)
    browser.open(address)
    # Pictures below the fold are loaded when somebody scrolls to them.
    browser.ask("document.querySelectorAll('img').forEach((img) => { img.loading = 'eager' })")
    browser.wait("[...document.images].every((img) => img.complete)")
    rows = browser.ask(f"({_script()})({json.dumps(CONTENT)}, {json.dumps(is_list)})")
    words = [[str(row[name])[:_LONGEST] for name in ("kind", "place", "detail")] for row in rows[:_MOST]]
    return [PageFault(kind, place, detail, width) for kind, place, detail in words]


@cache
def _script() -> str:
    text = files(__package__).joinpath("page_check.js").read_text(encoding="utf-8")
    return text[text.index("(content, isList)") :]
