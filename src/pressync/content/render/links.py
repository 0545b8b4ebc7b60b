"""Replaces relative links in rendered HTML with the addresses of the pages that they lead to.

Links are rewritten in the finished HTML and not by the Markdown parser. comrak swallows every exception of
its URL callback (also Ctrl-C), and the callback does not see the links of raw HTML.
"""

from __future__ import annotations

import html
import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterable
from enum import Enum
from itertools import chain, count
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import SplitResult, quote, unquote

import msgspec

from pressync.content.sources import INDEXES, stem
from pressync.model.errors import Code

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


_NONE: Mapping[str, str] = MappingProxyType({})


# The attributes that name pages or files, by element. A `srcset` names several.
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "a": frozenset({"href"}),
    "audio": frozenset({"src"}),
    "embed": frozenset({"src"}),
    "iframe": frozenset({"src"}),
    "img": frozenset({"src", "srcset"}),
    "object": frozenset({"data"}),
    "source": frozenset({"src", "srcset"}),
    "track": frozenset({"src"}),
    "video": frozenset({"poster", "src"}),
}
# Those that the version before did not read. Of a `srcset` it read one address alone, of `source`.
_ADDED = frozenset({("iframe", "src"), ("img", "srcset"), ("video", "poster")})
# The value of a style names a file in this function.
_IN_STYLE = "url("

_MAY_NAME_MORE = re.compile(r"\burl\(|<iframe\b|\s(?:poster|srcset)\b", re.IGNORECASE)

# Comments and the content of scripts match first, so their links are skipped. Each alternative reads a
# character a fixed number of times, so hostile input takes linear time.
_MARKUP = r"""
    <(?:
        !--(?:-?>|.*?(?:-->|\Z))
      | (?P<raw>script|style|textarea)(?=[\s/>]).*?(?:</(?P=raw)\s*>|\Z)
      | (?P<element>%s)(?=\s)(?P<attributes>[^<>]*+)
    )
"""
_FLAGS = re.VERBOSE | re.IGNORECASE | re.DOTALL
_LINK_MARKUP = f"(?=<[!aeiostv]){_MARKUP % '|'.join(ATTRIBUTES)}"
# With a file in a style, every element may have a link.
_ANY_MARKUP = _MARKUP % "[a-z][a-z0-9-]*+"
_LINK, _ANY = re.compile(_LINK_MARKUP, _FLAGS), re.compile(_ANY_MARKUP, _FLAGS)
_ATTRIBUTE = re.compile(r"""(?<=\s)([^\s"'=/]++)\s*=\s*("[^"]*"|'[^']*'|[^\s"'=`]+)""")
# The addresses of a `srcset`, each with its width or density, and those of a style.
_CANDIDATE = re.compile(r"""([^\s"',][^\s"']*)(?:(?<!,)[^,]*)?""")
_FILE_OF_STYLE = re.compile(
    r"""\burl\(\s*(?:&quot;|&\#0?39;|["'])?((?!\#)[^"'()\s&]+(?:&amp;[^"'()\s&]+)*)"""
)
_ONE_ADDRESS = re.compile(r'"[^"\s,]+"')
_PLACE = re.compile(r'data-sourcepos="(\d+):')

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_DOCUMENTS = (".md", ".markdown")
# `a.png` names a file; `v1.2` may be the document `v1.2.md`.
_FILE = re.compile(r"\.[a-z]\w*\Z", re.IGNORECASE)

# The line of a link in raw HTML is searched in this many lines, so that many links take linear time.
_NEAR = 1000

_FIX = "fix the link"
_ADD = "add the file, or fix the link"
_SVG = "convert it to PNG, or link to its address on a site whose plug-in takes SVG"
_UPLOAD = "upload it to the site and link to its address there"


class Unresolved(Enum):
    """Why a path of the repository has no address on the site."""

    UNKNOWN = "a document or file whose address is not known yet"
    MISSING = "no such file"
    NOT_A_DOCUMENT = "a file that is not a document"


def safe(link: str) -> str | Unresolved:
    """Give an address if it is http or https: a manifest from outside may have a script instead."""
    return link if link.startswith(("http://", "https://")) else Unresolved.UNKNOWN


# It takes a path from the repository's root, and gives the page's address or why there is none.
Resolve = Callable[[str], str | Unresolved]
# It takes a file's path, and tells whether the site accepts such a file.
Uploadable = Callable[[str], bool]
# It takes a path that the tree has not, and says what is there and what to do; None if nothing is there.
Absent = Callable[[str], tuple[str, str] | None]
# It takes the path of a broken link as it is written, and gives the paths that it may also mean.
Meant = Callable[[str], Iterable[str]]


