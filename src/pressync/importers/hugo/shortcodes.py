"""Finds the shortcodes of Hugo in a text, and replaces each that a converter knows.

Hugo looks for shortcodes before it reads Markdown, so they count in code and across lines too. A shortcode
may hold others, and one without its closing tag is legal. So the tags are read once from left to right with a
stack, and no pattern spans more than one tag.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_OPEN = re.compile(
    r"\{\{(?P<mark>[<%])(?P<comment>/\*)?[ \t\n]*(?P<close>/)?[ \t\n]*(?P<name>[\w./-]{1,100})?"
)
_ARGUMENT = re.compile(
    r"""\s*(?:(?P<key>[\w-]{1,100})\s*=\s*)?
        (?:"(?P<quoted>(?:[^"\\]|\\.){0,4000}+)"|`(?P<raw>[^`]{0,4000})`|(?P<word>(?!/?[>%]\}\})[^\s"`]{1,2000}?)(?=\s|/?[>%]\}\}))""",
    re.VERBOSE | re.DOTALL,
)
_END = re.compile(r"\s*(?P<alone>/)?(?P<mark>[>%])\}\}")
_COMMENT_END = re.compile(r"\*/[>%]\}\}")
# A tag that begins a line, a quote or an item of a list; its further lines stand in the same column.
_COLUMN = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_IN_LIST = re.compile(r"[^\s>]")
_DEEPEST = 100
# Without the bound, each of a million tags that never end would be read to the end of the text.
_MOST_ARGUMENTS = 100
_WIDEST = 200  # columns before a tag that may indent it


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of a shortcode: its name, its arguments in order and by name, and its text in the source."""

    name: str
    line: int
    source: str
    column: str
    given: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    closes: bool = False
    alone: bool = False

    def get(self, *keys: str | int, default: str = "") -> str:
        """Give the first argument that is given: by its name, or by its position."""
        for key in keys:
            if isinstance(key, str) and key in self.named:
                return self.named[key]
            if isinstance(key, int) and key < len(self.given) and not self.named:
                return self.given[key]
        return default


# Gives the text in place of a tag and its content (None without closing tag); None leaves it as it is.
Convert = Callable[[Tag, str | None], str | None]


@dataclass(slots=True)
class _Open:
    """A tag whose closing tag may follow, and the text since."""

    tag: Tag | None
    text: list[str] = field(default_factory=list)


def replaced(text: str, line: int, convert: Convert) -> str:
    """Replace each shortcode of a text that begins at `line`; an escaped one loses its escape."""
    if "{{<" not in text and "{{%" not in text:
        return text
    stack = [_Open(None)]
    for piece in _pieces(text, line):
        if isinstance(piece, str):
            stack[-1].text.append(piece)
        elif piece.closes:
            _close(stack, piece, convert)
        elif piece.alone or len(stack) > _DEEPEST:
            stack[-1].text.append(_converted(piece, None, "", convert))
        else:
            stack.append(_Open(piece))
    while len(stack) > 1:
        _give_up(stack, convert)
    return "".join(stack[0].text)


def _close(stack: list[_Open], closing: Tag, convert: Convert) -> None:
    depth = next((n for n in range(len(stack) - 1, 0, -1) if _name(stack[n]) == closing.name), 0)
    if not depth:
        stack[-1].text.append(closing.source)
        return
    while len(stack) > depth + 1:
        _give_up(stack, convert)
    top = stack.pop()
    if top.tag:
        stack[-1].text.append(_converted(top.tag, "".join(top.text), closing.source, convert))


def _name(entry: _Open) -> str:
    return entry.tag.name if entry.tag else ""


def _give_up(stack: list[_Open], convert: Convert) -> None:
    """Treat the innermost open tag as one without content."""
    top = stack.pop()
    if top.tag:
        stack[-1].text += [_converted(top.tag, None, "", convert), *top.text]


def _converted(tag: Tag, inner: str | None, closing: str, convert: Convert) -> str:
    made = convert(tag, inner)
    if made is None:
        return f"{tag.source}{inner or ''}{closing}"
    first, *rows = made.split("\n")
    return "\n".join([first, *(f"{tag.column}{row}".rstrip() for row in rows)]) if tag.column else made


def _pieces(text: str, line: int) -> list[str | Tag]:
    """Split a text into tags and the text between them."""
    pieces: list[str | Tag] = []
    done = at = 0
    while found := _OPEN.search(text, at):
        line += text.count("\n", at, found.start())
        read = _escaped(text, found) if found["comment"] else _tag(text, found, line)
        if isinstance(read, int):  # It is not a tag, so it is text.
            line += text.count("\n", found.start(), read)
            at = read
            continue
        piece, end = read
        pieces += [text[done : found.start()], piece]
        line += text.count("\n", found.start(), end)
        done = at = end
    pieces.append(text[done:])
    return pieces


def _escaped(text: str, found: re.Match[str]) -> tuple[str, int] | int:
    """Read `{{</* name */>}}`, which only shows a shortcode; or give where the search goes on."""
    start = found.end("comment")
    end = _COMMENT_END.search(text, start, start + 4_000)
    return (f"{{{{{found['mark']}{text[start : end.start()]}{end[0][2:]}", end.end()) if end else start


def _tag(text: str, found: re.Match[str], line: int) -> tuple[Tag, int] | int:
    """Read a tag and its end, or give where the search for the next one goes on."""
    if not found["name"]:
        return found.end()
    given: list[str] = []
    named: dict[str, str] = {}
    at = found.end()
    while not (end := _END.match(text, at)):
        argument = _ARGUMENT.match(text, at)
        if not argument or len(given) + len(named) > _MOST_ARGUMENTS:
            return at
        at = argument.end()
        value = argument["raw"] if argument["raw"] is not None else argument["word"]
        if argument["quoted"] is not None:
            value = re.sub(r"\\(.)", r"\1", argument["quoted"])
        if argument["key"]:
            named[argument["key"].lower()] = value
        else:
            given.append(value)
    near = max(0, found.start() - _WIDEST)
    before = text[text.rfind("\n", near, found.start()) + 1 : found.start()]
    tag = Tag(
        name=found["name"].rstrip("/") or found["name"],
        line=line,
        source=text[found.start() : end.end()],
        column=_IN_LIST.sub(" ", before) if len(before) < _WIDEST and _COLUMN.fullmatch(before) else "",
        given=tuple(given),
        named=named,
        closes=bool(found["close"]),
        alone=bool(end["alone"]) or found["name"].endswith("/"),
    )
    return tag, end.end()
