"""The meaning of a response before a dialect reads it: refused, gone, later, perhaps done, or a JSON object.

The document shows no status but 200 (sections 4.6 and 7). So one question classes every other status: may
the service have carried the call out? Where that is not certain, the answer is yes.

The values of a JSON text are counted before it is parsed: 60 MB of `{},{},…` become 1.4 GB of objects.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING, cast

from pressync.model.changes import Call, CreateCall, DeleteCall
from pressync.model.errors import BadAnswer, Gone, Later, NoAnswer, Refused
from pressync.model.interface import JSON_CONTENT_TYPE
from pressync.model.printable import shortened
from pressync.model.web_address import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.client.port import HttpResponse

    _Pairs = list[tuple[str, object]]


# The document does not have 201, but stock WordPress responds to a create with it. Only the body of that
# response shows that the dialect is wrong, and only the body has the id of the record.
SUCCESS = frozenset({HTTPStatus.OK, HTTPStatus.CREATED})

# Advice for a response that something other than the service may have written.
CHECK_URL = "check `url`, and the proxies between here and the service"

# The relation of the Link header with which WordPress names its interface.
RELATION = "https://api.w.org/"

_WORDS_LIMIT = 300

_ADDRESS = "check `url`: for WordPress it ends with /wp-json, such as https://example.org/wp-json"
_TODO: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: 'if this is stock WordPress, set dialect = "wordpress"',
    HTTPStatus.UNAUTHORIZED: "check the user (see `pressync config`), PRESSYNC_PASSWORD or PRESSYNC_TOKEN",
    HTTPStatus.FORBIDDEN: "use an account that may edit and publish, or check the site's firewall",
    HTTPStatus.NOT_FOUND: _ADDRESS,
    HTTPStatus.METHOD_NOT_ALLOWED: _ADDRESS,
    HTTPStatus.PROXY_AUTHENTICATION_REQUIRED: "log in to the proxy between here and the service",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: CHECK_URL,
    HTTPStatus.REQUEST_URI_TOO_LONG: "raise the web server's limit for the length of an address "
    "(nginx: `large_client_header_buffers`, Apache: `LimitRequestLine`)",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "check `url` and `dialect`: this service does not read form bodies",
}
# The advice where the request had the fields of a document. A read, a delete and an upload have none.
_TODO_OF_DOCUMENT: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: f"fix what it names; {_TODO[HTTPStatus.BAD_REQUEST]}",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "split the document, or raise the server's limit for request bodies",
}

# A hundred records of WordPress have about 20,000, and 500,000 take about 120 MB.
MOST_VALUES = 500_000

# The title of a web page is in its first bytes.
_HEAD = 20_000
_TITLE = re.compile(rb"<title[^>]{0,200}>([^<]{1,1000})</title>", re.IGNORECASE)

# The beginnings of an object, and of a list of objects. The response is JSON from one of the first of them.
_START = re.compile(rb'\[?\{"|\[\]')
_MOST_STARTS = 10
_TAG = re.compile(rb"<[^>]{0,1000}>")
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_BEFORE_A_VALUE = (b",", b"[", b"{")


def expect_success(call: Call, response: HttpResponse) -> None:
    """Return if the status is a success; else raise the kind of ServiceError that the response shows."""
    status = response.status
    if status in SUCCESS:
        return
    said = _said(response)
    later = status == HTTPStatus.SERVICE_UNAVAILABLE and "retry-after" in response.headers
    if later or status == HTTPStatus.TOO_MANY_REQUESTS:
        problem = f"the service answered {status} and asks to try again later{said}"
        raise Later(problem, after=_after(response), early=later)
    match status // 100:
        case 3:
            # This holds even for a create: a server may send the redirect after it has done the work.
            place = shown(clean(response.headers.get("location", "")))
            place = "a malformed address" if place is None else place or "nowhere"
            raise BadAnswer(
                f"the service answered {status} and redirects to {place}, which is not followed",
                todo="set `url` to the final address",
            )
        case 4:
            raise _refusal(call, response, said)
        case 5:
            raise NoAnswer(f"the service answered {status}{said}")
    raise BadAnswer(
        f"the service answered {status}; the interface shows only 200",
        todo="check the proxies between here and the service",
    )


def json_object(response: HttpResponse) -> dict[str, object]:
    """Read the body as one JSON object, complete and with nothing before it; BadAnswer if it is not one.

    An object that names a member twice is refused as well: nobody can tell which of two ids is the record's.
    """
    require_json(response)
    if is_overfull(response.body):
        raise _not_a_record(f"has more than {MOST_VALUES:,} values, more than any record has")

    def once(pairs: _Pairs) -> dict[str, object]:
        members = dict(pairs)
        if len(members) < len(pairs):
            [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
            raise _not_a_record(f"is JSON but names “{clean(twice, 60)}” twice in one object")
        return members

    value = parsed(response.body, once)
    if value is None:
        _refuse_printed(response)
        start = clean(response.body[:80].decode("utf-8", "replace"))
        raise _not_a_record(f"is not JSON from its first byte to its last; it begins “{start}”")
    if not isinstance(value, dict):
        raise _not_a_record("is JSON but not an object")
    return value


def has_document(call: Call) -> bool:
    """Tell whether a call sends fields of a document; the call that stands for a read has none."""
    return not isinstance(call, DeleteCall) and bool(call.fields)


def object_or_nothing(response: HttpResponse) -> dict[str, object]:
    """Read the body as `json_object` does; an empty object if something else wrote it, as a web server."""
    try:
        return json_object(response)
    except BadAnswer:
        return {}


def clean(text: str, limit: int = _WORDS_LIMIT) -> str:
    """Make one printable line of text from outside, cut at `limit` characters.

    It has no backquote: between two of them, our own messages have commands to copy.
    """
    printable = "".join(c if c.isprintable() else " " for c in text[: 4 * limit]).replace("`", "'")
    return shortened(" ".join(printable.split()), limit)


def _refusal(call: Call, response: HttpResponse, said: str) -> Refused:
    """Class a 4xx. Only an error in JSON means Gone: a web server's 404 page shows a wrong address."""
    status = response.status
    absent = status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
    error = parsed(response.body)
    spoken = isinstance(error, dict) and error.get("code") != "rest_no_route"
    if absent and spoken and not isinstance(call, CreateCall):
        return Gone(
            f"there is no {call.kind} {call.id} on the service any more ({status}{said})", status=status
        )
    advice = _TODO | _TODO_OF_DOCUMENT if has_document(call) else _TODO
    return Refused(f"the service refused with {status}{said}", status=status, todo=advice.get(status, ""))


