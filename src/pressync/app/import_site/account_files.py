"""Writes an account as the files of its folder. Pure.

Programs read `report.json`, and people read `report.md`. In the tables, people fill in the empty columns:
every sync reads the users and the terms, `redirects` the addresses, and the next import keeps all of them.
"""

from __future__ import annotations

import csv
import io
import json
import posixpath
from collections import Counter
from typing import TYPE_CHECKING

from pressync.app.import_site.account import WORST_FIRST, Carried
from pressync.content.import_tables import ADDRESSES, AUTHORS, COLUMNS, TERMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pressync.app.import_site.account import Account

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


def files(account: Account, chosen: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Give the text of each file by its path from the root of the repository.

    `chosen` has what people filled in, by the path of the table and its first column.
    """
    folder = account.folder
    return {
        f"{folder}/report.json": json.dumps(document(account), ensure_ascii=False, indent=2) + "\n",
        f"{folder}/report.md": _report(account),
        **_table(f"{folder}/{AUTHORS}", _authors(account), chosen),
        **_table(f"{folder}/{TERMS}", _terms(account), chosen),
        **_table(f"{folder}/{ADDRESSES}", _addresses(account), chosen),
        f"{folder}/media.txt": "".join(f"{address}\n" for address in sorted(set(account.media))),
    }


def _sorted(account: Account) -> list[tuple[tuple[Carried, str], list[str]]]:
    """Give the kinds, the worst first, then by count and name."""
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
            lines += [f"- {place}" for place in places[:_SHOWN]]
            lines += [f"- … and {len(places) - _SHOWN} more in report.json"] if len(places) > _SHOWN else []
    return "".join(f"{line}\n" for line in lines)


def _authors(account: Account) -> list[tuple[str, ...]]:
    counted = Counter(file.item.author for file in account.files if file.item.author)
    return [(name, str(counted[name])) for name in sorted(counted)]


def _terms(account: Account) -> list[tuple[str, ...]]:
    counted = Counter(
        f"{field}/{term}"
        for file in account.files
        for field, terms in (("categories", file.item.categories), ("tags", file.item.tags))
        for term in terms
    )
    return [(name, str(counted[name])) for name in sorted(counted)]


def _addresses(account: Account) -> list[tuple[str, ...]]:
    """Give each old address once, with its file and its new address; both are empty if it has none."""
    rows: dict[str, tuple[str, ...]] = {}
    for file in account.files:
        for address in filter(None, (file.item.address, *file.item.aliases)):
            rows.setdefault(address, (address, file.path, file.address))
    for thing in account.left_out:
        # Somebody else looks after the addresses of another part.
        if thing.address and not thing.is_wanted:
            rows.setdefault(thing.address, (thing.address, "", ""))
    return [rows[address] for address in sorted(rows)]


def _table(
    path: str, rows: Iterable[tuple[str, ...]], chosen: Mapping[str, Mapping[str, str]]
) -> dict[str, str]:
    """Write a table by its path; its last column is what somebody chose, or empty."""
    text, names, choices = io.StringIO(), COLUMNS[posixpath.basename(path)], chosen.get(path, {})
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    known = list(rows)
    writer.writerows((*row, choices.get(row[0], "")) for row in known)
    # Somebody added these rows, like that of `*` for all other authors.
    added = sorted(choices.keys() - {row[0] for row in known})
    writer.writerows((key, *[""] * (len(names) - 2), choices[key]) for key in added)
    return {path: text.getvalue()}
