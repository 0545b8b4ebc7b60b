"""Reads a page as a reader does: its words in order, and the headings, links and tables among them.

Both sites are read by this one reader, so two pages that look alike have equal lists of words. A picture, a
code block and a formula are one word each. Pages of an old site come from strangers: nesting costs no
recursion, and the lists are bounded by the size of the page, which the reader of the pages bounds.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from pressync.html.tree import BLOCKS
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborHTMLParser, LexborNode

# A word of text has no line break, so these beginnings mark the other words.
CODE, PICTURE, PLAYER, FORMULA = "\ncode ", "\npicture ", "\nplayer ", "\nformula "
MARKS = (CODE, PICTURE, PLAYER, FORMULA)


class Span(NamedTuple):
    """A part of the words from `start` to before `end`, with a value: a level, an address, rows."""

    start: int
    end: int
    value: str


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of one page, or of a part of it. `around` has the digests of all blocks of the whole page.

    `blocks` has the number of the first word of each block. `places` has that of each id. `facts` are the
    parts that say a date or a term, which are compared as such. `language`, `date`,
    `terms`, `canonical`, `titles` and `leads_to` are what the whole page says of itself, "" if it does not.
    """

    words: tuple[str, ...] = ()
    blocks: tuple[int, ...] = ()
    headings: tuple[Span, ...] = ()
    links: tuple[Span, ...] = ()
    tables: tuple[Span, ...] = ()
    facts: tuple[Span, ...] = ()
    places: dict[str, int] = field(default_factory=dict)
    around: frozenset[int] = frozenset()
    titles: tuple[str, ...] = ()
    language: str = ""
    date: str = ""
    terms: tuple[str, ...] = ()
    canonical: str = ""
    leads_to: str = ""

    def block_ranges(self, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
        """Give first and last word of each block, as far as it lies between `start` and `end`."""
        last = len(self.words) if end is None else end
        for first, after in zip(self.blocks, (*self.blocks[1:], len(self.words)), strict=False):
            here, there = max(first, start), min(after, last)
            if here < there:
                yield here, there


# Readers do not see these elements as text, or they are controls.
_SKIPPED = frozenset(
    "-comment script style template noscript svg head button select textarea datalist canvas title".split()  # noqa: SIM905 - as in html.tree
)
_PLAYERS = frozenset({"iframe", "video", "audio", "object", "embed"})
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_TYPED = frozenset({"code", "kbd", "samp", "tt", "pre"})
# The label of a tab is a text of its own.
_BLOCKS = BLOCKS | {"label", "figure", "hgroup", "picture", "video", "audio"}
_BREAKS = _BLOCKS | {"br", "img", "svg", "math"}
# Tools and themes write these characters in one form or the other, and a reader sees the same.
_FORMS = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u2032"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u2033"), '"'),
    **dict.fromkeys(map(ord, "\u2013\u2014"), "-"),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff\ufe0e\ufe0f")),
    ord("\u2026"): "...",
    ord("\u00d7"): "x",
}
_DASHES = re.compile("-{2,3}")
_LONGEST_WORD = 10_000
_LONGEST_VALUE = 2_000


def folded(text: str) -> str:
    """Write quotation marks, dashes and dots in one form, without characters that have no width."""
    plain = text if text.isascii() else text.translate(_FORMS)
    return _DASHES.sub("-", plain) if "--" in plain else plain


def words_of(text: str) -> list[str]:
    """Give the words of a plain text in the form that those of a page have."""
    return folded(text).split()


