"""Sets keys of front matter by the smallest possible change of the text.

People keep their own order, comments and quotes. So a new value is written in the place and in the style of
the old one. A member of an object or of a list is a place of its own. The caller reads the result before it
uses it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import yaml

from pressync.content.front_matter import formats
from pressync.content.front_matter.formats import JSON, TOML, YAML, yaml_value

# A value that can be set: text, a number, a boolean, or a list or a mapping of such values.
Plain = str | float | bool | tuple[Any, ...] | Mapping[str, Any]
# The keys that lead to a value, from the outermost one; a number is a place in a list.
Path = tuple[str | int, ...]
_KEY = r"""(?:"(?:[^"\\\n]|\\.)*+"|'[^'\n]*'|[\w-]+)"""
# The keys of JSON and TOML. TOML has dots between keys.
_KEYS = re.compile(rf"[ \t]*({_KEY}(?:[ \t]*\.[ \t]*{_KEY})*)")
_TOML_TABLE = re.compile(r"[ \t]*\[\[?")
# A value of JSON or TOML that is not a list or a mapping.
_SCALAR = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'
    r"|'''(?:[^']|'(?!''))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*\''
    r"|\d{4}-\d\d-\d\d[ ]\d[^\s,\]}#]*|[^\s,\]}#]+",
    re.DOTALL,
)
_BLANKS = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")


class UneditableError(ValueError):
    """A single value of this front matter cannot be replaced."""


@dataclass(frozen=True, slots=True)
class KeySpan:
    """Offsets of one key and its value: where the key begins, and where the value begins and ends.

    `block` is the column of a YAML list or mapping below its key, or None. `more` is the place for another
    member, and the text before one; None if there is no member yet, or if the value has none. A `table` is
    one of TOML, with a line for each member.
    """

    key: int
    start: int
    end: int
    block: int | None = None
    more: tuple[int, str] | None = None
    table: bool = False


@dataclass(frozen=True, slots=True)
class FrontMatterSpans:
    """The front matter of a text: its format, and the span of each value; that of all keys is at ()."""

    form: str
    spans: dict[Path, KeySpan]

    @property
    def keys(self) -> list[str]:
        """The keys in their order, without the members of their values."""
        return [str(path[0]) for path in self.spans if len(path) == 1]


def head_of(text: str) -> FrontMatterSpans | None:
    """Find the front matter of a readable text whose line endings are LF; None if it has none.

    :raises UneditableError: a single value of it cannot be replaced.
    """
    if JSON.detect(text):
        spans: dict[Path, KeySpan] = {}
        end, more = _flow(text, 0, (), spans, lambda key: (json.loads(key),))
        return FrontMatterSpans("json", {(): KeySpan(0, 0, end, more=more or (1, "\n  ")), **spans})
    for fence, find in ((YAML, _yaml), (TOML, _toml)):
        if fence.detect(text):
            fences = [*islice(fence.FM_BOUNDARY.finditer(text), 2)]
            if len(fences) > 1:
                # The pattern may match blank lines after a fence as well.
                return find(text, text.index("\n", fences[0].start()) + 1, fences[1].start())
            return None
    return None


def _yaml(text: str, start: int, end: int) -> FrontMatterSpans:
    # The fence becomes blank lines, so that the places in the text stay.
    reading = _YamlSpans("\n" * start + text[start:end], {})
    more = (end - 1, "\n")
    try:
        events = yaml.parse(reading.text, yaml.SafeLoader)
        root = next((event for event in events if isinstance(event, yaml.NodeEvent)), None)
        if isinstance(root, yaml.MappingStartEvent):
            at_end = reading.value(root, events, (), start, start).more
            # New keys go to the end of the lines, after the last comment.
            if at_end:
                more = at_end if root.flow_style else (end - 1, at_end[1])
        elif root:
            raise UneditableError("its front matter is not a list of `key: value` lines")
    except yaml.YAMLError as error:
        raise UneditableError(str(error)) from error
    return FrontMatterSpans("yaml", {(): KeySpan(start, start, end, more=more), **reading.spans})


