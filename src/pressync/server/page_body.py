"""Makes the HTML of a record's body as a visitor sees it: without block comments, with paragraphs.

WordPress makes this anew for each visit, and it differs from the stored text: a text of the classic editor
has no paragraphs, and a footnote of the block editor is in another field. A search for dead links must
look here and not at the stored text.
"""

from __future__ import annotations

import json
import re
from html import escape
from typing import TYPE_CHECKING

from pressync.html.paragraphs import paragraphs
from pressync.server.contained_html import contained, link_to
from pressync.server.shortcodes import run_shortcodes

if TYPE_CHECKING:
    import sqlite3

    from pressync.server.record import StoredRecord

_BLOCK = "<!-- wp:"
_FOOTNOTES = re.compile(r"<!-- wp:footnotes (?:\{[^{}]*+\} )?+/-->")
_MORE = re.compile(r"<!--more[^<>]{0,200}-->")
# An address on a line of its own. WordPress shows a player of the other site there.
_LONE_ADDRESS = re.compile(r"^([ \t]*+(?:<p>)?+)(https?://[^\s<>\"]++)((?:</p>)?+[ \t\r]*+)$", re.MULTILINE)


def page_body(db: sqlite3.Connection, record: StoredRecord, *, classic: bool = True) -> str:
    """Give the HTML of the body; it is closed, and the rest of a page is safe from it.

    With `classic`, a text gets the characters of print, and one without blocks gets its paragraphs, as on
    WordPress. The password of a record does not count here.
    """
    html = _MORE.sub(f'<span id="more-{record.id}"></span>', record.content)
    html = _FOOTNOTES.sub(lambda _: _footnotes(record.footnotes), html)
    if classic:
        html = _LONE_ADDRESS.sub(lambda found: f"{found[1]}{link_to(found[2])}{found[3]}", html)
        if _BLOCK not in record.content:
            html = paragraphs(html)
        html = run_shortcodes(db, html)
    return contained(html, typographic=classic)


def _footnotes(text: str) -> str:
    """Write the footnotes that the block editor keeps in a field of their own."""
    try:
        notes = json.loads(text)
    except ValueError:
        return ""
    items = [
        f'<li id="{(name := escape(str(note.get("id", ""))))}">{note.get("content", "")} '
        f'<a href="#{name}-link" aria-label="Back to the text">↩︎</a></li>'
        for note in (notes if isinstance(notes, list) else [])
        if isinstance(note, dict)
    ]
    return f'<ol class="wp-block-footnotes">{"".join(items)}</ol>' if items else ""
