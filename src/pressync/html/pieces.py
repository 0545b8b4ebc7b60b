"""Cuts the HTML of a page into pieces, at the blocks of Markdown and of the WordPress editor. Pure.

A person who edits the page in WordPress leaves `<!-- wp:paragraph -->` around the text. A comment that has no
more information than the element in it is dropped. A block that has more (columns, a gallery, a colour) is
one piece and stays as it is.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from pressync.html.normalize import EDITORS_CLASS
from pressync.html.player_blocks import EMBED, GALLERY, PLAYERS, RATIO, block_of, form_of, with_galleries
from pressync.html.tree import BLOCKS, Element, Node, Raw, Text, filled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


_COMMENT = re.compile(
    r"<!--\s+(?P<end>/)?wp:(?P<name>[a-z][a-z0-9_/-]*)\s+(?P<attributes>\{.*\}\s+)?(?P<alone>/)?-->",
    re.DOTALL,
)
_HTML = "html"
# Blocks whose comment adds nothing to their element, with the attributes that the element has too.
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
    "math": frozenset({"latex"}),
    "nextpage": frozenset(),
    "more": frozenset(),
    "image": frozenset({"id", "sizeSlug", "linkDestination"}),
    _HTML: frozenset(),
}
# The blocks that are plain only in a form of their own, with their attributes.
_FORMED: dict[str, frozenset[str]] = {**PLAYERS, GALLERY: frozenset({"ids"})}
# The part of a block for which `editor_blocks` has no form.
_PARTS = {"table": "figcaption", "quote": "cite"}
# An empty comment separates two lists in Markdown.
_NOTHING = re.compile(r"<!--\s*-->")
_HIDDEN = frozenset({"script", "style", "template", "link", "meta"})
# The class of a list whose items are paragraphs, and the prefix of the class that names a language.
LOOSE = "loose"
LANGUAGE = "language-"
_FORMULA = "wp-block-math"


class Forms(NamedTuple):
    """The forms of Markdown that stand for blocks.

    With `captions` the caption of a picture is its title, as with `blocks = true`. With `embeds` players have
    a form, and with `galleries` pictures on lines.
    """

    captions: bool = False
    embeds: bool = False
    galleries: bool = False

    def has(self, block: str) -> bool:
        """Whether a block is one of those that `form_of` writes, and such blocks have a form."""
        return self.galleries if block == GALLERY else self.embeds and block in PLAYERS


NO_FORMS = Forms()


@dataclass(frozen=True, slots=True)
class Piece:
    """Nodes that belong together, from `start` to `end` of the source; an `opaque` piece stays HTML."""

    nodes: tuple[Node, ...]
    start: int
    end: int
    opaque: bool = False


@dataclass(frozen=True, slots=True)
class _Mark:
    """The comment of a block: its name, its attributes, and whether it ends a block or is a whole block."""

    name: str
    attributes: frozenset[str]
    ends: bool
    alone: bool


def cut(nodes: Sequence[Node], forms: Forms = NO_FORMS) -> tuple[Piece, ...]:
    """Cut a page: each block element is a piece, and so is the text between two of them.

    With captions, a block is one piece that stays as it is if its element alone would not become this block
    again.
    """
    shown = [node for node in nodes if not isinstance(node, Raw) or not _NOTHING.fullmatch(node.text)]
    return tuple(_cut(shown, forms))


def _cut(nodes: Sequence[Node], forms: Forms) -> Iterator[Piece]:
    line: list[Node] = []
    number = 0
    ends = _ends(nodes)
    # The comments that end the blocks "Custom HTML" around this node: such a block is only its content.
    closing = [len(nodes)]
    while number < len(nodes):
        node = nodes[number]
        mark = _mark(node)
        after = ends.get(number, number + 1)
        after = after if after <= closing[-1] else number + 1
        if number == closing[-1] or (mark and mark.name == _HTML and after > number + 1):
            yield from _line(line)
            line = []
            if number == closing[-1]:
                closing.pop()
            else:
                closing.append(after - 1)
            number += 1
            continue
        is_line = isinstance(node, Text) or (isinstance(node, Element) and node.name not in BLOCKS | _HIDDEN)
        if mark is None and is_line:
            line.append(node)
            number += 1
            continue
        yield from _line(line)
        line = []
        yield from _block(nodes[number:after], mark, forms)
        number = after
    yield from _line(line)


def _block(nodes: Sequence[Node], mark: _Mark | None, forms: Forms) -> Iterator[Piece]:
    """Give the pieces of one block: an element without a comment, or everything between two comments."""
    start, end = nodes[0].start, nodes[-1].end
    if mark is None:
        opaque = _holds_more(nodes, forms)
        plain = tuple(nodes) if opaque else _uncommented(nodes)
        yield Piece(
            tuple(map(with_galleries, plain)) if forms.galleries else plain, start, end, opaque=opaque
        )
    else:
        inside = filled(nodes[1:-1])
        is_plain = len(inside) == 1 and not mark.alone and not _holds_more([nodes[0], *inside], forms)
        if is_plain and not (forms.captions and _is_lost(mark, inside[0])):
            plain = tuple(as_rendered(node, forms) for node in _uncommented(inside))
            yield Piece(plain, start, end)
        else:
            yield Piece(tuple(nodes), start, end, opaque=True)


def _line(nodes: list[Node]) -> Iterator[Piece]:
    """Give the text between two blocks as a paragraph, because a browser shows it as one."""
    while nodes and isinstance(nodes[0], Text) and not nodes[0].text.strip():
        nodes = nodes[1:]
    while nodes and isinstance(nodes[-1], Text) and not nodes[-1].text.strip():
        nodes = nodes[:-1]
    if nodes:
        start, end = nodes[0].start, nodes[-1].end
        yield Piece((Element("p", {}, tuple(nodes), start, end),), start, end)


def _ends(nodes: Sequence[Node]) -> dict[int, int]:
    """Give, by the number where a block begins, the number after its end; a block without an end is left out.

    It is one pass, because a text can have thousands of blocks without an end.
    """
    ends: dict[int, int] = {}
    waiting: dict[str, list[int]] = {}
    for number, node in enumerate(nodes):
        mark = _mark(node)
        if mark is None or mark.alone:
            continue
        if not mark.ends:
            waiting.setdefault(mark.name, []).append(number)
        elif waiting.get(mark.name):
            ends[waiting[mark.name].pop()] = number + 1
    return ends


def _mark(node: Node) -> _Mark | None:
    comment = _COMMENT.fullmatch(node.text) if isinstance(node, Raw) else None
    if not comment:
        return None
    try:
        attributes = json.loads(comment["attributes"] or "{}")
    except (ValueError, RecursionError):
        attributes = {"": ""}  # an unknown attribute, so that the block stays as it is
    name = comment["name"].removeprefix("core/")
    return _Mark(
        name, frozenset(attribute_keys(name, attributes)), bool(comment["end"]), bool(comment["alone"])
    )


def _is_plain(mark: _Mark, after: Node | None, forms: Forms) -> bool:
    """Whether a comment adds nothing to the element `after` it."""
    blocks = _FORMED if forms.has(mark.name) else _PLAIN
    if mark.alone or mark.name not in blocks or not mark.attributes <= blocks[mark.name]:
        return False
    return blocks is _PLAIN or mark.ends or (after is not None and _has_form(after, forms))


def _has_form(block: Node, forms: Forms) -> bool:
    usual = Forms(captions=forms.captions)
    return any(form_of(as_rendered(node, usual)) for node in _uncommented([block]))


def _is_lost(mark: _Mark, node: Node) -> bool:
    """Whether the element of a block, sent as blocks, would not become this block again."""
    if mark.name in _PARTS and isinstance(node, Element):
        return any(isinstance(child, Element) and child.name == _PARTS[mark.name] for child in node.children)
    return mark.name == "preformatted"


def _holds_more(nodes: Sequence[Node], forms: Forms) -> bool:
    """Whether these nodes contain a block with more information than its element."""
    shown = filled(nodes)
    for node, after in zip_longest(shown, shown[1:]):
        mark = _mark(node)
        if mark and not _is_plain(mark, after, forms):
            return True
        if isinstance(node, Element) and _holds_more(node.children, forms):
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


# The editor keeps some attributes in other places than the renderer does, and `blocks = true` follows the
# editor. These functions move them back, so that a page of blocks and the same page as plain HTML are equal.
def as_rendered(node: Node, forms: Forms) -> Node:
    """Move the editor's attributes back; with captions the caption of a picture becomes its title."""
    if not isinstance(node, Element):
        return node
    children = tuple(as_rendered(child, forms) for child in node.children)
    node = replace(node, children=children)
    match node:
        case Element(name="ul" | "ol") if LOOSE in node.classes():
            items = tuple(_loosened(child) for child in children)
            return replace(_without_class(node, LOOSE), children=items)
        case Element(name="pre", children=(Element(name="code") as code,)):
            languages = [name for name in node.classes() if name.startswith(LANGUAGE)]
            if len(languages) == 1 and "class" not in code.attributes:
                named = replace(code, attributes={**code.attributes, "class": languages[0]})
                return replace(_without_class(node, languages[0]), children=(named,))
        case Element(name="div", children=(Element(name="math"),)) if _FORMULA in node.classes():
            return replace(node, name="p", attributes={})
        case Element(name="figure") if forms.captions:
            match filled(children):
                case [Element(name="img") as image, Element(name="figcaption", children=(Text(text=text),))]:
                    titled = replace(image, attributes={**image.attributes, "title": text})
                    return replace(node, children=(titled,))
    form = form_of(node) if forms.has(block_of(node)) else None
    return form or node


