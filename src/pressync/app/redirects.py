"""Collects redirects from former addresses and aliases, writes them, and compares a site's old addresses.

A current address is never redirected, because that would hide its record. Every redirect leads to a current
address that visitors see. A server includes the rules into its configuration. So no text of an address may
end a quotation, name a variable or match more than that address; otherwise it is left out with a note.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from msgspec.structs import replace

from pressync.client import address
from pressync.model.errors import ConfigError
from pressync.model.visibility import of_entry
from pressync.model.web_address import from_root, joined, split

if TYPE_CHECKING:
    from pressync.app.old_addresses import OldAddress
    from pressync.config.settings import Site
    from pressync.model.records import Manifest


@dataclass(frozen=True, slots=True)
class Redirect:
    """An old address and the new one, both complete."""

    old: str
    new: str


# An old address that was left out, and why; "" for a note on all of them.
Note = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Redirects:
    """All redirects, sorted by path; what was left out and why; the old addresses of records nobody sees."""

    rules: tuple[Redirect, ...]
    notes: tuple[Note, ...]
    hidden: tuple[str, ...] = ()


def base_address(base: str) -> str | None:
    """Give the public address that a person names; None if that is on this machine.

    :raises ConfigError: it is not an address.
    """
    try:
        return _public(base, address.home_of(base))
    except ConfigError:
        problem = "this is not the address of a site"
        raise ConfigError(problem, where="--base", todo="write it like https://example.org") from None


def public_address(site: Site) -> str | None:
    """Give the public address of a site by the address of its service; None if that is on this machine."""
    return _public(site.url, site.home) if site.url else None


def _public(url: str, home: str) -> str | None:
    parts = address.parse(url)
    if parts.loopback:
        return None
    if not home.startswith(parts.origin):
        return home or None
    folder = parts.path.rstrip("/").removesuffix("/index.php" if parts.query else "/wp-json")
    return f"{parts.origin}{folder}"


def collect(manifest: Manifest, public: str | None = None) -> Redirects:
    """Collect the redirects of all records, sorted by path; for one old address the first one wins."""
    entries = [entry for _, entry in sorted(published(manifest, public).entries.items())]
    current = {_key(entry.link): entry for entry in reversed(entries)}
    rules: dict[str, Redirect] = {}
    hidden: dict[str, Note] = {}
    notes: list[Note] = []
    for entry in entries:
        # An alias is below the site's root. One such as `//[` is not an address.
        root = joined(entry.link, "/") or ""
        olds = [*entry.former, *(joined(root, alias) or "" for alias in entry.aliases)]
        for old in olds if _key(entry.link) else ():
            key, new = _key(old), entry.link
            if not key:
                continue
            if holder := current.get(key):
                if holder.link != new:
                    notes.append((old, f"left out, because it is the address of '{holder.path}' now"))
            elif of_entry(entry).hidden:
                hidden[key] = old, f"left out, because visitors do not see '{entry.path}'"
            elif earlier := rules.get(key):
                if earlier.new != new:
                    why = f"left out for '{entry.path}', because it leads to '{earlier.new}' already"
                    notes.append((old, why))
            else:
                rules[key] = Redirect(old, new)
    unseen = [note for key, note in hidden.items() if key not in rules]
    notes += unseen
    if any(_is_local(redirect.new) for redirect in rules.values()):
        notes.append(
            ("", "these addresses are on this machine; `--base URL` names the site's public address")
        )
    return Redirects(tuple(rules.values()), tuple(notes), tuple(old for old, _ in unseen))


def published(manifest: Manifest, public: str | None) -> Manifest:
    """Give a manifest whose addresses begin with the public address, where they were on this machine."""
    if public is None:
        return manifest
    entries = {
        path: replace(
            entry, link=_at(public, entry.link), former=tuple(_at(public, old) for old in entry.former)
        )
        for path, entry in manifest.entries.items()
    }
    return dataclasses.replace(manifest, entries=entries)


def _at(public: str, link: str) -> str:
    parts = split(link)
    if parts is None or not _is_local(link):
        return link
    return f"{public}{parts._replace(scheme='', netloc='').geturl()}"


def _is_local(link: str) -> bool:
    parts = split(link)
    return parts is not None and address.is_loopback(parts.hostname or "")


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


# A whole text, and the notes on what it leaves out.
RulesText = tuple[str, tuple[Note, ...]]
# Takes an old decoded path and the new address; gives a line, or None where the server has no safe rule.
Rule = Callable[[str, str], str | None]

_NGINX_HEAD = (
    "# Redirects from addresses that moved, for the `server` block of the site:\n"
    "#     include /etc/nginx/redirects.conf;\n"
    "# Each matches exactly one path, whatever the query. Two locations of one path are an error of nginx.\n"
)
_APACHE_HEAD = (
    "# Redirects from addresses that moved, for the site's <VirtualHost> or its .htaccess (mod_alias).\n"
    "# Each matches exactly one path, whatever the query, and must stand above rules for all paths.\n"
)
# The characters that a URL may have unencoded, without the dollar sign, which begins a variable in nginx.
_KEPT = "%/:?#[]@!&'()*+,;=~"
_HOST = re.compile(r"[A-Za-z0-9.:\[\]-]+")
# Apache encodes the new address itself: it keeps these characters, or it encodes them correctly.
_PLAIN = re.compile(r"[\w\-./~!,:;=@+*'() ]*")


def as_csv(redirects: Sequence[Redirect]) -> RulesText:
    """Write a table of `old,new`, one redirect a line."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("old", "new"))
    table.writerows((redirect.old, redirect.new) for redirect in redirects)
    return text.getvalue(), ()


