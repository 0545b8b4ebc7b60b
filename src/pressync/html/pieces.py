"""A page's HTML -> its pieces, cut where Markdown has its blocks and an editor has its own. Pure.

It must not write Markdown. What decided its shape: a person who opened the page in WordPress left
`<!-- wp:paragraph -->` around what they wrote. Where such a comment says no more than the element inside
it, it is dropped; a block that says more (columns, a gallery, a colour) is one piece, kept as it is.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.html.block_comments import as_rendered, keys
from pressync.html.tree import BLOCKS, Element, Raw, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.html.tree import Node

_COMMENT = re.compile(
    r"<!--\s+(?P<end>/)?wp:(?P<name>[a-z][a-z0-9_/-]*)\s+(?P<attributes>\{.*\}\s+)?(?P<alone>/)?-->",
    re.DOTALL,
)
# Blocks that say what their element says, with those attributes of their comments that it says too.
_PLAIN: dict[str, frozenset[str]] = {
    "paragraph": frozenset(),
    "heading": frozenset({"level"}),
    "list": frozenset({"ordered", "start", "reversed"}),
    "list-item": frozenset(),
    "quote": frozenset(),
    "code": frozenset(),
    "preformatted": frozenset(),
    "separator": frozenset({"opacity"}),
    "table": frozenset({"hasFixedLayout"}),
    "image": frozenset({"id", "sizeSlug", "linkDestination"}),
}
_HTML = "html"
# A comment that says nothing: how Markdown keeps two lists apart.
_NOTHING = re.compile(r"<!--\s*-->")
_HIDDEN = frozenset({"script", "style", "template", "link", "meta"})


@dataclass(frozen=True, slots=True)
class Piece:
    """Nodes that belong together, from `start` to `end` of the source; `opaque` if they stay as they are."""

    nodes: tuple[Node, ...]
    start: int
    end: int
    opaque: bool = False


@dataclass(frozen=True, slots=True)
class _Mark:
    """A block's comment: its name, its attributes, and whether it begins, ends, or is all of a block."""

    name: str
    attributes: frozenset[str]
    ends: bool
    alone: bool


def cut(nodes: Sequence[Node], *, captions: bool = False) -> tuple[Piece, ...]:
    """Cut a page: an element with lines of its own is a piece, and so is text between two of these.

    With `captions` that of a picture is its title, as `blocks = true` has it.
    """
    told = [node for node in nodes if not isinstance(node, Raw) or not _NOTHING.fullmatch(node.text)]
    return tuple(_cut(told, captions=captions))


def _cut(nodes: Sequence[Node], *, captions: bool) -> Iterator[Piece]:
    line: list[Node] = []
    here = 0
    while here < len(nodes):
        node = nodes[here]
        mark = _mark(node)
        if mark is None and not _is_block(node):
            line.append(node)
            here += 1
            continue
        yield from _line(line)
        line = []
        after = here + 1
        if mark and not mark.ends and not mark.alone:
            after = _after(nodes, here, mark.name)
        yield from _block(nodes[here:after], mark, captions=captions)
        here = after
    yield from _line(line)


def _block(nodes: Sequence[Node], mark: _Mark | None, *, captions: bool) -> Iterator[Piece]:
    """Give the pieces of one block: an element without a comment, or all from one comment to the other."""
    start, end = nodes[0].start, nodes[-1].end
    if mark is None:
        opaque = _holds_more(nodes)
        yield Piece(tuple(nodes) if opaque else _uncommented(nodes), start, end, opaque=opaque)
    elif mark.name == _HTML and len(nodes) > 1:
        yield from _cut(nodes[1:-1], captions=captions)
    else:
        inside = [node for node in nodes[1:-1] if not isinstance(node, Text) or node.text.strip()]
        if len(inside) == 1 and _is_plain(mark) and not _holds_more(inside):
            plain = tuple(as_rendered(node, captions=captions) for node in _uncommented(inside))
            yield Piece(plain, start, end)
        else:
            yield Piece(tuple(nodes), start, end, opaque=True)


def _line(nodes: list[Node]) -> Iterator[Piece]:
    """Give text that stands between blocks as the paragraph that it is to a reader."""
    while nodes and isinstance(nodes[0], Text) and not nodes[0].text.strip():
        nodes = nodes[1:]
    while nodes and isinstance(nodes[-1], Text) and not nodes[-1].text.strip():
        nodes = nodes[:-1]
    if nodes:
        start, end = nodes[0].start, nodes[-1].end
        yield Piece((Element("p", {}, tuple(nodes), start, end),), start, end)


def _after(nodes: Sequence[Node], start: int, name: str) -> int:
    """Find where the block ends that begins at `start`; one that nothing ends is its comment alone."""
    depth = 0
    for number in range(start, len(nodes)):
        mark = _mark(nodes[number])
        if mark and mark.name == name and not mark.alone:
            depth += -1 if mark.ends else 1
            if depth == 0:
                return number + 1
    return start + 1


def _mark(node: Node) -> _Mark | None:
    found = _COMMENT.fullmatch(node.text) if isinstance(node, Raw) else None
    if not found:
        return None
    try:
        attributes = json.loads(found["attributes"] or "{}")
    except ValueError:
        attributes = {"": ""}  # whatever it says, it is more than we know
    name = found["name"].removeprefix("core/")
    return _Mark(name, frozenset(keys(name, attributes)), bool(found["end"]), bool(found["alone"]))


def _is_plain(mark: _Mark) -> bool:
    return not mark.alone and mark.name in _PLAIN and mark.attributes <= _PLAIN[mark.name]


def _is_block(node: Node) -> bool:
    if isinstance(node, Raw):
        return True
    return isinstance(node, Element) and node.name in (BLOCKS | _HIDDEN)


def _holds_more(nodes: Sequence[Node]) -> bool:
    """Whether there is a block inside that says more than its element."""
    for node in nodes:
        mark = _mark(node)
        if mark and not _is_plain(mark):
            return True
        if isinstance(node, Element) and _holds_more(node.children):
            return True
    return False


def _uncommented(nodes: Sequence[Node]) -> tuple[Node, ...]:
    return tuple(
        Element(node.name, node.attributes, _uncommented(node.children), node.start, node.end)
        if isinstance(node, Element)
        else node
        for node in nodes
        if _mark(node) is None
    )