def _loosened(item: Node) -> Node:
    """Make a paragraph of the text before the first block of a list item."""
    if not isinstance(item, Element):
        return item
    line: list[Node] = []
    for child in item.children:
        if isinstance(child, Element) and child.name in BLOCKS:
            break
        line.append(child)
    if not filled(line):
        return item
    paragraph = Element("p", {}, tuple(line), line[0].start, line[-1].end)
    return replace(item, children=(paragraph, *item.children[len(line) :]))


def _without_class(node: Element, name: str) -> Element:
    others = [word for word in node.attributes["class"].split() if word != name]
    return replace(node, attributes={**node.attributes, "class": " ".join(others)})


def attribute_keys(name: str, attributes: dict[str, object]) -> Iterable[str]:
    """Name the attributes of a block's comment, without those that only repeat what its element has.

    A save in the editor of 7.1 adds the `anchor` of a heading, which is the id of the element. A save in that
    of 6.1 adds the classes that later versions give to every element of the kind.
    """
    classes = [
        word for word in str(attributes.get("className", "")).split() if not EDITORS_CLASS.fullmatch(word)
    ]
    if name == EMBED:
        classes = [word for word in classes if not RATIO.fullmatch(word)]
    is_known = (
        classes == [LOOSE]
        if name == "list"
        else name == "code" and len(classes) == 1 and classes[0].startswith(LANGUAGE)
    )
    repeated = {"anchor"} if name == "heading" else set[str]()
    # The editor writes this as soon as it opens a gallery.
    repeated |= {"linkTo"} if name == GALLERY and attributes.get("linkTo") == "none" else set()
    repeated |= {"className"} if is_known or not classes else set()
    return attributes.keys() - repeated


def is_footnotes(piece: Piece) -> bool:
    """Whether a piece is the list of footnotes. It is always the last, wherever the texts are written."""
    first = piece.nodes[0]
    return isinstance(first, Element) and first.name == "section" and "footnotes" in first.classes()
