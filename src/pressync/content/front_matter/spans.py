"""Finds where each key of front matter and its value are in the text, for each of the three formats.

To edit a file, one value is put in the place of another, so that comments, order and quotes keep their bytes.
The formats' own parsers find the places, so this module reads no value by rules of its own.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

from pressync.content.front_matter.handlers import JSON, TOML, YAML

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frontmatter.default_handlers import BaseHandler

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
            inside = _between(text, fence)
            return find(text, *inside) if inside else None
    return None


def _between(text: str, fence: BaseHandler) -> tuple[int, int] | None:
    fences = list(fence.FM_BOUNDARY.finditer(text))[:2] if fence.FM_BOUNDARY else []
    # The pattern may match blank lines after a fence as well.
    return (text.index("\n", fences[0].start()) + 1, fences[1].start()) if len(fences) > 1 else None


def _yaml(text: str, start: int, end: int) -> FrontMatterSpans:
    head = text[start:end]
    try:
        found = list(_yaml_entries(head))
    except yaml.YAMLError as error:
        raise UneditableError(str(error)) from error
    spans = {
        key: KeySpan(span.key + start, span.start + start, span.end + start, span.block)
        for key, span, _ in found
    }
    return FrontMatterSpans("yaml", spans, end, " " * found[0][2] if found else "")


def _yaml_entries(head: str) -> Iterator[tuple[str, KeySpan, int]]:
    """Give each key of the outermost mapping with its span, and the column in which keys begin."""
    events = yaml.parse(head, yaml.SafeLoader)
    root = next((event for event in events if isinstance(event, yaml.NodeEvent)), None)
    if root is None:
        return
    if not isinstance(root, yaml.MappingStartEvent) or root.flow_style:
        raise UneditableError("its front matter is not a list of `key: value` lines")
    for key in events:
        if not isinstance(key, yaml.ScalarEvent):
            return
        start, end = _ends(key)
        yield key.value, _yaml_value(head, start, end, events), start - (head.rfind("\n", 0, start) + 1)


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
