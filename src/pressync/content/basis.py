"""Digests everything beside a file that its fields depend on: the `basis` of an entry.

The plan and the comparison without a plan (`app.unchanged`) must make the same digest, so both make it here,
without loading the libraries that the digest covers.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from pressync.model.fingerprint import DIGITS, small_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pressync.config.settings import Settings
    from pressync.content.render.layouts import Layouts
    from pressync.content.render.links import Unresolved


# A part of every basis. Increase it when documents are read in a new way, so that all are read once more.
_READING = "2"


class BasisDigest:
    """Makes the digests of one tree: of its settings and its templates."""

    def __init__(self, settings: Settings, template: Callable[[str], str]) -> None:
        """Take the settings, and what digests the templates of a layout."""
        self._template = template
        site = settings.site
        choices = (dict(settings.authors), site.front_page, dict(settings.terms), settings.schema)
        shared = (site.defaults, *filter(None, (*choices, dict(site.types), dict(site.seo))))
        self._defaults = _digest("\n".join(json.dumps(t, sort_keys=True, default=str) for t in shared))
        # Siblings without links have the same basis, so it is cached.
        self._common = cache(self._digested)

    def of(self, layout: str, parent_id: int, addresses: Iterable[tuple[str, str | Unresolved]] = ()) -> str:
        """Digest the layout, the id of the parent (0 for none), and the address of each linked path."""
        parts = [f"{target}={at if isinstance(at, str) else at.name}" for target, at in addresses]
        return self._digested(layout, parent_id, *parts) if parts else self._common(layout, parent_id)

    def _digested(self, layout: str, parent_id: int, *parts: str) -> str:
        return _digest("\n".join((_READING, self._defaults, self._template(layout), str(parent_id), *parts)))


def _digest(text: str) -> str:
    return small_digest(text.encode(errors="surrogateescape"))


# Increase this by hand when our code makes other bytes of the same input.
_RECIPE = 5
# A basis is a digest of this length. After it come marks, if the record keeps what a former version made,
# because its file did not change since: this one for the form of its page, and those of `content.rules`.
BARE = DIGITS
FORMER = "-"


def marked(records: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Give the paths of the records that keep what a former version made, by mark; take path and basis."""
    by_mark: dict[str, list[str]] = {}
    for path, basis in records:
        for mark in basis[BARE:]:
            by_mark.setdefault(mark, []).append(path)
    return {mark: sorted(paths) for mark, paths in by_mark.items()} if by_mark else {}


# Increase this by hand when `editor_blocks` makes other blocks of the same HTML.
BLOCKS = 4

# GitHub's Markdown, and the definition lists of the static-site generators. Typographic quotes are left
# to the site, because WordPress makes them itself.
EXTENSIONS = ("alerts", "autolink", "description_lists", "footnotes", "strikethrough", "table", "tasklist")


# The library that makes each form of Markdown.
_MAKERS = {"math": "math_core", "highlight": "pygments"}
# Increase this by hand when our code makes other HTML of these forms.
_FORMS = 2


def of_layouts(
    layouts: Layouts, *, content: str, blocks: bool, forms: Sequence[str] = ()
) -> Callable[[str], str]:
    """Give the function that digests a layout, each one once, in 20 hex digits.

    `blocks` tells whether pages are made of the editor's blocks. `forms` are those of `[markdown]` that are
    on, as `MarkdownForms.chosen` writes them.
    """
    recipe: dict[str, object] = {
        "recipe": _RECIPE,
        "comrak": version("comrak"),
        "jinja2": version("jinja2"),
        "extensions": EXTENSIONS,
        "blocks": BLOCKS if blocks else None,
        "content": content,
        # A first `page.html` changes all pages, also pages without a template so far.
        "unasked": layouts.defaults(),
    }
    if forms:
        makers = [library for name, library in _MAKERS.items() if any(f.startswith(name) for f in forms)]
        recipe["markdown"] = [_FORMS, *forms, *map(version, makers)]

    @cache
    def digest(layout: str) -> str:
        whole = recipe | {"layout": layout, "sources": layouts.sources_of(layout)}
        # It is the fingerprint of this text, which begins with an "s".
        return small_digest(f"s{json.dumps(whole, sort_keys=True)}".encode())

    return digest


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
