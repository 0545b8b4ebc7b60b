"""The account of an import: every item of the source, and where the rest of it is. It is written as files.

An item is carried, or carried with parts as HTML, or has parts that were left verbatim or out, or is left
out. The four counts add up to the items of the source, so that nothing disappears silently. The account has
no times: the same source gives the same bytes, and Git shows what an import changed. Programs read
`report.json`, and people read `report.md`. In the table of addresses, people fill in the empty column, which
`redirects` reads and the next import keeps. People choose users for authors in `[authors]` of the settings
and names for terms in `[terms]`, for which `terms.txt` has rows.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from pressync.config.settings import Settings, find_text
from pressync.config.settings_file import quoted, with_rows
from pressync.content.sources import IMPORT_FOLDER as FOLDER
from pressync.importing import redirects
from pressync.importing.tables import ADDRESSES, COLUMNS, OLD_TABLES, old_choices, together
from pressync.importing.write import FileWriter
from pressync.model.bounds import SETTINGS
from pressync.model.errors import ConfigError, ContentError
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.repo.discover import settings_file
from pressync.repo.work_tree import refuse_symlink
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.importing.sources.item import Item, LeftOut, OwnFacts, Place
    from pressync.repo.repository import Repository


class Carried(StrEnum):
    """How much of an item the import carries; the worst one counts."""

    AS_MARKDOWN = "carried"
    AS_HTML = "html"
    VERBATIM = "verbatim"
    LEFT_OUT = "left_out"


# The order in which people read the account: the worst first.
WORST_FIRST = tuple(reversed(Carried))


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One item that has a file: its path, how it was carried, and its new address, "" if not certain."""

    item: Item
    path: str
    carried: Carried
    address: str = ""


@dataclass(slots=True)
class Account:
    """The account of what an import did with a source, read as one of a tool. It grows while the import runs.

    `origin` is the public address of the source, if it names one. `folder` has the files of the account.
    `without_user` are the authors for whom nobody has chosen a user yet. `fresh` are the places of the own
    site that no file had before; they are not written into the files of the account. `own` are the facts
    about the own site, if that is the source. `schema` and `types` are as in `Origin`.
    """

    source: str
    tool: str = field(default="", kw_only=True)
    origin: str = field(default="", kw_only=True)
    folder: str = field(default=FOLDER, kw_only=True)
    files: list[ImportedFile] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    kinds: dict[tuple[Carried, str], list[str]] = field(default_factory=dict)
    without_user: tuple[str, ...] = ()
    media: list[str] = field(default_factory=list)
    changed: int = 0
    notes: list[str] = field(default_factory=list)
    fresh: tuple[str, ...] = ()
    own: OwnFacts | None = None
    schema: tuple[str, str] | None = None
    types: SiteTypes = DOCUMENTED_TYPES

    def note(self, carried: Carried, kind: str, place: Place) -> None:
        """Note something that is not carried as Markdown, and its place."""
        self.kinds.setdefault((carried, kind), []).append(str(place))

    def leave_out(self, thing: LeftOut) -> None:
        """Count a thing of the source that has no file."""
        self.left_out.append(thing)
        self.note(Carried.LEFT_OUT, thing.kind, thing.place)

    @property
    def counts(self) -> dict[Carried, int]:
        """The number of items for each way."""
        found = Counter(file.carried for file in self.files)
        return {way: len(self.left_out) if way is Carried.LEFT_OUT else found[way] for way in Carried}

    @property
    def items(self) -> int:
        """The number of items in the source."""
        return len(self.files) + len(self.left_out)

    @property
    def is_complete(self) -> bool:
        """Whether nothing was left verbatim or out, except as somebody asked for."""
        return not self.counts[Carried.VERBATIM] and all(thing.is_wanted for thing in self.left_out)


# A kind shows this many of its places in `report.md`. `report.json` has all.
_SHOWN = 20
WORDS: Mapping[Carried, str] = {
    Carried.AS_MARKDOWN: "carried",
    Carried.AS_HTML: "with parts as HTML",
    Carried.VERBATIM: "with parts left verbatim or out",
    Carried.LEFT_OUT: "left out",
}
_TITLES: Mapping[Carried, str] = {
    Carried.LEFT_OUT: "Left out",
    Carried.VERBATIM: "Left verbatim in a file, or out of it",
    Carried.AS_HTML: "Carried as HTML",
}


def document(account: Account) -> dict[str, object]:
    """Give the account as the JSON document that `import --format json` prints."""
    return {
        "version": 1,
        "source": account.source,
        "tool": account.tool,
        "origin": account.origin,
        "items": account.items,
        **{way.value: count for way, count in account.counts.items()},
        "kinds": [
            {"kind": kind, "outcome": way.value, "count": len(places), "places": places}
            for (way, kind), places in _sorted(account)
        ],
    }


