"""Finds records by their slugs: those at the addresses of creates, and those that lost creates made.

WordPress removes accents when it stores a slug, but not when it searches for one (measured). It stores a page
that was sent as `über` as `uber`, and does not find it as `über`. German and Danish sites write some letters
as two. So a record is searched by every slug that WordPress may store for the one that was sent.

A hundred slugs in four spellings are longer than the 8 KB that servers allow a URL, and WordPress repeats the
query in a header of its response. So a long request goes by POST with `X-HTTP-Method-Override: GET`, and its
slugs are a list in the body. If something before the site drops that header, WordPress takes the request for
a create. It then refuses the list, which cannot be the slug of a page (400, measured), and makes nothing.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlencode

from pressync.client.port import AtAddress, HttpRequest
from pressync.client.wordpress import reads
from pressync.client.wordpress.record import read
from pressync.client.wordpress.terms_and_media import id_of
from pressync.model.interface import JSON_CONTENT_TYPE, Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pressync.client.wordpress.reads import Send
    from pressync.model.records import Record

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

# WordPress adds a number to a slug that is taken, from 2 on. Reads ask for these numbers.
NUMBERED = range(2, 6)

# The header `Link` has the query twice, for the lists before and after. nginx allows 4 KB for all headers,
# and answers 502 if they are longer.
_LONGEST_QUERY = 1000


def at_addresses(send: Send, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
    """Find the records that have these slugs, or had them before they went to the trash; below any parent."""
    # The slugs that WordPress may store at the addresses and beside them, with the slugs that they come from.
    holding: dict[str, list[str]] = defaultdict(list)
    next_numbers: dict[str, list[str]] = defaultdict(list)
    for slug in dict.fromkeys(slugs):
        for form in stored(slug):
            for name in (form, *trashed(form)):
                holding[name].append(slug)
            next_numbers[numbered(form)].append(slug)
    held: dict[str, list[Record]] = defaultdict(list)
    others: dict[str, list[Record]] = defaultdict(list)
    # The slugs themselves are in the request as well: WordPress may read one otherwise than we do.
    names = sorted({*holding, *next_numbers, *slugs} - {""})
    for record in _named(send, kind, names):
        for slug in holding.get(record.slug.lower(), ()):
            held[slug].append(record)
        for slug in next_numbers.get(record.slug.lower(), ()):
            others[slug].append(record)
    return {
        slug: AtAddress(tuple(held[slug]), tuple(others[slug]))
        for slug in slugs
        if held[slug] or others[slug]
    }


def find(send: Send, kind: Kind, slugs: Collection[str]) -> dict[str, list[Record]]:
    """Read every record that creates with these slugs may have made, by slug, wherever the record is now.

    Such a record has the slug itself, or the slug with the number that WordPress adds to one that is taken:
    a caller must compare `Record.slug`. The record may be in the trash with one of these slugs. It may be a
    draft without a slug, whose title would give the slug. A record with an unexpected slug may be of any.
    """
    names = {slug: spellings(slug) for slug in slugs}
    # By what WordPress makes of a name: the slugs that were sent and that it may come from.
    sent: dict[str, list[str]] = defaultdict(list)
    asked: dict[str, None] = {}
    for slug, some in names.items():
        taken = [*some, *(f"{name}-{number}" for name in some for number in NUMBERED)]
        for name in (*taken, *(name + TRASHED for name in taken), *(f"{name}{TRASHED}-2" for name in some)):
            asked[name] = None
            sent[_plain(name)].append(slug)
    records: dict[str, dict[int, Record]] = {slug: {} for slug in names}
    for record in _named(send, kind, [*asked]):
        for slug in sent.get(_plain(record.slug), names):
            records[slug][record.id] = record
    # A draft without a slug has the empty name in a list. In the trash its name is numbered as any other.
    nameless = ("", TRASHED, *(f"{TRASHED}-{number}" for number in NUMBERED))
    query = (
        ("context", "edit"),
        ("_fields", "id,generated_slug"),
        ("status", reads.EVERYWHERE),
        *reads.of_slugs(*nameless),
    )
    generated = {
        id_of(row): [slug for slug, some in names.items() if row.get("generated_slug") in some]
        for row in reads.every_row(send, kind.row.route, query, kind)
    }
    for number, record in reads.records(send, kind, [n for n, some in generated.items() if some]).items():
        for slug in generated[number]:
            records[slug][number] = record
    return {slug: [some[number] for number in sorted(some)] for slug, some in records.items()}


def _named(send: Send, kind: Kind, slugs: list[str]) -> Iterator[Record]:
    """Read the records that have one of these slugs, in any status."""
    if slugs:
        for row in reads.every_page(lambda page: reads.ask(send, _request(kind, slugs, page), kind)):
            yield read(kind, row)


def _request(kind: Kind, slugs: list[str], page: int) -> HttpRequest:
    query = (*reads.whole(kind), ("status", reads.EVERYWHERE), *reads.STEADY, ("page", str(page)))
    path = f"{kind.row.route}?{urlencode(query, safe=',')}"
    named = urlencode(reads.of_slugs(*slugs))
    if len(named) <= _LONGEST_QUERY:
        return HttpRequest("GET", f"{path}&{named}")
    body = json.dumps({"slug": slugs}, ensure_ascii=False).encode()
    return HttpRequest("POST", path, JSON_CONTENT_TYPE, body, override="GET")


def spellings(slug: str) -> tuple[str, ...]:
    """Give a slug as it was sent, and the forms without accents that a site may have stored."""
    lower = unicodedata.normalize("NFC", slug).lower()
    stored = (_without_accents(lower.translate(letters)) for letters in ({}, _GERMAN, _DANISH))
    return tuple(dict.fromkeys((slug, *(text for text in stored if text != lower))))


def stored(slug: str) -> tuple[str, ...]:
    """Give the texts that may be stored for a slug, percent-encoded in lower case as in a response."""
    forms = (cut(_plain(name), _LONGEST) for name in spellings(unquote(slug)))
    return tuple(dict.fromkeys(form for form in forms if form))


def _plain(name: str) -> str:
    """Give what WordPress makes of the characters of a slug, before it percent-encodes and cuts them."""
    kept = _DROPPED.sub("", _DASHES.sub("-", unquote(name).lower()))
    return re.sub(r"-{2,}", "-", kept).strip("-")


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
    bases = ((letter, unicodedata.normalize("NFD", letter)[0]) for letter in text.translate(_PLAIN))
    return "".join(base if base.isascii() else letter for letter, base in bases)
