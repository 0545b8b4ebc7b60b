"""Encodes the fields of a record for WordPress, and reads a record from a response. Pure.

A body is sent inside one block, so that WordPress does not change its paragraphs, and a title is plain text
for people and HTML for WordPress.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pressync.client import record_json
from pressync.client.record_json import encoded, valid_id
from pressync.html.shortcodes import escape_shortcodes
from pressync.html.titles import escape_title, unescape_title
from pressync.model.records import TEXTS, Fields, Record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.model.changes import CustomFields
    from pressync.model.interface import Kind, KindRow

_NOTHING: Fields = MappingProxyType({})

# The text that is wrapped in a block when it is sent, and unwrapped when it is read.
WRAPPED = "content"

# The field that is plain text for people, and HTML for WordPress.
TITLE = "title"

# The members that identify a record, beside the fields of a body.
_KEYS = ("id", "type", "link", "modified", "modified_gmt")


@cache
def members_of(row: KindRow) -> str:
    """Give the value of `_fields` with exactly the members that `read` needs.

    Without `.raw`, WordPress would also render the text, which is the slowest part of a response. The objects
    of registered fields are asked for as a whole, because servers allow an address 8 KB.
    """
    return ",".join(dict.fromkeys((*_KEYS, *names_of(row, "raw"))))


def names_of(row: KindRow, form: str) -> Iterator[str]:
    """Give the member of each field in a response; a text is asked for in one form, `raw` or `rendered`."""
    for field in row.body:
        yield f"{field.name}.{form}" if field.name in TEXTS else field.inside or field.key


def path_of(kind: Kind, number: int) -> str:
    """Give the path of one record; ValueError if the number is not an id (`…/pages/0` is another route)."""
    return f"{kind.row.route}/{valid_id(number)}"


def read(kind: Kind, members: Mapping[str, object], *, expected: int | None = None) -> Record:
    """Read a record as `record_json` does, with the content unwrapped and the title as plain text.

    :raises BadAnswer: it is not a record, or it does not have the id `expected`.
    """
    if members.get("meta") == []:
        # PHP encodes an empty map as a list.
        members = {**members, "meta": {}}
    record = record_json.read(kind, members, expected=expected)
    texts = {name: text for name in _READERS if isinstance(text := record.fields.get(name), str)}
    plain = {name: _READERS[name](text) for name, text in texts.items()}
    other = {name: text for name, text in texts.items() if _WRITERS[name](plain[name]) != text}
    # WordPress makes paragraphs of a content without a block when it shows it. A text of ours has a block.
    return replace(
        record,
        fields={**record.fields, **plain},
        classic=_BLOCK not in texts.get(WRAPPED, ""),
        raw={**other, **record.raw},
    )


def body(
    kind: Kind, fields: Fields, custom: CustomFields | None = None, stored: Fields = _NOTHING
) -> dict[str, object]:
    """Make the object for these fields (interface, 4.1 and 4.4), with typed strings, numbers and lists.

    Custom fields are members of `meta`, beside those that the document names. A value that is `stored` on
    the site is sent as it is.

    ValueError for a field or a type that a record of this kind does not have. So the object never has an
    `id`, which would change another record, or a null, which takes a page off the site.
    """
    documented = kind.row.fields
    unknown = sorted(fields.keys() - documented.keys())
    if unknown:
        raise ValueError(f"a {kind} has no field {', '.join(unknown)}")
    made: dict[str, Any] = {}
    for name, value in fields.items():
        field = documented[name]
        place = made.setdefault(field.inside, {}) if field.inside else made
        write = str if name in stored else _WRITERS.get(name, str)
        place[field.key] = encoded(field, stored.get(name, value), write)
    if custom:
        made["meta"] = {**custom, **made.get("meta", {})}
    return made


# A text without this has nothing that `unescape_code` changes.
REFERENCE_START = "&#0"
_REFERENCE = re.compile(rf"{REFERENCE_START}(0*)(91|47);")
_CHARACTERS = {"91": "[", "47": "/"}

_OPEN = "<!-- wp:html -->\n"
_CLOSE = "<!-- /wp:html -->"

# The beginning of any block. If a text has it anywhere, WordPress reads the whole text as blocks.
_BLOCK = "<!-- wp:"


def escape_code(html: str) -> str:
    """Escape the code in a text; `unescape_code` is the inverse for every text."""
    # A reference that the text has already gets one more zero, which does not change its meaning.
    return escape_shortcodes(_REFERENCE.sub(r"&#00\1\2;", html))


def unescape_code(html: str) -> str:
    """Restore the HTML that `escape_code` changed."""
    return _REFERENCE.sub(_one_less, html)


def _one_less(reference: re.Match[str]) -> str:
    zeros, number = reference.groups()
    return f"&#{zeros}{number};" if zeros else _CHARACTERS[number]


def wrap(html: str) -> str:
    """Make the content to send for this HTML; `unwrap` is the inverse for every text.

    Empty text stays empty, and text with blocks of its own is not changed. A text that is exactly one such
    block gets a second one around it. Otherwise `unwrap` would remove the author's own block.
    """
    if not html or (_BLOCK in html and not _is_wrapped(html)):
        return html
    return f"{_OPEN}{escape_code(html)}{_CLOSE}"


def unwrap(content: str) -> str:
    """Restore the HTML that `wrap` changed; any other content is a person's and is not changed."""
    if not _is_wrapped(content):
        return content
    inner = content[len(_OPEN) : -len(_CLOSE)]
    if REFERENCE_START not in inner:
        return inner
    html = unescape_code(inner)
    # If a person changed the text in the block, it is not unescaped.
    return html if escape_code(html) == inner else inner


def _is_wrapped(text: str) -> bool:
    """Tell whether `wrap` makes exactly this text of some HTML."""
    inner = text
    while inner.startswith(_OPEN) and inner.endswith(_CLOSE) and len(inner) > len(_OPEN) + len(_CLOSE):
        inner = inner[len(_OPEN) : -len(_CLOSE)]
        if _BLOCK not in inner:
            return True
    return False


_READERS = {WRAPPED: unwrap, TITLE: unescape_title}
_WRITERS = {WRAPPED: wrap, TITLE: escape_title}
