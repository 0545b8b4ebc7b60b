"""Normalizes HTML, so that pulled Markdown can be compared with the site. Pure.

An editor, a filter and our renderer write one paragraph in three spellings. Normalization removes the
differences that a reader does not see: blanks, the order of attributes, `b` or `strong`, the classes that a
block editor gives to everything. Every other difference stays.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.html.titles import heading_id
from pressync.html.tree import BLOCKS, VOID, Element, Node, Raw, Text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping


_SAME = {"b": "strong", "i": "em", "s": "del", "strike": "del"}
_STYLED = frozenset({"strong", "em", "del"})
# In these elements, blanks are text.
_VERBATIM = frozenset({"pre", "textarea", "script", "style"})
# The block editor of WordPress writes these classes on every element of a kind.
EDITORS_CLASS = re.compile(
    r"wp-block-(?:paragraph|heading|list|list-item|quote|code|preformatted|table|separator|image)"
    r"|wp-element-caption|has-alpha-channel-opacity|has-fixed-layout|size-\w+|wp-image-\d+"
)
_ALIGNED = re.compile(r"has-text-align-(left|center|right)")
# The colours that `content.render.code` gives to code, and the class of a listing with a title.
_COLOURS = re.compile(
    r"(?:(?:background-)?color: (?:#[0-9a-fA-F]{3,8}|inherit|ansi\w+)|font-weight: bold|font-style: italic"
    r"|text-decoration: underline|;(?! ))+"
)
# The declarations that `content.render.page_forms` adds to a style, so that an element fits into its column.
FITTING = re.compile(
    r";?(?:max-width:\s*100%|height:\s*auto|overflow:\s*auto(?:\s+hidden)?|overflow-wrap:\s*anywhere|box-sizing:\s*border-box|direction:\s*ltr)(?=;|\s*\Z)"
)
_FITTED = frozenset(
    {
        *("img", "video", "audio", "iframe", "embed", "object", "canvas", "svg", "select"),
        *("pre", "div", "code", "p", "a", "span", "math"),
    }
)
# The width of a picture, as `page_forms` writes it.
_WIDTH = re.compile(r"width:\s*(\d+)px;?")
# The part of the id of a note that `content.render.footnotes` adds.
_OWN_NOTE = re.compile(r"\A#?fn-(?:[0-9a-f]{8}[0-9]*-)?")
# What the editor keeps beside the address of a link that it has looked up: the kind of its target and the id.
_TARGET_KINDS = frozenset({"url", "link", "internal", "mailto", "tel"})
# The comment of a block. No text of a line stands beside it.
_DELIMITER = re.compile(r"<!--\s+/?wp:[a-z]")
_TITLED = "code-title"
_TEX = "application/x-tex"
_BLANKS = re.compile(r"[ \t\r\n\f]+")
# The blanks that remain after `_BLANKS` is replaced. A non-breaking space is text.
_BLANK = " \n"
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})


def normalized(nodes: Iterable[Node], heading_ids: Collection[str] = ()) -> tuple[Node, ...]:
    """Give nodes in one spelling for everything that looks the same.

    `heading_ids` are the ids that the renderer gave to headings. These ids, and those that it would give, are
    removed. The reference of a footnote becomes an element `footnote` and their list an element `footnotes`,
    both without numbers.
    """
    parts = (part for node in nodes for part in _normalized(node, heading_ids))
    return _trimmed(tuple(parts), block=True)


def canonical(nodes: Iterable[Node]) -> str:
    """Write normalized nodes as one text; two pages that look the same give equal texts."""
    return "".join(_written(node, verbatim=False) for node in nodes)


def text_of(node: Node) -> str:
    """Give the text of a node without any markup."""
    match node:
        case Text(text=text):
            return text
        case Element(children=children):
            return "".join(text_of(child) for child in children)
        case _:
            return ""


def ids_of_headings(nodes: Iterable[Node]) -> Iterator[str]:
    """Give the id of each heading that has one."""
    for node in nodes:
        if isinstance(node, Element):
            if node.name in HEADINGS and "id" in node.attributes:
                yield node.attributes["id"]
            yield from ids_of_headings(node.children)


def _normalized(node: Node, heading_ids: Collection[str]) -> tuple[Node, ...]:
    if not isinstance(node, Element):
        return (node,)
    classes = node.classes()
    if node.name in _VERBATIM or (node.name == "figure" and _TITLED in classes):
        # The title is in the code's attribute `data-meta` as well.
        parts = node.children if node.name == "figure" else (node,)
        return tuple(
            _verbatim(part) for part in parts if isinstance(part, Element) and part.name in _VERBATIM
        )
    special = _formula(node)
    if special is None and "footnote-ref" in classes:
        special = Element("footnote", {"name": _footnote(node)}, (), node.start, node.end)
    if special:
        return (special,)
    if classes & {"footnote-backref", "footnotes"}:
        listed = Element("footnotes", {}, tuple(_footnotes(node, heading_ids)), node.start, node.end)
        return () if "footnote-backref" in classes else (listed,)
    name = _SAME.get(node.name, node.name)
    children = tuple(child for inner in node.children for child in _normalized(inner, heading_ids))
    children = _trimmed(children, block=name in BLOCKS)
    children = _with_box_inside(children) if name == "li" else children
    if name in _STYLED and not node.attributes:
        return _with_blanks_outside(replace(node, name=name, children=children))
    plain = replace(node, name=name, attributes=_attributes(node, heading_ids), children=children)
    # Such a span only lets the line break. The filter for authors takes its style.
    is_ours = name == "span" and node.attributes.keys() <= {"style"} and not plain.attributes
    return children if is_ours else (_unwrapped(node, plain),)


def _with_box_inside(children: tuple[Node, ...]) -> tuple[Node, ...]:
    """Put the box of a task into the paragraph of its words, where `page_forms` writes it."""
    match [child for child in children if not isinstance(child, Text) or child.text.strip(_BLANK)]:
        case [Element(name="input") as box, Element(name="p") as words, *rest]:
            between = Text(" ", box.end, words.start)
            return (replace(words, children=(box, between, *words.children)), *rest)
    return children


def _unwrapped(node: Element, element: Element) -> Element:
    """Take off what is around a picture, a table or a frame: a figure, a box that scrolls, a paragraph."""
    inner = element.children[0] if len(element.children) == 1 else None
    if element.name == "p" and isinstance(inner, Element) and inner.name == "iframe":
        # The paragraph only puts it into the column of a theme.
        return element if element.attributes else replace(inner, start=node.start, end=node.end)
    is_frame = element.name == "figure" or (element.name == "div" and "style" in node.attributes)
    if not is_frame or element.attributes or not isinstance(inner, Element):
        return element
    if inner.name == "table":
        return replace(inner, start=node.start, end=node.end)
    return replace(element, name="p") if element.name == "figure" and inner.name in {"img", "a"} else element


def _formula(node: Element) -> Element | None:
    """Give a formula as an element with its TeX; None if the element is not one."""
    style = node.attributes.get("data-math-style")
    tex: Node | None = node if style else None
    if node.name == "math":
        style, waiting = node.attributes.get("display", "inline").replace("block", "display"), [node]
        while waiting and tex is None:
            inner = waiting.pop().elements
            tex = next((element for element in inner if element.attributes.get("encoding") == _TEX), None)
            waiting += inner
    if tex is None:
        return None
    return Element(
        "formula", {"style": style or ""}, (Text(text_of(tex).strip(), 0, 0),), node.start, node.end
    )


def _footnotes(node: Element, heading_ids: Collection[str]) -> Iterator[Node]:
    """Give the texts of a list of footnotes, each as a list item with its name as the only attribute."""
    for child in node.children:
        if isinstance(child, Element) and child.name == "li":
            children = tuple(part for inner in child.children for part in _normalized(inner, heading_ids))
            name = _OWN_NOTE.sub("", child.attributes.get("id", ""))
            yield replace(child, attributes={"name": name}, children=_trimmed(children, block=True))
        elif isinstance(child, Element):
            yield from _footnotes(child, heading_ids)


def _footnote(node: Node) -> str:
    """Name the footnote to which a reference, or an element in it, links."""
    if isinstance(node, Element):
        # Other renderers write `fn1`.
        target = _OWN_NOTE.sub("", node.attributes.get("href", "")).removeprefix("#")
        return target or next(filter(None, map(_footnote, node.children)), "")
    return ""


def _attributes(node: Element, heading_ids: Collection[str]) -> Mapping[str, str]:
    added = {"data-sourcepos", *(_looked_up(node.attributes) if node.name == "a" else ())}
    kept = {name: value for name, value in node.attributes.items() if name not in added}
    if node.name in _FITTED and (rest := FITTING.sub("", kept.pop("style", ""))):
        kept["style"] = rest.removeprefix(";").strip()
    if node.name == "img" and (width := _WIDTH.fullmatch(kept.get("style", ""))):
        kept = {**kept, "width": width[1]}
        del kept["style"]
    if node.name == "code" and kept.get("dir") == "ltr":
        # `page_forms` turns code in a text that runs from right to left.
        del kept["dir"]
    if node.name == "input" and "disabled" in kept:
        # `page_forms` names the box of a task by its words.
        kept.pop("aria-label", None)
    classes = node.attributes.get("class", "").split()
    if node.name in {"td", "th"}:
        align = next((match[1] for name in classes if (match := _ALIGNED.fullmatch(name))), None)
        if align:
            kept["align"] = align
            kept.pop("data-align", None)
        classes = [name for name in classes if not _ALIGNED.fullmatch(name)]
    classes = [name for name in classes if not EDITORS_CLASS.fullmatch(name)]
    if classes:
        kept["class"] = " ".join(classes)
    else:
        kept.pop("class", None)
    if node.name in HEADINGS and "id" in kept:
        is_ours = "data-sourcepos" in node.attributes or kept["id"] in heading_ids
        if is_ours or kept["id"] == heading_id(text_of(node)):
            del kept["id"]
    return kept


def _looked_up(attributes: Mapping[str, str]) -> Collection[str]:
    """Name the attributes of a link that the editor keeps beside its address."""
    kind, number = attributes.get("data-type", ""), attributes.get("data-id", "")
    is_editors = kind.lower() in _TARGET_KINDS or (kind and number.isdecimal())
    return ("data-type", "data-id") if is_editors else ()


def _verbatim(node: Element) -> Element:
    """Give an element with its blanks; the line breaks at both ends of a listing are dropped."""
    attributes = _attributes(node, ())
    children = [_broken(child) for child in node.children]
    if node.name == "pre" and children and isinstance(children[0], Text):
        # A browser does not show a line break behind the tag.
        children[0] = replace(children[0], text=children[0].text.removeprefix("\n"))
        children = children[0 if children[0].text else 1 :]
    if node.name == "pre" and len(children) == 1 and isinstance(children[0], Element):
        code = children[0]
        if formula := _formula(code):
            return replace(node, name="p", attributes={}, children=(formula,))
        inner = _ended(_joined(_broken(part) for child in code.children for part in _uncoloured(child)))
        if _is_ours(attributes):
            attributes = {name: value for name, value in attributes.items() if name != "style"}
        children = [replace(code, attributes=_attributes(code, ()), children=inner)]
    elif node.name == "pre":
        children = list(_ended(_joined(children)))
    return replace(node, attributes=attributes, children=tuple(children))


def _uncoloured(node: Node) -> Iterator[Node]:
    """Give a part of a code without the elements that only colour it."""
    if isinstance(node, Element) and node.attributes.keys() == {"style"} and _is_ours(node.attributes):
        for child in node.children:
            yield from _uncoloured(child)
    else:
        yield node


def _is_ours(attributes: Mapping[str, str]) -> bool:
    return _COLOURS.fullmatch(attributes.get("style", "")) is not None


def _broken(node: Node) -> Node:
    return Text("\n", node.start, node.end) if isinstance(node, Element) and node.name == "br" else node


def _joined(nodes: Iterable[Node]) -> list[Node]:
    joined: list[Node] = []
    for node in nodes:
        if isinstance(node, Text) and joined and isinstance(joined[-1], Text):
            joined[-1] = Text(joined[-1].text + node.text, joined[-1].start, node.end)
        else:
            joined.append(node)
    return joined


def _ended(nodes: list[Node]) -> tuple[Node, ...]:
    if nodes and isinstance(nodes[-1], Text):
        nodes[-1] = replace(nodes[-1], text=nodes[-1].text.removesuffix("\n"))
    return _shown(nodes)


def _shown(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Give these nodes without the texts that are empty."""
    return tuple(node for node in nodes if not isinstance(node, Text) or node.text)


