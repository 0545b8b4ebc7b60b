"""Makes slugs exactly as WordPress makes them, and finds the first one that is free.

`server.slugs` has the rules for the documented interface, which drop more characters and spell some letters
in another way. The client finds the records of a real site by their slugs, so these must be WordPress's own.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 200
TRASHED = "__trashed"
_BEFORE_TRASHED = 191

# Only this many characters of a text are used. WordPress uses 200 bytes of the text without tags.
_SOURCE = 4000

_TAG = re.compile(r"<[^<>]*>")
_PART = re.compile(r"%[0-9a-fA-F]{2}|.", re.DOTALL)
_ENTITY = re.compile(r"&[^;\n]+;")
_DASHES = re.compile("[\u00a0\u2010-\u2015/.]")
_DROPPED = re.compile(
    "[\u00ad\u00a1\u00bf\u00ab\u00bb\u2039\u203a\u2018-\u201f\u2022\u00a9\u00ae\u00b0\u2026\u2122"
    "\u00b4\u02ca\u0300\u0301\u0304\u030c\u0341\u200b-\u200f\u202a-\u202e\ufeff\ufffc]"
)
_SPELLED = str.maketrans(
    dict(
        zip("æœøđðłħß\u0131þ\u00d7", ["ae", "oe", "o", "d", "d", "l", "h", "s", "i", "th", "x"], strict=True)
    )
)
# WordPress uses these as addresses of its own: feeds, embeds, and the pages of a long list.
_FEEDS = frozenset({"feed", "rdf", "rss", "rss2", "atom", "embed"})
PAGE_NUMBERS = re.compile(r"(?:page)?[0-9]+")

# The numbers that are the address of a year, a month or a day behind these parts of a permalink structure.
_DATES = {
    "": re.compile(r"[0-9]+"),
    "%year%": re.compile(r"0*([1-9]|1[0-2])"),
    "%monthnum%": re.compile(r"0*([1-9]|[12][0-9]|3[01])"),
}


def sanitise(text: str) -> str:
    """Make a slug of a title or of a chosen slug; empty if nothing can be kept."""
    plain = _TAG.sub("", text[:_SOURCE])
    folded = "".join(_bare(char) for char in unicodedata.normalize("NFC", plain).lower().translate(_SPELLED))
    kept, size = [], 0
    for part in _PART.findall(folded):
        # A percent sign alone is not part of an encoded letter.
        if part != "%":
            size += len(part) if part.isascii() else len(quote(part))
            if size > LIMIT:
                break
            kept.append(part)
    words = _DROPPED.sub("", _DASHES.sub("-", _ENTITY.sub("", "".join(kept))))
    encoded = "".join(char if char.isascii() else quote(char).lower() for char in words)
    return re.sub(r"-+", "-", re.sub(r"\s+", "-", re.sub(r"[^%a-z0-9\s_-]", "", encoded))).strip("-")


def free(slug: str, taken: Callable[[str], bool], *, reserved: re.Pattern[str] | None = None) -> str:
    """Give the slug, or the first numbered one that is not taken and not reserved."""
    if not (taken(slug) or slug in _FEEDS or (reserved and reserved.fullmatch(slug))):
        return slug
    numbered = (f"{cut(slug, LIMIT - len(str(n)) - 1)}-{n}" for n in count(2))
    return next(each for each in numbered if not taken(each))


def dates(structure: str) -> re.Pattern[str] | None:
    """Give the slugs of posts that would be the address of a date."""
    before, named, _ = structure.strip("/").partition("%postname%")
    return _DATES.get(before.rstrip("/").rpartition("/")[2]) if named else None


def trashed(slug: str) -> str:
    """Give the slug that a record has in the trash."""
    return slug if slug.endswith(TRASHED) else cut(slug, _BEFORE_TRASHED) + TRASHED


def cut(slug: str, limit: int) -> str:
    """Cut a slug between letters, never inside an encoded one."""
    if len(slug) <= limit:
        return slug
    kept, size = [], 0
    for char in unquote(slug):
        encoded = char if char.isascii() else quote(char).lower()
        size += len(encoded)
        if size > limit:
            break
        kept.append(encoded)
    return "".join(kept).rstrip("-")


def _bare(char: str) -> str:
    # Only Latin letters: in `й` and `が` the accent is part of the letter, and WordPress keeps it.
    base = unicodedata.normalize("NFD", char)[0]
    return base if base.isascii() else char
