"""Parses HTML into the tree of elements and texts that a browser has, with source positions. Pure.

People leave out `</p>` and `</li>`, and every browser knows where these elements end. So an element without
an end tag ends here where it ends in a browser.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field, replace
from html.entities import html5
from typing import TYPE_CHECKING

from pressync.html import tokens
from pressync.html.tokens import is_dropped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

DEEPEST = 100

VOID = frozenset(tokens.VOID.pattern.split("|"))
BLOCKS = frozenset(
    """
    address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset
    figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li main menu
    nav noscript ol optgroup option p pre search section summary table tbody td tfoot th thead title tr ul
    footnotes
    """.split()  # noqa: SIM905 - sixty quoted names would be harder to read
)
# An element without an end tag -> the elements before which a browser ends it.
_ENDED_BY: Mapping[str, frozenset[str]] = {
    "p": BLOCKS - {"caption", "td", "th", "tr", "tbody", "thead", "tfoot", "summary", "legend"},
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "td": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "th": frozenset({"td", "th", "tr", "tbody", "tfoot"}),
    "tr": frozenset({"tr", "tbody", "tfoot"}),
    "thead": frozenset({"tbody", "tfoot"}),
    "tbody": frozenset({"tbody", "tfoot"}),
}
_ATTRIBUTE = re.compile(r"""([^\s<>"'/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?""")
_REFERENCE = re.compile("&(?:#(?:[0-9]+|[xX][0-9a-fA-F]+)|[A-Za-z][A-Za-z0-9]*);?")
# A browser does not read character references in these elements.
_CODE = frozenset({"script", "style"})


@dataclass(frozen=True, slots=True)
class Text:
    """Text with its character references decoded."""

    text: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Raw:
    """A comment, a declaration, or an end tag without a start tag, as in the source."""

    text: str
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Element:
    """An element from `start` to `end` of the source, its tags included."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    children: tuple[Node, ...] = ()
    start: int = 0
    end: int = 0

    def classes(self) -> frozenset[str]:
        """Give its classes."""
        return frozenset(self.attributes.get("class", "").split())

    @property
    def elements(self) -> list[Element]:
        """Its children that are elements."""
        return [child for child in self.children if isinstance(child, Element)]


Node = Element | Text | Raw


def filled(nodes: Iterable[Node]) -> list[Node]:
    """Give these nodes without the texts that are blank."""
    return [node for node in nodes if not isinstance(node, Text) or node.text.strip()]


class TooDeepError(ValueError):
    """The elements are nested too deeply to be parsed."""


def parse(source: str) -> tuple[Node, ...]:
    """Parse HTML as browsers do, for the HTML that people and editors write.

    :raises TooDeepError: it is nested more than `DEEPEST` deep, or has too much markup.
    """
    if tokens.has_too_many(source):
        raise TooDeepError("the HTML has too much markup")
    return tuple(_nodes(tokens.parse(source), depth=0))


def _nodes(parsed: Iterable[tokens.Node], depth: int) -> Iterator[Node]:
    if depth > DEEPEST:
        raise TooDeepError("the HTML is nested too deeply")
    for node in parsed:
        if is_dropped(node):
            continue
        if node.name == tokens.TEXT:
            yield Text(html.unescape(node.outer), node.start, node.end)
        elif node.name in {tokens.COMMENT, tokens.ODD}:
            yield Raw(node.outer, node.start, node.end)
        elif node.name in _CODE:
            text = (Text(node.inner, node.inner_start, node.inner_end),) if node.inner else ()
            yield Element(node.name, _attributes(node), text, node.start, node.end)
        else:
            inside = _nodes(node.children, depth + 1)
            children = tuple(_with_sections(inside) if node.name == "table" else inside)
            element = Element(node.name, _attributes(node), children, node.start, node.end)
            yield from (element,) if node.sound else _ended(element)


def _with_sections(children: Iterable[Node]) -> Iterator[Node]:
    """Put the rows of a table that stand in no section into a `tbody`, as a browser does."""
    rows: list[Node] = []
    for child in (*children, None):
        is_row = isinstance(child, Element) and child.name == "tr"
        is_between = bool(rows) and not isinstance(child, Element)
        if child is not None and (is_row or is_between):
            rows.append(child)
            continue
        if rows:
            yield Element("tbody", {}, tuple(rows), rows[0].start, rows[-1].end)
            rows = []
        if child is not None:
            yield child


def _attributes(node: tokens.Node) -> dict[str, str]:
    """Read the attributes of an element; the first of two equal names counts."""
    attributes: dict[str, str] = {}
    for match in _ATTRIBUTE.finditer(node.tag, len(node.name) + 1):
        value = match[2] or match[3] or match[4] or ""
        attributes.setdefault(match[1].lower(), attribute_text(value))
    return attributes


def attribute_text(written: str) -> str:
    """Decode the character references in the value of an attribute; a text has other rules for them."""
    return _REFERENCE.sub(_referenced, written)


def _referenced(match: re.Match[str]) -> str:
    """Decode one character reference of an attribute; in `?a=1&copy=2` a browser does not see `&copy;`."""
    name, follower = match[0].lstrip("&"), match.string[match.end() : match.end() + 1]
    if name.startswith("#"):
        return html.unescape(match[0])
    return match[0] if follower == "=" else html5.get(name, match[0])


def _ended(element: Element) -> Iterator[Node]:
    """End an element without an end tag where a browser does; the children after that follow it."""
    ends = _ENDED_BY.get(element.name, frozenset())
    for number, child in enumerate(element.children):
        if isinstance(child, Element) and child.name in ends:
            yield replace(element, children=element.children[:number], end=child.start)
            yield from element.children[number:]
            return
    yield element
