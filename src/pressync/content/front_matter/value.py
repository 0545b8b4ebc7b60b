"""A value as it was written in front matter: plain data with its line and its source text; dates; and YAML.

`slug: 010` must stay "010" although YAML reads it as eight, and a problem must name its line. A date with an
offset is a moment, and is sent as `date_gmt`; without one it is in the site's time zone, which is not known
here.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import yaml

from pressync.model.errors import Code

if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST = 50
TOO_DEEP = f"front matter is nested deeper than {DEEPEST} levels"
FLATTEN = "make it flatter"


class UnreadableError(Exception):
    """Front matter cannot be read. Each reason is a line of the file, what is wrong, and what to do."""

    def __init__(self, *reasons: tuple[int, str, str], code: Code = Code.FRONT_MATTER) -> None:
        super().__init__(*reasons)
        self.code = code
        self.reasons = reasons


def named_twice(line: int, key: str) -> tuple[int, str, str]:
    """Give the reason why a mapping with a repeated key cannot be read."""
    return line, f"the key '{key}' is named twice", "keep one of them"


def line_at(text: str, offset: int) -> int:
    """Give the line that contains the character at `offset`."""
    return 1 + text.count("\n", 0, offset)


class Given(msgspec.Struct, frozen=True):
    """A value, its line from 1 (0 if it has none), and the source text of a scalar.

    `value` is str, int, float, bool, None, a tuple of Given, or a mapping of text to Given. A date is ISO
    text. `text` is empty for lists and mappings.
    """

    value: str | float | bool | tuple[Given, ...] | Mapping[str, Given] | None
    line: int = 0
    text: str = ""

    @property
    def scalar(self) -> bool:
        """Whether it is neither a list nor a mapping."""
        return not isinstance(self.value, tuple | Mapping)

    @property
    def items(self) -> tuple[Given, ...]:
        """The values of a list, or the one value."""
        return self.value if isinstance(self.value, tuple) else (self,)

    def plain(self) -> object:
        """Give the value as plain str, int, float, bool, None, list and dict."""
        if isinstance(self.value, tuple):
            return [item.plain() for item in self.value]
        if isinstance(self.value, Mapping):
            return {key: item.plain() for key, item in self.value.items()}
        return self.value


def given(value: object, lines: Mapping[str, int] | None = None, line: int = 0, depth: int = 0) -> Given:
    """Convert plain data that TOML or JSON gave; `lines` are the lines of the outermost mapping's keys.

    :raises RecursionError: it is nested too deeply.
    """
    if depth > DEEPEST:
        raise RecursionError(TOO_DEEP)
    if isinstance(value, Mapping):
        lines = lines or {}
        return Given({k: given(v, None, lines.get(k, line), depth + 1) for k, v in value.items()}, line)
    if isinstance(value, list | tuple):
        return Given(tuple([given(item, None, line, depth + 1) for item in value]), line)
    if isinstance(value, bool):
        return Given(value, line, str(value).lower())
    if isinstance(value, dt.date | dt.time):
        value = value.isoformat()
    if isinstance(value, str | int | float):
        return Given(value, line, str(value))
    return Given(None, line)


# The form of a date, as Python and JavaScript read it.
FORM = (
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?[ \t]*"
    r"(?:([Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt])|([+-])(\d{1,2})(?::?(\d{2}))?)?)?"
)
_DATE = re.compile(FORM, re.ASCII)


def read_date(text: str) -> tuple[str, bool]:
    """Read an ISO 8601 date or date-time; a date alone is midnight, and fractions of a second are dropped.

    The result is `YYYY-MM-DDTHH:MM:SS`, and whether it is UTC. It is UTC if the text had an offset.

    :raises ValueError: the text is not a date, or the calendar does not have this date.
    """
    match = _DATE.fullmatch(text.strip())
    if not match:
        raise ValueError("not a date")
    year, month, day, hour, minute, second = (int(number or 0) for number in match.groups()[:6])
    utc, sign, hours, minutes = match.groups()[6:]
    moment = dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.UTC)
    if sign:
        ahead = dt.time(int(hours), int(minutes or 0))  # an offset of a day or more is refused
        offset = dt.timedelta(hours=ahead.hour, minutes=ahead.minute)
        try:
            moment = moment - offset if sign == "+" else moment + offset
        except OverflowError as error:
            raise ValueError("outside of the calendar") from error
    return moment.replace(tzinfo=None).isoformat(), bool(utc or sign)


# YAML 1.1 reads `title: No` as false. So YAML's events are read one by one, and a scalar keeps the text that
# was written. The same pass counts depth, aliases and values, so that nothing exhausts memory or the stack.
_MOST_ALIASES = 100
_MOST_VALUES = 100_000  # with all aliases expanded: nested aliases multiply
# A longer scalar is text, because converting a hundred thousand digits to an int takes seconds.
_LONGEST_NUMBER = 64
_QUOTE = "put the value in quotes"

_TAG = "tag:yaml.org,2002:"
_TEXT = frozenset({"!", _TAG + "str"})
_TYPED = frozenset(_TAG + name for name in ("null", "bool", "int", "float", "timestamp"))
_NOT_IN_YAML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Events(Protocol):
    """The used part of a PyYAML loader; libyaml's loader is ten times faster, but not always installed."""

    def get_event(self) -> yaml.Event: ...
    def resolve(self, kind: type[yaml.Node], value: str, implicit: tuple[bool, bool]) -> str: ...
    def construct_object(self, node: yaml.Node) -> object: ...


