"""The choices of people: reads them before an import, and gives them their places in the settings after it.

People choose users for authors in `[authors]`, names for terms in `[terms]`, and new places for old addresses
in the table of addresses. An earlier version had the first two in tables beside the third: these move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.config.settings import find_text
from pressync.config.settings_file import with_rows
from pressync.content.import_tables import ADDRESSES, amended, old_choices, together
from pressync.content.sources import OLD_TABLES
from pressync.importing.account import folders
from pressync.importing.write import FileWriter
from pressync.model.bounds import SETTINGS, TABLE
from pressync.model.errors import ConfigError, ContentError
from pressync.repo.discover import settings_file
from pressync.repo.work_tree import refuse_symlink
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.config.settings import Settings
    from pressync.importing.account import Account
    from pressync.model.bounds import FileBound
    from pressync.repo.file_list import ReadBlob
    from pressync.repo.repository import Repository

# A source of thousands of authors is better mapped by one row for all others.
_MOST = 200
_NOTE = (
    'Users of the site for imported authors: remove the "#", and write a login, an e-mail address or an id.'
)


def read(settings: Settings, writer: FileWriter) -> tuple[Settings, dict[str, Mapping[str, str]]]:
    """Give the settings with the choices in old tables, and the chosen places by table and address.

    :raises ContentError: people left a table so that it cannot be read.
    """
    chosen, problems = amended(settings, _old_tables(writer), _reader(writer))
    wrong = {problem for problem in problems if not problem.warning}
    places: dict[str, Mapping[str, str]] = {}
    for path in (f"{folder}/{ADDRESSES}" for folder in folders(writer)):
        places[path], more = together({path: path}, _reader(writer))
        wrong.update(more)
    if wrong:
        raise ContentError(tuple(sorted(wrong, key=str)), todo="fix the table, and import again")
    return chosen, places


def write(repository: Repository, config_file: Path | None, account: Account) -> None:
    """Write the choices of old tables into the settings, and remove the tables.

    Authors without a user get a row that is a comment, for a person to fill in; the own site has its users.
    Without settings nothing is written: `init` makes them.

    :raises ConfigError: the settings cannot be edited; the old tables stay, and count as before.
    """
    found = find_text(repository, config_file)
    file = settings_file(repository.root, config_file)
    if found.text is None or file is None or repository.root is None:
        return
    with FileWriter(repository) as writer:
        old = _old_tables(writer)
        users, terms, problems = old_choices(old, _reader(writer))
    if problems:
        return
    asked = account.without_user[:_MOST] if account.own is None else ()
    text = with_rows(found.text, found.where, "authors", users, asked=asked, note=_NOTE)
    text = with_rows(text, found.where, "terms", terms)
    if len(text.encode()) > SETTINGS.most:
        what = "with the choices in the tables of imports, the file would be too large"
        raise ConfigError(
            what, where=found.where, todo="remove the rows from these tables that you do not need"
        )
    if text != found.text:
        if found.is_own:
            refuse_symlink(repository.root, found.where)
        atomic_files.replace(file, text.encode())
    for path in old:
        (repository.root / path).unlink()


def _old_tables(writer: FileWriter) -> dict[str, str]:
    paths = (f"{folder}{name}" for folder in folders(writer) for name in OLD_TABLES)
    return {path: path for path in paths if writer.has(path)}


def _reader(writer: FileWriter) -> ReadBlob:
    def read(path: str, bound: FileBound = TABLE, /) -> bytes:
        data = writer.data(path)
        bound.check(len(data))
        return data

    return read
