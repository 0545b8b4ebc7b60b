"""Pieces of a page -> Markdown that reads as they do: in the author's hand, in ours, or left as HTML. Pure.

It must not know where in a body they stand. What decided its shape: nothing is believed. Whatever is
written is rendered by itself and compared, and the first wording that reads right is taken; HTML, which
Markdown takes as it is, is the last.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from pressync.html.inline import InexpressibleError, MarkdownStyle
from pressync.html.normalize import HEADINGS, canonical, normalized
from pressync.html.pieces import cut
from pressync.html.to_markdown import blocks, raw
from pressync.html.tree import Element, attribute_text, parse
from pressync.pull.align import apply_changes
from pressync.pull.source_map import is_footnotes

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pressync.html.pieces import Piece
    from pressync.html.tree import Node

_DEFINITION = re.compile(r" {0,3}\[(?!\^)[^\]\n]+\]:\s*\S")
_BULLET = re.compile(r"\s*([-*+])\s", re.MULTILINE)
_LINKED = re.compile(r"""(<(?:a\s[^<>]*?\bhref|img\s[^<>]*?\bsrc)=")([^"<>]*)(?=")""", re.IGNORECASE)
_LISTS = frozenset({"ul", "ol", "dl"})
# Ends a list, and says nothing itself.
_APART = "<!-- -->"


@dataclass(frozen=True, slots=True)
class BodyFormat:
    """How a body is written and read: `render` gives HTML with places, `link` a path for an address.

    With `blocks` it is sent as blocks of the editor, in which a picture's title is its caption.
    """

    render: Callable[[str], str]
    link: Callable[[str], str]
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class NormalizedPiece:
    """One piece of one side, made alike: its nodes, what it reads, its source, and whether it stays HTML."""

    nodes: tuple[Node, ...]
    reads: str
    source: str
    opaque: bool

    @property
    def is_list(self) -> bool:
        """Whether Markdown could take what comes behind it for more of it."""
        return self._name in _LISTS

    @property
    def is_code(self) -> bool:
        """Whether it is a listing, which the author may have indented as if it were a list's."""
        return self._name == "pre"

    @property
    def _name(self) -> str:
        first = self.nodes[0] if self.nodes else None
        return first.name if isinstance(first, Element) else ""

    def footnotes(self) -> list[str]:
        """Name the footnotes that it refers to or holds."""
        return list(_footnotes(self.nodes))


