"""Markdown -> HTML, by comrak, which lives here alone; plain, or with the place of each block.

It must not know links or templates. What decided its shape: the options are made once, for building them
costs as much as rendering a short page.
"""

from __future__ import annotations

import re

import comrak

from pressync.content.render.page_digest import EXTENSIONS

# comrak ends each heading that has an id with an empty link to itself, and has no option against it.
_HEADING_ANCHOR = re.compile(
    r'<a href="#[^"]*" aria-label="[^"]*" data-heading-content="[^"]*" class="anchor"></a>(?=</h[1-6]>)'
)


def _extensions() -> comrak.ExtensionOptions:
    options = comrak.ExtensionOptions()
    for name in EXTENSIONS:
        setattr(options, name, True)
    options.header_id_prefix = ""  # ids without a prefix
    return options


def _rendering(*, places: bool) -> comrak.RenderOptions:
    options = comrak.RenderOptions()
    options.unsafe_ = True  # raw HTML is the author's right; the service filters by the author's role
    options.sourcepos = places
    return options


_OPTIONS = _extensions()
_PLAIN = _rendering(places=False)
_PLACED = _rendering(places=True)


def to_html(body: str) -> str:
    """Render Markdown; UnicodeEncodeError for lone surrogates."""
    return _HEADING_ANCHOR.sub("", comrak.render_markdown(body, _OPTIONS, None, _PLAIN))


def with_places(body: str) -> str:
    """Render Markdown with `data-sourcepos` on each block: the lines and columns that it is from."""
    return _HEADING_ANCHOR.sub("", comrak.render_markdown(body, _OPTIONS, None, _PLACED))
