"""Turns an element of the WordPress editor into the element that our renderer makes of Markdown. Pure.

The editor keeps some attributes in other places than the renderer does, and `blocks = true` follows the
editor. This module moves them back, so that a page of blocks and the same page as plain HTML are equal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.html.normalize import EDITORS_CLASS
from pressync.html.tree import BLOCKS, Element, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.html.tree import Node

# The class of a list whose items are paragraphs, and the prefix of the class that names a language.
LOOSE = "loose"
LANGUAGE = "language-"


def as_rendered(node: Node, *, captions: bool) -> Node:
    """Move the editor's attributes back; with `captions` the caption of a picture becomes its title."""
    if not isinstance(node, Element):
        return node
    children = tuple(as_rendered(child, captions=captions) for child in node.children)
    node = replace(node, children=children)
    match node:
        case Element(name="ul" | "ol") if LOOSE in node.classes():
            items = tuple(_loosened(child) for child in children)
            return replace(_without_class(node, LOOSE), children=items)
        case Element(name="pre", children=(Element(name="code") as code,)):
            return _with_language(node, code)
        case Element(name="figure") if captions:
            return _with_title(node)
        case _:
            return node


def _loosened(item: Node) -> Node:
    """Make a paragraph of the text before the first block of a list item."""
    if not isinstance(item, Element):
        return item
    line: list[Node] = []
    for child in item.children:
        if isinstance(child, Element) and child.name in BLOCKS:
            break
        line.append(child)
    if not any(not isinstance(node, Text) or node.text.strip() for node in line):
        return item
    paragraph = Element("p", {}, tuple(line), line[0].start, line[-1].end)
    return replace(item, children=(paragraph, *item.children[len(line) :]))


def _with_language(listing: Element, code: Element) -> Element:
    """Move the language class from a listing to the code in it."""
    languages = [name for name in listing.classes() if name.startswith(LANGUAGE)]
    if len(languages) != 1 or "class" in code.attributes:
        return listing
    named = replace(code, attributes={**code.attributes, "class": languages[0]})
    return replace(_without_class(listing, languages[0]), children=(named,))


def _with_title(figure: Element) -> Element:
    """Turn the caption of a picture into its title."""
    match [child for child in figure.children if not isinstance(child, Text) or child.text.strip()]:
        case [Element(name="img") as image, Element(name="figcaption", children=(Text(text=text),))]:
            return replace(figure, children=(replace(image, attributes={**image.attributes, "title": text}),))
        case _:
            return figure


def _without_class(node: Element, name: str) -> Element:
    others = [each for each in node.attributes["class"].split() if each != name]
    return replace(node, attributes={**node.attributes, "class": " ".join(others)})


def keys(name: str, attributes: dict[str, object]) -> Iterable[str]:
    """Name the attributes of a block's comment, without those that only repeat what its element has.

    A save in the editor of 7.1 adds the `anchor` of a heading, which is the id of the element. A save in that
    of 6.1 adds the classes that later versions give to every element of the kind.
    """
    classes = [
        each for each in str(attributes.get("className", "")).split() if not EDITORS_CLASS.fullmatch(each)
    ]
    known = (
        classes == [LOOSE]
        if name == "list"
        else name == "code" and len(classes) == 1 and classes[0].startswith(LANGUAGE)
    )
    repeated = {"anchor"} if name == "heading" else set[str]()
    repeated |= {"className"} if known or not classes else set()
    return attributes.keys() - repeated
