"""Leads the addresses of pages that were only redirects to the pages where they ended. Pure.

A tool makes a page of each redirect, and the new site has none of them. So the page at the end of a chain
gets the addresses as its `aliases`, and the table of addresses gets those that led to another host.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.web_address import origin_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.importing.sources.item import LeftOut


def by_page(
    left_out: Iterable[LeftOut], page_at: Callable[[str], str | None]
) -> Mapping[str, tuple[str, ...]]:
    """Give the addresses of redirects by the path of the page where they end. A circle ends nowhere."""
    redirects = [thing for thing in left_out if thing.leads_to and thing.address and not thing.is_wanted]
    targets = {_plain(thing.address): thing.leads_to for thing in redirects}
    found: dict[str, tuple[str, ...]] = {}
    for thing in redirects:
        end, passed = thing.leads_to, {_plain(thing.address)}
        while _plain(end) in targets.keys() - passed:
            passed.add(_plain(end))
            end = targets[_plain(end)]
        path = page_at(end.partition("#")[0])
        if path is not None:
            found[path] = (*found.get(path, ()), thing.address)
    return found


def to_other_hosts(left_out: Iterable[LeftOut], origin: str) -> Mapping[str, str]:
    """Give the targets of redirects that led away from the site `origin`, by their addresses."""
    own = {"", origin_of(origin).lower()}
    return {
        thing.address: thing.leads_to
        for thing in left_out
        if thing.address and origin_of(thing.leads_to).lower() not in own
    }


def _plain(address: str) -> str:
    return address.partition("#")[0].rstrip("/")
