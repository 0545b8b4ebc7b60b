"""Makes slugs, the last segment of a record's address, from any text by the rules of WordPress.

Pure. Letters that ASCII cannot spell become percent-encoded UTF-8 in lower case, because people's existing
addresses look like this. A slug that is sanitised again stays the same.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

# The limit of WordPress in bytes, percent signs included.
LIMIT = 200

# Only this many characters of a text are used: a title may be megabytes long.
_SOURCE = 2000

TRASHED = "__trashed"

# Letters that Unicode does not decompose -> the spelling that people expect.
_SPELLED = str.maketrans(
    dict(zip("ßæœøđðłħþ\u0131", ["ss", "ae", "oe", "o", "d", "d", "l", "h", "th", "i"], strict=True))
)
_TAG_OR_ENTITY = re.compile(r"<[^<>]*>|&#?\w+;")
# Only some combining marks: those of Hindi or Hebrew are a part of the word.
_ACCENTS = re.compile("[\u0300-\u036f]")
# Nearly every chosen slug is one already.
_PLAIN = re.compile("[a-z0-9_]+(?:-[a-z0-9_]+)*+")
_OURS = re.compile(r"[a-z0-9_-]")
_TRASHED_SUFFIX = re.compile(rf"{TRASHED}(-[0-9]+)?$")


def sanitise(text: str) -> str:
    """Make a slug from a title or from a chosen slug; empty if no character can be kept."""
    if len(text) <= LIMIT and _PLAIN.fullmatch(text):
        return text
    plain = unquote(_TAG_OR_ENTITY.sub("", text[:_SOURCE]), errors="ignore")
    lower = unicodedata.normalize("NFC", plain).lower().translate(_SPELLED)
    letters = unicodedata.normalize("NFC", "".join(map(_letters, lower)))
    return _encoded(re.sub(r"-{2,}", "-", letters).strip("-"), LIMIT)


def candidates(slug: str) -> Iterator[str]:
    """Give `slug`, `slug-2`, `slug-3` and so on within the limit; the caller takes the first free one."""
    yield slug
    for number in count(2):
        suffix = f"-{number}"
        # A slug in the trash may be longer than the limit, and must keep its suffix.
        room = len(slug) if slug.endswith(TRASHED) else LIMIT - len(suffix)
        yield _encoded(unquote(slug), room) + suffix


def trashed(slug: str) -> str:
    """Add the trash suffix to the slug of a record, so that the slug itself becomes free."""
    return slug + TRASHED


def restored(slug: str) -> str:
    """Remove the trash suffix."""
    return _TRASHED_SUFFIX.sub("", slug)


def from_address(segment: str) -> str:
    """Turn a decoded segment of a requested address into the stored form of the slug."""
    return quote(segment, safe="").lower()


# Texts have few different characters, and each decides alone what it becomes.
@lru_cache(maxsize=4096)
def _letters(char: str) -> str:
    """Fold a character in lower case, keep its letters, turn a separator into a dash, and drop the rest."""
    base = _ACCENTS.sub("", unicodedata.normalize("NFKD", char)).lower()
    # Only if the result is ASCII: decomposing Hangul or kana would change the word.
    return "".join(_letter(each) for each in (base if base.isascii() else char))


def _letter(char: str) -> str:
    if _OURS.match(char):
        return char
    category = unicodedata.category(char)
    if char.isspace() or char in "./" or category in {"Zs", "Zl", "Zp", "Pd"}:
        return "-"
    return char if not char.isascii() and category[0] in "LNM" else ""


def _encoded(text: str, limit: int) -> str:
    """Percent-encode a text, and cut it between letters and never inside one."""
    if text.isascii():
        return quote(text, safe="").lower()[:limit].rstrip("-")
    kept, size = [], 0
    for char in text:
        encoded = quote(char, safe="").lower()
        size += len(encoded)
        if size > limit:
            break
        kept.append(encoded)
    return "".join(kept).rstrip("-")
