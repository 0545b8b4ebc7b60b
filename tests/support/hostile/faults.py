"""The faults of a service, each with its meaning for a client.

It imports nothing of pressync. This list alone says what each fault *means*: the call was certainly not
carried out, perhaps carried out, shown later, or changed by the service. The sweep derives from it how a run
must end.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from tests.support.hostile.port import AUTHORIZATION, PASSWORD, Fault, changed, showing
from tests.support.wire import End, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.support.strict_service import StrictService
    from tests.support.wire import Json

WRITES = frozenset({"create", "update", "delete"})
EVERYTHING = WRITES | {"read", "batch", "setting"}
# A read carries out nothing. So a fault before acting and the same one after acting are one fault to it.
_READ = frozenset({"read"})

# The slug of the records of others, which are on the site before any sync.
STRANGE = "strange"

# An escape that retitles a terminal, one that clears it, a bell, C1's CSI and an override of direction.
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp"


class Means(Enum):
    """What became of the call, as far as the answer lets anybody know."""

    HONEST = "done, and said so"
    LATER = "not done, and to be asked again"
    GIVEN_UP = "not done, and to be asked again later than anybody waits"
    REFUSED = "not done, and said so"
    LOST = "no answer"
    BAD = "an answer that is not the record"
    BENT = "done otherwise than asked"
    STALE = "not stored, and the answer shows it"
    LIE = "not stored, and the answer does not show it"


@dataclass(frozen=True)
class Misdeed:
    """A fault, what it means, and at which requests it makes sense.

    `whole` ones are of a whole request, never of an item of a batch. A `variant` is one more spelling of
    what another misdeed tries: one place of each sort is enough for it.
    """

    fault: Fault
    means: Means
    verbs: frozenset[str] = EVERYTHING
    whole: bool = False
    variant: bool = False

    @property
    def name(self) -> str:
        """The fault's name, and the test's."""
        return self.fault.name


def all_of_them() -> list[Misdeed]:
    """List every misdeed, each under a name of its own."""
    found = [*_on_the_line(), *_statuses(), *_no_records(), *_other_records(), *_bent(), *_untrue()]
    assert len({misdeed.name for misdeed in found}) == len(found)
    return found


def _on_the_line() -> Iterator[Misdeed]:
    ends = {
        "close": (_nothing, End.CLOSE),
        "reset": (_nothing, End.RESET),
        "half": (lambda answer: answer[:-9], End.CLOSE),
        "hang": (_nothing, End.HANG),
    }
    for name, (sends, end) in ends.items():
        for acts in (False, True):
            fault = Fault(f"{name} {'after' if acts else 'before'} acting", acts=acts, sends=sends, end=end)
            yield Misdeed(fault, Means.LOST, _where(acts=acts), whole=True)
    yield Misdeed(Fault("late", late=True, end=End.HANG), Means.LOST, _where(acts=True), whole=True)
    dripping = Fault("drip", sends=lambda answer: answer[:30] + b"y", end=End.DRIP)
    yield Misdeed(dripping, Means.LOST, whole=True)
    yield Misdeed(Fault("flood", sends=_without_a_length, end=End.FLOOD), Means.LOST, whole=True)
    yield Misdeed(Fault("answer and close", end=End.CLOSE), Means.HONEST, whole=True)


def _statuses() -> Iterator[Misdeed]:
    now = ("Date", "Wed, 21 Oct 2026 07:28:00 GMT")
    waits: dict[str, tuple[tuple[str, str], ...]] = {
        "seconds": (("Retry-After", "7"),),
        "a date": (("Retry-After", "Wed, 21 Oct 2026 07:28:30 GMT"), now),
        "a date in the past": (("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"), now),
        "nonsense": (("Retry-After", "soon\x07"),),
    }
    for status in (429, 503):
        for name, headers in waits.items():
            shows = showing(status, _error("busy"), headers=headers)
            fault = Fault(f"{status} with {name}", acts=False, shows=shows)
            spelled_as_well = name == "nonsense" or (status, name) in {
                (503, "a date"),
                (429, "a date in the past"),
            }
            yield Misdeed(fault, Means.LATER, variant=spelled_as_well)
    yield Misdeed(Fault("429 alone", acts=False, shows=_page(429)), Means.LATER)
    week = showing(429, _error("busy"), headers=(("Retry-After", "604800"),))
    yield Misdeed(Fault("429 for a week", acts=False, shows=week), Means.GIVEN_UP)
    for status in (500, 502, 503, 504):
        for acts in (False, True):
            name = f"{status} {'after' if acts else 'before'} acting"
            shows = showing(status, _error("internal_server_error")) if status == 500 else _page(status)
            fault = Fault(name, acts=acts, shows=shows)
            yield Misdeed(fault, Means.LOST, _where(acts=acts), variant=status in {503, 504})
    for status in (400, 401, 403, 422):
        shows = showing(status, _error(f"no{ESCAPES}"))
        fault = Fault(f"{status} in JSON", acts=False, shows=shows)
        yield Misdeed(fault, Means.REFUSED, variant=status != 400)
    for status in (403, 404, 405, 413):
        fault = Fault(f"{status} as a page", acts=False, shows=_page(status))
        yield Misdeed(fault, Means.REFUSED, variant=status != 413)
    gone = Fault("404 for a record that is there", acts=False, shows=showing(404, _error("invalid_id")))
    yield Misdeed(gone, Means.REFUSED, frozenset({"create", "update"}))


def _no_records() -> Iterator[Misdeed]:
    place = f"https://editor:{PASSWORD}@elsewhere.example/login{ESCAPES}?password={PASSWORD}#x"
    location = (("Location", place.replace(ESCAPES, "\x1b[2J\x07")),)
    for status in (301, 302, 303, 307, 308):
        yield from _twice(str(status), showing(status, raw=b"", headers=location), variant=status != 302)
    yield from _twice("a page", _page(200))
    yield from _twice("a list", lambda honest, _site: replace(honest, value=[honest.value]))
    yield from _twice("an empty list", showing(200, []), WRITES | {"batch"}, variant=True)
    for name, value in {"text": "done", "a number": 1, "null": None, "an error": _error("nope")}.items():
        yield from _twice(name, showing(200, value), variant=True)
    yield from _twice("nothing", showing(200, raw=b""), variant=True)
    yield from _twice("204", showing(204, raw=b""), variant=True)
    yield from _twice("202", lambda honest, _site: replace(honest, status=202), WRITES, variant=True)
    yield from _twice("half the JSON", partial(_edited, edit=lambda body: body[: len(body) // 2]))
    yield from _twice(
        "words before the JSON", partial(_edited, edit=lambda body: b"Notice: \x1b[2J" + body), variant=True
    )
    yield from _twice("JSON twice", partial(_edited, edit=lambda body: body + body), variant=True)
    yield from _twice(
        "a byte order mark", partial(_edited, edit=lambda body: b"\xef\xbb\xbf" + body), variant=True
    )
    yield from _twice("deep JSON", showing(200, raw=b"[" * 100_000), variant=True)
    # An item of a batch has no type of content.
    as_text = Fault("JSON as text", shows=lambda honest, _site: replace(honest, content_type="text/html"))
    yield Misdeed(as_text, Means.BAD, whole=True, variant=True)


def _other_records() -> Iterator[Misdeed]:
    changes: dict[str, Callable[[Json], object]] = {
        "no id": lambda record: record.pop("id"),
        "an id in words": lambda record: record.update(id=str(record["id"])),
        "the id 0": lambda record: record.update(id=0),
        "a huge id": lambda record: record.update(id=2**80),
        "another type": lambda record: record.update(type="attachment" + ESCAPES),
        "no address": lambda record: record.pop("link"),
        "no modified": lambda record: record.update(modified_gmt=None),
    }
    for name, change in changes.items():
        yield from _twice(name, changed(change), WRITES, variant=True)
    yield from _twice("another record", partial(_another, strange=False), WRITES)
    yield from _twice("somebody else's record", partial(_another, strange=True), WRITES)
    yield from _twice("another id", _another_id, frozenset({"update", "delete"}))
    yield from _twice("the id of another", _another_id, frozenset({"create"}))
    envelopes: dict[str, Callable[[Json], object]] = {
        "no responses": lambda envelope: envelope.pop("responses"),
        "a response too few": lambda envelope: envelope["responses"].pop(),
        "a response too many": lambda envelope: envelope["responses"].append(envelope["responses"][0]),
        "no response at all": lambda envelope: envelope["responses"].clear(),
        "responses in words": lambda envelope: envelope.update(responses=["yes"] * 2),
        "responses turned round": lambda envelope: envelope["responses"].reverse(),
    }
    for name, change in envelopes.items():
        # Not before acting: those of its answers that are in their places would be lies.
        yield Misdeed(Fault(name, shows=changed(change)), Means.BAD, frozenset({"batch"}))


def _bent() -> Iterator[Misdeed]:
    bends: dict[str, Callable[[Json], None]] = {
        "slug": lambda record: record.update(slug=record["slug"] + "-2"),
        "status": lambda record: record.update(status="draft"),
        "date": lambda record: record.update(date="2001-01-01T00:00:00", date_gmt="2001-01-01T00:00:00"),
        "content": lambda record: record["content"].update(raw=record["content"]["raw"].replace("<p>", "")),
        "excerpt": lambda record: record["excerpt"].update(raw=f"Buy {ESCAPES}"),
    }
    for name, bend in bends.items():
        yield Misdeed(Fault(f"bent {name}", bends=bend), Means.BENT, frozenset({"create", "update"}))


def _untrue() -> Iterator[Misdeed]:
    yield Misdeed(Fault("200 and nothing stored", acts=False, shows=_as_if), Means.LIE, WRITES)
    yield Misdeed(Fault("what was there before", acts=False, shows=_before), Means.STALE, WRITES - {"create"})
    emptied = Fault("stored empty", bends=_empty)
    yield Misdeed(emptied, Means.STALE, frozenset({"create"}))


def _twice(
    name: str,
    shows: Callable[[Reply, StrictService], Reply],
    verbs: frozenset[str] = EVERYTHING,
    *,
    variant: bool = False,
) -> Iterator[Misdeed]:
    for acts in (False, True):
        fault = Fault(f"{name} {'after' if acts else 'before'} acting", acts=acts, shows=shows)
        yield Misdeed(fault, Means.BAD, _where(verbs, acts=acts), variant=variant)


def _where(verbs: frozenset[str] = EVERYTHING, *, acts: bool) -> frozenset[str]:
    """Name the calls where one of the two faults that differ only in acting makes sense."""
    return verbs - _READ if acts else verbs


def _nothing(_answer: bytes) -> bytes:
    return b""


def _without_a_length(answer: bytes) -> bytes:
    head = answer.partition(b"\r\n\r\n")[0].replace(b"Content-Length", b"X-Length")
    return head + b"\r\n\r\n{"


def _error(code: str) -> Json:
    shown = f"The request had Authorization: {AUTHORIZATION} and the password {PASSWORD}. {ESCAPES}"
    return {"code": code, "message": shown, "data": None}


def _page(status: int) -> Callable[[Reply, StrictService], Reply]:
    text = f"<!-- {PASSWORD} --><title>{ESCAPES}</title>".encode()
    return showing(status, raw=text, content_type="text/html; charset=UTF-8")


def _edited(honest: Reply, _site: StrictService, edit: Callable[[bytes], bytes]) -> Reply:
    return replace(honest, raw=edit(honest.body))


def _another(honest: Reply, site: StrictService, *, strange: bool) -> Reply:
    """Answer a record that is another's, as whole and well formed as the honest one."""
    other = site.shown[_other_id(honest.value, site, strange=strange)]
    # With the members of the honest answer: one that nobody asked for would give the service away.
    asked = {name: other.get(name, value) for name, value in honest.value.items()}
    return replace(honest, value={**asked, "link": "http://127.0.0.1/other/"})


