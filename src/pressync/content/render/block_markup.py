"""Checks that elements are written exactly as the Markdown renderer writes them. Pure.

The HTML of an author or a template can be anything, and browsers repair it in their own ways. Markup that
this module accepts, character by character, needs no repair.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.html.tokens import BLANKS, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.html.tokens import Node

# The elements that a line of text may contain.
_MARK = re.compile(
    r"""<(?:a|abbr|b|bdi|bdo|br|cite|code|data|del|dfn|em|i|img|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup
    |time|u|var|wbr)(?:[ ][a-z][a-z0-9-]*(?:="[^"<>]*")?)*(?:[ ]/)?>""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r' ([a-z][a-z0-9-]*)(?:="[^"<>]*")?')

# Elements that are visible without text, and characters that the editor treats as empty.
_VISIBLE = frozenset({"br", "img"})
_INVISIBLE = f"{BLANKS}\ufeff"


class Foreign(Exception):  # noqa: N818 - it is not an error
    """Markup that the renderer does not write."""


def expect(node: Node, tag: str | re.Pattern[str]) -> re.Match[str]:
    """Match the opening tag of a well-formed element; raise `Foreign` if it does not match."""
    match = re.fullmatch(tag, node.tag)
    if not match or not node.sound:
        raise Foreign
    return match


def expect_line(nodes: Iterable[Node]) -> None:
    """Check that nodes are text with plain inline elements, as in a paragraph; raise `Foreign` if not.

    A link in a link is not plain, a repeated attribute is not, and inline elements without text are not: the
    editor drops these. An empty line is accepted.
    """
    waiting = [(node, False) for node in nodes]
    is_visible = not waiting
    while waiting:
        node, is_linked = waiting.pop()
        if node.name == TEXT:
            is_visible = is_visible or bool(node.outer.strip(_INVISIBLE))
            continue
        attributes = _ATTRIBUTE.findall(expect(node, _MARK)[0])
        is_link = node.name == "a"
        if len(attributes) != len(set(attributes)) or (is_link and is_linked):
            raise Foreign
        is_visible = is_visible or node.name in _VISIBLE
        waiting += [(child, is_link or is_linked) for child in node.children]
    if not is_visible:
        raise Foreign


def written(nodes: Iterable[Node]) -> list[Node]:
    """Give the nodes without the white space between them."""
    return [node for node in nodes if not node.is_blank]


def filled(node: Node) -> list[Node]:
    """Give the children of an element without white space; raise `Foreign` if there are none."""
    if not (children := written(node.children)):
        raise Foreign
    return children