@dataclass(frozen=True, slots=True)
class _YamlSpans:
    text: str
    spans: dict[Path, KeySpan]

    def value(
        self, event: yaml.Event, events: Iterator[yaml.Event], path: Path, key: int, colon: int
    ) -> KeySpan:
        """Give the span of a value and note those of its members; `colon` is the place after its key."""
        start, end = _ends(event)
        more = None
        if isinstance(event, yaml.CollectionStartEvent):
            end, more = self._members(event, events, path)
        elif isinstance(event, yaml.ScalarEvent) and not event.value and start == end:
            return KeySpan(key, colon, colon)
        end = start + len(self.text[start:end].rstrip())
        if "\n" in self.text[colon:start]:
            return KeySpan(key, colon, end, self._column(start), more)
        return KeySpan(key, start, end, more=more)

    def _members(
        self, event: yaml.CollectionStartEvent, events: Iterator[yaml.Event], path: Path
    ) -> tuple[int, tuple[int, str] | None]:
        """Give the end of a list or a mapping, and the place for another member."""
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        first = key = _ends(event)[0]
        before = end = first + 1
        gap, number = "", 0
        while not isinstance(item := next(events), yaml.CollectionEndEvent):
            key, key_end = _ends(item)
            name: str | int = number
            if is_mapping:
                name, key_end = str(getattr(item, "value", "")), self.text.index(":", key_end) + 1
                item = next(events)
            span = self.value(item, events, (*path, name), key, key_end if is_mapping else key)
            self.spans[*path, name] = span
            gap, end, number = self.text[before:key], span.end, number + 1
            before = self.text.find(",", end) + 1
        if event.flow_style:
            return _ends(item)[1], (end, f",{_space(gap)}") if number else None
        margin = " " * self._column(first)
        # A comment stays behind the value of its line.
        return end, (self.text.index("\n", end), f"\n{margin}{'' if is_mapping else '- '}")

    def _column(self, place: int) -> int:
        return place - (self.text.rfind("\n", 0, place) + 1)


def _ends(event: yaml.Event) -> tuple[int, int]:
    """Give the offsets where an event begins and ends; every parsed event has them."""
    start, end = event.start_mark, event.end_mark
    return (start.index, end.index) if start and end else (0, 0)


def _toml(text: str, start: int, end: int) -> FrontMatterSpans:
    table: Path = ()
    spans = {table: KeySpan(start, start, start, more=(start - 1, "\n"), table=True)}
    line_start = start
    while line_start < end:
        line_end = text.index("\n", line_start)
        opening = _TOML_TABLE.match(text, line_start)
        key = _KEYS.match(text, opening.end() if opening else line_start)
        if opening and key:
            table, number = _toml_keys(key[1]), 0
            while opening[0].endswith("[[") and (*table, number) in spans:
                number += 1
            table = (*table, number) if opening[0].endswith("[[") else table
            spans[table] = KeySpan(line_start, line_end + 1, line_end, more=(line_end, "\n"), table=True)
        elif key:
            path, begins = (*table, *_toml_keys(key[1])), _blank(text, text.index("=", key.end()) + 1)
            value_end, more = _flow(text, begins, path, spans, _toml_keys)
            spans[path] = KeySpan(line_start, begins, value_end, more=more)
            line_end = text.index("\n", value_end)
            spans[table] = replace(spans[table], end=value_end, more=(line_end, "\n"))
        line_start = line_end + 1
    return FrontMatterSpans("toml", spans)


def _toml_keys(dotted: str) -> Path:
    value: Any = tomllib.loads(f"{dotted} = 0")
    path: Path = ()
    while isinstance(value, dict):
        ((key, value),) = value.items()
        path = (*path, key)
    return path


def _flow(
    text: str, start: int, path: Path, spans: dict[Path, KeySpan], keys: Callable[[str], Path]
) -> tuple[int, tuple[int, str] | None]:
    """Give the end of a value of JSON or TOML, and the place for another member; note those that it has."""
    closing = {"{": "}", "[": "]"}.get(text[start])
    if closing is None:
        scalar = _SCALAR.match(text, start)
        return scalar.end() if scalar else start, None
    before = end = start + 1
    gap, number = "", 0
    while text[start := _blank(text, before)] != closing:
        key = start
        name: Path = (number,)
        if closing == "}" and (named := _KEYS.match(text, start)):
            name = keys(named[1])
            start = _blank(text, _blank(text, named.end()) + 1)
        end, more = _flow(text, start, (*path, *name), spans, keys)
        spans[*path, *name] = KeySpan(key, start, end, more=more)
        gap, number = text[before:key], number + 1
        before = _blank(text, end)
        before += text[before] == ","
    return start + 1, (end, f",{_space(gap)}") if number else None


def _blank(text: str, start: int) -> int:
    blanks = _BLANKS.match(text, start)
    return blanks.end() if blanks else start


def _space(gap: str) -> str:
    """Give the blanks for another member, as they are before the last one."""
    return gap[gap.rfind("\n") :] if "\n" in gap else " "


