"""Says what became of each address that a site had: kept, redirected, hidden, or lost.

Old and new sites often have different hosts while somebody moves, and the addresses meet under one host at
the end. So two addresses are compared by path and query. A redirect to an address that is redirected itself
would make visitors go twice, so it leads to the end of the chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.app.redirects.collect import Redirect
from pressync.model.errors import ConfigError
from pressync.model.visibility import of_entry
from pressync.model.web_address import joined, split

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pressync.app.old_addresses import OldAddress
    from pressync.app.redirects.collect import Note, Redirects
    from pressync.model.records import Manifest


class Fate(StrEnum):
    """The fate of an old address."""

    KEPT = "kept"
    REDIRECTED = "redirected"
    HIDDEN = "hidden"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class CheckedAddress:
    """An old address, what became of it, and the address where visitors end; "" if there is none."""

    old: str
    fate: Fate
    to: str = ""


def against(olds: Sequence[OldAddress], manifest: Manifest, redirects: Redirects) -> list[CheckedAddress]:
    """Check each old address against the records and their redirects.

    :raises ConfigError: the choices of people lead in a circle.
    """
    known = _AddressBook(manifest, redirects, olds)
    return [known.check(old) for old in olds]


def together(redirects: Redirects, checked: Sequence[CheckedAddress]) -> tuple[Redirect, ...]:
    """Give the redirects of the manifest, and those that the old addresses need beside them or instead.

    The old address gets the host of the new one: there the rules will stand.
    """
    found = {_key(each.old): each for each in redirects.found}
    for each in checked:
        key, old, new = _key(each.old), split(each.old), split(each.to)
        known = found.get(key)
        if old is None or new is None:
            # A record may have any text as its address, and no rule can lead there.
            continue
        if each.fate is Fate.REDIRECTED and (known is None or known.new != each.to):
            here = old._replace(scheme=new.scheme, netloc=new.netloc).geturl()
            found[key] = Redirect(here, each.to)
        elif each.fate is Fate.KEPT and known and (was := split(known.old)) and was.netloc == new.netloc:
            # A person says that the site has this address, although a record names it as its alias.
            del found[key]
    return tuple(sorted(found.values(), key=lambda each: each.old))


def without_effect(olds: Sequence[OldAddress], checked: Sequence[CheckedAddress]) -> list[Note]:
    """Name each choice for an address that the site has: a redirect would hide the page there."""
    why = "`to` has no effect here, because a page or a file of the site has this address"
    return [
        (each.old, why)
        for old, each in zip(olds, checked, strict=True)
        if each.fate is Fate.KEPT and old.to and _key(_whole(each.old, old.to)) != _key(each.old)
    ]


class _AddressBook:
    """All addresses that visitors can use now, and all redirects, by path and query."""

    def __init__(self, manifest: Manifest, redirects: Redirects, olds: Sequence[OldAddress]) -> None:
        entries = manifest.entries
        self._unseen = {path for path, entry in entries.items() if of_entry(entry).hidden}
        self._files = {path: entry.link for path, entry in entries.items() if path not in self._unseen}
        unseen = (entries[path].link for path in self._unseen)
        self._hidden = {_key(link) for link in (*unseen, *redirects.hidden) if link}
        self._current = {_key(link): link for link in (*self._files.values(), *_media(manifest))}
        self._redirects: dict[str, str] = {_key(each.old): each.new for each in redirects.found}
        self._base = next((link for link in self._files.values() if link), "")
        self._places = {_key(old.address): old.place for old in olds}
        self._redirects |= dict(self._chosen(olds))

    def check(self, old: OldAddress) -> CheckedAddress:
        """Follow one old address to its end."""
        whole = _whole(self._base, old.address)
        key = _key(whole)
        if link := self._current.get(key):
            return CheckedAddress(whole, Fate.KEPT, link)
        if old.to and _key(_whole(self._base, old.to)) == key:
            # A person says that the site has it: the archive of a category, a feed.
            return CheckedAddress(whole, Fate.KEPT, _whole(self._base, old.to))
        end = self._end(key)
        if _key(end or whole) in self._hidden or (not end and old.file in self._unseen):
            return CheckedAddress(whole, Fate.HIDDEN)
        return CheckedAddress(whole, Fate.REDIRECTED, end) if end else CheckedAddress(whole, Fate.LOST)

    def _chosen(self, olds: Sequence[OldAddress]) -> Iterator[tuple[str, str]]:
        """Give the redirects that a table says: by a person's choice, else by the file."""
        for old in olds:
            target = old.to or self._files.get(old.file, "")
            key = _key(_whole(self._base, old.address))
            if target and key not in self._current and _key(_whole(self._base, target)) != key:
                yield key, _whole(self._base, target)

    def _end(self, key: str) -> str:
        """Give the last address of a chain of redirects, "" if there is none."""
        passed, end = [key], ""
        while to := self._redirects.get(passed[-1]):
            end, following = to, _key(to)
            if following in self._current:
                return self._current[following]
            if following in passed:
                raise ConfigError(
                    f"the redirects lead in a circle: {' -> '.join([*passed, following])}",
                    where=self._places.get(key, ""),
                    todo="correct the column `to`",
                )
            passed.append(following)
        return end


def _media(manifest: Manifest) -> list[str]:
    return [medium.link for medium in manifest.media.values()]


def counts(checked: Sequence[CheckedAddress]) -> Mapping[str, int]:
    """Count the addresses by what became of them."""
    return {fate.value: sum(each.fate is fate for each in checked) for fate in Fate}


def _whole(base: str, address: str) -> str:
    """Resolve an address; one that a site or its manifest has wrong stays as it is."""
    return joined(base, address) or address


def _key(link: str) -> str:
    """Give path and query of an address, decoded and without a last slash."""
    parts = split(link)
    if parts is None:
        return link
    return f"{unquote(parts.path).rstrip('/')}/{'?' * bool(parts.query)}{parts.query}"
