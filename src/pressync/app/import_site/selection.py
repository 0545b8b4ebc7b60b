"""Chooses which items of a source get a file, and where.

The paths are those of an import of the whole source, whatever part of it is wanted. So two imports of two
parts fit together. A page that is not wanted and has a file here is still a parent and the target of links.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app.import_site import paths
from pressync.importers.item import LeftOut

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pressync.app.import_site.part import Part
    from pressync.importers.in_step import OwnSite
    from pressync.importers.item import Item

# The kinds of records that are not for this repository: they had a file here once, or have another manifest.
FORGOTTEN, OTHERS = "forgotten here", "of another manifest"


@dataclass(frozen=True, slots=True)
class Selection:
    """The keys of the `wanted` items, and the items that are left out.

    `paths` are those of all items that have a file afterwards, by key. `fresh` are the places of the wanted
    items of the own site that no file here had before; it is empty for the first import.
    """

    wanted: frozenset[str]
    paths: Mapping[str, str]
    left_out: tuple[LeftOut, ...]
    fresh: tuple[str, ...]


def select(
    items: Sequence[Item],
    content: str,
    part: Part,
    own: OwnSite | None,
    has_file: Callable[[str], bool],
    *,
    forgotten: bool,
) -> Selection:
    """Choose among the items; `own` is the own site if it is the source. With `forgotten`, take those, too.

    :raises ConfigError: nothing belongs to the part.
    """
    part.check(item.address for item in items)
    by_key = paths.chosen(items, content)
    sources = {item.key: item for item in items}
    refused = {
        item.key: refusal for item in items if (refusal := part.refusal(item, _address(item, sources)))
    }
    # Such an item has neither an entry with a file nor a file at its place.
    new = {
        (item.kind, item.id): item
        for item in items
        if own and item.id and not item.path and item.key not in refused and not has_file(by_key[item.key])
    }
    for record, (kind, why) in (own.not_ours(new.keys()) if own and new else {}).items():
        if not (forgotten and kind == FORGOTTEN):
            item = new.pop(record)
            refused[item.key] = LeftOut(kind, item.place, why, item.address, is_wanted=True)
    return Selection(
        frozenset(by_key.keys() - refused.keys()),
        {key: path for key, path in by_key.items() if key not in refused or has_file(path)},
        tuple(refused[item.key] for item in items if item.key in refused),
        # The first import finds no file.
        tuple(str(item.place) for item in new.values()) if any(item.path for item in items) else (),
    )


def _address(item: Item, items: Mapping[str, Item]) -> str:
    """Give the address of an item; one that is not published gets the nearest address above it."""
    seen: set[str] = set()
    above: Item | None = item
    while above is not None and not above.address and above.key not in seen:
        seen.add(above.key)
        above = items.get(above.parent)
    return above.address if above is not None else ""
