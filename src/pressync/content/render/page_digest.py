"""What the making of a page depends on beside its document: versions, options, templates; as one digest.

It must load none of the libraries that it counts in: a run with little to do asks for the digest and renders
nothing.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Raised by hand whenever the code of this house makes other bytes of the same input.
_RECIPE = 1
# Raised by hand whenever `editor_blocks` makes other blocks of the same HTML.
BLOCKS = 2

# GitHub's Markdown, and the definition lists of the static-site generators. Typographic quotes are left
# to the site: WordPress curls them itself.
EXTENSIONS = (
    "alerts",
    "autolink",
    "description_lists",
    "footnotes",
    "strikethrough",
    "table",
    "tasklist",
)


def digest(
    *, blocks: bool, content: str, layout: str, unasked: Sequence[str], sources: Mapping[str, str]
) -> str:
    """Digest it: 20 hex digits. `blocks` tells whether pages are made of the editor's blocks."""
    recipe = {
        "recipe": _RECIPE,
        "comrak": version("comrak"),
        "jinja2": version("jinja2"),
        "extensions": EXTENSIONS,
        "blocks": BLOCKS if blocks else None,
        "content": content,
        "layout": layout,
        # A first `page.html` changes every page, also those that had no template until then.
        "unasked": list(unasked),
        "sources": dict(sources),
    }
    return fingerprint(json.dumps(recipe, sort_keys=True))


def version(library: str) -> str:
    """Give the version of an installed library that has not been loaded.

    `importlib.metadata` answers this in 15 ms, half of what Click takes; the name of the folder in which an
    installer keeps its notes says the same.
    """
    for place in sys.path:
        with suppress(OSError):
            for name in os.listdir(place or "."):  # noqa: PTH208 - pathlib takes four times as long
                if name.startswith(f"{library}-") and name.endswith(".dist-info"):
                    return name[len(library) + 1 : -len(".dist-info")]
    from importlib import metadata  # noqa: PLC0415 - where it was installed in another way

    return metadata.version(library)
