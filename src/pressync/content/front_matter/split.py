"""A file's text -> its front matter, each value with its line and its source text; and the body.

Markdown may begin with dashes, too: a fence that is never closed is front matter only if what follows it
looks like a key; else it is a rule. The handlers are called one by one: the library's `parse` strips the
body, and blanks in front of its first line make a block of code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import frontmatter

from pressync.content.front_matter.handlers import HANDLERS
from pressync.content.front_matter.value import UnreadableError
from pressync.model.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.content.front_matter.value import Given

_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*+")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands at the head of a file, and the rest of it from its first line that is not blank."""

    values: Mapping[str, Given]
    body: str
    body_line: int
    problems: tuple[Problem, ...] = ()


def split(path: str, text: str) -> FrontMatter:
    """Take the front matter off a text whose line ends are LF.

    YAML is fenced by `---`, TOML by `+++`, JSON is an object; each must begin on the first line. When it
    cannot be read, `problems` say why and the rest is empty.
    """
    try:
        values, body = _parse(text)
    except UnreadableError as error:
        return FrontMatter({}, "", 0, tuple(Problem(path, *reason) for reason in error.reasons))
    offset = after_blank_lines(text, len(text) - len(body))
    return FrontMatter(values, text[offset:], 1 + text.count("\n", 0, offset))


def after_blank_lines(text: str, offset: int) -> int:
    """Give the offset of the first line, from `offset` on, that is not blank."""
    blank = _BLANK_LINES.match(text, offset)
    return blank.end() if blank else offset


def _parse(text: str) -> tuple[dict[str, Given], str]:
    handler = frontmatter.detect_format(text, HANDLERS)
    if handler is None:
        return {}, text
    try:
        head, body = handler.split(text)
    except ValueError:
        return {}, text
    return handler.load(head), body
