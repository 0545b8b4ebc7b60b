"""What WordPress makes of accents in a slug, so that a record can be found by the slug that it was sent with.

Pure. It must not know records or calls. What decided its shape: WordPress takes accents off when it stores
a slug, and leaves them on when it looks for one (measured): a page sent as `über` is there as `uber` and is
not found as `über`. German and Danish sites write some letters in two.
"""

from __future__ import annotations

import unicodedata

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
    """Give a slug as it was sent, and each way in which a site may have stored it."""
    lower = unicodedata.normalize("NFC", slug).lower()
    stored = (_without_accents(lower.translate(letters)) for letters in ({}, _GERMAN, _DANISH))
    return tuple(dict.fromkeys((slug, *(text for text in stored if text != lower))))


def _without_accents(text: str) -> str:
    # Latin letters only: of `й` and `が` the accent is part of the letter, and WordPress keeps it.
    return "".join(_bare(letter) for letter in text.translate(_PLAIN))


def _bare(letter: str) -> str:
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() else letter
