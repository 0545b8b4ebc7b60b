"""Replaces addresses of the source in bodies with paths of the files that the import writes. Pure.

A tree of another tool links by address: `/docs/x/`, or `../x/` from the address of the page. pressync links
by file, so that a link is checked and survives a move. An address that is not known keeps its bytes, and so
does everything in code.
"""

from __future__ import annotations

import html
import posixpath
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.importing.sources.item import Form
from pressync.model.web_address import joined, split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.importing.sources.item import Item

# A link to the item with a key: an importer writes it for a link of the tool's own syntax.
BY_KEY = "import:"

_SAFE = "/-_.~!$'*+,;=@"
_QUERY_ID = re.compile(r"(?:p|page_id|post)=(\d{1,18})(?:&|\Z)")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_ENDING = re.compile(r"\.(?:md|markdown|mdx|html?)\Z", re.IGNORECASE)
_TAG = r"""
    (?P<tag><(?:a|img|source|video|audio|track|embed|iframe)\b[^<>]*?\s(?:href|src|poster)\s*=\s*)
    (?P<value>"[^"<>]*"|'[^'<>]*'|[^\s"'<>=`]+)
"""
_RAW = r"<(?P<raw>script|style|textarea)\b.*?(?:</(?P=raw)\s*>|\Z)"
_HTML = re.compile(rf"<!--.*?(?:-->|\Z)|{_RAW}|{_TAG}", re.VERBOSE | re.DOTALL | re.IGNORECASE)
# Code comes first, so that its links are skipped. Each alternative is bounded.
_MARKDOWN = re.compile(
    rf"""
      ^[ \t>]*(?P<fence>`{{3,}}|~{{3,}}).*?(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)
    | (?<![`\\])(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).){{1,1000}}?(?<!`)(?P=ticks)(?!`)
    | <!--.*?(?:-->|\Z)
    | {_RAW}
    | {_TAG}
    | (?P<inline>\]\([ \t]*)
      (?P<target><[^<>\n]*>
        | (?:[^\s()<>\\]|\\.){{1,2000}}(?:\([^\s()]{{0,500}}\)[^\s()]{{0,500}}){{0,3}})(?=[ \t\n)])
    | ^(?P<named>[ ]{{0,3}}\[[^\]\n]{{1,500}}\]:[ \t]*)(?P<named_target><[^<>\n]*>|\S+)
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class LinkTargets:
    """The paths of all items: by key, by old address, by id, and by the file in the source.

    `origin` is the public address of the source; `file_of` gives the path of a file like a picture.
    """

    origin: str
    by_key: Mapping[str, str]
    by_address: dict[str, str] = field(default_factory=dict)
    by_id: dict[int, str] = field(default_factory=dict)
    by_file: dict[str, str] = field(default_factory=dict)
    file_of: Callable[[str], str | None] = lambda _address: None

    def learn(self, items: Iterable[Item]) -> None:
        """Learn the addresses of items; where two items have one address, the first of them has it."""
        known = [(item, self.by_key[item.key]) for item in items if item.key in self.by_key]
        for item, path in known:
            if item.id is not None:
                self.by_id.setdefault(item.id, path)
            if item.address:
                self.by_address.setdefault(_plain(item.address), path)
            self.by_file.setdefault(_without_ending(item.place.path), path)
        for item, path in known:
            for alias in item.aliases:
                self.by_address.setdefault(_plain(alias), path)

    def link(self, item: Item, written: str) -> str | None:
        """Give the relative link for what a body of this item has written; None if it stays."""
        here = posixpath.dirname(self.by_key[item.key])
        before, hash_, fragment = written.partition("#")
        if not before:
            return None
        path, query = self._target(item, before)
        if path is None:
            return None
        if path == self.by_key[item.key] and fragment and not query:
            return f"#{fragment}"
        relative = quote(posixpath.relpath(path, here or "."), safe=_SAFE)
        return f"{relative}{'?' if query else ''}{query}{hash_}{fragment}"

    def address_of(self, item: Item, written: str) -> str | None:
        """Give the address from the root of the host; None if it is elsewhere, or not known."""
        if _SCHEME.match(written) or written.startswith("//"):
            return self._own(written)
        if written.startswith("/"):
            return written
        return joined(item.address, written) if item.address else None

    def _target(self, item: Item, written: str) -> tuple[str | None, str]:
        """Find the path that an address without a fragment means, and the query that stays in the link."""
        if written.startswith(BY_KEY):
            return self.by_key.get(unquote(written.removeprefix(BY_KEY))), ""
        address = self.address_of(item, written)
        if address is not None:
            bare, _, query = address.partition("?")
            if number := _QUERY_ID.match(query):
                return self.by_id.get(int(number[1])), ""
            if found := self.by_address.get(_plain(bare)):
                return found, query
            if found := self.file_of(unquote(bare)):
                return found, ""
        if _SCHEME.match(written) or written.startswith(("/", "?")):
            return None, ""
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(item.place.path), unquote(written)))
        found = self.by_file.get(_without_ending(beside)) or self.by_file.get(f"{beside}/index")
        return found or self.file_of(f"/{beside.lstrip('/')}"), ""

    def _own(self, url: str) -> str | None:
        """Give an address of the source's own host without the host; `http` and `https` are one."""
        parts, origin = split(url), split(self.origin)
        if parts is None or origin is None:
            return None
        if parts.scheme not in {"http", "https", ""} or not origin.netloc:
            return None
        if _host(parts.netloc) != _host(origin.netloc):
            return None
        return f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"


def rewritten(text: str, form: Form, link: Callable[[str], str | None]) -> str:
    """Replace the links of a body by what `link` gives for each; None leaves a link as it is."""
    if form is Form.MARKDOWN:
        return _MARKDOWN.sub(partial(_markdown, link), text)
    return _HTML.sub(partial(_attribute, link), text)


def _markdown(link: Callable[[str], str | None], found: re.Match[str]) -> str:
    if found["tag"]:
        return _attribute(link, found)
    start, target = (found["inline"] or found["named"]), (found["target"] or found["named_target"])
    if not start:
        return found[0]
    written = target[1:-1] if target.startswith("<") else re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", target)
    new = link(html.unescape(written))
    if new is None:
        return found[0]
    # Markdown reads all of a target with these only in angle brackets.
    return f"{start}<{new}>" if re.search(r"[()\s]", new) else start + new


def _attribute(link: Callable[[str], str | None], found: re.Match[str]) -> str:
    if not found["tag"]:
        return found[0]
    new = link(html.unescape(found["value"].strip("\"'")).strip())
    return found[0] if new is None else f'{found["tag"]}"{html.escape(new)}"'


def _plain(address: str) -> str:
    """Give one spelling for the addresses of one page: `/x`, `/x/` and `/x/index.html`."""
    path = unquote(address.partition("?")[0])
    path = re.sub(r"/index\.html?\Z", "/", path)
    return f"/{path.strip('/')}".casefold()


def _without_ending(path: str) -> str:
    return _ENDING.sub("", path)


def _host(netloc: str) -> str:
    return netloc.rpartition("@")[2].lower().removeprefix("www.")
