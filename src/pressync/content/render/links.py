"""Relative links in rendered HTML -> the addresses of the pages that they lead to.

It must not know Markdown, templates or the manifest: where a file is on the site is asked of `resolve`.
What decided its shape: links are rewritten in the finished HTML and not while Markdown is parsed,
because comrak swallows every exception of its URL callback (Ctrl-C too) and never shows it the links of
raw HTML. So one rule serves both, and a link that is left alone keeps its bytes.
"""

from __future__ import annotations

import html
import posixpath
import re
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.content.render.link_targets import MISSING, Unresolved, nothing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.content.render.link_targets import Resolve, Uploadable


@dataclass(frozen=True, slots=True)
class Broken:
    """A link that leads nowhere on the site; `index` counts the links of the HTML from 0."""

    index: int
    what: str
    todo: str


@dataclass(frozen=True, slots=True)
class Linked:
    """HTML with its links resolved, what it depends on, and the links that are broken.

    `targets` are the sorted paths of documents and uploadable files, from the repository's root. They
    include each that was looked for and does not exist, because on the day it does the same link leads
    there.
    """

    html: str
    targets: tuple[str, ...]
    broken: tuple[Broken, ...]


@dataclass(frozen=True, slots=True)
class _Link:
    """A relative link taken apart: `path` is percent-decoded, `query` and `fragment` are as written."""

    path: str
    query: str
    fragment: str


# Comments and the insides of scripts are matched first, and so passed over. No alternative looks at a
# character more than a fixed number of times: hostile input costs linear time.
_MARKUP = r"""
    <!--(?:-?>|.*?(?:-->|\Z))
  | <(?P<raw>script|style|textarea)(?=[\s/>]).*?(?:</(?P=raw)\s*>|\Z)
  | <(?:a(?=\s)[^<>]*?\shref|(?:img|video|audio|source|track)(?=\s)[^<>]*?\ssrc)\s*=\s*
    (?P<url>"[^"<>]*"|'[^'<>]*'|[^\s"'<>=`]+)
"""
_FLAGS = re.VERBOSE | re.IGNORECASE | re.DOTALL
_LINK = re.compile(_MARKUP, _FLAGS)
_PLACE = re.compile(r'data-sourcepos="(\d+):')
_PLACE_OR_LINK = re.compile(rf"{_PLACE.pattern} | {_MARKUP}", _FLAGS)

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_DOCUMENT = re.compile(r"\.(?:md|markdown)\Z", re.IGNORECASE)
# `a.png` names a file; `v1.2` may well be the document `v1.2.md`.
_FILE = re.compile(r"\.[a-z]\w*\Z", re.IGNORECASE)

_MEND = "mend the link"
_UPLOAD = "upload it to the site and link to its address there"


def rewrite(
    text: str, *, path: str, content: str, resolve: Resolve, uploadable: Uploadable = nothing
) -> Linked:
    """Put the addresses of pages and files in place of the relative links of a document's HTML.

    `path` is the document's own path and `content` the content folder, both from the repository's root;
    `uploadable` tells whether the site takes a file of this name. Links with a scheme or a host, bare
    fragments, site addresses (`/about/`, and `/logo.png` if there is no such file) and links that have
    no address keep their bytes.
    """
    rewriting = _Rewriting(path, content, resolve, uploadable)
    result = _LINK.sub(rewriting.replacement, text)
    return Linked(result, tuple(sorted(rewriting.targets)), tuple(rewriting.broken))


class _Rewriting:
    """One document's links: what they lead to, and which of them lead nowhere."""

    def __init__(self, path: str, content: str, resolve: Resolve, uploadable: Uploadable) -> None:
        self.targets: set[str] = set()
        self.broken: list[Broken] = []
        self._path = path
        self._content = content
        self._resolve = resolve
        self._uploadable = uploadable
        self._indexes = count()

    def replacement(self, match: re.Match[str]) -> str:
        """Write one piece of markup again; the same bytes if it is no link, or one that stays."""
        if match["url"] is None:
            return match[0]
        index = next(self._indexes)
        written = html.unescape(match["url"].strip("\"'"))
        link = _relative(written)
        url = self._address(link, written, index) if link else None
        return match[0] if url is None else _with_url(match, url)

    def _address(self, link: _Link, written: str, index: int) -> str | None:
        of_the_site = link.path.startswith("/") and not _DOCUMENT.search(link.path)
        if of_the_site and not self._uploadable(link.path):
            return None
        candidates = _candidates(link.path, self._path, self._content)
        asked, answer = _ask(candidates, self._resolve)
        if of_the_site and answer is MISSING:
            return None
        into_itself = self._path in asked and link.fragment and not link.query
        # A page needs no address to point into itself, so that is no dependency either.
        counted = (path for path in asked if _DOCUMENT.search(path) or self._uploadable(path))
        self.targets.update(path for path in counted if not (into_itself and path == self._path))
        if into_itself:
            return f"#{link.fragment}"
        if isinstance(answer, str):
            return _join(answer, link)
        if complaint := _complaint(_shown(written), answer, outside=not candidates):
            self.broken.append(Broken(index, *complaint))
        return None


