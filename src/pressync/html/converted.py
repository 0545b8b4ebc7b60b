"""Leaves out what the editor itself does to a page, so that the edits of people remain. Pure.

The command "Convert to blocks" drops the language of code. It may leave an empty paragraph behind, as the key
Enter does, and a browser does not show that.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.html.normalize import text_of
from pressync.html.tree import Element

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.html.tree import Node

    Nodes = tuple[Node, ...]


def without_empty(theirs: Sequence[Nodes], ours: Sequence[Nodes]) -> list[bool]:
    """Tell of each normalized piece of a page whether it counts: an empty paragraph does if we have one."""
    is_ours = any(map(_is_empty, ours))
    return [is_ours or not _is_empty(nodes) for nodes in theirs]


def with_languages(theirs: Sequence[Nodes], ours: Sequence[Nodes]) -> list[Nodes]:
    """Give listings of a page without a language that of ours: of the same text, else at the same place."""
    known = [code for nodes in ours if (code := _code(nodes))]
    listed = [code for nodes in theirs if (code := _code(nodes))]
    named = {text_of(code): code for code in reversed(known)}
    same_place = dict(zip(map(text_of, listed), known, strict=False)) if len(known) == len(listed) else {}
    return [_named(nodes, {**same_place, **named}) for nodes in theirs]


def _named(nodes: Nodes, known: Mapping[str, Element]) -> Nodes:
    match nodes:
        case (Element() as listing,) if (code := _code(nodes)) and not code.attributes:
            former = known.get(text_of(code), code)
            return (replace(listing, children=(replace(code, attributes=former.attributes),)),)
    return nodes


def _is_empty(nodes: Nodes) -> bool:
    match nodes:
        case (Element(name="p", attributes=attributes, children=()),) if not attributes:
            return True
    return False


def _code(nodes: Nodes) -> Element | None:
    match nodes:
        case (Element(name="pre", children=(Element(name="code") as code,)),):
            return code
    return None
