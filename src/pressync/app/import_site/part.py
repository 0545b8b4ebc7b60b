"""Chooses the items of a source that a person wants, by their old addresses. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from pressync.importers.item import LeftOut
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.importers.item import Item

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
    parts = urlsplit(address)
    query = f"?{parts.query}" if parts.query else ""
    inner = unquote(parts.path).strip("/").casefold()
    return f"/{inner}/{query}" if inner else f"/{query}"
