"""Splits a file's text into its front matter and its body; each value keeps its line and its source text.

Markdown may begin with dashes as well. So an opening fence that is never closed is front matter only if the
next line looks like a key; otherwise it is a horizontal rule. The handlers are called one by one, because the
library's `parse` strips the body, and blanks at the start of a body's first line make a code block.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

import frontmatter

from pressync.content.front_matter.convert import readers
from pressync.content.front_matter.formats import HANDLERS, TOML, YAML
from pressync.content.front_matter.value import UnreadableError
from pressync.model.errors import Code, Problem
from pressync.model.interface import DOCUMENTED_KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pressync.content.front_matter.formats import FrontMatterHandler
    from pressync.content.front_matter.value import Given

# A key of this many words below a blank line is the start of the text: YAML takes `Please note: …` as a key.
_SENTENCE = 3
_SHOWN = 40
_FENCES = ("---", "+++")
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*+")
# Front matter that does not begin with the file. A fence that closes a block of code is not one.
_DISPLACED = re.compile(r"[ \t]{0,16}(?P<fence>-{3,}|\+{3,})[ \t]*\n")
_CLOSING = {
    "-": re.compile(r"^ {0,3}-{3,}[ \t]*$", re.MULTILINE),
    "+": re.compile(r"^ {0,3}\+{3,}[ \t]*$", re.MULTILINE),
}
_KEYS = frozenset().union(*map(readers, DOCUMENTED_KINDS.values()))
_FIRST_KEY = re.compile(r"([\w-]+)[ \t]*[:=]")
_MOST = 16 * 1024  # characters of front matter below a blank line


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter of a file, and its body from the first line that is not blank."""

    values: Mapping[str, Given]
    body: str
    body_line: int
    problems: tuple[Problem, ...] = ()


def split(path: str, text: str) -> FrontMatter:
    """Split a text whose line endings are LF.

    YAML is fenced by `---`, TOML by `+++`, and JSON is an object; each must begin on the first line. If it
    cannot be read, `problems` say why, and everything else is empty.
    """
    try:
        values, body = _parse(text)
    except UnreadableError as error:
        found = (_problem(path, text, reason, error.code) for reason in error.reasons)
        return FrontMatter({}, "", 0, tuple(found))
    for key, given in values.items():
        if text[:3] in _FENCES and len(key.split()) >= _SENTENCE and _is_after_blank_line(text, given.line):
            reason = (given.line, f"'{key[:_SHOWN]}' looks like text and not like a key", "correct this line")
            return FrontMatter({}, "", 0, (_problem(path, text, reason, Code.FRONT_MATTER),))
    offset = after_blank_lines(text, len(text) - len(body))
    return FrontMatter(values, text[offset:], 1 + text.count("\n", 0, offset))


def _problem(path: str, text: str, reason: tuple[int, str, str], code: Code) -> Problem:
    """Make a problem of front matter. Below a blank line, it may be text: the closing fence is missing."""
    line, what, todo = reason
    fence = text[:3]
    if code is not Code.FRONT_MATTER or fence not in _FENCES or not _is_after_blank_line(text, line):
        return Problem(path, line, what, todo, code=code)
    todo = f"{todo}; if the text begins here, add the closing `{fence}` above it"
    return Problem(path, line, what, todo, code=Code.FRONT_MATTER_UNCLOSED)


def _is_after_blank_line(text: str, line: int) -> bool:
    return any(not row.strip() for row in text.split("\n", line)[: line - 1])


def after_blank_lines(text: str, offset: int) -> int:
    """Give the offset of the first line, from `offset` on, that is not blank."""
    blank = _BLANK_LINES.match(text, offset)
    return blank.end() if blank else offset


def _parse(text: str) -> tuple[dict[str, Given], str]:
    handler = frontmatter.detect_format(text, HANDLERS)
    if handler is None:
        _refuse_displaced(text)
        return {}, text
    try:
        head, body = handler.split(text)
    except ValueError:
        return {}, text
    return handler.load(head), body


def _refuse_displaced(text: str) -> None:
    """Refuse front matter below blank lines or after blanks: it would be text, and a draft would be public.

    :raises UnreadableError: a block between fences has a key that is known.
    """
    start = after_blank_lines(text, 0)
    opening = _DISPLACED.match(text, start)
    closing = opening and _CLOSING[opening["fence"][0]].search(text, opening.end(), opening.end() + _MOST)
    if not opening or not closing:
        return
    handler = YAML if opening["fence"][0] == "-" else TOML
    if _has_known_key(textwrap.dedent(text[opening.end() : closing.start()]), handler):
        todo = f"delete the {'empty lines' if start else 'blanks'} before it"
        raise UnreadableError(
            (1 + text.count("\n", 0, start), "front matter must begin in the first line", todo)
        )


def _has_known_key(head: str, handler: FrontMatterHandler) -> bool:
    """Tell whether lines are front matter. With a mistake in them, they are if the first one is a key."""
    try:
        keys: Collection[str] = handler.load(head)
    except UnreadableError:
        first = _FIRST_KEY.match(head)
        keys = [first[1]] if first and "\n\n" not in head else []
    return any(key.lower() in _KEYS for key in keys)
