"""Writes one row of a manifest as its lines: a record, a name, a file or an unconfirmed create. Pure.

The manifest and the journal write the same members for the same noun, so the nouns are structs of msgspec.
msgspec reads them strictly: it refuses a member of another type or name.
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

VERSION = 1

_encode = Encoder().encode


def beginning(target: str) -> str:
    """Write the first two members of a manifest, which each one has."""
    return f'{{"version": {VERSION},\n "target": {as_json(target)}'


def one_line(row: object) -> str:
    """Write a row as one line; the text begins with the line break."""
    return f"\n{as_json(row)}"


def two_lines(entry: Entry) -> str:
    """Write an entry as two lines: its path, and everything else."""
    # JSON escapes a quote inside of the path, so these four characters are not found before its end.
    path, _, rest = as_json(entry).partition('", "')
    return f'\n{path}",\n "{rest}'


def as_json(value: object) -> str:
    """Write a value as JSON on one line; a lone surrogate becomes U+FFFD, because UTF-8 cannot hold it."""
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