def nothing(_path: str) -> bool:
    """Accept no file, for a site that does not accept files."""
    return False


def nowhere(_path: str) -> None:
    """Say nothing of a path, where only the tree is known."""


def no_more(_written: str) -> tuple[str, ...]:
    """Give no path, for a link that means a path only from its document or from the content folder."""
    return ()


class Broken(msgspec.Struct, frozen=True, gc=False):
    """A link that does not lead to a page or file of the site; `index` is its number in the HTML, from 0."""

    index: int
    what: str
    todo: str
    code: Code


class Pointer(msgspec.Struct, frozen=True, gc=False):
    """A link that leads to a place in a page, or to an address of the site; `index` as in `Broken`.

    `path` is the document's path for a place (`fragment`), and the address as it was written otherwise.
    """

    index: int
    written: str
    path: str
    fragment: str = ""


class Linked(msgspec.Struct, frozen=True):
    """HTML with resolved links, the paths that it depends on, and the broken links.

    `targets` are the sorted paths of documents and uploadable files, from the repository's root. They
    include paths that were looked up and do not exist: if such a file is added, the same link leads to it.
    `anchors` lead to places in documents, and `addresses` to pages of the site that no path of the
    repository names. `missing` are the paths that broken links could mean.
    """

    html: str
    targets: tuple[str, ...] = ()
    broken: tuple[Broken, ...] = ()
    anchors: tuple[Pointer, ...] = ()
    addresses: tuple[Pointer, ...] = ()
    missing: tuple[str, ...] = ()


NO_LINKS = Linked("")


def rewrite(
    text: str,
    *,
    path: str,
    content: str,
    resolve: Resolve,
    uploadable: Uploadable = nothing,
    renamed: Mapping[str, str] = _NONE,
    absent: Absent = nowhere,
    meant: Meant = no_more,
    former: bool = False,
) -> Linked:
    """Replace the relative links of a document's HTML with the addresses of pages and files.

    `path` is the document's own path and `content` the content folder, both from the repository's root;
    `uploadable` tells whether the site takes a file of this name, and `renamed` has the new paths of renamed
    files. `absent` says what is at a path that the tree has not, as a file that nobody has committed yet, and
    `meant` which other paths a broken link may mean. Links with a scheme or a host, bare fragments, addresses
    of the site (`/about/`, and `/logo.png` if there is no such file) and links without an address stay.
    With `former`, only the attributes are read that the version before read.
    """
    rewriting = _Rewriting(path, content, resolve, uploadable, renamed, absent, meant)
    result = with_links(text, rewriting.replaced, former=former)
    return Linked(
        result,
        tuple(sorted(rewriting.targets)),
        tuple(rewriting.broken),
        tuple(rewriting.anchors),
        tuple(rewriting.addresses),
        tuple(sorted(rewriting.missing)),
    )


def with_links(text: str, replaced: Callable[[str], str | None], *, former: bool = False) -> str:
    """Write for each address in HTML what `replaced` gives; None leaves it. `former` is as for `rewrite`."""

    def replacement(tag: re.Match[str]) -> str:
        parts, end = [], tag.start()
        for place in _places(tag, former=former):
            if (url := replaced(place.address)) is not None:
                value = html.escape(url)
                parts += [text[end : place.start], f'"{value}"' if place.is_whole else value]
                end = place.end
        return "".join((*parts, text[end : tag.end()])) if parts else tag[0]

    return (_ANY if _IN_STYLE in text else _LINK).sub(replacement, text)