def parsed(html: str | bytes) -> LexborHTMLParser:
    """Parse a page.

    :raises ConfigError: the parser is not installed.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - an optional package
    except ImportError:
        todo = "install it: `pip install 'pressync[compare]'`"
        raise ConfigError("the parser of HTML is not installed", where="compare", todo=todo) from None
    return LexborHTMLParser(html)


def page_text(html: str | bytes, selector: str = "") -> PageText | None:
    """Read a whole page; its words are those of the part that `selector` names, or of its `main` part.

    None if the page has no such part.

    :raises ConfigError: it is not a selector.
    """
    page = parsed(html)
    part, body = _part(page, selector), page.body
    if part is None or body is None:
        return None
    return _Reader(body, part).read(**_head(page, part))


def fragment_text(html: str) -> PageText:
    """Read the content of a record. WordPress shows the address of a video that stands alone as a player."""
    root = parsed(f"<body>{html}").body
    text = _Reader(root, root).read() if root is not None else PageText()
    alone = {a for a, b in text.block_ranges() if b - a == 1 and _VIDEO.match(text.words[a])}
    if not alone:
        return text
    words = tuple(f"{PLAYER}iframe" if at in alone else word for at, word in enumerate(text.words))
    return replace(text, words=words, links=tuple(each for each in text.links if each.start not in alone))


_VIDEO = re.compile(r"https?://(?:www\.)?(?:youtube\.com/(?:watch|playlist)\?|youtu\.be/|vimeo\.com/\d)")


def _part(page: LexborHTMLParser, selector: str) -> LexborNode | None:
    if selector:
        try:
            return page.css_first(selector)
        except Exception as error:  # its class differs between the versions of the parser
            what = f"'{selector[:80]}' is not a selector"
            raise ConfigError(what, where="--selector", todo="write it as in CSS: `div.post`") from error
    main = page.css_first("main, [role=main]")
    articles = (main or page).css("article")
    return articles[0] if len(articles) == 1 else main or page.body


_DATES = (
    'meta[property="article:published_time"]',
    'meta[itemprop="datePublished"]',
    'time[itemprop="datePublished"]',
    "time[pubdate]",
    "time.dt-published, time.entry-date, time.published",
)
_TITLES = ('meta[property="og:title"]', 'meta[name="twitter:title"]')


def _head(page: LexborHTMLParser, root: LexborNode) -> dict[str, object]:
    """Read what a page says of itself."""
    html = page.css_first("html")
    title = page.css_first("title")
    titles = [_attribute(each, "content") for query in _TITLES for each in page.css(query)[:1]]
    titles += [title.text()] if title is not None else []
    titles += [each.text() for each in root.css("h1")[:1]]
    refresh = page.css_first('meta[http-equiv="refresh" i]')
    moved = re.search(r"url\s*=\s*['\"]?([^'\"\s>]+)", _attribute(refresh, "content"), re.IGNORECASE)
    dates = [
        _attribute(each, "content") or _attribute(each, "datetime") for q in _DATES for each in page.css(q)
    ]
    named = [_attribute(each, "content") for each in page.css('meta[property="article:tag"]')]
    # Beside the text, a theme lists the tags of all pages.
    named += [each.text() for each in root.css('a[rel~="tag"]')]
    date = next(filter(None, dates), "") or _linked_date(page) or _only_time(root)
    return {
        "titles": tuple(filter(None, (" ".join(words_of(each)) for each in titles))),
        "language": _attribute(html, "lang"),
        "date": date,
        "terms": tuple(filter(None, (" ".join(words_of(each)) for each in named))),
        "canonical": _attribute(page.css_first('link[rel="canonical"]'), "href"),
        "leads_to": moved[1] if moved else "",
    }


def _attribute(node: LexborNode | None, name: str) -> str:
    return (node.attributes.get(name) or "").strip()[:_LONGEST_VALUE] if node is not None else ""


_LARGEST_DATA = 100_000


def _linked_date(page: LexborHTMLParser) -> str:
    """Read the date in the data for search engines."""
    for script in page.css('script[type="application/ld+json"]'):
        text = script.text()
        if "datePublished" not in text or len(text) > _LARGEST_DATA:
            continue
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) and isinstance(data.get("datePublished"), str):
            return str(data["datePublished"])
    return ""


def _only_time(root: LexborNode) -> str:
    times = root.css("time[datetime]")
    return _attribute(times[0], "datetime") if len(times) == 1 else ""


class _Reader:
    """Walks a page, and collects the words of one part and what stands among them."""

    def __init__(self, root: LexborNode, part: LexborNode) -> None:
        self._root, self._part = root, part
        self._inside = (0, 0)
        self._words: list[str] = []
        self._blocks: list[int] = [0]
        self._headings: list[Span] = []
        self._links: list[Span] = []
        self._tables: list[Span] = []
        self._facts: list[Span] = []
        self._places: dict[str, int] = {}
        # Elements that are open: their name, the word at which they began, and their value.
        self._open: list[tuple[str, int, str]] = []
        # How many open elements have a text as it was typed.
        self._typed = 0
        self._cells: list[list[list[tuple[int, int]]]] = []
        self._glued = False

    def read(self, **said: object) -> PageText:
        """Walk all nodes in order, without recursion."""
        node = self._root.child
        while node is not None:
            if self._enters(node) and node.child is not None:
                node = node.child
                continue
            while node is not None and node.next is None:
                node = self._above(node)
            node = node.next if node is not None else None
        start, end = (0, len(self._words)) if self._part.mem_id == self._root.mem_id else self._inside
        words, blocks = tuple(self._words), dict.fromkeys((0, *self._blocks, start, end))
        whole = PageText(words, tuple(sorted(each for each in blocks if each < len(words))))
        found: dict[str, object] = {
            "words": words[start:end],
            "blocks": tuple(each - start for each in whole.blocks if start <= each < end),
            "headings": _within(self._headings, start, end),
            "links": _within(self._links, start, end),
            "tables": _within(self._tables, start, end),
            "facts": _within(self._facts, start, end),
            "places": {name: at - start for name, at in self._places.items() if start <= at <= end},
            "around": frozenset(hash(words[a:b]) for a, b in whole.block_ranges()),
        }
        return PageText(**found, **said)  # type: ignore[arg-type]

    def _above(self, node: LexborNode) -> LexborNode | None:
        """Leave the parent of a last child."""
        parent = node.parent
        if parent is None or parent.mem_id == self._root.mem_id:
            return None
        self._leave()
        if parent.mem_id == self._part.mem_id:
            self._inside = (self._inside[0], len(self._words))
        return parent

    def _enters(self, node: LexborNode) -> bool:
        """Take a node, and tell whether its children are to be read."""
        name = node.tag
        if name == "-text":
            self._text(node.text_content or "")
        elif name is not None and name not in _SKIPPED:
            attributes = node.attributes if node.child is not None or name in _VALUED else {}
            if "id" in attributes or "name" in attributes:
                self._place(attributes)
            return attributes.get("aria-hidden") != "true" and self._element(name, node, attributes)
        return False

    def _element(self, name: str, node: LexborNode, attributes: dict[str, str | None]) -> bool:
        if name in _BREAKS:
            self._break(name)
        if name in _WHOLE:
            self._whole(name, node, attributes)
            return False
        if node.child is None and name in {"td", "th"} and self._cells and self._cells[-1]:
            self._cells[-1][-1].append((len(self._words), len(self._words)))
        if node.child is None or (name == "a" and self._is_mark(node, attributes)):
            return False
        self._opened(name, attributes)
        if node.mem_id == self._part.mem_id:
            self._break("p")
            self._inside = (len(self._words), len(self._words))
        return True

    def _place(self, attributes: dict[str, str | None]) -> None:
        for key in ("id", "name"):
            value = attributes.get(key)
            if value:
                self._places.setdefault(value[:_LONGEST_VALUE], len(self._words))

    def _is_mark(self, node: LexborNode, attributes: dict[str, str | None]) -> bool:
        """Tell whether a link is only the mark of a place in this page, such as the ¶ behind a heading."""
        if not (attributes.get("href") or "").startswith("#"):
            return False
        return not any(map(str.isalnum, node.text())) and node.css_first("img") is None

    def _opened(self, name: str, attributes: dict[str, str | None]) -> None:
        value = (attributes.get(_VALUES.get(name, "")) or "")[:_LONGEST_VALUE]
        # A link may begin within a word.
        start = len(self._words) - (self._glued and bool(self._words))
        if name == "a" and "tag" in (attributes.get("rel") or "").split():
            name = "tag"
        self._typed += name in _TYPED
        if name == "table":
            self._cells.append([])
        elif name == "tr" and self._cells:
            self._cells[-1].append([])
        self._open.append((name, start if value else len(self._words), value))

    def _leave(self) -> None:
        name, start, value = self._open.pop()
        end = len(self._words)
        self._typed -= name in _TYPED
        if name in _BREAKS:
            self._break(name)
        if name in {"time", "tag"} and value and end > start:
            self._facts.append(Span(start, end, value))
        elif name == "a" and value and end > start:
            self._links.append(Span(start, end, value))
        elif name in _HEADINGS and end > start:
            self._headings.append(Span(start, end, name))
        elif name in {"td", "th"} and self._cells and self._cells[-1]:
            self._cells[-1][-1].append((start, end))
        elif name == "table" and self._cells:
            self._table(start, end, self._cells.pop())

    def _table(self, start: int, end: int, rows: list[list[tuple[int, int]]]) -> None:
        """Keep a table by the numbers of its cells, unless it only places code beside its line numbers."""
        code = any(self._words[first].startswith(CODE) for row in rows for first, last in row if first < last)
        # A row without a word says nothing, such as a head that Markdown wants.
        said = [row for row in rows if any(a < b for a, b in row)]
        cells = [" | ".join(" ".join(self._words[a:b]) for a, b in row) for row in said]
        if end > start and not code and cells:
            self._tables.append(Span(start, end, "\n".join(cells)))

    def _break(self, name: str) -> None:
        self._glued = False
        if name in _BLOCKS and self._blocks[-1] != len(self._words):
            self._blocks.append(len(self._words))

    def _text(self, text: str) -> None:
        """Add the words of a text; the first one may go on with the word before it."""
        if not text:
            return
        parts = text.split() if self._typed else words_of(text)
        if not parts:
            # A mark without width does not part two words.
            self._glued = self._glued and not text[0].isspace()
            return
        joins = self._glued and not text[0].isspace() and bool(self._words)
        if joins and len(self._words[-1]) < _LONGEST_WORD:
            self._words[-1] += parts.pop(0)
        self._words += parts
        self._glued = not text[-1].isspace()

    def _whole(self, name: str, node: LexborNode, attributes: dict[str, str | None]) -> None:
        """Take an element that is one word."""
        if name == "img":
            self._picture(attributes)
            return
        if name == "pre":
            text = _code(node)
            if not self._is_gutter(text):
                self._words.append(CODE + text)
        elif name == "math":
            notes = node.css("annotation")
            text = notes[0].text() if notes else node.text()
            self._words.append(FORMULA + " ".join(text.split()))
        elif name in _PLAYERS:
            self._words.append(PLAYER + name)
        self._break("p")

    def _picture(self, attributes: dict[str, str | None]) -> None:
        text = " ".join(words_of(attributes.get("alt") or ""))[:_LONGEST_VALUE]
        if text and not any(map(str.isalnum, text)):
            # A picture of an emoji stands for the character.
            self._text(text)
            return
        self._words.append(PICTURE + text)
        self._glued = False

    def _is_gutter(self, code: str) -> bool:
        """Tell whether a text in a cell is the line numbers beside a code block."""
        numbers = code.split()
        if not (numbers and self._cells and all(map(str.isdecimal, numbers))):
            return False
        first = int(numbers[0][:9])
        return [*map(str, range(first, first + len(numbers)))] == numbers


def _within(spans: list[Span], start: int, end: int) -> tuple[Span, ...]:
    return tuple(Span(a - start, b - start, value) for a, b, value in spans if start <= a and b <= end)


_WHOLE = frozenset({"img", "pre", "math"}) | _PLAYERS
_VALUED = _WHOLE | {"a"}
# The attribute whose value counts.
_VALUES = {"a": "href", "time": "datetime"}


# The classes of the numbers of lines within a block of code: of Rouge, Chroma and Pygments.
_NUMBERS = "td.rouge-gutter, td.gutter, td.linenos, span.lineno, span.linenos, span.ln"


def _code(node: LexborNode) -> str:
    """Give the text of a code block without its numbers of lines; a `br` is the end of a line."""
    parts = []
    for beside in node.css(_NUMBERS):
        if not beside.text().strip(" \n0123456789"):
            beside.remove()
    for inner in node.traverse(include_text=True):
        if inner.tag == "-text":
            parts.append(inner.text_content or "")
        elif inner.tag == "br":
            parts.append("\n")
    return "".join(parts).rstrip("\n")
