"""Writes HTML with the tags that a browser adds, and without those that it drops. Pure.

Authors leave out `<tbody>` and write `</img>`, and no reader sees a difference. The block editor of WordPress
6.1 compares a block “Custom HTML” with what a browser makes of it, and calls the block broken if they differ.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.html.tokens import COMMENT, ODD, VOID

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.html.tokens import Node

# A browser reads `</br>` as `<br>`.
_DROPPED = re.compile(rf"</(?!br\b)(?:{VOID.pattern})\s*>", re.IGNORECASE)


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
    parts, here = [], nodes[0].start
    for start, end, text in sorted(edits):
        parts += [nodes[0].page[here:start], text]
        here = end
    return "".join([*parts, nodes[0].page[here : nodes[-1].end]])