class MarkdownWriter:
    """The words of one body: the links that it defines, the marker of its lists, the ids of its headings."""

    def __init__(self, body: str, placed: str, hand: BodyFormat) -> None:
        """`placed` is the HTML of `body`, with places."""
        bullets = Counter(_BULLET.findall(body)).most_common(1)
        self._voice = MarkdownStyle(hand.link, bullet=bullets[0][0] if bullets else "-")
        self._hand = hand
        self._made = frozenset(_ids(parse(placed)))
        self._definitions = "\n".join(line for line in body.split("\n") if _DEFINITION.match(line))

    def sides(self, pieces: Sequence[Piece], source: str) -> list[NormalizedPiece]:
        """Make pieces of a page alike."""
        return [self._side(piece, source) for piece in pieces]

    def reads(self, body: str) -> list[str]:
        """Give what each piece of a body reads, once it is rendered."""
        placed = self._hand.render(body)
        return [side.reads for side in self.sides(cut(parse(placed)), placed)]

    def of(self, sides: Sequence[NormalizedPiece]) -> str:
        """Write pieces in our hand, lists that would run together kept apart."""
        said: list[str] = []
        for number, side in enumerate(sides):
            said += [apart(sides[number - 1], side)] if number else []
            said.append(self._piece(side))
        return "\n\n".join(filter(None, said))

    def instead(self, ours: str, old: Sequence[NormalizedPiece], new: Sequence[NormalizedPiece]) -> str:
        """Write `new` where the author wrote `ours` for `old`: in their hand if that reads right."""
        theirs = self.of(new)
        hands = [("\n\n".join(map(self._plain, old)), theirs)]
        if ours.startswith("<"):
            # What the author wrote as HTML is edited as HTML.
            hands.append(("\n\n".join(map(self._raw, old)), "\n\n".join(map(self._raw, new))))
        merged = [
            "\n".join(apply_changes(base.split("\n"), written.split("\n"), ours.split("\n")))
            for base, written in hands
        ]
        return max(
            (text for text in merged if self._says(text, new)),
            key=lambda text: SequenceMatcher(
                None, text.split("\n"), ours.split("\n"), autojunk=False
            ).ratio(),
            default=theirs,
        )

    def _side(self, piece: Piece, source: str) -> NormalizedPiece:
        nodes = normalized(piece.nodes, self._made)
        return NormalizedPiece(nodes, canonical(nodes), source[piece.start : piece.end], piece.opaque)

    def _piece(self, side: NormalizedPiece) -> str:
        """Write one piece: as it reads best, as it is safest, or as HTML."""
        for voice in () if side.opaque else (self._voice, replace(self._voice, thorough=True)):
            try:
                said = blocks(side.nodes, voice)
            except InexpressibleError:
                break
            if self._says(said, [side]):
                return said
        return raw(self._raw(side))

    def _plain(self, side: NormalizedPiece) -> str:
        """Write one piece of ours as the site's would be, to see which lines are not the same."""
        try:
            return raw(self._raw(side)) if side.opaque else blocks(side.nodes, self._voice)
        except InexpressibleError:
            return raw(self._raw(side))

    def _raw(self, side: NormalizedPiece) -> str:
        def linked(found: re.Match[str]) -> str:
            address = attribute_text(found[2])
            link = self._hand.link(address)
            return found[0] if link == address else found[1] + html.escape(link)

        return _LINKED.sub(linked, side.source)

    def _says(self, said: str, sides: Sequence[NormalizedPiece]) -> bool:
        """Whether Markdown by itself reads as these pieces do, with the links and footnotes that it names."""
        names = [name for side in sides for name in side.footnotes()]
        # A footnote is one only with its text, and its text only with a reference.
        texts = [f"[^{name}]: text" for name in names if f"[^{name}]:" not in said]
        named = ["".join(f"[^{name}]" for name in names)] if names else []
        placed = self._hand.render("\n\n".join([*named, said, *texts, self._definitions]))
        found = cut(parse(placed))[len(named) :]
        if texts:
            found = tuple(piece for piece in found if not is_footnotes(piece))
        return [side.reads for side in self.sides(found, placed)] == [side.reads for side in sides]


def apart(first: NormalizedPiece, second: NormalizedPiece, *, indented: bool = False) -> str:
    """Give what keeps two pieces apart, if Markdown would take the second for more of the first.

    `indented` says that code may be, which is more of a list before it.
    """
    return _APART if first.is_list and (second.is_list or (indented and second.is_code)) else ""


def without_orphans(notes: NormalizedPiece, named: Collection[str]) -> NormalizedPiece:
    """Leave out the footnotes whose references were deleted: no Markdown shows a note that nothing names."""
    nodes = tuple(
        replace(node, children=tuple(item for item in node.children if _name(item) in named))
        for node in notes.nodes
        if isinstance(node, Element) and any(_name(item) in named for item in node.children)
    )
    return replace(notes, nodes=nodes, reads=canonical(nodes))


def _name(item: Node) -> str:
    return item.attributes.get("name", "") if isinstance(item, Element) else ""


def _footnotes(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Element):
            if node.name == "footnote":
                yield _name(node)
            elif node.name == "footnotes":
                yield from map(_name, node.children)
            else:
                yield from _footnotes(node.children)


def _ids(nodes: Sequence[Node]) -> Iterator[str]:
    """Give the ids that the renderer gave to headings."""
    for node in nodes:
        if isinstance(node, Element):
            if node.name in HEADINGS and "data-sourcepos" in node.attributes:
                yield node.attributes.get("id", "")
            yield from _ids(node.children)
