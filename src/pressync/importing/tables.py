"""Reads the choices of people in the tables of imports, which stand in their last column. Pure.

An earlier version wrote `authors.csv` and `terms.csv`. The next import moves the choices in them into
`[authors]` and `[terms]`, and nothing else reads them.
"""

from __future__ import annotations

import csv
import io
import posixpath
import re
from typing import TYPE_CHECKING

from pressync.config.keys import TERM, TERM_TODO
from pressync.content.markdown_text import unresolved
from pressync.model.bounds import TABLE, FileTooLarge
from pressync.model.errors import Code, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

ADDRESSES = "addresses.csv"
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "authors.csv": ("author", "items", "user"),
    "terms.csv": ("term", "items", "name"),
    ADDRESSES: ("address", "file", "new", "to"),
}
OLD_TABLES = ("authors.csv", "terms.csv")


def old_choices(
    paths: Iterable[str], read: Callable[[str], bytes]
) -> tuple[dict[str, str], dict[str, str], tuple[Problem, ...]]:
    """Give the users and the terms that people chose in old tables, by name, and what is wrong there."""
    known = list(paths)
    (users, problems), (terms, more) = (
        together((path for path in known if posixpath.basename(path) == name), read) for name in OLD_TABLES
    )
    return users, terms, (*problems, *more)


def together(
    paths: Iterable[str], read: Callable[[str], bytes]
) -> tuple[dict[str, str], tuple[Problem, ...]]:
    """Join the choices in tables of one name by their first column; with a problem there is no choice."""
    chosen: dict[str, tuple[str, str]] = {}
    problems: list[Problem] = []
    for path in paths:
        for row in _rows(path, read(path)):
            if isinstance(row, Problem):
                problems.append(row)
                continue
            line, key, choice = row
            known, place = chosen.setdefault(key, (choice, f"{path}:{line}"))
            if choice != known:
                what = f"'{key}' has another {COLUMNS[posixpath.basename(path)][-1]} in {place}"
                problems.append(Problem(path, line, what, "write the same into both rows", code=Code.TABLE))
    return {} if problems else {key: choice for key, (choice, _) in chosen.items()}, tuple(problems)


def _rows(path: str, data: bytes) -> Iterator[tuple[int, str, str] | Problem]:
    """Give the line, the first and the last cell of each row with a choice, and each problem."""
    try:
        TABLE.check(len(data))
        text = data.decode("utf-8-sig")
    except FileTooLarge as error:
        yield Problem(path, 0, error.what, error.todo, code=Code.TOO_LARGE)
        return
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        yield Problem(path, line, "the text is not UTF-8", "save the table as UTF-8 text", code=Code.NOT_TEXT)
        return
    if conflict := unresolved(path, text):
        yield conflict
        return
    columns, line = COLUMNS[posixpath.basename(path)], 0
    rows = csv.reader(io.StringIO(text, newline="") if text.strip() else (), strict=True)
    try:
        for row in rows:
            begun, line = line + 1, rows.line_num
            # Programs for tables add empty cells at the end of a row, or leave them out.
            while row and not row[-1].strip():
                row.pop()
            yield from _choice(path, begun, columns, row)
    except csv.Error as error:
        what = f"this is not a row of a table ({error})"
        yield Problem(path, line + 1, what, "look at its quotes", code=Code.TABLE)


def _choice(
    path: str, line: int, columns: tuple[str, ...], row: list[str]
) -> Iterable[tuple[int, str, str] | Problem]:
    if line == 1:
        what, todo = f"the first row is not `{','.join(columns)}`", "keep that row, and save it with commas"
        is_right = tuple(map(str.strip, row)) == columns
    else:
        what = f"the row has {len(row)} cells, and the first row has {len(columns)}"
        todo = "put a text that has a comma in double quotes"
        is_right = len(row) <= len(columns)
    if not is_right:
        return [Problem(path, line, what, todo, code=Code.TABLE)]
    # Programs for tables leave an empty cell out, so a shorter row has no choice.
    if line == 1 or len(row) < len(columns):
        return []
    if columns[0] == "term" and not re.match(TERM, row[0]):
        what = f"'{row[0]}' does not say whether it is a category or a tag"
        return [Problem(path, line, what, TERM_TODO, code=Code.TABLE)]
    return [(line, row[0], row[-1].strip())]
