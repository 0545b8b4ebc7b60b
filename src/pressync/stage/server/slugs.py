"""Makes slugs, the last segment of a record's address, from any text, and finds the first one that is free.

Pure. Letters that ASCII cannot spell become percent-encoded UTF-8 in lower case, because people's existing
addresses look like this. A slug that is sanitised again stays the same. The client finds the records of a
real site by their slugs, so the dialect `wordpress` makes them exactly as WordPress does. The documented
interface leaves them to the service: it drops more characters, and spells some letters as people do.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    return _cut(re.sub(r"-{2,}", "-", letters).strip("-"), LIMIT)


def candidates(slug: str) -> Iterator[str]:
    """Give `slug`, `slug-2`, `slug-3` and so on within the limit; the caller takes the first free one."""
    yield slug
    for number in count(2):
        suffix = f"-{number}"
        # A slug in the trash may be longer than the limit, and must keep its suffix.
        room = len(slug) if slug.endswith(TRASHED) else LIMIT - len(suffix)
        yield cut(slug, room) + suffix


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


_BEFORE_TRASHED = 191

# Only this many characters of a text are used. WordPress uses 200 bytes of the text without tags.
_SOURCE_OF_WORDPRESS = 4000

_TAG = re.compile(r"<[^<>]*>")
_PART = re.compile(r"%[0-9a-fA-F]{2}|.", re.DOTALL)
_ENTITY = re.compile(r"&[^;\n]+;")
_DASHES = re.compile("[\u00a0\u2010-\u2015/.]")
_DROPPED = re.compile(
    "[\u00ad\u00a1\u00bf\u00ab\u00bb\u2039\u203a\u2018-\u201f\u2022\u00a9\u00ae\u00b0\u2026\u2122"
    "\u00b4\u02ca\u0300\u0301\u0304\u030c\u0341\u200b-\u200f\u202a-\u202e\ufeff\ufffc]"
)
_SPELLED_BY_WORDPRESS = str.maketrans(
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


def as_wordpress(text: str) -> str:
    """Make a slug of a title or of a chosen slug; empty if nothing can be kept."""
    plain = _TAG.sub("", text[:_SOURCE_OF_WORDPRESS])
    folded = "".join(
        _bare(char) for char in unicodedata.normalize("NFC", plain).lower().translate(_SPELLED_BY_WORDPRESS)
    )
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


def trashed_as_wordpress(slug: str) -> str:
    """Give the slug that a record has in the trash."""
    return slug if slug.endswith(TRASHED) else cut(slug, _BEFORE_TRASHED) + TRASHED


def cut(slug: str, limit: int) -> str:
    """Cut a slug between letters, never inside an encoded one."""
    return slug if len(slug) <= limit else _cut(unquote(slug), limit)


def _cut(text: str, limit: int) -> str:
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


def _bare(char: str) -> str:
    # Only Latin letters: in `й` and `が` the accent is part of the letter, and WordPress keeps it.
    base = unicodedata.normalize("NFD", char)[0]
    return base if base.isascii() else char
