"""Finds code blocks whose closing fence is missing: they show the rest of the page as code.

A text is rendered a second time only if its fences do not pair line by line. The renderer then tells which
blocks are code and where they end, because lists and quotes close the fences inside them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pressync.model.records import Document

_FENCE = re.compile(
    r"^(?P<lead>(?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*+)(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
# A language after a fence: this line opens a block, and cannot close one.
_LANGUAGE = re.compile(r" ?[\w{.+#-][^`]*")
_BLOCK = re.compile(r'<pre data-sourcepos="(\d+):\d+-(\d+):\d+">')
_TODO = "add the closing fence"
# A fence that is indented by more than this is a part of the code.
_DEEPEST = 3


def find(document: Document, placed: Callable[[], str]) -> Iterator[Problem]:
    """Warn of each code block without a closing fence; `placed` is as for `foreign_syntax.find`."""
    if _pair(document.body):
        return
    rows = document.body.split("\n")
    last = len(document.body.rstrip().split("\n"))
    for first, end in _BLOCK.findall(placed()):
        if what := _fault(rows, int(first), int(end), last, document.body_line):
            line = document.body_line + int(first) - 1
            yield Problem(document.path, line, what, _TODO, warning=True, code=Code.UNCLOSED_CODE)


def _pair(text: str) -> bool:
    """Tell whether each fence of a text has its closing fence, and none opens inside of another."""
    if "```" not in text and "~~~" not in text:
        return True
    opening = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = None if _is_inline(fence) else fence
        elif _closes(fence, opening):
            opening = None
        elif _opens_inside(fence, opening):
            return False
    return opening is None


def _fault(rows: Sequence[str], first: int, end: int, last: int, body_line: int) -> str:
    """Say what is wrong with the code block of these rows, from 1; "" if nothing is."""
    opening = _FENCE.match(rows[first - 1])
    if opening is None or _is_inline(opening):
        return ""
    for number in range(first, min(end, len(rows))):
        fence = _FENCE.match(rows[number])
        if fence and _opens_inside(fence, opening):
            return f"this code block has no end before the next one, in line {body_line + number}"
    closing = _FENCE.match(rows[end - 1]) if first < end <= len(rows) else None
    if (closing and _closes(closing, opening)) or end < last:
        return ""
    return "this code block has no end: the rest of the page is code"


def _is_inline(fence: re.Match[str]) -> bool:
    """Whether backticks follow on the line, which makes it inline code."""
    return fence["mark"][0] == "`" and "`" in fence["rest"]


def _closes(fence: re.Match[str], opening: re.Match[str]) -> bool:
    return _is_fence_of(fence, opening) and not fence["rest"].strip()


def _opens_inside(fence: re.Match[str], opening: re.Match[str]) -> bool:
    return _is_fence_of(fence, opening) and bool(_LANGUAGE.fullmatch(fence["rest"].rstrip()))


def _is_fence_of(fence: re.Match[str], opening: re.Match[str]) -> bool:
    """Whether a fence in a code block is of the sort that ends the block."""
    is_shallow = len(fence["lead"]) - len(opening["lead"]) <= _DEEPEST
    return is_shallow and fence["mark"].startswith(opening["mark"])
