"""Chooses the folder for the account of a source, and reads the tables of all accounts.

A repository may have several sources, such as a blog and a documentation. The account of the second one may
not take the place of the first one, whose old addresses stand in no other file. So the first source has
`.pressync/import/` itself, and each other source a folder in it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pressync.content import import_tables
from pressync.content.import_tables import COLUMNS, FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.app.import_site.account import Account
    from pressync.app.import_site.write import FileWriter

# An export has the records of the site itself.
_SAME = {"wxr": "wordpress"}
_LONGEST = 60


def tables(writer: FileWriter) -> dict[str, import_tables.ImportTable]:
    """Read the tables of all accounts in the work tree, by their paths."""
    paths = [f"{folder}/{name}" for folder in _folders(writer) for name in COLUMNS]
    return {path: import_tables.read(path, writer.data(path)) for path in paths}


def choose(account: Account, writer: FileWriter) -> str:
    """Give the folder that has the account of this source, or one without an account."""
    present = {folder: _report(writer, folder) for folder in _folders(writer)}
    own = next((folder for folder, report in present.items() if report and _is_of(account, report)), "")
    if own or not present[FOLDER]:
        return own or FOLDER
    name = re.sub(r"[^A-Za-z0-9.]+", "-", account.source.partition("://")[2] or account.source)
    folder = candidate = f"{FOLDER}/{name.strip('.-')[:_LONGEST] or account.tool}"
    number = 1
    while present.get(candidate):
        number += 1
        candidate = f"{folder}-{number}"
    return candidate


def _folders(writer: FileWriter) -> list[str]:
    return [FOLDER, *(f"{FOLDER}/{name}" for name in writer.names(FOLDER))]


def _report(writer: FileWriter, folder: str) -> Mapping[str, object]:
    """Read the report of an account; it is empty if there is none that a program can read."""
    try:
        found = json.loads(writer.data(f"{folder}/report.json") or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _is_of(account: Account, report: Mapping[str, object]) -> bool:
    """Tell whether a report is that of the same source; one of an older version names no tool."""
    tool, origin = str(report.get("tool") or account.tool), str(report.get("origin") or "")
    if _SAME.get(tool, tool) != _SAME.get(account.tool, account.tool):
        return False
    if account.origin and origin and "://" not in account.source:
        return account.origin == origin
    return report.get("source") == account.source or bool(origin and origin == account.origin)
