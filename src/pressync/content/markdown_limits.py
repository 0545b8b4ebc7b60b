"""Finds Markdown whose rendering costs far more than its length, before it is rendered, with its line.

comrak writes all cells that a row of a table lacks (18 KB became 65 MB, and took 1.2 GB of memory). It
compares each nested quote, definition and heading with those before it. The limits are many times what the
largest real document has. A text within the limits takes time and memory in proportion to its length.
"""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from pressync.content.headings import nth_heading
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Iterator

# Of 4,560 real documents, none has more than 217 headings, 1 level of quotes, 2 list marks on a line, 110
# definitions, 18 footnotes and 7,806 cells of tables.
MOST_HEADINGS = 5_000
DEEPEST = 100
MOST_DEFINITIONS = 5_000
MOST_FOOTNOTES = 10_000
MOST_CELLS = 100_000

# Deep nesting needs at least four columns for each level.
_WIDEST_INDENT = 4 * DEEPEST

_MARK = r"(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))"
# `re` skips to the next line break at once, but it would try `^` at each character.
_NESTED = re.compile(rf"\n(?:[ \t]*+{_MARK}){{{DEEPEST + 1}}}")
_INDENTED = re.compile(rf"\n(?:[ ]{{4}}|\t){{{_WIDEST_INDENT // 4 + 1}}}[ \t]*+{_MARK}")
_DEFINITION = re.compile(r"^[ \t>]*+:[ \t]", re.MULTILINE)
# The characters of the row of dashes below a table's head, also in a quote or a list.
_DELIMITERS = " \t>*+-:|0123456789.)"


def excess(path: str, text: str) -> Problem | None:
    """Give the problem of the first line that exceeds a limit; None if no line does."""
    for place, what, todo in _found(text):
        return Problem(path, 1 + text.count("\n", 0, place), what, todo, code=Code.TOO_COMPLEX)
    return None


def _found(text: str) -> Iterator[tuple[int, str, str]]:
    heading = nth_heading(text, MOST_HEADINGS + 1)
    if heading is not None:
        yield heading, f"this is heading number {MOST_HEADINGS + 1:,}, one too many", "split the file"
    marks = sum(map(text.count, ">-+*.)"))
    lines = f"\n{text}" if marks > DEEPEST else ""
    nested = _NESTED.search(lines) or _INDENTED.search(lines)
    if nested:
        yield nested.start(), f"quotes and lists are nested in more than {DEEPEST} levels", "nest less deeply"
    definition = _nth(_DEFINITION, text, MOST_DEFINITIONS + 1) if text.count(":") > MOST_DEFINITIONS else None
    if definition is not None:
        yield (
            definition,
            f"this is definition number {MOST_DEFINITIONS + 1:,}, one too many",
            "split the file",
        )
    if text.count("[^") > MOST_FOOTNOTES:
        place = _nth(re.compile(r"\[\^"), text, MOST_FOOTNOTES + 1)
        what = f"this is mark number {MOST_FOOTNOTES + 1:,} of a footnote, one too many"
        yield place or 0, what, "split the file"
    table = _overfull_table(text)
    if table is not None:
        what = f"with this row the tables have more than {MOST_CELLS:,} cells (short rows are filled up)"
        yield table, what, "split the table, or link to a file with the data"


def _nth(pattern: re.Pattern[str], text: str, number: int) -> int | None:
    found = next(itertools.islice(pattern.finditer(text), number - 1, None), None)
    return found.start() if found else None


def _overfull_table(text: str) -> int | None:
    """Give the offset of the row that exceeds the limit of cells; each row counts as wide as its head."""
    pipes = text.count("|")
    if not pipes or (text.count("\n") + 1) * (pipes + 1) <= MOST_CELLS:
        # Nearly every text ends here.
        return None
    cells = columns = place = 0
    for line in text.split("\n"):
        if not line.strip(" \t>"):
            columns = 0
        elif "|" in line and "-" in line and not line.strip(_DELIMITERS):
            columns = max(columns, line.count("|") + 1)
        cells += columns
        if cells > MOST_CELLS:
            return place
        place += len(line) + 1
    return None
