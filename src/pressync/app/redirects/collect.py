"""The addresses that records once had, and those that front matter calls their aliases -> where they are now.

Pure. It must not know a web server. What decided its shape: a redirect that catches an address somebody
lives at makes a page vanish, so what is anybody's address today is never redirected; and because every
redirect leads to an address of today, there are no chains and no loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.model.records import Entry, Manifest


@dataclass(frozen=True, slots=True)
class Redirect:
    """An old address and the one to lead to, both in full."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Redirects:
    """All redirects in the manifest's order; `notes` tell what was left out, and why."""

    found: tuple[Redirect, ...]
    notes: tuple[str, ...]


def collect(manifest: Manifest) -> Redirects:
    """Gather the redirects of all records, by path; of two for one old address the first wins."""
    entries = [manifest.entries[path] for path in sorted(manifest.entries)]
    living = {_key(entry.link): entry for entry in reversed(entries)}
    found: dict[str, Redirect] = {}
    notes: list[str] = []
    for entry in entries:
        for old in _old(entry):
            key, new = _key(old), entry.link
            if not key or (key in living and living[key].link == new) or found.get(key) == Redirect(old, new):
                # No address, or the very one to lead to, or said already.
                continue
            if key in living:
                notes.append(f"{old} is left out: it is the address of {living[key].path} now")
            elif key in found:
                if found[key].new != new:
                    notes.append(f"{old} is left out for {entry.path}: it leads to {found[key].new} already")
            else:
                found[key] = Redirect(old, new)
    return Redirects(tuple(found.values()), tuple(notes))


def _old(entry: Entry) -> Iterator[str]:
    """Give the old addresses of a record: those that it had, then its aliases, from the site's root on."""
    if _key(entry.link):
        yield from entry.former
        for alias in entry.aliases:
            try:
                yield urljoin(urljoin(entry.link, "/"), alias)
            except ValueError:
                # `//[` and the like is no address anywhere.
                continue


def _key(address: str) -> str:
    """Give what makes two addresses one: host, path, query, however encoded, with or without a last slash.

    "" if it is none. The scheme is no part of it: a site answers on both, or redirects itself.
    """
    try:
        parts = urlsplit(address)
        host = parts.netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""
    # Addresses come from sites and front matter, and go to terminals and configurations.
    if parts.scheme not in {"http", "https"} or not host or not address.isprintable():
        return ""
    path = unquote(parts.path).rstrip("/")
    return f"{host}{path}/?{parts.query}"
