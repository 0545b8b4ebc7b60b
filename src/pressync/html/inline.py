"""Writes text with markup as one or more lines of Markdown. Pure.

Whether a character needs an escape depends on everything around it, so there are two styles. The usual style
escapes what is nearly always markup, and is easy to read. The thorough style escapes everything that could be
markup. The caller renders the first result, and takes the second style if the first renders wrongly.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.html.normalize import text_of
from pressync.html.tree import BLOCKS, VOID, Element, Raw, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.html.tree import Node

_USUAL = re.compile(
    r"""
      \\(?=[!-/:-@\[-`{-~\n]|$)
    | [`*]
    | (?<!\w)_ | _(?!\w)
    | <(?=[A-Za-z/!?])
    | &(?=\#\w{1,8};|\w{1,31};)
    | ~(?=~)
    | \[(?=\^|[ xX]\])
    | (?<=\])[(\[:]
    """,
    re.VERBOSE,
)
_THOROUGH = re.compile(r"[\\`*_\[\]<>&~|!:@#]|(?<=w)\.")
# At the start of a line, these begin another block.
_LEADING = re.compile(
    r"^(?:(\d{1,9})(?=[.)](?:\s|$))|(?=\#{1,6}(?:\s|$)|>|[-+](?:\s|$)|:\s|=+\s*$|-+\s*$|-[-\s]+$|~~~|\|))",
    re.MULTILINE,
)
_BARE = re.compile(r"(?:https?://|mailto:)[^\s<>]+")
_MARKS: Mapping[str, str] = {"strong": "**", "em": "*", "del": "~~"}


class InexpressibleError(ValueError):
    """Markdown cannot express this HTML."""


@dataclass(frozen=True, slots=True)
class MarkdownStyle:
    """How to write Markdown; `link` gives the address to write for an address of the site."""

    link: Callable[[str], str]
    bullet: str = "-"
    thorough: bool = False


def inline(nodes: Iterable[Node], style: MarkdownStyle, *, one_line: bool = False) -> str:
    """Write normalized text; with `one_line` without line breaks, as headings and cells need it.

    :raises InexpressibleError: it contains a block.
    """
    text = "".join(_node(node, style, one_line=one_line) for node in nodes)
    return text.replace("\n", " ") if one_line else text


def lines_escaped(text: str) -> str:
    """Escape characters that would begin another block at the start of a line."""
    return _LEADING.sub(lambda found: f"{found[1]}\\" if found[1] else "\\", text)


def tag(node: Element, style: MarkdownStyle) -> str:
    """Write a start tag."""
    written = []
    for name, value in node.attributes.items():
        target = style.link(value) if (node.name, name) in {("a", "href"), ("img", "src")} else value
        written.append(f' {name}="{html.escape(target)}"')
    return f"<{node.name}{''.join(written)}{' /' if node.name in VOID else ''}>"


def _node(node: Node, style: MarkdownStyle, *, one_line: bool) -> str:
    match node:
        case Text(text=text):
            return (_THOROUGH if style.thorough else _USUAL).sub(lambda mark: f"\\{mark[0]}", text)
        case Raw(text=text):
            return text
        case Element(name=name) if name in BLOCKS:
            raise InexpressibleError(name)
        case Element(name="br", attributes=attributes) if not attributes and not one_line:
            return "\\\n"
        case Element(name="code", attributes=attributes, children=(Text(text=text),)) if not attributes:
            return _code(text)
    writer = _WRITERS.get(node.name)
    if writer and node.attributes.keys() <= writer.attributes:
        return writer.write(node, style, inline(node.children, style, one_line=one_line))
    inside = inline(node.children, style, one_line=one_line)
    return tag(node, style) + (inside + f"</{node.name}>" if node.name not in VOID else "")


def _styled(node: Element, _style: MarkdownStyle, inside: str) -> str:
    return f"{_MARKS[node.name]}{inside}{_MARKS[node.name]}"


def _link(node: Element, style: MarkdownStyle, inside: str) -> str:
    target = node.attributes.get("href", "")
    bare = _BARE.fullmatch(target) and style.link(target) == target
    if bare and "title" not in node.attributes and text_of(node) == target.removeprefix("mailto:"):
        return f"<{text_of(node)}>"
    return f"[{inside}]({_target(node, 'href', style)})"


def _image(node: Element, style: MarkdownStyle, _inside: str) -> str:
    alt = re.sub(r"([\\`*_\[\]<&])", r"\\\1", node.attributes.get("alt", ""))
    return f"![{alt}]({_target(node, 'src', style)})"


def _footnote(node: Element, _style: MarkdownStyle, _inside: str) -> str:
    return f"[^{node.attributes['name']}]"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes one kind of element if it has only these attributes."""

    attributes: frozenset[str]
    write: Callable[[Element, MarkdownStyle, str], str]


_WRITERS: Mapping[str, _Writer] = {
    **dict.fromkeys(_MARKS, _Writer(frozenset(), _styled)),
    "a": _Writer(frozenset({"href", "title"}), _link),
    "img": _Writer(frozenset({"src", "alt", "title"}), _image),
    "footnote": _Writer(frozenset({"name"}), _footnote),
}


def _target(node: Element, name: str, style: MarkdownStyle) -> str:
    """Write the address and the title of a link or a picture."""
    address = style.link(node.attributes.get(name, ""))
    if re.search(r"[\s()<>\\]", address) or not address:
        address = "<" + re.sub(r"([<>\\])", r"\\\1", address.replace("\n", "%0A")) + ">"
    else:
        address = re.sub(r"&(?=#?\w+;)", r"\\&", address)
    title = node.attributes.get("title")
    if title is None:
        return address
    return f'{address} "' + re.sub(r'(["\\])', r"\\\1", title) + '"'


def _code(text: str) -> str:
    """Write inline code between a number of backticks that does not occur in it."""
    runs = {len(run) for run in re.findall(r"`+", text)}
    fence = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    pad = " " if text[:1] in {"`", " "} or text[-1:] in {"`", " "} else ""
    # Markdown removes one blank at each end, unless the text has nothing but blanks.
    return f"{fence}{pad if text.strip() else ''}{text}{pad if text.strip() else ''}{fence}"
