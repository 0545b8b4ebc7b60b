"""Encodes a text for WordPress so that the site stores and shows what was sent, and decodes it again.

WordPress changes content without block comments: each line break becomes a `<br />`, and scripts get
paragraphs (autop). A single block of the kind “Custom HTML” around the whole text, in the spelling of
WordPress itself, switches that off, and it opens in the editor. Shortcodes in it are escaped.

The text that comes back is compared with the text that was sent, so two texts are never escaped to the same
one. `html.shortcodes` alone would not distinguish `[gallery]` from a character reference that an author wrote
for it.

WordPress published the title `<script>` as that element, which broke the page (measured). So the beginnings
of tags and entities are escaped in titles and in the names of terms, as the editor does it. Every other title
is in the database as its author wrote it.
"""

from __future__ import annotations

import html.entities
import re

from pressync.html.shortcodes import escape_shortcodes

# A text without this has nothing that `unescape_code` changes.
REFERENCE_START = "&#0"
_REFERENCE = re.compile(rf"{REFERENCE_START}(0*)(91|47);")
_CHARACTERS = {"91": "[", "47": "/"}

_OPEN = "<!-- wp:html -->\n"
_CLOSE = "<!-- /wp:html -->"

# The beginning of any block. If a text has it anywhere, WordPress reads the whole text as blocks.
_BLOCK = "<!-- wp:"

_ENTITY = re.compile(r"&(#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
# The beginning of a tag or a comment, as a browser reads it; `<3` is neither.
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_MISREAD = re.compile(rf"&(?={_ENTITY.pattern[1:]})")


def escape_code(html: str) -> str:
    """Escape the code in a text; `unescape_code` is the inverse for every text."""
    # A reference that the text has already gets one more zero, which does not change its meaning.
    return escape_shortcodes(_REFERENCE.sub(r"&#00\1\2;", html))


def unescape_code(html: str) -> str:
    """Restore the HTML that `escape_code` changed."""
    return _REFERENCE.sub(_one_less, html)


def _one_less(found: re.Match[str]) -> str:
    zeros, number = found.groups()
    return f"&#{zeros}{number};" if zeros else _CHARACTERS[number]


def wrap(html: str) -> str:
    """Make the content to send for this HTML; `unwrap` is the inverse for every text.

    Empty text stays empty, and text with blocks of its own is not changed. A text that is exactly one such
    block gets a second one around it. Otherwise `unwrap` would remove the author's own block.
    """
    if not html or (_BLOCK in html and not _is_wrapped(html)):
        return html
    return f"{_OPEN}{escape_code(html)}{_CLOSE}"


def unwrap(content: str) -> str:
    """Restore the HTML that `wrap` changed; any other content is a person's and is not changed."""
    if not _is_wrapped(content):
        return content
    inner = content[len(_OPEN) : -len(_CLOSE)]
    if REFERENCE_START not in inner:
        return inner
    html = unescape_code(inner)
    # If a person changed the text in the block, it is not unescaped.
    return html if escape_code(html) == inner else inner


def is_classic(content: str) -> bool:
    """Whether WordPress makes paragraphs of this content when it shows it. A text of ours has a block."""
    return _BLOCK not in content


def _is_wrapped(text: str) -> bool:
    """Tell whether `wrap` makes exactly this text of some HTML."""
    inner = text
    while inner.startswith(_OPEN) and inner.endswith(_CLOSE) and len(inner) > len(_OPEN) + len(_CLOSE):
        inner = inner[len(_OPEN) : -len(_CLOSE)]
        if _BLOCK not in inner:
            return True
    return False


def escape_title(text: str) -> str:
    """Make the title to send for this text; `unescape_title` is the inverse."""
    return _TAG.sub("&lt;", _MISREAD.sub("&amp;", text))


def unescape_title(title: str) -> str:
    """Give the text that a browser shows for a title."""
    return _ENTITY.sub(_character_of, title)


def _character_of(entity: re.Match[str]) -> str:
    name = entity[1]
    if name.startswith("#"):
        return html.unescape(entity[0])
    return html.entities.html5.get(f"{name};", entity[0])
