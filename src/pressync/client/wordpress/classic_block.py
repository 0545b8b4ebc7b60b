"""Wraps content in a block of the kind “Custom HTML”, so that WordPress does not change it.

In a text without block comments, WordPress makes each line break a `<br />` and puts paragraphs into scripts
(autop). A single block comment switches that off. The block is around the whole text, in the spelling of
WordPress itself. So it comes back byte for byte, visitors do not see it, and it opens in the editor.
"""

from __future__ import annotations

from pressync.client.wordpress.escape_code import REFERENCE_START, escape, unescape

_OPEN = "<!-- wp:html -->\n"
_CLOSE = "<!-- /wp:html -->"

# The beginning of any block. If a text has it anywhere, WordPress reads the whole text as blocks.
_BLOCK = "<!-- wp:"


def wrap(html: str) -> str:
    """Make the content to send for this HTML; `unwrap` is the inverse for every text.

    Empty text stays empty, and text with blocks of its own is not changed. A text that is exactly one such
    block gets a second one around it. Otherwise `unwrap` would remove the author's own block.
    """
    if not html or (_BLOCK in html and not _is_wrapped(html)):
        return html
    return f"{_OPEN}{escape(html)}{_CLOSE}"


def unwrap(content: str) -> str:
    """Restore the HTML that `wrap` changed; any other content is a person's and is not changed."""
    if not _is_wrapped(content):
        return content
    inner = content[len(_OPEN) : -len(_CLOSE)]
    if REFERENCE_START not in inner:
        return inner
    html = unescape(inner)
    # If a person changed the text in the block, it is not unescaped.
    return html if escape(html) == inner else inner


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
