"""A list of records that exist -> bindings of documents to them: from CSV, or from a WordPress export.

It must not bind anything itself. An export names no files, so a record is matched by its address: the
slugs of its parents and its own must be those of exactly one document.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

from pressync.errors import ConfigError, Problem
from pressync.interface import Kind

if TYPE_CHECKING:
    from pressync.content import Content

# The export's elements are in a namespace whose version changes: the local name is what counts.
_EXPORTED = {kind.value: kind for kind in Kind}


class _Item(NamedTuple):
    kind: Kind
    id: int
    slug: str
    parent: int
    title: str


def bindings(file: Path, content: Content) -> dict[str, int]:
    """Read the bindings of a `.csv` (path,id) or `.xml` (WordPress export) file: path -> id.

    :raises ConfigError: the file cannot be read; all wrong lines are told at once.
    """
    if file.suffix.lower() == ".xml":
        return _matched(_items(file), content, file)
    return _rows(file)


def _rows(file: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    problems: list[Problem] = []
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = list(csv.reader(lines))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(f"cannot be read: {error}", where=str(file), todo="save it as CSV in UTF-8") from error
    for number, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and [cell.lower() for cell in cells] == ["path", "id"]):
            continue
        if len(cells) != 2 or not cells[1].isdecimal() or int(cells[1]) < 1:  # noqa: PLR2004 - path and id
            problems.append(Problem(str(file), number, "not a path and an id", "write `content/pages/a.md,12`"))
        elif cells[0] in found:
            problems.append(Problem(str(file), number, f"{cells[0]} is there twice", "leave one line"))
        else:
            found[cells[0]] = int(cells[1])
    if problems:
        raise ConfigError("\n".join(map(str, problems)))
    return found


def _items(file: Path) -> list[_Item]:
    items = []
    try:
        # Expat, which reads this, refuses entities that grow beyond all measure.
        for _, element in ElementTree.iterparse(file):  # noqa: S314 - the user's own export
            if element.tag == "item":
                fields = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in element}
                kind = _EXPORTED.get(fields.get("post_type", ""))
                if kind and fields.get("post_id", "").isdecimal():
                    parent = fields.get("post_parent", "0")
                    items.append(
                        _Item(
                            kind,
                            int(fields["post_id"]),
                            fields.get("post_name", ""),
                            int(parent) if parent.isdecimal() else 0,
                            fields.get("title", ""),
                        )
                    )
                element.clear()
    except (OSError, ElementTree.ParseError) as error:
        raise ConfigError(f"cannot be read: {error}", where=str(file), todo="export it once more") from error
    return items


def _matched(items: list[_Item], content: Content, file: Path) -> dict[str, int]:
    addresses: dict[tuple[Kind, tuple[str, ...]], list[int]] = defaultdict(list)
    by_id = {item.id: item for item in items}
    for item in items:
        slugs, parent, seen = [item.slug], item.parent, {item.id}
        while parent in by_id and parent not in seen:
            seen.add(parent)
            slugs.insert(0, by_id[parent].slug)
            parent = by_id[parent].parent
        addresses[item.kind, tuple(slugs)].append(item.id)
    found = {}
    for path, (kind, slugs) in _addresses(content).items():
        ids = addresses.get((kind, slugs), [])
        if len(ids) == 1:
            found[path] = ids[0]
    if not found:
        raise ConfigError(
            f"none of its {len(items)} pages and posts has the address of a document here",
            where=str(file),
            todo="bind by path with a CSV file of `path,id`",
        )
    return found


def _addresses(content: Content) -> dict[str, tuple[Kind, tuple[str, ...]]]:
    desired = {}
    for path in content.sources:
        read = content.read(path, {})
        if read.prepared:
            desired[path] = read.prepared.desired
    found = {}
    for path, document in desired.items():
        slugs, parent = [document.slug], document.parent_path
        while parent in desired and len(slugs) <= len(desired):
            slugs.insert(0, desired[parent].slug)
            parent = desired[parent].parent_path
        found[path] = (document.kind, tuple(slugs))
    return found
