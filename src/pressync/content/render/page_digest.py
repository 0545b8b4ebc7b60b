"""Digests everything beside the document that a page depends on: versions, options and templates.

The digest is made without loading the libraries that it covers, because a run with little to do needs the
digest and renders nothing.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from pressync.model.small_digest import small_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pressync.content.render.layouts import Layouts

# Increase this by hand when our code makes other bytes of the same input.
_RECIPE = 2
# Increase this by hand when `editor_blocks` makes other blocks of the same HTML.
BLOCKS = 3

# GitHub's Markdown, and the definition lists of the static-site generators. Typographic quotes are left
# to the site, because WordPress makes them itself.
EXTENSIONS = (
    "alerts",
    "autolink",
    "description_lists",
    "footnotes",
    "strikethrough",
    "table",
    "tasklist",
)


def of_layouts(layouts: Layouts, *, content: str, blocks: bool) -> Callable[[str], str]:
    """Give the function that digests a layout, each one once."""
    return cache(
        lambda layout: digest(
            blocks=blocks,
            content=content,
            layout=layout,
            defaults=layouts.defaults(),
            sources=layouts.sources_of(layout),
        )
    )


def digest(
    *, blocks: bool, content: str, layout: str, defaults: Sequence[str], sources: Mapping[str, str]
) -> str:
    """Give the digest, 20 hex digits; `blocks` tells whether pages are made of the editor's blocks."""
    recipe = {
        "recipe": _RECIPE,
        "comrak": version("comrak"),
        "jinja2": version("jinja2"),
        "extensions": EXTENSIONS,
        "blocks": BLOCKS if blocks else None,
        "content": content,
        "layout": layout,
        # A first `page.html` changes all pages, also pages without a template so far.
        "unasked": list(defaults),
        "sources": dict(sources),
    }
    # It is the fingerprint of this text, which begins with an "s".
    return small_digest(f"s{json.dumps(recipe, sort_keys=True)}".encode())


def version(library: str) -> str:
    """Give the version of an installed library that has not been loaded.

    `importlib.metadata` takes 15 ms for this, half as long as Click. The name of the installer's `.dist-info`
    folder has the version as well.
    """
    for place in sys.path:
        with suppress(OSError):
            for name in os.listdir(place or "."):  # noqa: PTH208 - pathlib takes four times as long
                if name.startswith(f"{library}-") and name.endswith(".dist-info"):
                    return name[len(library) + 1 : -len(".dist-info")]
    from importlib import metadata  # noqa: PLC0415 - it was installed in another way

    return metadata.version(library)
