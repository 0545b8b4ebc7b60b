"""Writes quotes, dashes and a few signs as in print, as WordPress does whenever it shows a text. Pure.

WordPress (its `wptexturize`) does this to every text outside of code, also to texts of pressync. Without it
the embedded site would show other characters than the real one. A quote that is written as `&quot;` stays.
"""
# ruff: noqa: RUF001 - the signs of print are the subject

from __future__ import annotations

import re

# WordPress leaves the text in these elements as it is.
VERBATIM = frozenset({"pre", "code", "kbd", "style", "script", "tt"})

_BLANK = r"[\r\n\t \u00a0]"
_AFTER_BLANK = rf"(?:\A|(?<={_BLANK})|(?<=&nbsp;))"
_OPENS = r"(?:\A|(?<=[(\[{%s\-\r\n\t \u00a0])|(?<=&lt;)|(?<=&nbsp;))"
_ENDS = rf"(?=\Z|[.,:;!?)}}\-\]]|&gt;|&nbsp;|{_BLANK})"
_COCKNEY = re.compile(r"'(tain't|twere|twas|tis|twill|til|bout|nuff|round|cause|em)", re.IGNORECASE)


def _rules(*rules: tuple[str, str]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern), written) for pattern, written in rules)


# The rules for a text that has the first character. They are in the order of WordPress.
_RULES = (
    (".", _rules((r"\.\.\.", "…"))),
    ("`", _rules(("``", "“"))),
    ("''", _rules(("''", "”"))),
    ("(", _rules((r" \(tm\)", " ™"))),
    (
        "'",
        _rules(
            (rf"'(\d\d)'{_ENDS}", r"’\1’"),
            (rf"'(\d\d)\"{_ENDS}", r"’\1”"),
            (r"'(?=\d\d(?:\Z|(?![%\d]|[.,]\d)))", "’"),
            (rf"{_AFTER_BLANK}'(\d[.,\d]*)'", r"‘\1’"),
            (_OPENS % '"' + "'", "‘"),
            (
                rf"(?<!{_BLANK})(?<!&nbsp;)'(?!\Z|[.,:;\"'(){{}}<>\[\]\-]|&[lg]t;|&nbsp;|{_BLANK})",
                "’",
            ),
            ("'", "’"),
        ),
    ),
    (
        '"',
        _rules(
            (rf'{_AFTER_BLANK}"(\d[.,\d]*)"', r"“\1”"),
            (_OPENS % "" + rf'"(?!{_BLANK}|&nbsp;)', "“"),
            ('"', "”"),
        ),
    ),
    (
        "-",
        _rules(
            ("---", "—"),
            (rf"{_AFTER_BLANK}--(?=\Z|{_BLANK}|&nbsp;)", "—"),
            (r"(?<!xn)--", "–"),
            (rf"{_AFTER_BLANK}-(?=\Z|{_BLANK}|&nbsp;)", "–"),
        ),
    ),
    ("x", _rules((r"(?<![\w.,])(\d[\d.,]*+)x(\d(?:[\d.,]*\d)?)\b", r"\1×\2"))),
)


# Feet and inches, in a text without the opening quote of this kind.
_PRIMES = {"'": ("‘", "′"), '"': ("“", "″")}


def in_print(text: str) -> str:
    """Write a text between two tags with the characters of print. Linear in its length."""
    if "'" in text:
        text = _COCKNEY.sub(lambda found: f"’{found[1].replace(chr(39), '’')}", text)
    for sign, rules in _RULES:
        if sign in text:
            for number, (pattern, written) in enumerate(rules, 1):
                if number == len(rules) and sign in _PRIMES and _PRIMES[sign][0] not in text:
                    text = re.sub(rf"(?<=\d){sign}", _PRIMES[sign][1], text)
                text = pattern.sub(written, text)
    return text
