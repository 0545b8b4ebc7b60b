"""Chooses which items of a source get a file, and where. Pure.

A person wants a part of a source by its old addresses. The paths are those of an import of the whole source,
whatever part of it is wanted. So two imports of two parts fit together. A page that is not wanted and has a
file here is still a parent and the target of links.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.importing import paths
from pressync.importing.sources.item import LeftOut
from pressync.model.errors import ConfigError
from pressync.model.web_address import from_root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pressync.importing.sources.in_step import OwnSite
    from pressync.importing.sources.item import Item


OUTSIDE = "outside of --under"
EXCLUDED = "below --without"
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Part:
    """The addresses whose items are taken, all of them without any, and those whose items are left out.

    An address has all addresses below it. Each is a path from the root of the host, or a whole address.
    """

    under: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def refusal(self, item: Item, address: str) -> LeftOut | None:
        """Say why an item does not belong to the part; None if it does. `address` is its own or one above."""
        if _is_below(address, self.without):
            return _left_out(EXCLUDED, item, f"it is below {_names(self.without)}")
        if self.under and not address:
            return _left_out(OUTSIDE, item, "it has no address yet")
        if not self.has(address):
            return _left_out(OUTSIDE, item, f"its address is not below {_names(self.under)}")
        return None

    def has(self, address: str) -> bool:
        """Tell whether an address belongs to the part."""
        is_wanted = not self.under or _is_below(address, self.under)
        return is_wanted and not _is_below(address, self.without)

    def check(self, addresses: Iterable[str]) -> None:
        """Refuse a part that has none of these addresses, and name the ones that there are.

        :raises ConfigError: nothing belongs to the part, or a person named an empty address.
        """
        for flag, named in (("--under", self.under), ("--without", self.without)):
            if not all(map(str.strip, named)):
                raise ConfigError("the address is empty", where=flag, todo="name an address, like /docs/")
        found = [address for address in addresses if address]
        if not self.under or any(map(self.has, found)):
            return
        if any(_is_below(address, self.under) for address in found):
            raise ConfigError(
                f"it leaves out every page and post below {_names(self.under)}",
                where="--without",
                todo="leave out less",
            )
        first = Counter(f"/{address.strip('/').partition('/')[0]}/" for address in found)
        shown = ", ".join(f"{name} ({count})" for name, count in first.most_common(_SHOWN))
        raise ConfigError(
            f"no page or post has an address below {_names(self.under)}",
            where="--under",
            todo=f"name one of those that there are: {shown}" if shown else "import the whole source",
        )


def _left_out(kind: str, item: Item, why: str) -> LeftOut:
    return LeftOut(kind, item.place, why, item.address, is_wanted=True)


def _names(addresses: Iterable[str]) -> str:
    return " or ".join(addresses)


def _is_below(address: str, above: Iterable[str]) -> bool:
    path = _path(address)
    # There is nothing below a query.
    return bool(address) and any(
        path == each or ("?" not in each and path.startswith(each)) for each in map(_path, above)
    )


def _path(address: str) -> str:
    """Give one spelling for the addresses of one page; a query is a part of a folder's name."""
    path, mark, query = (from_root(address) or "").partition("?")
    query = f"{mark}{query}"
    inner = unquote(path).strip("/").casefold()
    return f"/{inner}/{query}" if inner else f"/{query}"


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
    places = _addresses(items)
    refused = {item.key: refusal for item in items if (refusal := part.refusal(item, places[item.key]))}
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


def _addresses(items: Sequence[Item]) -> dict[str, str]:
    """Give the address of each item; one that is not published gets the nearest address above it."""
    sources = {item.key: item for item in items}
    found: dict[str, str] = {}
    for item in items:
        line: list[str] = []
        above: Item | None = item
        while above is not None and above.key not in found:
            found[above.key] = above.address
            line.append(above.key)
            above = None if above.address else sources.get(above.parent)
        if line and above is not None:
            found |= dict.fromkeys(line, found[above.key])
    return found
