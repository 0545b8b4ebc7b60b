"""Whether elements are written as the Markdown renderer writes them, and hold what they seem to. Pure.

It must not know blocks. What decided its shape: an author's own HTML and a template's may say anything, and
browsers mend it in ways of their own. What is recognised here, letter by letter, needs no mending.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.html.tokens import BLANKS, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.html.tokens import Node

# What may stand in a line of text.
_MARK = re.compile(
    r"""<(?:a|abbr|b|bdi|bdo|br|cite|code|data|del|dfn|em|i|img|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup
    |time|u|var|wbr)(?:[ ][a-z][a-z0-9-]*(?:="[^"<>]*")?)*(?:[ ]/)?>""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r' ([a-z][a-z0-9-]*)(?:="[^"<>]*")?')

# Marks that are seen without a text in them, and characters that the editor takes for nothing.
_SEEN = frozenset({"br", "img"})
_UNSEEN = f"{BLANKS}\ufeff"


class Foreign(Exception):  # noqa: N818 - no error: it says that this is somebody else's markup
    """Markup that the renderer does not write."""


def expect(node: Node, tag: str | re.Pattern[str]) -> re.Match[str]:
    """Match the opening tag of an element that is sound; `Foreign` if it is another."""
    match = re.fullmatch(tag, node.tag)
    if not match or not node.sound:
        raise Foreign
    return match


def expect_line(nodes: Iterable[Node]) -> None:
    """Make sure that this is text with plain marks in it, as stands in a paragraph; `Foreign` if not.

    A link in a link is not plain, nor an attribute that is there twice, nor are marks around nothing: the
    editor drops those. No text at all is fine.
    """
    waiting = [(node, False) for node in nodes]
    is_seen = not waiting
    while waiting:
        node, is_linked = waiting.pop()
        if node.name == TEXT:
            is_seen = is_seen or bool(node.outer.strip(_UNSEEN))
            continue
        attributes = _ATTRIBUTE.findall(expect(node, _MARK)[0])
        is_link = node.name == "a"
        if len(attributes) != len(set(attributes)) or (is_link and is_linked):
            raise Foreign
        is_seen = is_seen or node.name in _SEEN
        waiting += [(child, is_link or is_linked) for child in node.children]
    if not is_seen:
        raise Foreign


def written(nodes: Iterable[Node]) -> list[Node]:
    """Leave out the blanks between elements."""
    return [node for node in nodes if not node.is_blank]


def filled(node: Node) -> list[Node]:
    """Give what is in an element, blanks left out; `Foreign` if there is nothing."""
    if not (children := written(node.children)):
        raise Foreign
    return children
