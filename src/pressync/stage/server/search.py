"""Searches the public records for words, at the address that WordPress has for it: `/?s=WORDS`.

A record is found if it has each word in its title or in the text that a reader sees. The database chooses by
the stored text, in which a word may be one of a tag. So each record is looked at once more, and both are
bounded.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.stage.server.queries import PublicRecords
    from pressync.stage.server.rows import StoredRecord

# As WordPress, a search takes some words and leaves out the rest.
_MOST_WORDS, _LONGEST_WORD = 9, 60
# The records that the database may choose, and those that a reader gets.
_MOST_LOOKED_AT, MOST_FOUND = 2000, 200
# The stored text has some characters as references, and a pattern has signs of its own.
_REFERENCES = "&<>\"'"
_LETTERS = frozenset(string.printable) - {"%", "_", "\\"}
# The characters before and behind the first word that a list shows.
_BEFORE, _BEHIND = 80, 160


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record with the words that were asked for; `text` is around the first of them, in three parts."""

    record: StoredRecord
    text: tuple[str, str, str]


def words_of(asked: str) -> tuple[str, ...]:
    """Give the words that a reader asks for."""
    return tuple(word[:_LONGEST_WORD] for word in asked.split()[:_MOST_WORDS])


def search(records: PublicRecords, asked: str) -> list[FoundRecord]:
    """Find the records with all words; those with the words in their titles come first."""
    words = words_of(asked)
    if not words:
        return []
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in words]
    found = list[FoundRecord]()
    for record in records.matching([_like(word) for word in words], limit=_MOST_LOOKED_AT):
        if hit := _found(record, patterns):
            found.append(hit)
        if len(found) == MOST_FOUND:
            break
    return found


def _found(record: StoredRecord, patterns: list[re.Pattern[str]]) -> FoundRecord | None:
    title, text = unescape(record.title), record.plain_text
    if not all(pattern.search(title) or pattern.search(text) for pattern in patterns):
        return None
    first = min((hit.span() for pattern in patterns if (hit := pattern.search(text))), default=(0, 0))
    start, end = first
    before = text[max(0, start - _BEFORE) : start]
    # A word that is cut off at the beginning says nothing.
    before = before.partition(" ")[2] if start > _BEFORE else before
    return FoundRecord(record, (before, text[start:end], text[end : end + _BEHIND]))


def _like(word: str) -> str:
    """Write a word as a pattern of SQLite, which knows the case of ASCII letters alone."""
    others = set(word) - _LETTERS
    signs = str.maketrans({**dict.fromkeys(others, "_"), **dict.fromkeys(_REFERENCES, "%")})
    return word.translate(signs)
