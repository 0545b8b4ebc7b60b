"""Front matter with other values for some of its keys: the smallest change of the text that says so.

It must not know what any key means. What decided its shape: people keep front matter in order, with
comments, in one of three formats and in quotes of their taste; so a value is written in the place and in
the style of the one that it replaces, and whoever asked reads the text again before it is believed.
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

# What a key is given: text, a number, yes or no, or a list of numbers or names.
Plain = str | int | bool | tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """A key and its new value; `instead_of` is the key that says it so far, if that is another one.

    `bare` is a date, which YAML and TOML write without quotes.
    """

    key: str
    value: Plain
    instead_of: str | None = None
    bare: bool = False


def edited(text: str, settings: Iterable[Setting]) -> str:
    """Set keys in the front matter of a text whose line ends are LF; one without any gets some, as YAML.

    :raises UneditableError: the front matter is written in a way that cannot be edited key by key.
    """
    for setting in settings:
        head = head_of(text)
        text = _set(text, head, setting) if head else _begun(text, setting)
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


def _begun(text: str, setting: Setting) -> str:
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
