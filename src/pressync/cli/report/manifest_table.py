"""The manifest as a table for people: records, names, files and unconfirmed creates.

Programs read the manifest's own text instead. Text from the site is written on one line and without control
characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.cli.report import layout
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from pressync.model.records import Manifest


def manifest(known: Manifest) -> str:
    """Show a manifest: a line for each record, name, file and unconfirmed create, and the numbers."""
    rows: dict[str, list[tuple[str, ...]]] = {
        "records": [
            (f"{entry.kind} {entry.id}", path, entry.modified, entry.link)
            for path, entry in sorted(known.entries.items())
        ],
        "names": [(f"{name.field} {number}", name.text) for name, number in sorted(known.names.items())],
        "files": [
            (f"media {medium.id}", medium.path, medium.link)
            for medium in sorted(known.media.values(), key=lambda medium: medium.path)
        ],
        "unconfirmed": [
            (str(create.kind), create.path, create.time)
            for create in sorted(known.unconfirmed, key=lambda create: create.key)
        ],
    }
    rows = {name: [tuple(map(one_line, row)) for row in table] for name, table in rows.items()}
    lines = [line for table in rows.values() if table for line in (*layout.table(table), "")]
    counts = ", ".join(f"{len(table)} {name}" for name, table in rows.items() if table or name == "records")
    return "\n".join((*lines, f"{counts} on {one_line(known.target)}.")) + "\n"