def as_json(redirects: Sequence[Redirect]) -> RulesText:
    """Write a document for programs."""
    rows = [{"old": redirect.old, "new": redirect.new} for redirect in redirects]
    return json.dumps({"version": 1, "redirects": rows}, indent=2) + "\n", ()


def as_redirection(redirects: Sequence[Redirect]) -> RulesText:
    """Write what the plugin Redirection imports; it can compare the query too, so `/?p=12` needs no note."""
    rows = []
    for position, redirect in enumerate(redirects):
        url = from_root(redirect.old) or "/"
        flags = {"flag_case": False, "flag_trailing": True, "flag_regex": False}
        rows.append(
            {
                "url": url,
                "match_data": {"source": {"flag_query": "exact" if "?" in url else "pass", **flags}},
                "action_code": 301,
                "action_type": "url",
                "action_data": {"url": redirect.new},
                "match_type": "url",
                "title": "",
                "regex": False,
                "group_id": 1,
                "position": position,
                "enabled": True,
            }
        )
    groups = [{"id": 1, "name": "pressync", "module_id": 1, "enabled": True}]
    return json.dumps({"groups": groups, "redirects": rows}, indent=2) + "\n", ()


def _configured(head: str, rule: Rule, redirects: Sequence[Redirect]) -> RulesText:
    notes: list[Note] = []
    lines = [head]
    for redirect in redirects:
        old, new = split(redirect.old), split(redirect.new)
        path = unquote(old.path if old else "") or "/"
        if old is None or new is None:
            why = f"'{redirect.new}' is not an address"
        elif old.netloc.lower() != new.netloc.lower():
            why = f"it is on another host than '{redirect.new}'"
        elif old.query:
            # A rule for the path alone would redirect another page: for `/?p=12`, the front page.
            why = "a rule matches only the path, and this has a query"
        elif not path.isprintable() or "\ufffd" in path or (line := rule(path, redirect.new)) is None:
            why = "it cannot be written as a rule that is safe to include"
        else:
            lines.append(line)
            continue
        notes.append((redirect.old, f"left out, because {why}"))
    return "".join(lines), tuple(notes)


def _location(path: str, new: str) -> str:
    # nginx compares with the decoded path; in double quotes the backslash is the only escape character.
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'location = "{quoted}" {{ return 301 "{quote(new, safe=_KEPT)}"; }}\n'


