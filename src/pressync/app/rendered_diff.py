"""Compares two rendered texts block by block, marks the words that differ, and has the parts of such a page.

People see a page and no tags. So the unit is the block that a reader sees: a paragraph, a heading, a table.
Bodies are text from outside. Each block is closed in itself, so that no block can leave its row, and the work
is bounded, because a comparison takes the square of the length at worst. The policy of a page allows exactly
our scripts and styles, by their digests, so a text can neither add one nor change one.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from itertools import zip_longest
from typing import TYPE_CHECKING

from pressync.html import tokens
from pressync.html.contained import contained
from pressync.pull.bounded_diff import Work, matcher

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Longer texts are not compared, nor are those with more blocks.
_LONGEST, _MOST_BLOCKS = 1_000_000, 4_000
# Words are marked in two blocks whose numbers of pieces have at most this product.
_MOST_PAIRS = 250_000
# This many equal blocks are shown beside a changed one.
_AROUND = 1
_EQUAL = {"same", "gap"}
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


def rows(before: str | None, after: str | None) -> str:
    """Write the rows of a comparison as HTML; "" if both sides look the same.

    None stands for a side that does not exist; then the other side is shown whole.
    """
    if before is None or after is None:
        side = "new" if before is None else "gone"
        return _row(f"only {side}", contained((before if after is None else after) or ""))
    old, new = _blocks(before), _blocks(after)
    if old == new:
        return ""
    if max(len(before), len(after)) > _LONGEST or max(len(old), len(new)) > _MOST_BLOCKS:
        return _row("gap", f"{len(before):,} and {len(after):,} characters: too many to compare")
    compared = [*_compared(old, new)]
    return "".join(text for _, text in compared) if {word for word, _ in compared} - _EQUAL else ""


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Give the rows, each with its word."""
    work = Work()
    for tag, i, j, k, m in matcher(old, new, autojunk=True).get_opcodes():
        if tag == "equal":
            yield from _equal(old[i:j], first=not i + k, last=(j, m) == (len(old), len(new)))
            continue
        for raw in zip_longest(old[i:j], new[k:m], fillvalue=""):
            left, right = map(contained, raw)
            if left == right:
                yield "same", _row("same", left, right)
            elif left and right:
                yield "changed", _row("changed", *_marked(left, right, work))
            else:
                word = "gone" if left else "new"
                yield word, _row(word, left, right)


def _equal(blocks: Sequence[str], *, first: bool, last: bool) -> Iterator[tuple[str, str]]:
    """Show the blocks next to a change, and count the others."""
    head = 0 if first else _AROUND
    tail = 0 if last else _AROUND
    hidden = len(blocks) - head - tail
    # A row in place of a single block would save nothing.
    if hidden <= 1:
        head, tail, hidden = len(blocks), 0, 0
    yield from (_same(block) for block in blocks[:head])
    if hidden:
        yield "gap", _row("gap", f"{hidden} blocks are the same")
    yield from (_same(block) for block in (blocks[-tail:] if tail else ()))


def _same(block: str) -> tuple[str, str]:
    inside = contained(block)
    return "same", _row("same", inside, inside)


def _row(word: str, *sides: str) -> str:
    inner = "".join(f"<div>{side}</div>" for side in sides)
    return f'<div class="row {word}">{inner}</div>\n'


def _blocks(html: str) -> list[str]:
    """Cut a text into blocks; elements around the whole text, such as those of a template, are left out."""
    nodes = _seen(tokens.parse(html))
    while len(nodes) == 1 and nodes[0].name in {"article", "div", "main", "section"}:
        nodes = _seen(nodes[0].children)
    return [node.outer.strip(tokens.BLANKS) for node in nodes]


def _seen(nodes: Iterable[tokens.Node]) -> list[tokens.Node]:
    return [node for node in nodes if not node.is_blank and node.name != tokens.COMMENT]


def _marked(old: str, new: str, work: Work) -> tuple[str, str]:
    """Mark the words that differ between two blocks, unless they have many or the page had many before."""
    left, right = [*_pieces(old)], [*_pieces(new)]
    if len(left) * len(right) > _MOST_PAIRS:
        return old, new
    codes = matcher(left, right, work=work).get_opcodes()
    if work.left < 0:
        return old, new
    return (
        "".join(_side(left, "del", [(tag, i, j) for tag, i, j, _, _ in codes])),
        "".join(_side(right, "ins", [(tag, k, m) for tag, _, _, k, m in codes])),
    )


def _side(
    pieces: Sequence[tuple[str, bool]], mark: str, ranges: Sequence[tuple[str, int, int]]
) -> Iterator[str]:
    for tag, first, last in ranges:
        for text, is_word in pieces[first:last]:
            yield f"<{mark}>{text}</{mark}>" if is_word and tag != "equal" else text


def _pieces(html: str) -> Iterator[tuple[str, bool]]:
    """Cut a block into tags and words, each with whether it is a word."""
    waiting: list[tokens.Node | str] = [*reversed(tokens.parse(html))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node, False
        elif node.name == tokens.TEXT:
            yield from _words(node.outer)
        elif not node.children:
            yield node.outer, False
        else:
            yield node.tag, False
            waiting += [node.page[node.inner_end : node.end], *node.children[::-1]]


def _words(text: str) -> Iterator[tuple[str, bool]]:
    """Cut a text into words, blanks and other characters; a character reference is one word."""
    position = 0
    for found in re.finditer(r"&#?\w{1,32};", text):
        yield from ((word, not word.isspace()) for word in _WORDS.findall(text[position : found.start()]))
        yield found[0], True
        position = found.end()
    yield from ((word, not word.isspace()) for word in _WORDS.findall(text[position:]))


# The elements of a comparison: both the page of a plan and the preview show them.
COMPARISON = "comparison"


@cache
def part(name: str) -> str:
    """Read one file, such as `comparison.js`."""
    return (files("pressync.app") / "static" / name).read_text(encoding="utf-8")


def allowed(text: str) -> str:
    """Name a script or a style sheet as a policy does."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def script(name: str) -> str:
    """Give a script behind the one that shows comparisons, with the style sheet of the frames in it."""
    frame = json.dumps(part("frame.css"))
    return part(f"{COMPARISON}.js").replace('"FRAME_CSS"', frame) + name