_open: Callable[[str], _Events] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(text: str, repeated: list[tuple[int, str]] | None = None) -> Given:
    """Read one document; the value is None if the text has nothing but comments.

    A key that is named twice is an error. With a list of `repeated` keys, its last value counts, and the list
    gets its line and the key.

    :raises UnreadableError: the block cannot be read; the error has the line and advice.
    """
    unfit = _NOT_IN_YAML.search(text)
    if unfit:
        problem = f"front matter has a control character (U+{ord(unfit[0]):04X})"
        raise UnreadableError((line_at(text, unfit.start()), problem, "remove it"))
    try:
        return _YamlReading(text, repeated).read()
    except yaml.MarkedYAMLError as error:
        # The parser finds an unclosed quote at the end. The useful line is where it was opened.
        quoted = error.context == "while scanning a quoted scalar" and error.context_mark
        mark = quoted or error.problem_mark or error.context_mark
        number = min(mark.line if mark else 0, text.count("\n"))
        problem = f"front matter is not YAML: {error.problem or error.context}"
        reason = (1 + number, problem, _advice(text.split("\n")[number]))
        raise UnreadableError(reason) from None


def _advice(line: str) -> str:
    """Say what to do about a line of YAML that cannot be read; nearly always, to put the value in quotes."""
    if re.match(r" *\t", line):
        return "indent with spaces, not with tabs"
    value = line.partition(": ")[2].strip()
    if value[:1] in {'"', "'"}:
        return 'close the quote at the end of the value, and write a quote inside it twice or as \\"'
    if "{{" in value or "{%" in value or ": " in value or value[:1] in set("@`%&*!|>{["):
        return _QUOTE
    return "correct this line, or the one before it"


# JSON has an emoji as two escapes of half a character, which libyaml does not know.
_PAIR = re.compile(r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}", re.IGNORECASE)


def _character(match: re.Match[str]) -> str:
    return str(json.loads(f'"{match[0]}"'))