class _Rewriting(msgspec.Struct):
    _path: str
    _content: str
    _resolve: Resolve
    _uploadable: Uploadable
    _renamed: Mapping[str, str]
    _absent: Absent
    _meant: Meant
    targets: set[str] = set()
    broken: list[Broken] = []
    anchors: list[Pointer] = []
    addresses: list[Pointer] = []
    missing: set[str] = set()
    _indexes: Iterator[int] = msgspec.field(default_factory=count)
    # A page may name one lost file many thousand times, and each answer asks the disk.
    _complaints: dict[str, tuple[str, str, Code] | None] = {}

    def replaced(self, written: str) -> str | None:
        """Count a link, and give the address to write for it; None if it stays."""
        index, link = next(self._indexes), _relative(written)
        if written.startswith("#"):
            self.anchors.append(Pointer(index, written, self._path, written[1:]))
        return self._address(link, written, index) if link else None

    def _address(self, link: SplitResult, written: str, index: int) -> str | None:
        of_the_site = link.path.startswith("/") and not link.path.lower().endswith(_DOCUMENTS)
        if of_the_site and not self._uploadable(link.path):
            self.addresses.append(Pointer(index, written, link.path))
            return None
        tried: list[str] = []
        result: str | Unresolved = Unresolved.MISSING
        for path in candidates(link.path, self._path, self._content):
            tried.append(path)
            if (result := self._resolve(path)) is not Unresolved.MISSING:
                break
        if of_the_site and result is Unresolved.MISSING:
            self.addresses.append(Pointer(index, written, link.path))
            return None
        if link.fragment and result is not Unresolved.MISSING and tried[-1].lower().endswith(_DOCUMENTS):
            self.anchors.append(Pointer(index, written, tried[-1], link.fragment))
        into_itself = self._path in tried and link.fragment and not link.query
        # A link within a page does not need the page's address, so it is not a dependency.
        own = self._path if into_itself else ""
        counted = (path for path in tried if path != own)
        self.targets.update(
            path for path in counted if path.lower().endswith(_DOCUMENTS) or self._uploadable(path)
        )
        if into_itself:
            return f"#{link.fragment}"
        if isinstance(result, str):
            # The page's address may already have a query.
            query = f"{'&' if '?' in result else '?'}{link.query}" if link.query else ""
            return f"{result}{query}" + (f"#{link.fragment}" if link.fragment else "")
        if written not in self._complaints:
            self._complaints[written] = self._complaint(link, written, tried, result)
        if complaint := self._complaints[written]:
            self.broken.append(Broken(index, *complaint))
        return None

    def _complaint(
        self, link: SplitResult, written: str, tried: list[str], reason: Unresolved
    ) -> tuple[str, str, Code] | None:
        """Say what is wrong with a link and what to do; None if the target does not have an address yet."""
        url = shown(written)
        if not tried:
            return f"links to `{url}`, which is outside the repository", _FIX, Code.OUTSIDE_LINK
        if reason is Unresolved.UNKNOWN:
            return None
        if reason is Unresolved.NOT_A_DOCUMENT and url.lower().endswith(".svg"):
            # Many trees have hundreds of them. Equal texts are one line with a count.
            return "shows a picture in SVG, which WordPress refuses as an upload", _SVG, Code.UNSENT_FILE
        if reason is Unresolved.NOT_A_DOCUMENT and tried[-1].lower().endswith(_DOCUMENTS):
            return f"links to `{url}`, which is left out of the site", _FIX, Code.UNSENT_FILE
        if reason is Unresolved.NOT_A_DOCUMENT:
            problem = f"links to `{url}`, a file of the repository that the site does not have"
            return problem, _UPLOAD, Code.UNSENT_FILE
        lost = (*tried, *self._meant(link.path))
        self.missing.update(lost)
        is_page = link.path.lower().endswith(_DOCUMENTS) or not posixpath.splitext(link.path)[1]
        problem, todo = "does not exist", _FIX if is_page else _ADD
        if now := next((self._renamed[path] for path in lost if path in self._renamed), ""):
            problem = f"is now {now}"
        else:
            problem, todo = next(filter(None, map(self._absent, lost)), (problem, todo))
        candidates = as_address(written, self._path, self._content)
        nowhere = {Unresolved.MISSING, Unresolved.NOT_A_DOCUMENT}
        meant = now or next((path for path in candidates if self._resolve(path) not in nowhere), "")
        todo = link_to(meant, self._path, link.fragment) if meant else todo
        spelled = next((path for path in _respelled(tried) if self._resolve(path) not in nowhere), "")
        if spelled and not meant:
            # Both names look the same, so the bytes of that of the file are shown.
            near = quote(posixpath.relpath(spelled, posixpath.dirname(self._path) or "."))
            problem = "has accents in another Unicode form than the name of its file"
            todo = f"rename the file as the link writes it, or link to `{near}`"
        return f"links to `{url}`, which {problem}", todo, Code.BROKEN_LINK


def _respelled(paths: Iterable[str]) -> Iterator[str]:
    """Give the paths with composed and with decomposed accents: macOS and other systems differ in them."""
    for path in paths:
        if not path.isascii():
            yield unicodedata.normalize("NFC", path)
            yield unicodedata.normalize("NFD", path)


def lines(placed: str, source: str) -> Iterator[int]:
    """Yield the 1-based line of `source` for each link that `rewrite` counts.

    `placed` is the HTML of `source` with comrak's `data-sourcepos` attributes. Links of raw HTML have
    none, so they are searched from the line of the element before them.
    """
    rows = source.split("\n")
    line = 1
    # `re` compiles it on first use: few links are broken.
    markup = _ANY_MARKUP if _IN_STYLE in placed else _LINK_MARKUP
    for match in re.finditer(rf"{_PLACE.pattern} | {markup}", placed, _FLAGS):
        place = _PLACE.search(match[0])
        if place:
            line = int(place[1])
        for link in _places(match):
            if not place:
                near = range(line, min(line + _NEAR, len(rows)) + 1)
                url = placed[link.start : link.end]
                line = next((n for n in near if url in rows[n - 1]), line)
            yield line


