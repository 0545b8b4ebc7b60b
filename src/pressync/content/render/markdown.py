"""Renders Markdown as HTML by comrak, plain or with the source lines of each block.

The options are made once, because building them takes as long as rendering a short page.
"""

from __future__ import annotations

import re

import comrak

from pressync.content.basis import EXTENSIONS
from pressync.html.shortcodes import as_written

# A release of comrak 0.0 may change the HTML of the same Markdown. `content.basis` counts the version into
# every page, and pyproject.toml stops behind this one, so pages change only with an upgrade of pressync.
TESTED_COMRAK = "0.0.16"

# comrak ends each heading that has an id with an empty link to itself. No option turns that off.
_HEADING_ANCHOR = re.compile(
    r'<a href="#[^"]*" aria-label="[^"]*" data-heading-content="[^"]*" class="anchor"></a>(?=</h[1-6]>)'
)


def _extensions() -> comrak.ExtensionOptions:
    options = comrak.ExtensionOptions()
    for name in EXTENSIONS:
        setattr(options, name, True)
    options.header_id_prefix = ""  # ids without a prefix
    return options


_OPTIONS = _extensions()
_PLAIN, _PLACED = comrak.RenderOptions(), comrak.RenderOptions()
_PLAIN.unsafe_ = _PLACED.unsafe_ = True  # authors may write raw HTML; the service filters it by their role
_PLACED.sourcepos = True


def to_html(body: str, options: comrak.RenderOptions = _PLAIN) -> str:
    """Render Markdown; a lone surrogate raises UnicodeEncodeError."""
    return as_written(_HEADING_ANCHOR.sub("", comrak.render_markdown(body, _OPTIONS, None, options)))


def with_places(body: str) -> str:
    """Render Markdown with `data-sourcepos` on each block: its lines and columns in the source."""
    return to_html(body, _PLACED)
