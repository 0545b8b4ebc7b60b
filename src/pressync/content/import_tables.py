"""Reads the tables of an import, in which people fill in the last column. Pure.

A person chooses the users of the new site for the authors of the old one once, in
`.pressync/import/authors.csv`. Every import writes this table again with what was chosen, and `sync` reads it
as if it were in the settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.repo.repository import Repository, Tree

FOLDER = ".pressync/import"
AUTHORS = f"{FOLDER}/authors.csv"
# A table of more bytes was not made by people.
_LARGEST = 8 * 1024 * 1024


def read(data: bytes) -> dict[str, str]:
    """Give what people filled in: the last column by the first one. A line that is not a row has nothing."""
    import csv  # noqa: PLC0415 - few repositories have such a table
    import io  # noqa: PLC0415

    if len(data) > _LARGEST:
        return {}
    text = data.decode("utf-8-sig", "replace")
    try:
        rows = list(csv.reader(io.StringIO(text, newline="")))[1:]
    except csv.Error:
        return {}
    return {row[0]: row[-1].strip() for row in rows if len(row) > 1 and row[-1].strip()}


def users(repository: Repository, tree: Tree) -> dict[str, str]:
    """Give the users that people chose for authors, if a tree has the table."""
    table = repository.blob_at(tree, AUTHORS)
    return read(table) if table else {}
