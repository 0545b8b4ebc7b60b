"""Says what became of each address of the old site, and where a link of either site leads on the new one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.app import old_addresses, redirects
from pressync.app.old_addresses import TABLE, OldAddress
from pressync.app.redirects import CheckedAddress, Fate
from pressync.content.sources import IMPORT_FOLDER
from pressync.model.web_address import from_root, joined, origin_of, path_of, split
from pressync.stage.rehearse.stage import normal_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pressync.stage.compare.alignment import Alignment
    from pressync.stage.compare.new_site import NewSite
    from pressync.stage.compare.old_site import OldSite
    from pressync.stage.compare.page_text import PageText, Span
    from pressync.stage.rehearse.stage import RenderedPage, RenderedSite

# The host of an old site whose pages do not name it.
_UNNAMED = "http://old.invalid"
_PAGE = ".html"


@dataclass(frozen=True, slots=True)
class Imports:
    """What the accounts of imports say of the old site: their tables of addresses, and its hosts."""

    table: Sequence[OldAddress] = ()
    hosts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, root: Path | None) -> Imports:
        """Read the accounts in a work tree, in which people name the places of old addresses.

        :raises ConfigError: a table cannot be read.
        """
        folder = root and root / IMPORT_FOLDER
        if folder is None or not [*folder.rglob(TABLE)]:
            return cls()
        origins = (_origin(report) for report in folder.rglob("report.json"))
        hosts = (split(origin) for origin in origins)
        named = frozenset(parts.netloc.lower() for parts in hosts if parts and parts.netloc)
        return cls(old_addresses.read(folder, IMPORT_FOLDER), named)


def _origin(report: Path) -> str:
    """Give the address of the source of an import; "" if the account does not name it."""
    try:
        found = json.loads(report.read_bytes())
    except (OSError, ValueError):
        return ""
    return str(found.get("origin") or "") if isinstance(found, dict) else ""


@dataclass(frozen=True, slots=True)
class OldAddresses:
    """The addresses of the pages of an old site with their fates, and the paths of its other files.

    The site answers at `origin`, and its links may also begin with one of `hosts`.
    """

    fates: Mapping[str, CheckedAddress]
    files: frozenset[str]
    origin: str
    hosts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, old: OldSite, new: NewSite, imports: Imports) -> OldAddresses:
        """Check all addresses.

        :raises ConfigError: the choices of people in a table lead in a circle.
        """
        rows = {_key(row.address): row for row in imports.table}
        every = [page.address for page in old.pages]
        # A host may show `guide.html` at `/guide` as well.
        every += [each.removesuffix(_PAGE) for each in every if each.endswith(_PAGE)]
        olds = []
        for each in dict.fromkeys(every):
            row = rows.get(_key(each))
            olds.append(OldAddress(each, row.place, row.file, row.to) if row else OldAddress(each, each))
        checked = redirects.against(olds, new.manifest, redirects.collect(new.manifest))
        fates = {each.address: fate for each, fate in zip(olds, checked, strict=True)}
        return cls(fates, frozenset(map(unquote, old.files)), old.origin or _UNNAMED, imports.hosts)

    def fate(self, path: str) -> CheckedAddress | None:
        """Say what became of a path; None if the old site has no page there."""
        bare = path.rstrip("/").removesuffix(_PAGE)
        spelled = dict.fromkeys((path, f"{bare}/", bare, f"{bare}{_PAGE}"))
        fates = [fate for fate in map(self.fates.get, spelled) if fate]
        answering = (fate for fate in fates if fate.fate is not Fate.LOST)
        return next(answering, fates[0] if fates else None)

    def path(self, page: str, address: str) -> str | None:
        """Give the path to which an address of a page leads; None if it is not of the old site."""
        whole = joined(f"{self.origin}{page}", address)
        parts, own = split(whole or ""), split(self.origin)
        hosts = {*self.hosts, own.netloc.lower() if own else ""}
        if parts is None or parts.netloc.lower() not in hosts:
            return None
        return parts.path or "/"

    def whole(self, page: str, address: str) -> str:
        """Give an address of a page as a whole."""
        return joined(f"{self.origin}{page}", address) or address


@dataclass(frozen=True, slots=True)
class LinkedPlaces:
    """The links of an old page and of its record, each with the place of the new site to which it leads."""

    addresses: OldAddresses
    pages: RenderedSite
    address: str
    record: RenderedPage
    old: PageText
    new: PageText
    alignment: Alignment

    def of_old(self) -> Iterator[Span]:
        """Give the links of the old page; one that leads nowhere there has no value."""
        for span in self.old.links:
            yield span._replace(value=self._of_old(span.value))

    def of_new(self) -> Iterator[Span]:
        """Give the links of the record."""
        for span in self.new.links:
            yield span._replace(value=self._of_new(span.value))

    def _of_old(self, href: str) -> str:
        whole, _, fragment = self.addresses.whole(self.address, href).partition("#")
        place = unquote(fragment)
        path = self.addresses.path(self.address, whole)
        if path is None:
            return _elsewhere(whole, place)
        if path == self.address:
            at = self.old.places.get(place)
            here = self.alignment.at(at, at + 1) if at is not None else None
            return f"#{here[0]}" if here else ""
        fate = self.addresses.fate(path)
        if fate is None:
            return f"file {_ending(path)}" if unquote(path) in self.addresses.files else ""
        return _placed(from_root(fate.to) if fate.to else path, place)

    def _of_new(self, href: str) -> str:
        whole, _, fragment = (joined(self.record.address, href) or href).partition("#")
        place, path = unquote(fragment), path_of(whole)
        # The embedded service may answer at another port than the one in its links.
        own = {origin_of(each).lower() for each in (self.pages.address, self.record.address)}
        if origin_of(whole).lower() not in own:
            # The new site answers at the address of the old one after the move.
            is_old = self.addresses.path(self.address, whole) is not None
            return self._of_old(href) if is_old else _elsewhere(whole, place)
        if normal_path(path) == normal_path(path_of(self.record.address)):
            return f"#{self.new.places.get(place, place)}"
        target = self.pages.page_at(from_root(whole) or "")
        if target is None and "/uploads/" in path:
            return f"file {_ending(path)}"
        return _placed(path_of(target.address) if target else path, place)


def _placed(path: str | None, place: str) -> str:
    return normal_path((path or "/").partition("?")[0]) + f"#{place}" * bool(place)


def _ending(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[2].lower()


def _elsewhere(whole: str, place: str) -> str:
    return unquote(whole).rstrip("/") + f"#{place}" * bool(place)


def _key(address: str) -> str:
    return unquote(path_of(address)).rstrip("/")
