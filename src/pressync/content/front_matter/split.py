"""Splits a file's text into its front matter and its body; each value keeps its line and its source text.

Markdown may begin with dashes as well. So an opening fence that is never closed is front matter only if the
next line looks like a key; otherwise it is a horizontal rule. The handlers are called one by one, because the
library's `parse` strips the body, and blanks at the start of a body's first line make a code block.
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
        return FrontMatter(
            {}, "", 0, tuple(Problem(path, *reason, code=error.code) for reason in error.reasons)
        )
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