def references(text: str) -> list[tuple[str, str]]:
    """List the element and the URL of each link of HTML, in the order in which `rewrite` counts them."""
    tags = (_ANY if _IN_STYLE in text else _LINK).finditer(text)
    return [(tag["element"].lower(), place.address) for tag in tags for place in _places(tag)]


def links_may_be_new(text: str) -> bool:
    """Tell whether HTML may name files in attributes that the version before did not read."""
    return bool(_MAY_NAME_MORE.search(text))


class _Place(NamedTuple):
    """Where HTML has an address; with `is_whole`, it is all of a value, with its quotes."""

    start: int
    end: int
    address: str
    is_whole: bool


def _places(tag: re.Match[str], *, former: bool = False) -> Iterator[_Place]:
    """Find the addresses in a tag."""
    if not tag["attributes"]:
        return
    element, first = tag["element"].lower(), tag.start("attributes")
    for attribute in _ATTRIBUTE.finditer(tag["attributes"]):
        name, value = attribute[1].lower(), attribute[2]
        begin = first + attribute.start(2)
        if parts := _parts(element, name, value, former=former):
            for part in parts.finditer(value):
                url = part[1].rstrip(",")
                start = begin + part.start(1)
                yield _Place(start, start + len(url), html.unescape(url), is_whole=False)
        elif name in ATTRIBUTES.get(element, ()) and not (former and _is_added(element, name, value)):
            yield _Place(begin, begin + len(value), html.unescape(value.strip("\"'")), is_whole=True)


def _parts(element: str, name: str, value: str, *, former: bool) -> re.Pattern[str] | None:
    """Give the expression of the addresses in a value of several; None if it is one address, or none."""
    if former or value[0] not in "\"'":
        return None
    if name == "style":
        return _FILE_OF_STYLE
    return _CANDIDATE if name == "srcset" and name in ATTRIBUTES.get(element, ()) else None


def _is_added(element: str, name: str, value: str) -> bool:
    return (element, name) in _ADDED or (name == "srcset" and not _ONE_ADDRESS.fullmatch(value))


def _relative(url: str) -> SplitResult | None:
    """Split a link into the repository into its parts, its path percent-decoded; None for any other link."""
    before, _, fragment = url.partition("#")
    written, _, query = before.partition("?")
    if not written or written.startswith("//") or _SCHEME.match(written):
        return None
    return SplitResult("", "", unquote(written), query, fragment)


def candidates(path: str, document: str, content: str) -> tuple[str, ...]:
    """List the repository paths that a link can mean, the best first; it is empty for a link to outside."""
    folders = (content, "") if path.startswith("/") else (posixpath.dirname(document),)
    places = [posixpath.normpath(posixpath.join(folder, path.lstrip("/"))) for folder in folders]
    meanings = [_meanings(place, path) for place in dict.fromkeys(places) if f"{place}/"[:3] != "../"]
    return tuple(chain.from_iterable(meanings))


def _meanings(place: str, path: str) -> tuple[str, ...]:
    """List the files that `place` can mean: itself if it names a file, else the documents of that name."""
    is_folder = posixpath.basename(path) in {"", ".", ".."}
    if not is_folder and _FILE.search(path):
        return (place,)
    if place == ".":
        return ("index.md", "_index.md")
    documents = (f"{place}.md", f"{place}/index.md", f"{place}/_index.md")
    return documents if is_folder else (*documents, place)


def as_address(written: str, document: str, content: str) -> tuple[str, ...]:
    """List the paths that a relative link means if it begins at the page's address, as in other tools."""
    link = _relative(written)
    if link is None or link.path.startswith("/") or stem(document) in INDEXES:
        return ()
    return candidates(link.path, posixpath.join(posixpath.splitext(document)[0], "index.md"), content)


def link_to(path: str, document: str, fragment: str = "") -> str:
    """Advise to link to a file, by its path from the document."""
    place = f"#{fragment}" if fragment else ""
    return f"link to `{posixpath.relpath(path, posixpath.dirname(document) or '.')}{shown(place)}`"


def shown(url: str) -> str:
    """Give a URL for messages: decoded, unless that would print control characters."""
    decoded = unquote(url)
    return decoded if decoded.isprintable() else quote(decoded)
