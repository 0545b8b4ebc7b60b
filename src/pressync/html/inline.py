"""Text with markup -> a line of Markdown, or several. Pure.

It must not know blocks or the renderer. What decided its shape: whether a mark must be escaped depends on
all that stands around it, so there are two voices. The usual one escapes what is nearly always markup,
and reads well; the thorough one escapes all that could be. Whoever asks renders the one and, if need be,
takes the other.
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
# What would begin another block if a line began with it.
_LEADING = re.compile(
    r"^(?:(\d{1,9})(?=[.)](?:\s|$))|(?=\#{1,6}(?:\s|$)|>|[-+](?:\s|$)|:\s|=+\s*$|-+\s*$|-[-\s]+$|~~~|\|))",
    re.MULTILINE,
)
_BARE = re.compile(r"(?:https?://|mailto:)[^\s<>]+")
_MARKS: Mapping[str, str] = {"strong": "**", "em": "*", "del": "~~"}


class InexpressibleError(ValueError):
    """Markdown has no word for it."""


@dataclass(frozen=True, slots=True)
class MarkdownStyle:
    """How Markdown is written: `link` gives the address to write for one of the site."""

    link: Callable[[str], str]
    bullet: str = "-"
    thorough: bool = False


def inline(nodes: Iterable[Node], voice: MarkdownStyle, *, one_line: bool = False) -> str:
    """Write text that is `alike`; with `one_line` without line breaks, as headings and cells need it.

    :raises InexpressibleError: there is a block in it.
    """
    said = "".join(_node(node, voice, one_line=one_line) for node in nodes)
    return said.replace("\n", " ") if one_line else said


def lines_escaped(said: str) -> str:
    """Escape what begins a line of a paragraph and would begin another block."""
    return _LEADING.sub(lambda found: f"{found[1]}\\" if found[1] else "\\", said)


def tag(node: Element, voice: MarkdownStyle) -> str:
    """Write a start tag."""
    written = []
    for name, value in node.attributes.items():
        target = voice.link(value) if (node.name, name) in {("a", "href"), ("img", "src")} else value
        written.append(f' {name}="{html.escape(target)}"')
    return f"<{node.name}{''.join(written)}{' /' if node.name in VOID else ''}>"


def _node(node: Node, voice: MarkdownStyle, *, one_line: bool) -> str:
    match node:
        case Text(text=text):
            return (_THOROUGH if voice.thorough else _USUAL).sub(lambda mark: f"\\{mark[0]}", text)
        case Raw(text=text):
            return text
        case Element(name=name) if name in BLOCKS:
            raise InexpressibleError(name)
        case Element(name="br", attributes=attributes) if not attributes and not one_line:
            return "\\\n"
        case Element(name="code", attributes=attributes, children=(Text(text=text),)) if not attributes:
            return _code(text)
    write = _WRITERS.get(node.name)
    if write and node.attributes.keys() <= write.attributes:
        return write.say(node, voice, inline(node.children, voice, one_line=one_line))
    inside = inline(node.children, voice, one_line=one_line)
    return tag(node, voice) + (inside + f"</{node.name}>" if node.name not in VOID else "")


def _styled(node: Element, _voice: MarkdownStyle, inside: str) -> str:
    return f"{_MARKS[node.name]}{inside}{_MARKS[node.name]}"


def _link(node: Element, voice: MarkdownStyle, inside: str) -> str:
    target = node.attributes.get("href", "")
    bare = _BARE.fullmatch(target) and voice.link(target) == target
    if bare and "title" not in node.attributes and text_of(node) == target.removeprefix("mailto:"):
        return f"<{text_of(node)}>"
    return f"[{inside}]({_target(node, 'href', voice)})"


def _image(node: Element, voice: MarkdownStyle, _inside: str) -> str:
    alt = re.sub(r"([\\`*_\[\]<&])", r"\\\1", node.attributes.get("alt", ""))
    return f"![{alt}]({_target(node, 'src', voice)})"


def _footnote(node: Element, _voice: MarkdownStyle, _inside: str) -> str:
    return f"[^{node.attributes['name']}]"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Says one kind of element whose attributes are among these."""

    attributes: frozenset[str]
    say: Callable[[Element, MarkdownStyle, str], str]


_WRITERS: Mapping[str, _Writer] = {
    **dict.fromkeys(_MARKS, _Writer(frozenset(), _styled)),
    "a": _Writer(frozenset({"href", "title"}), _link),
    "img": _Writer(frozenset({"src", "alt", "title"}), _image),
    "footnote": _Writer(frozenset({"name"}), _footnote),
}


def _target(node: Element, name: str, voice: MarkdownStyle) -> str:
    """Write where a link or a picture leads, and its title."""
    address = voice.link(node.attributes.get(name, ""))
    if re.search(r"[\s()<>\\]", address) or not address:
        address = "<" + re.sub(r"([<>\\])", r"\\\1", address.replace("\n", "%0A")) + ">"
    else:
        address = re.sub(r"&(?=#?\w+;)", r"\\&", address)
    title = node.attributes.get("title")
    if title is None:
        return address
    return f'{address} "' + re.sub(r'(["\\])', r"\\\1", title) + '"'


def _code(text: str) -> str:
    """Fence code with more backticks than it holds in a row."""
    runs = {len(run) for run in re.findall(r"`+", text)}
    fence = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    pad = " " if text[:1] in {"`", " "} or text[-1:] in {"`", " "} else ""
    # One blank at each end is taken off, unless there is nothing but blanks.
    return f"{fence}{pad if text.strip() else ''}{text}{pad if text.strip() else ''}{fence}"
