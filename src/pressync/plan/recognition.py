"""A file of the repository x a record of the site -> whether the one was made of the other.

Links, pictures, templates and settings may have changed since, and the site filters what it is sent. What
lasts are words. So titles are compared by their words, slugs but for the number that a site adds, and of the
text only what people read: the words of the file, in their order, somewhere in the record.
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

# A tag; each character is looked at once, whatever somebody wrote.
_TAG = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"\w+")
_NUMBER = r"(-\d+)?(__trashed(-\d+)?)?"
# Fewer words than this tell no page from another.
_FEW = 5
# So many of the words must be there where the site filters the text.
_MOST = 0.9


class Ties(NamedTuple):
    """In which respects a record is what a file said; None where the file has hardly a text."""

    title: bool
    slug: bool
    text: bool | None


@dataclass
class Saying:
    """What one version of a file said."""

    document: Document

    @cached_property
    def words(self) -> list[str]:
        """The words of its body."""
        from pressync.content.render.markdown import to_html  # noqa: PLC0415 - comrak

        try:
            return words(to_html(self.document.body))
        except UnicodeEncodeError:
            return []


def ties(sayings: Iterable[Saying], entry: Entry, record: Record) -> Ties:
    """Find in what a record is one and the same version of a file; of several, the best."""
    found = [_ties(saying, entry, record) for saying in sayings]
    return max(found, key=_weight, default=Ties(title=False, slug=False, text=False))


def words(text: str) -> list[str]:
    """Give the words that people read in HTML."""
    return _WORD.findall(html.unescape(_TAG.sub(" ", _uncommented(text))).casefold())


def _ties(saying: Saying, entry: Entry, record: Record) -> Ties:
    fields = saying.document.fields
    title, there = str(fields.get("title", "")), str(record.fields.get("title", ""))
    slug = str(fields.get("slug", ""))
    return Ties(
        title=title == there or (bool(words(title)) and words(title) == words(there)),
        slug=re.fullmatch(_plain(slug) + _NUMBER, _plain(record.slug)) is not None,
        text=is_text(saying.words, entry, record),
    )


def _weight(found: Ties) -> tuple[bool, int]:
    return found.text is not False, sum(map(bool, found))


def is_text(said: list[str], entry: Entry, record: Record) -> bool | None:
    """Tell whether these words are in a record's text, in their order; None if they are too few to tell."""
    if len(said) < _FEW:
        return None
    there = words(str(record.fields.get("content", "")))
    if f" {' '.join(said)} " in f" {' '.join(there)} ":
        return True
    same = sum((Counter(said) & Counter(there)).values())
    return "content" in entry.changed_by_service and same >= _MOST * len(said)


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