def lines(placed: str, source: str) -> Iterator[int]:
    """Yield the 1-based line of `source` for each link that `rewrite` counts.

    `placed` is the HTML of `source` with comrak's `data-sourcepos` attributes. Links of raw HTML have
    none, so they are looked for from the place of the element before them.
    """
    rows = source.split("\n")
    line = 1
    for match in _PLACE_OR_LINK.finditer(placed):
        place = _PLACE.search(match[0])
        if place:
            line = int(place[1])
        if match["url"] is None:
            continue
        if not place:
            line = next((n for n in range(line, len(rows) + 1) if match["url"] in rows[n - 1]), line)
        yield line


def _relative(url: str) -> _Link | None:
    """Take a link into the repository apart; None for a link that is not one."""
    before, _, fragment = url.partition("#")
    written, _, query = before.partition("?")
    if not written or written.startswith("//") or _SCHEME.match(written):
        return None
    return _Link(unquote(written), query, fragment)


def _candidates(path: str, document: str, content: str) -> tuple[str, ...]:
    """List the repository paths that a link can mean, best first; none if it leaves the repository."""
    folders = (content, "") if path.startswith("/") else (posixpath.dirname(document),)
    joined = (posixpath.normpath(posixpath.join(folder, path.lstrip("/"))) for folder in folders)
    inside = dict.fromkeys(place for place in joined if place != ".." and not place.startswith("../"))
    return tuple(candidate for place in inside for candidate in _meanings(place, path))


def _meanings(place: str, path: str) -> tuple[str, ...]:
    """List what `place` can mean: itself if it names a file, else the document that answers to it."""
    is_folder = posixpath.basename(path) in {"", ".", ".."}
    if not is_folder and _FILE.search(path):
        return (place,)
    if place == ".":
        return ("index.md", "_index.md")
    documents = (f"{place}.md", f"{place}/index.md", f"{place}/_index.md")
    return documents if is_folder else (*documents, place)


def _ask(candidates: tuple[str, ...], resolve: Resolve) -> tuple[list[str], str | Unresolved]:
    """Ask for one candidate after the other until one exists: those asked for, and the last answer."""
    asked = []
    answer: str | Unresolved = MISSING
    for candidate in candidates:
        asked.append(candidate)
        answer = resolve(candidate)
        if answer is not MISSING:
            break
    return asked, answer


def _join(address: str, link: _Link) -> str:
    """Append the link's own query and fragment to the page's address, which may have a query already."""
    query = f"{'&' if '?' in address else '?'}{link.query}" if link.query else ""
    fragment = f"#{link.fragment}" if link.fragment else ""
    return f"{address}{query}{fragment}"


def _with_url(match: re.Match[str], url: str) -> str:
    """Write the matched tag again with another URL."""
    before = match[0][: match.start("url") - match.start()]
    return f'{before}"{html.escape(url)}"'


def _shown(url: str) -> str:
    """Write a URL for people: decoded, unless that would put control characters on their terminal."""
    decoded = unquote(url)
    return decoded if decoded.isprintable() else quote(decoded)


def _complaint(url: str, reason: Unresolved, *, outside: bool) -> tuple[str, str] | None:
    """Say what is wrong with a link and what to do; nothing is wrong with one that has to wait."""
    if outside:
        return f"links to `{url}`, which is outside the repository", _MEND
    match reason:
        case Unresolved.UNKNOWN:
            return None
        case Unresolved.MISSING:
            return f"links to `{url}`, which does not exist", _MEND
        case Unresolved.NOT_A_DOCUMENT:
            return f"links to `{url}`, a file of the repository that the site does not have", _UPLOAD
