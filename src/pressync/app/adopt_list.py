"""Reads a list of existing records, from CSV or a WordPress export, and gives the document of each.

An export names no files, so a record is matched by its address: its slug and the slugs of its parents must be
those of exactly one document. `bind` writes the bindings.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from pressync.model.errors import Code, ConfigError, Problem
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.content.content import Content

_Name = TypeVar("_Name", int, str)

_EXAMPLE = "`content/pages/a.md,12`"
_EXPORTED = {kind.value: kind for kind in Kind}
# No id has more digits.
_DIGITS = 19


class _Item(NamedTuple):
    kind: Kind
    id: int
    slug: str
    parent: int


# The kind of a record, and the slugs of its parents and its own, outermost first.
_Address = tuple[Kind, tuple[str, ...]]


def bindings(file: Path, content: Content) -> dict[str, int]:
    """Read the bindings of a `.csv` (path,id) or `.xml` (WordPress export) file: path -> id.

    :raises ConfigError: the file cannot be read, or binds nothing; the error lists all wrong lines.
    """
    if file.suffix.lower() == ".xml":
        return _matched(_items(file), content, file)
    return _rows(file)


def _rows(file: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    problems: list[Problem] = []
    for number, cells in _cells(file):
        if not any(cells) or [cell.lower() for cell in cells] == ["path", "id"]:
            continue
        if len(cells) != 2 or not _is_number(cells[1]) or int(cells[1]) < 1:  # noqa: PLR2004 - path and id
            problems.append(
                Problem(
                    str(file),
                    number,
                    "not a path and an id",
                    "write `content/pages/a.md,12`",
                    code=Code.ADOPT_LIST,
                )
            )
        elif cells[0] in found:
            problems.append(
                Problem(
                    str(file),
                    number,
                    f"{cells[0]} is listed twice",
                    "keep one of the lines",
                    code=Code.ADOPT_LIST,
                )
            )
        else:
            found[cells[0]] = int(cells[1])
    if problems:
        raise ConfigError("\n".join(map(str, problems)))
    if not found:
        raise ConfigError("the file has no rows", where=str(file), todo=f"write lines like {_EXAMPLE}")
    return found


def _cells(file: Path) -> list[tuple[int, list[str]]]:
    """Read the cells of each row without surrounding blanks, and the number of the row's last line."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.reader(lines)
            return [(rows.line_num, [cell.strip() for cell in row]) for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ConfigError(
            f"cannot be read: {error}", where=str(file), todo="save it as CSV in UTF-8"
        ) from error


def _items(file: Path) -> list[_Item]:
    """Read the pages and posts of an export."""
    items = []
    try:
        # The parser (expat) refuses entities that expand without limit.
        for _, element in ET.iterparse(file):  # noqa: S314 - the user's own export
            if element.tag == "item":
                # The version in the namespace of these elements changes, so only local names count.
                item = _item({child.tag.rpartition("}")[2]: (child.text or "").strip() for child in element})
                items += [item] if item else []
                element.clear()
    except (OSError, ET.ParseError, ValueError, LookupError) as error:
        # The parser raises the last two for an encoding that it does not know.
        raise ConfigError(f"cannot be read: {error}", where=str(file), todo="export it again") from error
    return items


def _item(fields: Mapping[str, str]) -> _Item | None:
    kind, number, parent = (fields.get(f"post_{name}", "") for name in ("type", "id", "parent"))
    if kind not in _EXPORTED or not _is_number(number):
        return None
    # An export percent-encodes slugs that are not ASCII, as addresses do.
    slug = unquote(fields.get("post_name", ""))
    return _Item(_EXPORTED[kind], int(number), slug, int(parent) if _is_number(parent) else 0)


def _is_number(text: str) -> bool:
    """Tell whether it is a number that Python converts: it refuses thousands of digits."""
    return text.isdecimal() and len(text) <= _DIGITS


def _matched(items: list[_Item], content: Content, file: Path) -> dict[str, int]:
    slugs = {item.id: item.slug for item in items}
    parents = {item.id: item.parent or None for item in items}
    records: dict[_Address, list[int]] = defaultdict(list)
    for item in items:
        line = _ancestry(item.id, parents)
        # If a parent is not in the export, the address is not known.
        if all(number in slugs for number in line):
            records[item.kind, tuple(slugs[number] for number in line)].append(item.id)
    found = {}
    for address, paths in _addresses(content).items():
        ids = records.get(address, [])
        # Nothing in an export tells two records with one address apart.
        if len(ids) == len(paths) == 1:
            found[paths[0]] = ids[0]
    if not found:
        raise ConfigError(
            f"none of its {len(items)} pages and posts has the address of a document",
            where=str(file),
            todo="bind by path with a CSV file of `path,id`",
        )
    return found


def _addresses(content: Content) -> dict[_Address, list[str]]:
    """Map each address to the paths of the documents that ask for it."""
    reads = {path: content.read(path, {}).prepared for path in content.sources}
    desired = {path: prepared.desired for path, prepared in reads.items() if prepared}
    parents = {path: document.parent_path for path, document in desired.items()}
    found: dict[_Address, list[str]] = defaultdict(list)
    for path, document in desired.items():
        line = _ancestry(path, parents)
        if all(name in desired for name in line):
            found[document.kind, tuple(unquote(desired[name].slug) for name in line)].append(path)
    return found


def _ancestry(start: _Name, parents: Mapping[_Name, _Name | None]) -> list[_Name]:
    """List a record or document after its ancestors, outermost first; a cycle is cut."""
    line = [start]
    while (above := parents.get(line[0])) is not None and above not in line:
        line.insert(0, above)
    return line
