"""Writes the text of a page as plain HTML, in which nothing of the page is left but its words. Pure."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pressync.stage.compare.alignment import shown_word
from pressync.stage.compare.page_text import CODE

if TYPE_CHECKING:
    from collections.abc import Collection

    from pressync.stage.compare.page_text import PageText

# Nobody reads a longer page to its end.
_MOST_WORDS = 20_000


def as_html(text: PageText, without: Collection[int] = ()) -> str:
    """Write a text, without the blocks that begin with one of these words."""
    levels = {span.start: span.value for span in text.headings}
    parts = []
    for start, end in text.block_ranges(0, _MOST_WORDS):
        if start in without:
            continue
        words = text.words[start:end]
        name = "pre" if len(words) == 1 and words[0].startswith(CODE) else levels.get(start, "p")
        parts.append(f"<{name}>{escape(' '.join(map(shown_word, words)))}</{name}>")
    return "\n".join(parts)