def printed_before(response: HttpResponse) -> str | None:
    """Give what the site has printed before the JSON of a response, without tags; None for anything else.

    A message of PHP makes a web page of the response. The file of a plugin may begin with a byte order mark,
    which people cannot see.
    """
    starts = islice(_START.finditer(response.body, 0, _HEAD), _MOST_STARTS)
    start = next((m.start() for m in starts if parsed(response.body[m.start() :]) is not None), 0)
    if not start or response.body[:1] in {b"{", b"["}:
        return None
    if response.body.startswith(BOM_UTF8):
        return "a byte order mark"
    text = _TAG.sub(b" ", response.body[:start]).decode("utf-8", "replace")
    return f"“{clean(unescape(text), 120)}”"


def _refuse_printed(response: HttpResponse) -> None:
    if printed := printed_before(response):
        raise BadAnswer(
            f"the response has {printed} before its JSON",
            todo="find the plugin, the theme or the file of the site that prints it; WP_DEBUG_DISPLAY in "
            "wp-config.php hides messages of PHP",
        )


def require_json(response: HttpResponse) -> None:
    """Raise BadAnswer if the body is said to be something else than JSON.

    The title of a web page may tell whose it is, as that of a hotel.
    """
    named = response.content_type.partition(";")[0].lower()
    if named.strip() != JSON_CONTENT_TYPE:
        _refuse_printed(response)
        sort = clean(named, 60) or "without a content type"
        raise _not_a_record(f"is {sort}{page_title(response)}, not {JSON_CONTENT_TYPE}")


def page_title(response: HttpResponse) -> str:
    """Give the title of a web page as ` “title”`; empty for anything else."""
    is_page = response.content_type.lower().startswith("text/html")
    match = _TITLE.search(response.body[:_HEAD]) if is_page else None
    title = clean(unescape(match[1].decode(errors="replace")), 80) if match else ""
    return title and f" “{title}”"


def _said(response: HttpResponse) -> str:
    """Give the service's own error text as `: code: message`, or the title of its page; else nothing."""
    error = parsed(response.body)
    if not isinstance(error, dict):
        return page_title(response)
    words = [clean(word) for word in (error.get("code"), error.get("message")) if isinstance(word, str)]
    # A next step follows, after a semicolon.
    return "".join(f": {word}" for word in words if word).rstrip(".")


def _after(response: HttpResponse) -> float | None:
    """Read Retry-After (RFC 9110, 10.2.3) as seconds; None if it is absent or invalid.

    A date is compared with the Date of the same response. The clock of this machine may be wrong, so it is
    asked only if the response has no Date.
    """
    text = response.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    until, now = _http_date(text), _http_date(response.headers.get("date", "")) or datetime.now(UTC)
    return (until - now).total_seconds() if until is not None and until >= now else None


def _http_date(text: str) -> datetime | None:
    try:
        # An HTTP date is always in GMT, also if its last word says something else.
        return parsedate_to_datetime(text).replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def inside(value: object, *names: str) -> object:
    """Give the member of nested objects; None without it, as where PHP encodes an empty map as a list."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def parsed(body: bytes, members: Callable[[_Pairs], dict[str, object]] | None = None) -> object:
    """Parse strict JSON in UTF-8 without a byte order mark; None if it is something else or too large."""
    if is_overfull(body):
        return None
    try:
        # The bytes are decoded first, because `json.loads` accepts a byte order mark in bytes.
        return cast("object", json.loads(body.decode(), object_pairs_hook=members))
    except (ValueError, RecursionError):
        return None


def _not_a_record(problem: str) -> BadAnswer:
    return BadAnswer(f"the response {problem}", todo=CHECK_URL)


def is_overfull(body: bytes) -> bool:
    """Tell whether a JSON text has more values than any response needs.

    The commas and brackets outside of strings are counted, which needs only the memory of the text without
    its strings. A text with few commas and brackets is not looked at further.
    """
    if sum(map(body.count, _BEFORE_A_VALUE)) <= MOST_VALUES:
        return False
    quotes = body.count(b'"') - body.count(b'\\"')
    if quotes > 4 * MOST_VALUES:
        # A string has two quotes, and a member has up to two strings: its name and its value.
        return True
    outside = _STRING.sub(b"", body)
    return sum(map(outside.count, _BEFORE_A_VALUE)) > MOST_VALUES


def left_out(sort: str, name: str, why: str) -> str:
    """Say of a type or a taxonomy that the schema does not have it."""
    return f"The {sort} “{clean(name, 40)}” is left out: {why}."
