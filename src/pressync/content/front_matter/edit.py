"""Sets keys of front matter by the smallest possible change of the text.

People keep front matter in their own order, with comments, in one of three formats and with their own quotes.
So a new value is written in the place and in the style of the old one. The caller reads the result again
before it uses it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.content.front_matter.handlers import YAML, fenced
from pressync.content.front_matter.serialize import Bare, json_value, toml_value, yaml_value
from pressync.content.front_matter.spans import UneditableError, head_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pressync.content.front_matter.spans import FrontMatterSpans, KeySpan

# A value that can be set: text, a number, a boolean, or a list of numbers or names.
Plain = str | int | bool | tuple[int | str, ...]


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
        head = head_of(text)
        text = _set(text, head, setting) if head else _with_new_front_matter(text, setting)
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


def _with_new_front_matter(text: str, setting: Setting) -> str:
    value = Bare(setting.value) if setting.bare else setting.value
    head = fenced(YAML, {setting.key: value})
    return head + ("" if text.startswith("\n") or not text else "\n") + text


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


__all__ = ["Plain", "Setting", "UneditableError", "edited"]