@dataclass(frozen=True, slots=True)
class Setting:
    """A key, or the path of a member, and its new value; `old` is that of the text, if it is known.

    `instead_of` is the key that has the value now, if it is another key. `bare` is a date, which YAML and
    TOML write without quotes.
    """

    key: str | Path
    value: Plain
    instead_of: str | None = None
    bare: bool = False
    old: object = None

    @property
    def path(self) -> Path:
        """The keys that lead to the value."""
        return (self.key,) if isinstance(self.key, str) else self.key


def edited(text: str, settings: Iterable[Setting]) -> str:
    """Set keys in the front matter of a text whose line endings are LF; a text without any gets YAML.

    Of an object or a list whose old value is known, only the members that differ are written.

    :raises UneditableError: the keys of this front matter cannot be edited one by one.
    """
    waiting = [*settings]
    while waiting:
        setting = waiting.pop(0)
        if head := head_of(text):
            members = _members(setting, head.spans)
            waiting = [*members, *waiting]
            text = text if members else _set(text, head, setting)
            continue
        value: object = formats.Bare(setting.value) if setting.bare else setting.value
        first, *below = setting.path
        for key in reversed(below):
            value = {key: value}
        blank = "" if text.startswith("\n") or not text else "\n"
        text = formats.fenced(YAML, {str(first): value}) + blank + text
    return text


def _members(setting: Setting, spans: Mapping[Path, KeySpan]) -> list[Setting]:
    """Give the members that differ; none if the value has to be written as a whole."""
    before, after = (_numbered(value) for value in (setting.old, setting.value))
    has_place = (above := spans.get(setting.path)) and above.more
    is_written = all((*setting.path, key) in spans for key in before)
    is_enough = has_place or len(before) == len(after)
    if not (before and before.keys() <= after.keys() and is_written and is_enough):
        return []
    return [
        Setting((*setting.path, key), value, old=before.get(key))
        for key, value in after.items()
        if key not in before or before[key] != value
    ]


def _numbered(value: object) -> Mapping[Any, Any]:
    """Give the members of a mapping by key, those of a list by number, and none of another value."""
    if isinstance(value, tuple | list):
        return dict(enumerate(value))
    return value if isinstance(value, Mapping) else {}


def _set(text: str, head: FrontMatterSpans, setting: Setting) -> str:
    span = head.spans.get((setting.instead_of,) if setting.instead_of else setting.path)
    if span is None:
        return _added(text, head, setting)
    old = text[span.start : span.end]
    start, key = span.start, text[span.key : span.start]
    value = _value(head.form, setting, old, span)
    is_after_colon = bool(start) and text[start - 1] == ":"
    if (span.block is not None or is_after_colon) and not value.startswith("\n"):
        value = f" {value}"
    if setting.instead_of and setting.instead_of != setting.key:
        key = key.replace(setting.instead_of, str(setting.key), 1)
    return f"{text[: span.key]}{key}{value}{text[span.end :]}"


def _added(text: str, head: FrontMatterSpans, setting: Setting) -> str:
    """Add a key or a member; a member of an object that is not there comes with the object."""
    *above, key = setting.path
    place = head.spans.get(tuple(above))
    if place is None or place.more is None:
        return _set(text, head, Setting(tuple(above), {str(key): setting.value}))
    at, lead = place.more
    value = _value(head.form, setting, "", None)
    write, between, _ = _FORMS[head.form]
    entry = f"{write(key)}{between}{value}" if isinstance(key, str) else value
    after = "\n" if text[at] == "}" and lead.startswith("\n") else ""
    return f"{text[:at]}{lead}{entry}{after}{text[at:]}"


# The writer of a key, the text after a key, and the writer of a value in the style of the old one.
_FORMS: Mapping[str, tuple[Callable[[str], str], str, Callable[[object, str], str]]] = {
    "json": (formats.json_value, ": ", lambda value, _old: formats.json_value(value)),
    "toml": (formats.toml_key, " = ", formats.toml_value),
    "yaml": (yaml_value, ": ", yaml_value),
}


def _value(form: str, setting: Setting, old: str, span: KeySpan | None) -> str:
    value = setting.value
    if setting.bare and form != "json" and old[:1] not in {"'", '"'}:
        return str(value)
    if span and span.table and isinstance(value, Mapping):
        return TOML.write(value)
    if span and span.block is not None and (members := _numbered(value)):
        heads = (f"{yaml_value(key)}:" if isinstance(key, str) else "-" for key in members)
        lines = zip(heads, members.values(), strict=True)
        return "".join(f"\n{' ' * span.block}{head} {yaml_value(member)}" for head, member in lines)
    return _FORMS[form][2](value, old)
