"""Collects redirects from the former addresses and the aliases of records to their current addresses.

A redirect from the current address of a record would hide that record, so a current address is never
redirected. Every redirect leads to a current address, so there are no chains and no loops. Visitors never see
an address of this machine, such as that of the embedded service, so the public one stands in its place.
Browsers remember a permanent redirect, so none leads to a record that visitors do not see.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec.structs import replace

from pressync.client import address
from pressync.model.errors import ConfigError
from pressync.model.visibility import of_entry
from pressync.model.web_address import joined, split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.model.records import Entry, Manifest


@dataclass(frozen=True, slots=True)
class Redirect:
    """An old address and the new one, both complete."""

    old: str
    new: str


# An old address that was left out, and why; "" for a note on all of them.
Note = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Redirects:
    """All redirects, sorted by path; `notes` say what was left out, and why.

    `hidden` are the old addresses of records that visitors do not see.
    """

    found: tuple[Redirect, ...]
    notes: tuple[Note, ...]
    hidden: tuple[str, ...] = ()


def base_address(base: str) -> str | None:
    """Give the public address that a person names; None if that is on this machine.

    :raises ConfigError: it is not an address.
    """
    try:
        return public_address(base)
    except ConfigError:
        what = "this is not the address of a site"
        raise ConfigError(what, where="--base", todo="write it like https://example.org") from None


def public_address(url: str | None) -> str | None:
    """Give the public address of a site by the address of its service; None if that is on this machine."""
    found = address.parse(url) if url else None
    if found is None or found.loopback:
        return None
    folder = found.path.rstrip("/").removesuffix("/index.php" if found.query else "/wp-json")
    return f"{found.origin}{folder}"


def collect(manifest: Manifest, public: str | None = None) -> Redirects:
    """Collect the redirects of all records, sorted by path; for one old address the first one wins.

    `public` is the site's public address, if it is known.
    """
    entries = [each for _, each in sorted(published(manifest, public).entries.items())]
    current = {_key(entry.link): entry for entry in reversed(entries)}
    found: dict[str, Redirect] = {}
    hidden: dict[str, Note] = {}
    notes: list[Note] = []
    for entry in entries:
        for old in _old(entry):
            key, new = _key(old), entry.link
            if not key:
                continue
            if holder := current.get(key):
                if holder.link != new:
                    notes.append((old, f"left out, because it is the address of '{holder.path}' now"))
            elif of_entry(entry).hidden:
                hidden[key] = old, f"left out, because visitors do not see '{entry.path}'"
            elif earlier := found.get(key):
                if earlier.new != new:
                    why = f"left out for '{entry.path}', because it leads to '{earlier.new}' already"
                    notes.append((old, why))
            else:
                found[key] = Redirect(old, new)
    unseen = [note for key, note in hidden.items() if key not in found]
    notes += unseen
    if any(_is_local(redirect.new) for redirect in found.values()):
        notes.append(
            ("", "these addresses are on this machine; `--base URL` names the site's public address")
        )
    return Redirects(tuple(found.values()), tuple(notes), tuple(old for old, _ in unseen))


def published(manifest: Manifest, public: str | None) -> Manifest:
    """Give a manifest whose addresses begin with the public address, where they were on this machine."""
    entries = {path: _published(entry, public) for path, entry in manifest.entries.items()}
    return dataclasses.replace(manifest, entries=entries)


def _published(entry: Entry, public: str | None) -> Entry:
    """Give an entry whose addresses begin with the public address, where they were on this machine."""
    if public is None:
        return entry
    former = tuple(_at(public, former) for former in entry.former)
    return replace(entry, link=_at(public, entry.link), former=former)


def _at(public: str, link: str) -> str:
    parts = split(link)
    if parts is None or not _is_local(link):
        return link
    return f"{public}{parts._replace(scheme='', netloc='').geturl()}"


def _is_local(link: str) -> bool:
    parts = split(link)
    return parts is not None and address.is_loopback(parts.hostname or "")


def _old(entry: Entry) -> Iterator[str]:
    """Give the old addresses of a record: the former ones, then its aliases below the site's root."""
    if _key(entry.link):
        yield from entry.former
        for alias in entry.aliases:
            # An alias such as `//[` is not an address.
            if old := joined(joined(entry.link, "/") or "", alias):
                yield old


def _key(link: str) -> str:
    """Give an address in the form in which two are compared; "" if it is not an address.

    The form has host, path and query, decoded and without a last slash. It has no scheme: a site answers on
    both schemes, or it redirects one to the other.
    """
    parts = split(link)
    if parts is None:
        return ""
    host = parts.netloc.rpartition("@")[2].lower()
    # Addresses come from sites and front matter, and they are printed and written into configurations.
    if parts.scheme not in {"http", "https"} or not host or not link.isprintable():
        return ""
    path = unquote(parts.path).rstrip("/")
    return f"{host}{path}/?{parts.query}"
