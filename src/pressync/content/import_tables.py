"""Reads the tables of imports, in which people fill in the last column. Pure.

A person chooses once, in `.pressync/import/`, the users of the new site for the authors of the old one, and
other names for its terms. Each source has tables of its own, and a file does not name its source. So a choice
in one table counts for all files, and two tables that disagree are a problem.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.content import merge_conflicts
from pressync.content.sources import IMPORT_FOLDER
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pressync.model.records import FieldReference

FOLDER = IMPORT_FOLDER
AUTHORS, TERMS, ADDRESSES = (f"{name}.csv" for name in ("authors", "terms", "addresses"))
COLUMNS: Mapping[str, tuple[str, ...]] = {
    AUTHORS: ("author", "items", "user"),
    TERMS: ("term", "items", "name"),
    ADDRESSES: ("address", "file", "new", "to"),
}
# A table of more bytes was not made by people.
_LARGEST = 8 * 1024 * 1024
_FIELDS = ("categories/", "tags/")


@dataclass(frozen=True, slots=True)
class ImportTable:
    """The choices of people in one table, by its first column, and why rows of it cannot be read.

    `lines` has the lines of all rows, with and without a choice.
    """

    chosen: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportTables:
    """The users and the names of terms that people chose in the tables of one tree."""

    users: Mapping[str, str]
    terms: Mapping[str, str]
    problems: tuple[Problem, ...]
    author_rows: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    def row_of_user(self, user: str) -> tuple[str, int] | None:
        """Give the table of authors and the line in which somebody chose a user; None if nobody did."""
        return next(
            (self.author_rows[author] for author, chosen in self.users.items() if chosen == user), None
        )

    @property
    def basis(self) -> tuple[object, ...]:
        """All that documents depend on, apart from the users; empty without a choice."""
        return (*filter(None, [dict(self.terms)]), *map(str, self.problems))

    def renamed(self, references: tuple[FieldReference, ...]) -> tuple[FieldReference, ...]:
        """Put the chosen names in the place of those in a file; a default names terms of the site itself."""
        if not self.terms:
            return references
        return tuple(
            replace(
                each,
                given=tuple(dict.fromkeys(self.terms.get(f"{each.field}/{n}", n) for n in each.given)),
            )
            if each.line
            else each
            for each in references
        )


NO_TABLES = ImportTables({}, {}, ())


def tables(files: Mapping[str, str], blob: Callable[[str], bytes]) -> ImportTables:
    """Read the tables that `sync` needs, if a tree's files, blobs by path, have them; `blob` reads one."""
    paths = [path for path in files if path.startswith(FOLDER) and path.endswith((AUTHORS, TERMS))]
    if not paths:
        return NO_TABLES
    (users, rows, problems), (terms, _, further) = (
        together({path: read(path, blob(files[path])) for path in sorted(paths) if is_table(path, name)})
        for name in (AUTHORS, TERMS)
    )
    return ImportTables(users, terms, (*problems, *further), rows)


def is_table(path: str, name: str) -> bool:
    """Tell whether a path is that of the table of this name, in the account of any source."""
    folder, own = posixpath.split(path)
    return own == name and FOLDER in {folder, posixpath.dirname(folder)}


def together(
    found: Mapping[str, ImportTable],
) -> tuple[dict[str, str], dict[str, tuple[str, int]], tuple[Problem, ...]]:
    """Put tables of one name together: the choices, the row of each key, and all problems.

    The row is that of the choice, if there is one. Two tables may not choose differently.
    """
    chosen: dict[str, str] = {}
    rows: dict[str, tuple[str, int]] = {}
    problems: list[Problem] = []
    for path, table in found.items():
        problems += table.problems
        for key, line in table.lines.items():
            choice, known = table.chosen.get(key, ""), chosen.get(key, "")
            if choice and known and choice != known:
                column, (other, row) = COLUMNS[posixpath.basename(path)][-1], rows[key]
                what = f"'{key}' has another {column} in {other}:{row}"
                problems.append(Problem(path, line, what, "write the same into both tables", code=Code.TABLE))
            elif not known and (choice or key not in rows):
                rows[key] = path, line
                chosen |= {key: choice} if choice else {}
    return ({} if problems else chosen), rows, tuple(problems)


def read(path: str, data: bytes) -> ImportTable:
    """Read one table, whose columns its name tells; an empty file is a table without a choice."""
    if len(data) > _LARGEST:
        what = f"the table has more than {_LARGEST // 1024 // 1024} MiB"
        return _broken(path, 0, what, "keep the rows in which you filled something in", Code.TOO_LARGE)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _broken(path, line, "the text is not UTF-8", "save the table as UTF-8 text", Code.NOT_TEXT)
    if conflict := merge_conflicts.unresolved(path, text):
        return ImportTable(problems=(conflict,))
    return _TableReader(path).of(text) if text.strip() else ImportTable()


class _TableReader:
    """Reads one table row by row."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._columns = COLUMNS[posixpath.basename(path)]
        self._lines: dict[str, int] = {}
        self._empty: dict[str, int] = {}
        self._chosen: dict[str, str] = {}

    def of(self, text: str) -> ImportTable:
        problems = tuple(self._problems(text))
        lines = {**self._empty, **self._lines}
        return ImportTable({} if problems else self._chosen, problems, lines)

    def _problems(self, text: str) -> Iterator[Problem]:
        import csv  # noqa: PLC0415 - few repositories have such a table
        import io  # noqa: PLC0415

        rows = csv.reader(io.StringIO(text, newline=""), strict=True)
        line = 1
        try:
            if tuple(cell.strip() for cell in _filled(next(rows, []))) != self._columns:
                what = f"the first row is not `{','.join(self._columns)}`"
                yield self._problem(1, what, "keep that row, and save the table with commas")
                return
            for row in rows:
                begun, line = line + 1, rows.line_num
                yield from self._of_row(begun, _filled(row))
        except csv.Error as error:
            yield self._problem(line + 1, f"this is not a row of a table ({error})", "look at its quotes")

    def _of_row(self, line: int, row: list[str]) -> Iterator[Problem]:
        wanted = len(self._columns)
        if len(row) > wanted:
            what = f"the row has {len(row)} cells, and the first row has {wanted}"
            yield self._problem(line, what, "put a text that has a comma in double quotes")
        if len(row) != wanted:
            # Programs for tables leave an empty cell out.
            self._empty.setdefault("".join(row[:1]), line)
            return
        key, chosen = row[0], row[-1].strip()
        if self._columns == COLUMNS[TERMS] and not key.startswith(_FIELDS):
            what = f"'{key}' does not say whether it is a category or a tag"
            yield self._problem(line, what, f"begin it with {' or '.join(_FIELDS)}")
        elif self._chosen.setdefault(key, chosen) != chosen:
            what = f"'{key}' has another {self._columns[-1]} in line {self._lines[key]}"
            yield self._problem(line, what, "keep one of the rows")
        self._lines.setdefault(key, line)

    def _problem(self, line: int, what: str, todo: str) -> Problem:
        return Problem(self._path, line, what, todo, code=Code.TABLE)


def _filled(row: list[str]) -> list[str]:
    """Give a row without empty cells at its end, which programs for tables add or leave out."""
    end = len(row)
    while end and not row[end - 1].strip():
        end -= 1
    return row[:end]


def _broken(path: str, line: int, what: str, todo: str, code: Code) -> ImportTable:
    return ImportTable(problems=(Problem(path, line, what, todo, code=code),))