def _redirect_match(path: str, new: str) -> str | None:
    # Apache compares with the decoded path. It encodes the path of its answer, and not the query.
    parts = split(new)
    if parts is None or parts.query or parts.fragment:
        return None
    target = unquote(parts.path)
    if not (_PLAIN.fullmatch(target) and _HOST.fullmatch(parts.netloc)):
        return None
    pattern = re.escape(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'RedirectMatch 301 "^{pattern}$" "{parts.scheme}://{parts.netloc}{target}"\n'


FORMATS: dict[str, Callable[[Sequence[Redirect]], RulesText]] = {
    # Exact locations: nginx finds one of them in one step, however many there are.
    "nginx": partial(_configured, _NGINX_HEAD, _location),
    # Anchored expressions, because Apache's `Redirect` also matches everything below a path.
    "apache": partial(_configured, _APACHE_HEAD, _redirect_match),
    "csv": as_csv,
    "json": as_json,
    "redirection": as_redirection,
}


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
    book = _AddressBook(manifest, redirects, olds)
    return [book.check(old) for old in olds]


def together(redirects: Redirects, checked: Sequence[CheckedAddress]) -> tuple[Redirect, ...]:
    """Give the redirects of the manifest and those of old addresses, which get the host of the new ones."""
    rules = {_path_key(redirect.old): redirect for redirect in redirects.rules}
    for row in checked:
        key, old, new = _path_key(row.old), split(row.old), split(row.to)
        rule = rules.get(key)
        if old is None or new is None:
            # A record may have any text as its address, and no rule can lead there.
            continue
        if row.fate is Fate.REDIRECTED and (rule is None or rule.new != row.to):
            source = old._replace(scheme=new.scheme, netloc=new.netloc).geturl()
            rules[key] = Redirect(source, row.to)
        elif row.fate is Fate.KEPT and rule and (was := split(rule.old)) and was.netloc == new.netloc:
            # A person says that the site has this address, although a record names it as its alias.
            del rules[key]
    return tuple(sorted(rules.values(), key=lambda redirect: redirect.old))


def without_effect(olds: Sequence[OldAddress], checked: Sequence[CheckedAddress]) -> list[Note]:
    """Name each choice for an address that the site has: a redirect would hide the page there."""
    why = "`to` has no effect here, because a page or a file of the site has this address"
    return [
        (row.old, why)
        for old, row in zip(olds, checked, strict=True)
        if row.fate is Fate.KEPT and old.to and _path_key(_whole(row.old, old.to)) != _path_key(row.old)
    ]


class _AddressBook:
    """All addresses that visitors can use now, and all redirects, by path and query."""

    def __init__(self, manifest: Manifest, redirects: Redirects, olds: Sequence[OldAddress]) -> None:
        entries = manifest.entries
        self._unseen = {path for path, entry in entries.items() if of_entry(entry).hidden}
        self._files = {path: entry.link for path, entry in entries.items() if path not in self._unseen}
        unseen = (entries[path].link for path in self._unseen)
        media = (medium.link for medium in manifest.media.values())
        self._hidden = {_path_key(link) for link in (*unseen, *redirects.hidden) if link}
        self._current = {_path_key(link): link for link in (*self._files.values(), *media)}
        self._redirects: dict[str, str] = {_path_key(r.old): r.new for r in redirects.rules}
        self._base = next((link for link in self._files.values() if link), "")
        self._places = {_path_key(old.address): old.place for old in olds}
        # A table says more of them: by a person's choice, else by the file.
        for old in olds:
            target = old.to or self._files.get(old.file, "")
            key = _path_key(_whole(self._base, old.address))
            if target and key not in self._current and _path_key(_whole(self._base, target)) != key:
                self._redirects[key] = _whole(self._base, target)

    def check(self, old: OldAddress) -> CheckedAddress:
        """Follow one old address to its end."""
        whole = _whole(self._base, old.address)
        key = _path_key(whole)
        if link := self._current.get(key):
            return CheckedAddress(whole, Fate.KEPT, link)
        if old.to and _path_key(_whole(self._base, old.to)) == key:
            # A person says that the site has it: the archive of a category, a feed.
            return CheckedAddress(whole, Fate.KEPT, _whole(self._base, old.to))
        end = self._end(key)
        is_hidden = _path_key(end or whole) in self._hidden
        if is_hidden or (not end and old.file in self._unseen):
            return CheckedAddress(whole, Fate.HIDDEN)
        return CheckedAddress(whole, Fate.REDIRECTED, end) if end else CheckedAddress(whole, Fate.LOST)

    def _end(self, key: str) -> str:
        """Give the last address of a chain of redirects, "" if there is none."""
        passed, end = [key], ""
        while to := self._redirects.get(passed[-1]):
            end, following = to, _path_key(to)
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


def counts(checked: Sequence[CheckedAddress]) -> Mapping[str, int]:
    """Count the addresses by what became of them."""
    return {fate.value: sum(row.fate is fate for row in checked) for fate in Fate}


def _whole(base: str, address: str) -> str:
    """Resolve an address; one that a site or its manifest has wrong stays as it is."""
    return joined(base, address) or address


def _path_key(link: str) -> str:
    """Give decoded path and query without a last slash; old and new sites differ in the host."""
    parts = split(link)
    if parts is None:
        return link
    return f"{unquote(parts.path).rstrip('/')}/{'?' * bool(parts.query)}{parts.query}"
