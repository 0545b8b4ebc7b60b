"""Gives the slugs that WordPress may store for a slug, so that a record can be found by the slug sent.

WordPress removes accents when it stores a slug, but not when it searches for one (measured). It stores a page
that was sent as `über` as `uber`, and does not find it as `über`. German and Danish sites write some letters
as two.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote, unquote

# The most bytes of a stored slug, with percent signs, and of one before the suffix of the trash (measured).
_LONGEST = 200
_BEFORE_TRASHED = 191

TRASHED = "__trashed"

# The characters that become a dash, and those that are dropped. The second are all of ASCII except letters,
# digits, dash and underscore, and some more.
_DASHES = re.compile(r"[\s./\u00a0\u2010-\u2015-]+")
_DROPPED = re.compile(
    r"[\x00-\x2c\x2e\x2f\x3a-\x5e\x60\x7b-\x7f]"
    r"|[\u00a1\u00bf\u00ab\u00bb\u2039\u203a\u2018-\u201f\u2022\u00a9\u00ae\u00b0\u2026\u2122"
    r"\u00b4\u02ca\u0300\u0301\u0304\u030c\u200b-\u200d\u2060\ufeff]"
)

_PLAIN = str.maketrans(
    {
        "ß": "s",
        "æ": "ae",
        "œ": "oe",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ł": "l",
        "ħ": "h",
        "\u0131": "i",
    }
)
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_DANISH = str.maketrans({"æ": "ae", "ø": "oe", "å": "aa"})


def spellings(slug: str) -> tuple[str, ...]:
    """Give a slug as it was sent, and the forms without accents that a site may have stored."""
    lower = unicodedata.normalize("NFC", slug).lower()
    stored = (_without_accents(lower.translate(letters)) for letters in ({}, _GERMAN, _DANISH))
    return tuple(dict.fromkeys((slug, *(text for text in stored if text != lower))))


def stored(slug: str) -> tuple[str, ...]:
    """Give the texts that may be stored for a slug, percent-encoded in lower case as in a response."""
    words = (_DROPPED.sub("", _DASHES.sub("-", name)) for name in spellings(unquote(slug)))
    forms = (cut(re.sub(r"-{2,}", "-", name.lower()).strip("-"), _LONGEST) for name in words)
    return tuple(dict.fromkeys(form for form in forms if form))


def numbered(form: str) -> str:
    """Give the stored slug that a record gets if this one is taken."""
    return f"{cut(unquote(form), _LONGEST - len('-2'))}-2"


def trashed(form: str) -> tuple[str, ...]:
    """Give the stored slugs of this one in the trash: WordPress numbers the second record there."""
    name = cut(unquote(form), _BEFORE_TRASHED) + TRASHED
    return name, f"{name}-2"


def cut(text: str, limit: int) -> str:
    """Percent-encode a text and cut it between letters, never inside one."""
    kept, size = [], 0
    for letter in text:
        encoded = quote(letter, safe="").lower()
        size += len(encoded)
        if size > limit:
            break
        kept.append(encoded)
    return "".join(kept).rstrip("-")


def _without_accents(text: str) -> str:
    # Only Latin letters: in `й` and `が` the accent is part of the letter, and WordPress keeps it.
    return "".join(_bare(letter) for letter in text.translate(_PLAIN))


def _bare(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() else letter
