"""What an answer means before any dialect reads it: refused, gone, later, perhaps done, or a JSON object.

Pure. It must not know the fields of a record. What decided its shape: the document shows no answer but
200 (sections 4.6 and 7), so every other status is classed by one question: may the call have been
carried out? Where that is not certain, it may.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections import Counter
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.client.json_size import MOST_VALUES, is_overfull
from pressync.model.errors import BadAnswer, Gone, Later, NoAnswer, Refused
from pressync.model.interface import JSON_CONTENT_TYPE
from pressync.model.records import CreateCall

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pressync.client.port import HttpResponse
    from pressync.model.errors import ServiceError
    from pressync.model.records import Call

    _Pairs = list[tuple[str, object]]

# 201 is not in the document, but stock WordPress answers it to a create; only by reading that answer
# can the wrong dialect be shown, and the id of the record be kept.
_SUCCESS = frozenset({HTTPStatus.OK, HTTPStatus.CREATED})

_WORDS_LIMIT = 300
_SECONDS_DIGITS = 9

_TODO: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: 'mend what it names; if this is stock WordPress, set dialect = "wordpress"',
    HTTPStatus.UNAUTHORIZED: "check PRESSYNC_USER and PRESSYNC_PASSWORD, or PRESSYNC_TOKEN",
    HTTPStatus.FORBIDDEN: "use an account that may edit and publish, or ask the site's firewall",
    HTTPStatus.NOT_FOUND: "check `url`: it is the base address with its JSON route prefix",
    HTTPStatus.METHOD_NOT_ALLOWED: "check `url`: it is the base address with its JSON route prefix",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "split the document, or raise the server's limit for bodies",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "check `url` and `dialect`: this service does not read form bodies",
}


def expect_success(call: Call, response: HttpResponse) -> None:
    """Return if the answer's status is a success; raise the kind of ServiceError that it shows if not."""
    if response.status in _SUCCESS:
        return
    raise _failure(call, response)


def json_object(response: HttpResponse) -> dict[str, object]:
    """Read the body as one JSON object, whole and with nothing before it; BadAnswer if it is not.

    Nor must it name a member twice: which of two ids is the record's, nobody can tell.
    """
    media_type = response.content_type.partition(";")[0].strip().lower()
    if media_type != JSON_CONTENT_TYPE:
        raise _not_a_record(
            f"is {clean(media_type, 60) or 'without a content type'}, not {JSON_CONTENT_TYPE}"
        )
    if is_overfull(response.body):
        raise _not_a_record(f"has more than {MOST_VALUES:,} values, which no record has")
    value = _parsed(response.body, _members)
    if value is None:
        # A byte order mark, as a file of a plugin may have it, cannot be seen.
        mark = "with a byte order mark and " if response.body.startswith(BOM_UTF8) else ""
        start = clean(response.body[:80].decode("utf-8", "replace"))
        raise _not_a_record(f"is not JSON from its first byte to its last; it begins {mark}“{start}”")
    if not isinstance(value, dict):
        raise _not_a_record("is JSON, but no object")
    return value


def clean(text: str, limit: int = _WORDS_LIMIT) -> str:
    """Make text from outside fit for one line of a terminal: printable characters only, cut at `limit`."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _failure(call: Call, response: HttpResponse) -> ServiceError:
    status = response.status
    said = _said(response)
    later = status == HTTPStatus.SERVICE_UNAVAILABLE and "retry-after" in response.headers
    if later or status == HTTPStatus.TOO_MANY_REQUESTS:
        return Later(f"the service answered {status}, later{said}", after=_after(response))
    match status // 100:
        case 3:
            # Even for a create: a redirect may be sent after the work is done.
            return BadAnswer(
                f"the service answered {status} and redirects to {_place(response)}; nothing was followed",
                todo="set `url` to the final address",
            )
        case 4:
            return _refusal(call, response, said)
        case 5:
            return NoAnswer(f"the service answered {status}{said}; whether it did the work is not known")
        case _:
            return BadAnswer(
                f"the service answered {status}, which is not the 200 of the interface",
                todo="check what stands between here and the service",
            )


def _refusal(call: Call, response: HttpResponse, said: str) -> Refused:
    """Class a 4xx. Gone needs the service's own word: a web server's 404 page only shows a wrong address."""
    status = response.status
    absent = status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}
    error = _parsed(response.body)
    spoken = isinstance(error, dict) and error.get("code") != "rest_no_route"
    if absent and spoken and not isinstance(call, CreateCall):
        return Gone(
            f"there is no {call.kind} {call.id} on the service any more ({status}{said})", status=status
        )
    return Refused(f"the service refused with {status}{said}", status=status, todo=_TODO.get(status, ""))


def _said(response: HttpResponse) -> str:
    """Give the service's own words, `: code: message`, or nothing if it said none."""
    error = _parsed(response.body)
    if not isinstance(error, dict):
        return ""
    words = [clean(word) for word in (error.get("code"), error.get("message")) if isinstance(word, str)]
    return "".join(f": {word}" for word in words if word)


def _place(response: HttpResponse) -> str:
    """Where a redirect leads, without what may be secret in it: user, password, query, fragment."""
    location = clean(response.headers.get("location", ""))
    try:
        parts = urlsplit(location)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "an address that cannot be read"
    return (f"{parts.scheme}://{host}" if host else "") + parts.path or "nowhere"


def _after(response: HttpResponse) -> float | None:
    """Read Retry-After (RFC 9110, 10.2.3) as seconds, None if it is absent or makes no sense.

    A date is taken relative to the answer's own Date: this machine's clock may be wrong, and a
    difference of two times of one clock is not.
    """
    text = response.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text) if len(text) <= _SECONDS_DIGITS else None
    until, now = _http_date(text), _http_date(response.headers.get("date", ""))
    if until is None or now is None or until < now:
        return None
    return (until - now).total_seconds()


def _http_date(text: str) -> datetime | None:
    try:
        # An HTTP date is always in GMT, whatever its last word.
        return parsedate_to_datetime(text).replace(tzinfo=UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _parsed(body: bytes, members: Callable[[_Pairs], dict[str, object]] = dict) -> object:
    """Parse strict JSON in UTF-8 without a byte order mark; None if it is not that, or too much of it."""
    if is_overfull(body):
        return None
    try:
        # Decoded first: `json.loads` would forgive a byte order mark in bytes.
        value: object = json.loads(body.decode(), object_pairs_hook=members)
    except (ValueError, RecursionError):
        return None
    return value


def _members(pairs: _Pairs) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise _not_a_record(f"is JSON, but names “{clean(twice, 60)}” twice in one object")
    return members


def _not_a_record(what: str) -> BadAnswer:
    return BadAnswer(f"the answer {what}", todo="check `url`, and what stands between here and the service")
