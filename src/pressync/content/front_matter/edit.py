"""Sets keys of front matter by the smallest possible change of the text.

People keep their own order, comments and quotes. So a new value is written in the place and in the style of
the old one. The formats' own parsers find the places. The caller reads the result before it uses it.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import yaml

from pressync.content.front_matter.formats import (
    JSON,
    TOML,
    YAML,
    Bare,
    fenced,
    json_value,
    toml_value,
    yaml_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


# A value that can be set: text, a number, a boolean, or a list of numbers or names.
Plain = str | int | bool | tuple[int | str, ...]
_TOML_ENTRY = re.compile(r"""[ \t]*(?:"([^"\n]+)"|'([^'\n]+)'|([\w-]+))[ \t]*=[ \t]*""")
_TOML_TABLE = re.compile(r"[ \t]*\[")
_BLANKS = re.compile(r"[ \t\r\n]*")


class UneditableError(ValueError):
    """A single value of this front matter cannot be replaced."""


@dataclass(frozen=True, slots=True)
class KeySpan:
    """Offsets of one key and its value: where the key begins, and where the value begins and ends.

    `block` is the column of a YAML list below its key, or None.
    """

    key: int
    start: int
    end: int
    block: int | None = None


@dataclass(frozen=True, slots=True)
class FrontMatterSpans:
    """The front matter of a text: its format, the spans of its keys, and where a new key is added.

    `indent` is the text before each key.
    """

    form: str
    spans: dict[str, KeySpan]
    add_at: int
    indent: str = ""


def head_of(text: str) -> FrontMatterSpans | None:
    """Find the front matter of a readable text whose line endings are LF; None if it has none.

    :raises UneditableError: a single value of it cannot be replaced.
    """
    if JSON.detect(text):
        return _json(text)
    for fence, find in ((YAML, _yaml), (TOML, _toml)):
        if fence.detect(text):
            fences = [*islice(fence.FM_BOUNDARY.finditer(text), 2)]
            if len(fences) > 1:
                # The pattern may match blank lines after a fence as well.
                return find(text, text.index("\n", fences[0].start()) + 1, fences[1].start())
            return None
    return None


def _yaml(text: str, start: int, end: int) -> FrontMatterSpans:
    head, spans, indent = text[start:end], dict[str, KeySpan](), ""
    try:
        events = yaml.parse(head, yaml.SafeLoader)
        root = next((event for event in events if isinstance(event, yaml.NodeEvent)), None)
        if root and (not isinstance(root, yaml.MappingStartEvent) or root.flow_style):
            raise UneditableError("its front matter is not a list of `key: value` lines")
        for key in events:
            if not root or not isinstance(key, yaml.ScalarEvent):
                break
            begins, ends = _ends(key)
            indent = indent if spans else " " * (begins - (head.rfind("\n", 0, begins) + 1))
            span = _yaml_value(head, begins, ends, events)
            spans[key.value] = KeySpan(span.key + start, span.start + start, span.end + start, span.block)
    except yaml.YAMLError as error:
        raise UneditableError(str(error)) from error
    return FrontMatterSpans("yaml", spans, end, indent)


def _yaml_value(head: str, key: int, key_end: int, events: Iterator[yaml.Event]) -> KeySpan:
    """Give the span of the value that the next events make."""
    first = event = next(events)
    start, end = _ends(first)
    depth = 0
    while True:
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        here, there = _ends(event)
        # A block ends where the next one begins, so only the ends of the values inside it count.
        if here < there and not isinstance(event, yaml.CollectionStartEvent):
            end = there
        if depth == 0:
            break
        event = next(events)
    colon = head.index(":", key_end) + 1
    if isinstance(first, yaml.ScalarEvent) and not first.value and start == end:
        return KeySpan(key, colon, colon)
    end = start + len(head[start:end].rstrip())
    if "\n" in head[colon:start]:
        return KeySpan(key, colon, end, start - (head.rfind("\n", 0, start) + 1))
    return KeySpan(key, start, end)


def _ends(event: yaml.Event) -> tuple[int, int]:
    """Give the offsets where an event begins and ends; every parsed event has them."""
    start, end = event.start_mark, event.end_mark
    return (start.index, end.index) if start and end else (0, 0)


