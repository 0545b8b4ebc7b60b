"""Compares a version of a file with a record of the site, to tell whether the record was made from the file.

Links, pictures, templates and settings may have changed since, and the site filters what it gets. Words stay.
So titles are compared by their words, slugs without the number that a site adds, and texts by their visible
words: the words of the file, in their order, somewhere in the record.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.model.records import Document, Entry, Record

# A tag. The expression reads each character once, for any input.
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w+")
_NUMBER = r"(-\d+)?(__trashed(-\d+)?)?"
# Fewer words than this cannot identify a page.
_FEW = 5
# If the site filters the text, this share of the words must be there.
_MOST = 0.9
# If a pull was merged with other edits, no commit has the text of the site alone.
_HALF = 0.5


class Similarity(NamedTuple):
    """The parts of a record that match a file; `text` is None if the file has too little text."""

    title: bool
    slug: bool
    text: bool | None


@dataclass
class FileVersion:
    """One version of a file."""

    document: Document

    @cached_property
    def words(self) -> list[str]:
        """The words of its body."""
        from pressync.content.render.markdown import to_html  # noqa: PLC0415 - comrak

        try:
            return words(to_html(self.document.body))
        except UnicodeEncodeError:
            return []


def similarity(versions: Iterable[FileVersion], entry: Entry, record: Record) -> Similarity:
    """Compare a record with each version of a file, and give the best result."""
    found = [_similarity(version, entry, record) for version in versions]
    return max(found, key=_weight, default=Similarity(title=False, slug=False, text=False))


def is_similar(versions: Iterable[FileVersion], record: Record) -> bool:
    """Tell whether a record has at least half of the words of a file, in any order."""
    there = Counter(words(str(record.fields.get("content", ""))))
    return any(
        sum((Counter(version.words) & there).values()) >= _HALF * len(version.words) for version in versions
    )


def words(text: str) -> list[str]:
    """Give the visible words of HTML."""
    return _WORD.findall(html.unescape(_TAG.sub(" ", _uncommented(text))).casefold())


def _similarity(version: FileVersion, entry: Entry, record: Record) -> Similarity:
    fields = version.document.fields
    title, there = str(fields.get("title", "")), str(record.fields.get("title", ""))
    slug = str(fields.get("slug", ""))
    return Similarity(
        title=title == there or (bool(words(title)) and words(title) == words(there)),
        slug=re.fullmatch(_plain(slug) + _NUMBER, _plain(record.slug)) is not None,
        text=is_text(version.words, entry, record),
    )


def _weight(found: Similarity) -> tuple[bool, int]:
    return found.text is not False, sum(map(bool, found))


def is_text(expected: list[str], entry: Entry, record: Record) -> bool | None:
    """Tell whether the words are in a record's text, in their order; None if there are too few words."""
    if len(expected) < _FEW:
        return None
    there = words(str(record.fields.get("content", "")))
    if f" {' '.join(expected)} " in f" {' '.join(there)} ":
        return True
    same = sum((Counter(expected) & Counter(there)).values())
    return "content" in entry.changed_by_service and same >= _MOST * len(expected)


def _plain(slug: str) -> str:
    return re.sub(r"[^\w]+", "-", unquote(slug).casefold())


def _uncommented(text: str) -> str:
    pieces, start = [], 0
    while (begin := text.find("<!--", start)) >= 0:
        pieces.append(text[start:begin])
        end = text.find("-->", begin)
        if end < 0:
            return " ".join(pieces)
        start = end + 3
    return " ".join([*pieces, text[start:]])