def _with_blanks_outside(node: Element) -> tuple[Node, ...]:
    """Move the blanks at the ends of a styled text out of it. They look the same there."""
    if not node.children:
        return ()
    before, children, after = "", list(node.children), ""
    if isinstance(children[0], Text):
        text = children[0].text
        before = text[: len(text) - len(text.lstrip(_BLANK))]
        children[0] = replace(children[0], text=text.lstrip(_BLANK))
    if isinstance(children[-1], Text):
        text = children[-1].text
        after = text[len(text.rstrip(_BLANK)) :]
        children[-1] = replace(children[-1], text=text.rstrip(_BLANK))
    inside = _shown(children)
    middle = (replace(node, children=inside),) if inside else ()
    return _shown((Text(before, node.start, node.start), *middle, Text(after, node.end, node.end)))


def _trimmed(nodes: Iterable[Node], *, block: bool) -> tuple[Node, ...]:
    """Shorten runs of blanks to one, and drop the blanks that a browser does not show."""
    nodes = _joined(nodes)
    kept: list[Node] = []
    for number, node in enumerate(nodes):
        if not isinstance(node, Text):
            kept.append(node)
            continue
        before = nodes[number - 1] if number else None
        after = nodes[number + 1] if number + 1 < len(nodes) else None
        text = _BLANKS.sub(lambda run: "\n" if "\n" in run[0] else " ", node.text)
        if _ends_line(before, block=block) or (isinstance(before, Element) and before.name == "br"):
            text = text.lstrip(_BLANK)
        if _ends_line(after, block=block) or (isinstance(after, Element) and after.name == "br"):
            text = text.rstrip(_BLANK)
        if text:
            kept.append(replace(node, text=text))
    return tuple(kept)


def _ends_line(node: Node | None, *, block: bool) -> bool:
    if isinstance(node, Raw):
        return _DELIMITER.match(node.text) is not None
    return block if node is None else isinstance(node, Element) and node.name in BLOCKS


def _written(node: Node, *, verbatim: bool) -> str:
    match node:
        case Text(text=text):
            return html.escape(text if verbatim else text.replace("\n", " "))
        case Raw(text=text):
            return _BLANKS.sub(" ", text)
        case Element(name=name, attributes=attributes, children=children):
            named = "".join(f' {key}="{html.escape(attributes[key])}"' for key in sorted(attributes))
            if name in VOID:
                return f"<{name}{named}>"
            inside = "".join(_written(child, verbatim=verbatim or name in _VERBATIM) for child in children)
            return f"<{name}{named}>{inside}</{name}>"