def _toml(text: str, start: int, end: int) -> FrontMatterSpans:
    spans: dict[str, KeySpan] = {}
    here = add_at = start
    while here < end and not _TOML_TABLE.match(text, here):
        entry = _TOML_ENTRY.match(text, here)
        after = text.index("\n", here) + 1
        if not entry and text[here:after].strip() and not text[here:after].lstrip().startswith("#"):
            raise UneditableError("its front matter has keys with dots before the first table")
        if entry:
            value_end, after = _toml_value(text, here, end)
            span = KeySpan(here, entry.end(), value_end)
            spans[entry[entry.lastindex or 0]] = span
            add_at = after
        here = after
    return FrontMatterSpans("toml", spans, add_at)


def _toml_value(text: str, start: int, end: int) -> tuple[int, int]:
    """Give the end of the value of the entry at `start`, and the end of its last line."""
    after = start
    while after < end:
        after = text.index("\n", after) + 1
        value = _toml_read(text[start:after])
        if value is None:
            continue
        ends = [found.start() for found in re.finditer("#", text[start:after])]
        cut = next(
            (place for place in ends if _toml_read(text[start : start + place]) == value), after - start
        )
        return start + len(text[start : start + cut].rstrip()), after
    raise UneditableError("a value of its front matter does not end")


def _toml_read(text: str) -> object:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _json(text: str) -> FrontMatterSpans:
    decoder = json.JSONDecoder()
    spans: dict[str, KeySpan] = {}
    here, add_at, indent = _blank(text, 1), 1, "\n  "
    while text[here] != "}":
        key, after = decoder.raw_decode(text, here)
        start = _blank(text, _blank(text, after) + 1)  # after the colon
        _, end = decoder.raw_decode(text, start)
        spans[key] = KeySpan(here, start, end)
        indent = text[len(text[:here].rstrip(" \t\n")) : here]
        add_at = end
        here = _blank(text, end)
        here = _blank(text, here + 1) if text[here] == "," else here
    return FrontMatterSpans("json", spans, add_at, indent)


def _blank(text: str, here: int) -> int:
    found = _BLANKS.match(text, here)
    return found.end() if found else here


@dataclass(frozen=True, slots=True)
class Setting:
    """A key and its new value; `instead_of` is the key that has the value now, if it is another key.

    `bare` is a date, which YAML and TOML write without quotes.
    """

    key: str
    value: Plain
    instead_of: str | None = None
    bare: bool = False


def edited(text: str, settings: Iterable[Setting]) -> str:
    """Set keys in the front matter of a text whose line endings are LF; a text without any gets YAML.

    :raises UneditableError: the keys of this front matter cannot be edited one by one.
    """
    for setting in settings:
        if head := head_of(text):
            text = _set(text, head, setting)
            continue
        value = Bare(setting.value) if setting.bare else setting.value
        blank = "" if text.startswith("\n") or not text else "\n"
        text = fenced(YAML, {setting.key: value}) + blank + text
    return text


def _set(text: str, head: FrontMatterSpans, setting: Setting) -> str:
    span = head.spans.get(setting.instead_of or setting.key)
    if span is None:
        return _added(text, head, setting)
    old = text[span.start : span.end]
    start, key = span.start, text[span.key : span.start]
    value = _value(head.form, setting, old, span)
    if span.block is not None and not value.startswith("\n"):
        value = f" {value}"
    elif start and text[start - 1] == ":":
        value = value if value.startswith("\n") else f" {value}"
    if setting.instead_of and setting.instead_of != setting.key:
        key = key.replace(setting.instead_of, setting.key, 1)
    return f"{text[: span.key]}{key}{value}{text[span.end :]}"


def _added(text: str, head: FrontMatterSpans, setting: Setting) -> str:
    value = _value(head.form, setting, "", None)
    match head.form:
        case "json":
            comma = "," if head.spans else ""
            entry = f"{comma}{head.indent}{json.dumps(setting.key)}: {value}"
            entry += "" if head.spans else "\n"
        case "toml":
            entry = f"{setting.key} = {value}\n"
        case _:
            entry = f"{head.indent}{setting.key}: {value}\n"
    return text[: head.add_at] + entry + text[head.add_at :]


def _value(form: str, setting: Setting, old: str, span: KeySpan | None) -> str:
    value = setting.value
    if form == "json":
        return json_value(value)
    if setting.bare and old[:1] not in {"'", '"'}:
        return str(value)
    if form == "toml":
        return toml_value(value, old)
    if isinstance(value, tuple) and value and span and span.block is not None:
        items = [f"{' ' * span.block}- {yaml_value(item)}" for item in value]
        return "\n" + "\n".join(items)
    return yaml_value(value, old)
