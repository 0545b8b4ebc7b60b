"""Content as WordPress must be given it to leave it alone: inside a block of the kind “Custom HTML”.

Pure. It must not know records or calls. What decided its shape: over a text without block comments
WordPress runs a typesetter (autop) that makes each line break a `<br />` and puts paragraphs into
scripts; a single block comment switches it off. Around the whole text, in the spelling that WordPress
itself writes, the block comes back byte for byte, is shown without a trace, and opens in the editor.
"""

from __future__ import annotations

from pressync.client.wordpress.escape_code import escape, unescape

_OPEN = "<!-- wp:html -->\n"
_CLOSE = "<!-- /wp:html -->"

# How any block begins; with it somewhere in a text, WordPress takes the whole text for blocks.
_BLOCK = "<!-- wp:"


def wrap(html: str) -> str:
    """Give the content to send for this HTML; `unwrap` is its inverse, for every text.

    Empty text stays empty, and text with blocks of its own stays as it is. Except where it is one such
    block and nothing else: unwrapped, it would come back as what is inside, so it gets another around it.
    """
    if not html or (_BLOCK in html and not _is_wrapped(html)):
        return html
    return f"{_OPEN}{escape(html)}{_CLOSE}"


def unwrap(content: str) -> str:
    """Give the HTML that `wrap` made this content of; any other content, a person's, as it is."""
    if not _is_wrapped(content):
        return content
    inner = content[len(_OPEN) : -len(_CLOSE)]
    html = unescape(inner)
    # What somebody wrote into the block is theirs, to the letter.
    return html if escape(html) == inner else inner


def _is_wrapped(text: str) -> bool:
    """Whether `wrap` makes exactly this text of some other."""
    inner = text
    while inner.startswith(_OPEN) and inner.endswith(_CLOSE) and len(inner) > len(_OPEN) + len(_CLOSE):
        inner = inner[len(_OPEN) : -len(_CLOSE)]
        if _BLOCK not in inner:
            return True
    return False
