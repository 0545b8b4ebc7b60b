"""Writes tables with pipes so that Markdown reads them as the other tools do.

Markdown wants a head with as many cells as the line below it. kramdown takes every block for a table whose
lines all have a pipe; it needs no head, and lines of hyphens part its bodies. Goldmark, which Hugo has, adds
cells to a head that has too few.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.importing.sources import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# A pipe in code, in a tag of Liquid or behind a backslash parts no cells.
_WHOLE = re.compile(r"(`+)(?!`)[^\n]{1,2000}?(?<!`)\1(?!`)|\{\{[^\n]{0,1000}?\}\}|\{%[^\n]{0,1000}?%\}|\\.")
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)[^\n]{1,2000}?(?<!`)\1(?!`)")
_BARE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[ \t]{0,3}(?=[^\n]*-)[|+:\- \t=]+")
# A list of attributes, or a tag that nothing has replaced.
_ALONE = re.compile(r"[ \t]*(?:\{:[^\n]*|\{%[^\n]*%\}[ \t]*)")
_WIDEST = 20_000


def with_wide_heads(text: str) -> str:
    """Add empty cells to each head that has fewer than the line below it."""
    if "|" not in text:
        return text
    rows = [*markdown.lines(text)]
    written = [row for row, _ in rows]
    for number, (row, is_code) in enumerate(rows[1:], 1):
        above = rows[number - 1][0]
        if is_code or "|" not in row or "|" not in above or not _RULE.fullmatch(row):
            continue
        missing = len(_cells(row)) - len(_cells(above))
        if missing > 0:
            written[number - 1] = f"{above.rstrip().removesuffix('|').rstrip()} |{'  |' * missing}"
    return "\n".join(written)


def with_pipes_in_code(text: str) -> str:
    """Escape each pipe in code in a table, where Python-Markdown parts no cells."""
    if "|" not in text or "`" not in text:
        return text
    written: list[str] = []
    is_table = False
    for row, is_code in markdown.lines(text):
        is_rule = not is_code and "|" in row and bool(_RULE.fullmatch(row))
        if is_rule and written and not is_table:
            written[-1] = _CODE.sub(_escaped, written[-1])
        is_table = is_rule or (is_table and not is_code and "|" in row)
        written.append(_CODE.sub(_escaped, row) if is_table else row)
    return "\n".join(written)


def _escaped(code: re.Match[str]) -> str:
    return _BARE.sub(r"\|", code[0])


def of_kramdown(text: str) -> str:
    """Write each table of kramdown as Markdown; one that Markdown reads in the same way stays."""
    if "|" not in text:
        return text
    written: list[str] = []
    is_below = False
    for block, is_text in _blocks(text):
        is_table = is_text and all(map(_is_row, block))
        if is_below and not is_text and block[0].strip():
            written.append("")  # Else a tag that stays would be a row of the table.
        written += _table(block) if is_table and not _is_usual(block) else block
        is_below = is_table
    return "\n".join(written)


def _blocks(text: str) -> Iterator[tuple[list[str], bool]]:
    """Give the lines of text between others; each other line, such as a blank one or code, is alone."""
    block: list[str] = []
    for row, is_code in markdown.lines(text):
        if not is_code and row.strip() and not _ALONE.fullmatch(row):
            block.append(row)
            continue
        if block:
            yield block, True
        yield [row], False
        block = []
    if block:
        yield block, True


def _is_row(row: str) -> bool:
    is_deep = row.startswith(("    ", "\t")) or len(row) > _WIDEST
    return not is_deep and ("|" in _WHOLE.sub("", row))


def _is_usual(block: Sequence[str]) -> bool:
    """Tell whether Markdown reads a table as kramdown does: its second line alone is of hyphens."""
    rules = [number for number, row in enumerate(block) if _RULE.fullmatch(row)]
    inside = any("|" in found[0][1:] for row in block for found in _WHOLE.finditer(row))
    return rules == [1] and len(_cells(block[0])) == len(_cells(block[1])) and not inside


def _table(block: Sequence[str]) -> list[str]:
    rules = [number for number, row in enumerate(block) if _RULE.fullmatch(row)]
    # A rule above all other lines is a border, and only the first one inside parts a head.
    first = next((number for number in rules if number > 0), 0)
    has_head = 0 < first < len(block) - 1
    body = [_cells(row) for number, row in enumerate(block) if number not in rules]
    if not body:
        return [*block]
    width = max(map(len, body))
    above = [number for number in range(first) if number not in rules]
    before = len(above) if has_head else 0
    aligned = _cells(block[first]) if has_head else []
    marks = [re.sub(r"-+", "---", mark) if "-" in mark else "---" for mark in aligned[:width]]
    # Markdown has one line of head; the further ones of a head in several lines go on below it.
    head = body[0] if before else []
    rest = body[1:] if before else body
    return [_row(head, width), _row(marks, width, "---"), *(_row(row, width) for row in rest)]


def _cells(row: str) -> list[str]:
    """Part a line at its pipes. A pipe inside of code or a tag is escaped, as Markdown wants it."""
    inner, parts, at = row.strip().removeprefix("|"), [""], 0
    for found in _WHOLE.finditer(inner):
        first, *further = inner[at : found.start()].split("|")
        parts[-1] += first
        parts += further
        whole = found[0]
        parts[-1] += whole if whole.startswith("\\") else whole.replace("|", "\\|")
        at = found.end()
    first, *further = inner[at:].split("|")
    parts[-1] += first
    parts += further
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    return [part.strip() for part in parts]


def _row(cells: Sequence[str], width: int, empty: str = "") -> str:
    return f"| {' | '.join([*cells, *[empty] * (width - len(cells))])} |"
