"""Says which former values of others a site will not take back as they were. The judgement is pure.

WordPress takes elements and attributes out of the texts of an account without the right `unfiltered_html`
(its filter is called KSES), and trims the title of everybody. A change of spelling that readers do not see,
such as `&` to `&amp;`, is not named.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.model.changes import Update
from pressync.model.printable import counted, listed
from pressync.model.reason import Reason, ReasonCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.client.port import Reads
    from pressync.model.records import Value
    from pressync.sync.undo import Undo

# The elements that WordPress 6.1 leaves in a title and a comment (`$allowedtags` in wp-includes/kses.php).
_OF_TITLES = frozenset(
    {
        *("a", "abbr", "acronym", "b", "blockquote", "cite", "code", "del", "em", "i", "q", "s", "strike"),
        "strong",
    }
)
# The same of a text and an excerpt (`$allowedposttags`). 6.8 has the same, and 7.1 leaves seven more.
_OF_TEXTS = _OF_TITLES | frozenset(
    {
        *("address", "area", "article", "aside", "audio", "bdo", "big", "br", "button", "caption", "col"),
        *("colgroup", "dd", "details", "dfn", "div", "dl", "dt", "fieldset", "figcaption", "figure", "font"),
        *("footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "img", "ins", "kbd"),
        *("label", "legend", "li", "main", "map", "mark", "menu", "nav", "object", "ol", "p", "pre", "rb"),
        *("rp", "rt", "rtc", "ruby", "samp", "section", "small", "span", "sub", "summary", "sup", "table"),
        *("tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr", "track", "tt", "u", "ul", "var"),
        "video",
    }
)
_ALLOWED = {"title": _OF_TITLES, "content": _OF_TEXTS, "excerpt": _OF_TEXTS}
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"</?([a-z][\w:-]*)([^<>]*)>", re.IGNORECASE)
_ACTIVE = re.compile(r"[\s/'\"]on\w+\s*=|=\s*['\"]?\s*javascript:", re.IGNORECASE)
# PHP's `trim` takes these characters.
_TRIMMED = " \t\n\r\0\x0b"


def warned(undos: Mapping[str, Undo], reads: Reads) -> tuple[Reason, ...]:
    """Give the remark on the former values that the site filters or trims; the site is asked only if needed.

    :raises ServiceError: the site cannot be read.
    """
    former = [(path, name, value) for path, each in undos.items() for name, value in _former(each)]
    trimmed = tuple(
        path for path, name, value in former if name == "title" and value.strip(_TRIMMED) != value
    )
    filtered = tuple(f"{path} ({name})" for path, name, value in former if is_taken(name, value))
    if filtered and not reads.is_filtered():
        filtered = ()
    if not (filtered or trimmed):
        return ()
    parts = []
    if filtered:
        values = f"{counted(len(filtered), 'value')} with markup"
        parts.append(f"{values} that it filters, because this user lacks unfiltered_html: {listed(filtered)}")
    if trimmed:
        titles = counted(len(trimmed), "title")
        parts.append(f"{titles} with blanks at the ends, which it trims: {listed(trimmed)}")
    said = f"The site will not take everything back as it was: {'; '.join(parts)}."
    return (Reason(ReasonCode.WILL_BE_FILTERED, {"filtered": filtered, "trimmed": trimmed}, said),)


def is_taken(field: str, value: str) -> bool:
    """Tell whether the filter of WordPress takes something out of a value that readers may see."""
    allowed = _ALLOWED.get(field)
    if allowed is None:
        return False
    tags = _TAG.findall(_COMMENT.sub("", value))
    return any(name.lower() not in allowed or _ACTIVE.search(rest) for name, rest in tags)


def _former(undo: Undo) -> Iterator[tuple[str, str]]:
    """Give the texts of others that an undo sends."""
    if not isinstance(undo.change, Update):
        return
    values: dict[str, Value] = {**undo.values, **undo.stored}
    for name in values.keys() & set(undo.change.fields):
        value = values[name]
        if isinstance(value, str):
            yield name, value