class _YamlReading:
    def __init__(self, text: str, repeated: list[tuple[int, str]] | None) -> None:
        text = _PAIR.sub(_character, text) if "\\u" in text else text
        self._events, self._repeated = _open(text), repeated
        self._anchors: dict[str, tuple[Given, int]] = {}
        self._aliases = 0
        self._values = 0
        self._twice: list[tuple[int, str, str]] = []

    def read(self) -> Given:
        """Give the one document of the block; its value is None if there is none."""
        self._events.get_event()  # the stream begins
        if isinstance(self._events.get_event(), yaml.StreamEndEvent):
            return Given(None, 1)
        result = self._node(self._events.get_event(), 0)
        self._events.get_event()  # the document ends
        rest = self._events.get_event()
        if not isinstance(rest, yaml.StreamEndEvent):
            raise self._unreadable(rest, "a second YAML document begins", "keep one")
        if self._twice:
            raise UnreadableError(*dict.fromkeys(self._twice))
        return result

    def _line(self, event: yaml.Event) -> int:
        return 1 + (event.start_mark.line if event.start_mark else 0)

    def _unreadable(self, event: yaml.Event, problem: str, todo: str) -> UnreadableError:
        return UnreadableError((self._line(event), problem, todo))

    def _node(self, event: yaml.Event, depth: int, line: int = 0) -> Given:
        """Read the value that begins with `event`; `line` is the line of its key."""
        if depth > DEEPEST:
            raise self._unreadable(event, TOO_DEEP, FLATTEN)
        line = line or self._line(event)
        before = self._values
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, line)
        self._values += 1
        if isinstance(event, yaml.ScalarEvent):
            result = self._scalar(event, line)
        elif isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(item := self._events.get_event(), yaml.SequenceEndEvent):
                items.append(self._node(item, depth + 1))
            result = Given(tuple(items), line)
        else:
            result = Given(self._mapping(depth), line)
        anchor: str | None = getattr(event, "anchor", None)
        if anchor:
            self._anchors[anchor] = (result, self._values - before)
        return result

    def _alias(self, event: yaml.AliasEvent, line: int) -> Given:
        # An anchor is known only after its whole value, so a value cannot contain itself.
        if event.anchor not in self._anchors:
            raise self._unreadable(event, f"there is no complete value '&{event.anchor}' before this", _QUOTE)
        target, values = self._anchors[event.anchor]
        self._aliases += 1
        self._values += values
        if self._aliases > _MOST_ALIASES or self._values > _MOST_VALUES:
            raise self._unreadable(event, "front matter has too many aliases", "write the values out")
        return Given(target.value, line, target.text)

    def _mapping(self, depth: int) -> dict[str, Given]:
        result: dict[str, Given] = {}
        merged: dict[str, Given] = {}
        while not isinstance(event := self._events.get_event(), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise self._unreadable(event, "a key of the front matter is not text", _QUOTE)
            key = event.value
            value = self._node(self._events.get_event(), depth + 1, self._line(event))
            if key == "<<":
                for source in value.items:
                    merged = {**(source.value if isinstance(source.value, Mapping) else {}), **merged}
                continue
            if key in result:
                if self._repeated is None:
                    self._twice.append(named_twice(self._line(event), key))
                    continue
                self._repeated.append((self._line(event), key))
            result[key] = value
        return {**merged, **result} if merged else result

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> Given:
        """Give a plain scalar the type that YAML 1.1 gives it; a quoted one is text."""
        text = event.value
        tag = event.tag
        if tag and tag not in _TEXT and tag not in _TYPED:
            raise self._unreadable(event, f"the YAML tag '{tag}' has no meaning here", "remove it")
        quoted = not tag and not event.implicit[0]
        if quoted or tag in _TEXT:
            return Given(text, line, text)
        tag = self._events.resolve(yaml.ScalarNode, text, (True, False))
        if tag not in _TYPED or len(text) > _LONGEST_NUMBER:
            return Given(text, line, text)
        try:
            value: Any = self._events.construct_object(yaml.ScalarNode(tag, text))
        except ValueError:  # The calendar does not have this date; the field that takes it says so.
            return Given(text, line, text)
        return Given(value.isoformat() if isinstance(value, dt.date) else value, line, text)