def files_of(account: Account, chosen: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Give the text of each file by its path from the root of the repository.

    `chosen` has the places that people filled in, by the path of the table and the old address.
    """
    folder = account.folder
    return {
        f"{folder}/report.json": json.dumps(document(account), ensure_ascii=False, indent=2) + "\n",
        f"{folder}/report.md": _report(account),
        f"{folder}/terms.txt": _terms(account),
        f"{folder}/{ADDRESSES}": _addresses(account, chosen.get(f"{folder}/{ADDRESSES}", {})),
        f"{folder}/media.txt": "".join(f"{address}\n" for address in sorted(set(account.media))),
    }


def _sorted(account: Account) -> list[tuple[tuple[Carried, str], list[str]]]:
    return sorted(
        account.kinds.items(), key=lambda kind: (WORST_FIRST.index(kind[0][0]), -len(kind[1]), kind[0][1])
    )


def _report(account: Account) -> str:
    counts = account.counts
    lines = [
        f"# Import of {account.source}",
        "",
        f"{account.items} items = " + " + ".join(f"{counts[way]} {WORDS[way]}" for way in Carried),
    ]
    lines += ["", *(f"- {note}" for note in account.notes)] if account.notes else []
    authors = sorted(Counter(file.item.author for file in account.files if file.item.author).items())
    lines += ["", "## Authors", "", *(f"- {name}: {count}" for name, count in authors)] if authors else []
    why = {thing.kind: thing.why for thing in reversed(account.left_out)}
    for way, title in _TITLES.items():
        kinds = [(kind, places) for (of, kind), places in _sorted(account) if of is way]
        lines += ["", f"## {title}"] if kinds else []
        for kind, places in kinds:
            reason = f": {why[kind]}" if way is Carried.LEFT_OUT and why.get(kind) else ""
            lines += [
                "",
                f"{kind}, {len(places)} times{reason}" if len(places) > 1 else f"{kind}, once{reason}",
                "",
            ]
            named = list(dict.fromkeys(places))
            lines += [f"- {place}" for place in named[:_SHOWN]]
            lines += [f"- … and {len(named) - _SHOWN} more in report.json"] if len(named) > _SHOWN else []
    return "".join(f"{line}\n" for line in lines)


def _terms(account: Account) -> str:
    """Write each term as a row for `[terms]`, with its own name and the number of its items."""
    counted = Counter[tuple[str, str]]()
    for item in (file.item for file in account.files):
        found = {**item.fields, "categories": item.categories, "tags": item.tags}
        for name in account.types.taxonomies:
            terms = found.get(name, ())
            counted.update(
                (name, str(term)) for term in (terms if isinstance(terms, list | tuple) else (terms,))
            )
    return "".join(
        f"{quoted(f'{name}/{term}')} = {quoted(term)}  # {counted[name, term]}\n"
        for name, term in sorted(counted)
    )


def _addresses(account: Account, choices: Mapping[str, str]) -> str:
    """Write a table of each old address with its file and its new address; both are empty if it has none.

    The last column is what somebody chose, the other host to which a redirect led, or empty.
    """
    away = redirects.to_other_hosts(account.left_out, account.origin)
    rows: dict[str, tuple[str, ...]] = {}
    for file in account.files:
        for address in filter(None, (file.item.address, *file.item.aliases)):
            rows.setdefault(address, (address, file.path, file.address))
    for thing in account.left_out:
        # Somebody else looks after the addresses of another part.
        if thing.address and not thing.is_wanted:
            rows.setdefault(thing.address, (thing.address, "", ""))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS[ADDRESSES])
    writer.writerows((*rows[at], choices.get(at) or away.get(at, "")) for at in sorted(rows))
    writer.writerows((key, "", "", choices[key]) for key in sorted(choices.keys() - rows.keys()))
    return text.getvalue()


# An export has the records of the site itself.
_SAME = {"wxr": "wordpress"}
_LONGEST = 60


def choose_folder(account: Account, writer: FileWriter) -> str:
    """Give the folder that has the account of this source, or one without an account."""
    present = {folder: _read_report(writer, folder) for folder in folders(writer)}
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


def folders(writer: FileWriter) -> list[str]:
    """Give the folders that may have an account, whether they have one or not."""
    return [FOLDER, *(f"{FOLDER}/{name}" for name in writer.names(FOLDER))]


def _read_report(writer: FileWriter, folder: str) -> Mapping[str, object]:
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


# A source of thousands of authors is better mapped by one row for all others.
_MOST = 200
_NOTE = (
    'Users of the site for imported authors: remove the "#", and write a login, an e-mail address or an id.'
)


def read_choices(settings: Settings, writer: FileWriter) -> tuple[Settings, dict[str, Mapping[str, str]]]:
    """Give the settings with the choices in old tables, and the chosen places by table and address.

    :raises ContentError: people left a table so that it cannot be read.
    """
    users, terms, problems = old_choices(_old_tables(writer), writer.data)
    chosen = settings._replace(authors={**users, **settings.authors}, terms={**terms, **settings.terms})
    wrong = set(problems)
    places: dict[str, Mapping[str, str]] = {}
    for path in (f"{folder}/{ADDRESSES}" for folder in folders(writer)):
        places[path], more = together([path], writer.data)
        wrong.update(more)
    if wrong:
        raise ContentError(tuple(sorted(wrong, key=str)), todo="fix the table, and import again")
    return chosen, places


def write_choices(repository: Repository, config_file: Path | None, account: Account) -> None:
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
        users, terms, problems = old_choices(old, writer.data)
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


def _old_tables(writer: FileWriter) -> list[str]:
    paths = (f"{folder}/{name}" for folder in folders(writer) for name in OLD_TABLES)
    return list(filter(writer.has, paths))
