"""One record, name, file or doubt of a manifest <-> the members and the lines that are written for it. Pure.

It must not know the whole document. What decided its shape: journal and manifest write the same members
for the same noun, and msgspec reads both, strictly: what has another type or another name is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
from msgspec.json import Encoder
from msgspec.json import format as spaced

if TYPE_CHECKING:
    from pressync.model.records import Entry

_SURROGATE = re.compile("[\ud800-\udfff]")

_encode = Encoder().encode


def one_line(row: object) -> str:
    """Write a row as one line, which begins with its line break."""
    return f"\n{as_json(row)}"


def two_lines(entry: Entry) -> str:
    """Write an entry as two lines: its path, and the rest."""
    text = as_json(entry)
    end = len('{"path": ' + as_json(entry.path))
    return f"\n{text[:end]},\n{text[end + 1 :]}"


def as_json(value: object) -> str:
    """Write a value as JSON on one line; a lone surrogate becomes U+FFFD, for UTF-8 has no place for it."""
    try:
        return spaced(_encode(value), indent=0).decode()
    except UnicodeEncodeError:
        return spaced(_encode(_whole(msgspec.to_builtins(value))), indent=0).decode()


def _whole(value: object) -> object:
    """Copy a value without lone surrogates."""
    match value:
        case str():
            return _SURROGATE.sub("\ufffd", value)
        case dict():
            return {_whole(name): _whole(member) for name, member in value.items()}
        case tuple():
            return tuple(map(_whole, value))
        case _:
            return value
