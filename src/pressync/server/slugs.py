"""Slugs: the last segment of a record's address, made from any text by the rules that WordPress follows.

Pure. Letters that ASCII cannot spell are kept as percent-encoded UTF-8 in lower case, because that is
what people's existing addresses look like; a slug that is sanitised again stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

# Bytes, percent signs included: WordPress' own limit.
LIMIT = 200

# Characters of the text that are looked at: a title may be megabytes long.
_SOURCE = 2000

TRASHED = "__trashed"

# Letters that Unicode does not decompose, and the spelling that people expect.
_SPELLED = str.maketrans(
    dict(zip("ßæœøđðłħþ\u0131", ["ss", "ae", "oe", "o", "d", "d", "l", "h", "th", "i"], strict=True))
)
_TAG_OR_ENTITY = re.compile(r"<[^<>]*>|&#?\w+;")
# Not all combining marks: those of Hindi or Hebrew are part of the word.
_ACCENTS = re.compile("[\u0300-\u036f]")
_OURS = re.compile(r"[a-z0-9_-]")
_TRASHED_SUFFIX = re.compile(rf"{TRASHED}(-[0-9]+)?$")


def sanitise(text: str) -> str:
    """Make a slug of a title or of a slug that somebody chose; empty if nothing in it can be kept."""
    plain = unquote(_TAG_OR_ENTITY.sub("", text[:_SOURCE]), errors="ignore")
    letters = unicodedata.normalize("NFC", "".join(_letter(char) for char in _folded(plain)))
    return _encoded(re.sub(r"-{2,}", "-", letters).strip("-"), LIMIT)


def candidates(slug: str) -> Iterator[str]:
    """Give `slug`, `slug-2`, `slug-3` and so on, within the limit, for the first free one to be taken."""
    yield slug
    for number in count(2):
        suffix = f"-{number}"
        # A slug in the trash may be longer than the limit, and must not lose its mark.
        room = len(slug) if slug.endswith(TRASHED) else LIMIT - len(suffix)
        yield _encoded(unquote(slug), room) + suffix


def trashed(slug: str) -> str:
    """Mark the slug of a record that goes to the trash, so that the slug itself is free again."""
    return slug + TRASHED


def restored(slug: str) -> str:
    """Take the mark of the trash off."""
    return _TRASHED_SUFFIX.sub("", slug)


def from_address(segment: str) -> str:
    """Turn a decoded segment of a requested address into the slug as it is stored."""
    return quote(segment, safe="").lower()


def _folded(text: str) -> Iterator[str]:
    for char in unicodedata.normalize("NFC", text).lower().translate(_SPELLED):
        base = _ACCENTS.sub("", unicodedata.normalize("NFKD", char)).lower()
        # Only what ASCII can spell: decomposing Hangul or kana would change the word.
        yield from base if base.isascii() else char


def _letter(char: str) -> str:
    """Keep a letter, make a dash of what separates, drop the rest."""
    if _OURS.match(char):
        return char
    category = unicodedata.category(char)
    if char.isspace() or char in "./" or category in {"Zs", "Zl", "Zp", "Pd"}:
        return "-"
    return char if not char.isascii() and category[0] in "LNM" else ""


def _encoded(text: str, limit: int) -> str:
    """Percent-encode, and cut between letters, never inside one."""
    kept, size = [], 0
    for char in text:
        encoded = quote(char, safe="").lower()
        size += len(encoded)
        if size > limit:
            break
        kept.append(encoded)
    return "".join(kept).rstrip("-")
