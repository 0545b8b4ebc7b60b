"""An element of the WordPress editor -> the element that Markdown is rendered to. Pure.

It must not know comments or Markdown. What decided its shape: where the editor keeps something elsewhere
than the renderer (`blocks = true` follows it there), it is put back, so that a page of blocks and the same
page as plain HTML read alike.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.html.tree import BLOCKS, Element, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.html.tree import Node

# The class of a list whose items are paragraphs, and how that of a language begins.
LOOSE = "loose"
LANGUAGE = "language-"


def as_rendered(node: Node, *, captions: bool) -> Node:
    """Put back what the editor moved; with `captions` a picture's caption is its title."""
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
    """Make a paragraph of the line that an item begins with."""
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
    """Give the language of a listing to the code in it."""
    languages = [name for name in listing.classes() if name.startswith(LANGUAGE)]
    if len(languages) != 1 or "class" in code.attributes:
        return listing
    named = replace(code, attributes={**code.attributes, "class": languages[0]})
    return replace(_without_class(listing, languages[0]), children=(named,))


def _with_title(figure: Element) -> Element:
    """Make the caption of a picture its title."""
    match [child for child in figure.children if not isinstance(child, Text) or child.text.strip()]:
        case [Element(name="img") as image, Element(name="figcaption", children=(Text(text=text),))]:
            return replace(figure, children=(replace(image, attributes={**image.attributes, "title": text}),))
        case _:
            return figure


def _without_class(node: Element, name: str) -> Element:
    others = [each for each in node.attributes["class"].split() if each != name]
    return replace(node, attributes={**node.attributes, "class": " ".join(others)})


def keys(name: str, attributes: dict[str, object]) -> Iterable[str]:
    """Name the attributes of a block's comment, without a class that `as_rendered` understands."""
    said = str(attributes.get("className", ""))
    known = said == LOOSE if name == "list" else name == "code" and said.startswith(LANGUAGE)
    return (key for key in attributes if not (key == "className" and known))
