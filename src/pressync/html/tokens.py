"""Parses HTML into a tree of elements with their positions in the text. Pure.

The code that cuts a page needs the bytes of the page, so each node knows its start and end there. The
available parsers do not give the end of an element, or take quadratic time on hostile input. This parser does
not repair anything: an element whose end a browser would have to guess is marked as not `sound`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# HTML's own blanks. A non-breaking space is text.
BLANKS = " \t\n\f\r"

# The names of nodes that are not elements. The name of an element never has a `#`.
TEXT = "#text"
COMMENT = "#comment"
# An end tag without a start tag, a declaration, or a `<` that does not begin a tag.
ODD = "#odd"

VOID = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
# The content of these elements is text up to their own end tag.
RAW = re.compile("iframe|noembed|noframes|plaintext|script|style|textarea|title|xmp")

# All repetitions are possessive, so they never backtrack. Text that looks like a tag but is not one costs no
# more than its own length.
_MARKUP = re.compile(
    r"""
    (?P<comment> <!-- )
  | </ (?P<end> [a-z][^\s<>/]*+ ) \s*+ >
  | < (?P<start> [a-z][^\s<>/]*+ )
      (?: \s++ [^\s<>"'/=]++ (?: \s*+ = \s*+ (?: "[^"]*+" | '[^']*+' | [^\s<>"'=`]++ ) )?+ )*+
      \s*+ (?P<closed> /?+ ) >
  | <
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A browser reads `</br>` as `<br>`.
_DROPPED = re.compile(rf"</(?!br\b)(?:{VOID.pattern})\s*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An element, a text, a comment or something odd, from `start` to `end` of its page.

    The start tag of an element ends at `inner_start`, and its end tag begins at `inner_end`. An element is
    `sound` if it has both tags, or is of a kind that never has an end tag.
    """

    page: str = field(repr=False)
    name: str
    start: int
    inner_start: int
    inner_end: int
    end: int
    children: tuple[Node, ...] = ()
    sound: bool = True

    @property
    def outer(self) -> str:
        """The whole node, as written."""
        return self.page[self.start : self.end]

    @property
    def inner(self) -> str:
        """The text between its tags, as written."""
        return self.page[self.inner_start : self.inner_end]

    @property
    def tag(self) -> str:
        """Its start tag, as written."""
        return self.page[self.start : self.inner_start]

    @property
    def is_blank(self) -> bool:
        """Whether it is a text with nothing but blanks."""
        return self.name == TEXT and not self.outer.strip(BLANKS)


def span(nodes: Sequence[Node]) -> str:
    """Give the source from the first to the last of neighbouring nodes, without the blanks around it."""
    return nodes[0].page[nodes[0].start : nodes[-1].end].strip(BLANKS) if nodes else ""


@dataclass(slots=True)
class _Open:
    """An element whose end tag has not been read yet."""

    name: str
    start: int
    inner_start: int
    children: list[Node] = field(default_factory=list)


# A node takes 140 bytes, and an open element 400: five million `<` took 700 MB and a minute. The largest
# table that a page may have has 200,000 cells with their tags.
_MOST = 500_000


def has_too_many(page: str) -> bool:
    """Tell whether a page has more signs of markup than anybody should parse."""
    return page.count("<") > _MOST


def parse(page: str) -> tuple[Node, ...]:
    """Parse HTML; the nodes cover every character in order, without a gap. Linear in its length."""
    state = _TokenizerState(page)
    while match := _MARKUP.search(page, state.position):
        state.take_text(match.start())
        if match["comment"]:
            # `<!-->` is a comment too. One without an end is the rest of the text.
            end = page.find("-->", state.position + len("<!"))
            state.take(COMMENT if end >= 0 else ODD, end + 3 if end >= 0 else len(page))
        elif match["start"]:
            state.take_start(match)
        elif match["end"]:
            state.take_end(match["end"].lower(), match.start(), match.end())
        else:
            state.take(ODD, match.end())
    state.take_text(len(page))
    return state.finished()


class _TokenizerState:
    """The position in the text, and the elements that are open there, the innermost last."""

    def __init__(self, page: str) -> None:
        self.position = 0
        self._page = page
        self._top: list[Node] = []
        self._open: list[_Open] = []
        # A counter next to the list: a search of the list for each unmatched end tag would be quadratic.
        self._open_names: Counter[str] = Counter()

    def take(self, name: str, end: int) -> None:
        start, self.position = self.position, end
        self._add(Node(self._page, name, start, start, end, end, sound=name != ODD))

    def take_text(self, end: int) -> None:
        if end > self.position:
            self.take(TEXT, end)

    def take_start(self, match: re.Match[str]) -> None:
        """Take a start tag, and the whole element if it cannot have content."""
        name = match["start"].lower()
        start, end = match.span()
        self.position = end
        is_void = VOID.fullmatch(name) is not None
        if is_void or match["closed"]:
            # A browser closes `<path/>` in a drawing and leaves `<b/>` open, so neither is sound.
            self._add(Node(self._page, name, start, end, end, end, sound=is_void))
        else:
            self._open.append(_Open(name, start, end))
            self._open_names[name] += 1
            if RAW.fullmatch(name):
                end_tag = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self._page, end)
                self.take_text(end_tag.start() if end_tag else len(self._page))

    def take_end(self, name: str, start: int, end: int) -> None:
        """Take an end tag: close the innermost element of its name and all elements that are open in it."""
        if not self._open_names[name]:
            self.take(ODD, end)
            return
        self.position = end
        while self._open[-1].name != name:
            self._close(start, start, sound=False)
        self._close(start, end, sound=True)

    def finished(self) -> tuple[Node, ...]:
        while self._open:
            self._close(self.position, self.position, sound=False)
        return tuple(self._top)

    def _close(self, inner_end: int, end: int, *, sound: bool) -> None:
        last = self._open.pop()
        self._open_names[last.name] -= 1
        children = tuple(last.children)
        self._add(Node(self._page, last.name, last.start, last.inner_start, inner_end, end, children, sound))

    def _add(self, node: Node) -> None:
        (self._open[-1].children if self._open else self._top).append(node)


# Authors leave out `<tbody>` and write `</img>`, and no reader sees a difference. The block editor of
# WordPress 6.1 compares a block “Custom HTML” with what a browser makes of it, and calls the block broken
# if they differ.
def is_dropped(node: Node) -> bool:
    """Whether a browser drops this node: it is the end tag of an element that never has one."""
    return node.name == ODD and _DROPPED.fullmatch(node.outer) is not None


def _rows_without_section(table: Node) -> Iterator[tuple[Node, Node]]:
    """Give the first and the last of each run of rows that a browser puts into a `tbody`."""
    rows: list[Node] = []
    for child in table.children:
        if child.name == "tr":
            rows.append(child)
        elif rows and not child.is_blank and child.name != COMMENT:
            yield rows[0], rows[-1]
            rows = []
    if rows:
        yield rows[0], rows[-1]


def with_implied_tags(nodes: Sequence[Node]) -> str:
    """Give the source of neighbouring nodes, with these differences."""
    edits: list[tuple[int, int, str]] = []
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if is_dropped(node):
            edits.append((node.start, node.end, ""))
        elif node.name == "table" and node.sound:
            for first, last in _rows_without_section(node):
                edits += [(first.start, first.start, "<tbody>"), (last.end, last.end, "</tbody>")]
    return edited(nodes[0].page, edits, nodes[0].start, nodes[-1].end)


def edited(text: str, edits: Iterable[tuple[int, int, str]], start: int = 0, end: int | None = None) -> str:
    """Replace these parts of a text, given as start, end and new text; give it from `start` to `end`."""
    parts, at = [], start
    for first, last, new in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[at:first], new]
        at = last
    return "".join([*parts, text[at:end]])
