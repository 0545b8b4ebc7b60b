"""HTML text -> the tree of its elements, each knowing where in the text it begins and ends. Pure.

It must not know blocks or Markdown, and mends nothing: what a browser would have to guess at is told as
not `sound`. What decided its shape: who cuts a page into pieces wants the page's own bytes, so a node is a
place in it; the parsers at hand know no end of an element, or take quadratic time on hostile input.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# HTML's own blanks. A non-breaking space is text.
BLANKS = " \t\n\f\r"

# The names of nodes that are no elements; no element has a name with a `#`.
TEXT = "#text"
COMMENT = "#comment"
# A stray end tag, a declaration, a `<` that begins nothing.
ODD = "#odd"

_VOID = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
# Their insides are text up to their own end tag, whatever they look like.
RAW = re.compile("iframe|noembed|noframes|plaintext|script|style|textarea|title|xmp")

# Possessive throughout: what a repetition has taken it never gives back, so that a tag which turns out to
# be none has cost no more than its own length.
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


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """An element, a text, a comment or something odd, at `start` to `end` of its page.

    An element's opening tag ends at `inner_start`, its end tag begins at `inner_end`. It is `sound` if it has
    both, or is one that never has an end.
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
        """All of it, as written."""
        return self.page[self.start : self.end]

    @property
    def inner(self) -> str:
        """What is between its tags, as written."""
        return self.page[self.inner_start : self.inner_end]

    @property
    def tag(self) -> str:
        """Its opening tag, as written."""
        return self.page[self.start : self.inner_start]

    @property
    def is_blank(self) -> bool:
        """Whether it is a text of blanks alone."""
        return self.name == TEXT and not self.outer.strip(BLANKS)


def span(nodes: Sequence[Node]) -> str:
    """Give what is written from the first to the last of neighbouring nodes, without the blanks around it."""
    return nodes[0].page[nodes[0].start : nodes[-1].end].strip(BLANKS) if nodes else ""


@dataclass(slots=True)
class _Open:
    """An element whose end was not met yet."""

    name: str
    start: int
    inner_start: int
    children: list[Node] = field(default_factory=list)


def parse(page: str) -> tuple[Node, ...]:
    """Take HTML apart; the nodes cover every character, in order, without a gap. Linear in its length."""
    reading = _TokenizerState(page)
    while match := _MARKUP.search(page, reading.place):
        reading.take_text(match.start())
        if match["comment"]:
            reading.take_comment()
        elif match["start"]:
            reading.take_start(match)
        elif match["end"]:
            reading.take_end(match["end"].lower(), match.start(), match.end())
        else:
            reading.take(ODD, match.end())
    reading.take_text(len(page))
    return reading.finished()


class _TokenizerState:
    """How far the text is read, and the elements that are open there, the innermost last."""

    def __init__(self, page: str) -> None:
        self.place = 0
        self._page = page
        self._top: list[Node] = []
        self._open: list[_Open] = []
        # Beside the list, because looking through it for each stray end tag would be quadratic.
        self._open_names: Counter[str] = Counter()

    def take(self, name: str, end: int) -> None:
        """Take a node without children."""
        start, self.place = self.place, end
        self._add(Node(self._page, name, start, start, end, end, sound=name != ODD))

    def take_text(self, end: int) -> None:
        if end > self.place:
            self.take(TEXT, end)

    def take_comment(self) -> None:
        """Take a comment, `<!-->` among them; one that never ends is the rest of the text."""
        end = self._page.find("-->", self.place + len("<!"))
        self.take(COMMENT if end >= 0 else ODD, end + 3 if end >= 0 else len(self._page))

    def take_start(self, match: re.Match[str]) -> None:
        """Take an opening tag, and the whole element if nothing can be in it."""
        name = match["start"].lower()
        start, self.place = match.span()
        is_void = _VOID.fullmatch(name) is not None
        if is_void or match["closed"]:
            # A browser closes `<path/>`, in a drawing, and leaves `<b/>` open: nobody may rely on either.
            place = self.place
            self._add(Node(self._page, name, start, place, place, place, sound=is_void))
        else:
            self._open.append(_Open(name, start, self.place))
            self._open_names[name] += 1
            if RAW.fullmatch(name):
                found = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self._page, self.place)
                self.take_text(found.start() if found else len(self._page))

    def take_end(self, name: str, start: int, end: int) -> None:
        """Take an end tag: the innermost element of its name ends, and all that are open in it."""
        if not self._open_names[name]:
            self.take(ODD, end)
            return
        self.place = end
        while self._open[-1].name != name:
            self._close(start, start, sound=False)
        self._close(start, end, sound=True)

    def finished(self) -> tuple[Node, ...]:
        """Close what is open, and give the nodes at the top."""
        while self._open:
            self._close(self.place, self.place, sound=False)
        return tuple(self._top)

    def _close(self, inner_end: int, end: int, *, sound: bool) -> None:
        last = self._open.pop()
        self._open_names[last.name] -= 1
        children = tuple(last.children)
        self._add(Node(self._page, last.name, last.start, last.inner_start, inner_end, end, children, sound))

    def _add(self, node: Node) -> None:
        (self._open[-1].children if self._open else self._top).append(node)