def _another_id(honest: Reply, site: StrictService) -> Reply:
    return replace(honest, value={**honest.value, "id": _other_id(honest.value, site, strange=False)})


def _other_id(record: Json, site: StrictService, *, strange: bool) -> int:
    """Name another record of the type: one that was there before any sync, or ours; else any other."""
    others = {number: one for number, one in sorted(site.shown.items()) if number != record["id"]}
    same = (number for number, one in others.items() if one["type"] == record["type"])
    return next((number for number in same if (others[number]["slug"] == STRANGE) is strange), max(others))


def _as_if(honest: Reply, site: StrictService) -> Reply:
    """Answer what was not done as if it had been; an id that was never given out is far from all others."""
    number = honest.value["id"]
    return replace(honest, value={**honest.value, "id": number if number in site.shown else number + 500})


def _before(honest: Reply, site: StrictService) -> Reply:
    """Answer the record as it still is, with the members of the honest answer.

    With eight calls at a time, orders differ, and this may strike a create. There was nothing before that.
    """
    record = site.shown.get(honest.value["id"])
    if record is None:
        return Reply(400, {"code": "not_now", "message": "Not now.", "data": {"status": 400}})
    kept = {name: record.get(name, value) for name, value in honest.value.items()}
    return replace(honest, value=json.loads(json.dumps(kept)))


def _empty(record: Json) -> None:
    for name in ("title", "content", "excerpt"):
        record[name]["raw"] = ""
