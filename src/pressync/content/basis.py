"""Digests everything beside a file that its fields depend on: the `basis` of an entry.

The plan and the comparison without a plan (`app.unchanged`) must make the same digest. So both make it here,
from the settings, the templates, the parent's id and the addresses of linked pages. Pure.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from pressync.model.small_digest import small_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pressync.config.settings import Settings
    from pressync.content.import_tables import ImportTables
    from pressync.content.render.link_targets import Unresolved

# A part of every basis. Increase it when documents are read in a new way, so that all are read once more.
_READING = "2"


class BasisDigest:
    """Makes the digests of one tree: of its settings, its templates and the tables of its import."""

    def __init__(
        self, settings: Settings, tables: ImportTables | None, template: Callable[[str], str]
    ) -> None:
        """Take the settings, the tables of an import, and what digests the templates of a layout."""
        self._template = template
        users = {**(tables.users if tables else {}), **settings.authors}
        choices = tables.basis if tables else ()
        shared = (settings.site.defaults, *filter(None, (users, settings.site.front_page)), *choices)
        self._defaults = _digest("\n".join(json.dumps(t, sort_keys=True, default=str) for t in shared))
        # Siblings without links have the same basis, so it is cached.
        self._common = cache(self._digested)

    def of(self, layout: str, parent_id: int, addresses: Iterable[tuple[str, str | Unresolved]] = ()) -> str:
        """Digest the layout, the id of the parent (0 for none), and the address of each linked path."""
        parts = [f"{target}={found if isinstance(found, str) else found.name}" for target, found in addresses]
        return self._digested(layout, parent_id, *parts) if parts else self._common(layout, parent_id)

    def _digested(self, layout: str, parent_id: int, *parts: str) -> str:
        return _digest("\n".join((_READING, self._defaults, self._template(layout), str(parent_id), *parts)))


def _digest(text: str) -> str:
    return small_digest(text.encode(errors="surrogateescape"))
