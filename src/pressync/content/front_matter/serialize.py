"""Writes plain values as YAML, TOML or JSON.

YAML reads `No` as false and `010` as eight. So text is written without quotes only if our own reader reads it
back as the same text. TOML has no null, and JSON writes dates in quotes.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Mapping

from pressync.content.front_matter.value import RawFrontMatter, UnreadableError
from pressync.content.front_matter.yaml_reader import read_yaml

# Characters that JSON writes unescaped, and that YAML and TOML do not allow.
_CONTROL = re.compile("[\x7f-\x9f\ufffe\uffff]")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class Bare(str):
    """A date as text, which YAML and TOML write without quotes."""

    __slots__ = ()


def yaml_value(value: object, old: str = "") -> str:
    """Write a value for YAML, with the quotes of the old value if it had any, else only with needed ones."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{yaml_value(key)}: {yaml_value(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(yaml_value(item) for item in value)}]"
    if value is None:
        return "null"
    if isinstance(value, float):
        return _yaml_float(value)
    if isinstance(value, Bare) or not isinstance(value, str):
        return _bare(value)
    double, single = _double(value), "'" + value.replace("'", "''") + "'"
    ways = [value, single, double]
    if old[:1] in {"'", '"'}:
        ways = [single, double] if old[0] == "'" else [double]
    return next(way for way in [*ways, double] if way == double or _reads_as(way, value))


def toml_value(value: object, old: str = "") -> str:
    """Write a value for TOML; a text gets single quotes if the old one had them and they are possible.

    :raises ValueError: the value is null, which TOML does not have.
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{toml_key(key)} = {toml_value(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(toml_value(item) for item in value)}]"
    if value is None:
        raise ValueError("TOML has no null")
    if isinstance(value, Bare) or not isinstance(value, str):
        return _bare(value)
    if old.startswith("'") and not re.search("['\x00-\x1f\x7f]", value):
        return f"'{value}'"
    return _double(value)


def toml_key(key: str) -> str:
    """Write a key for TOML, which needs quotes around most characters."""
    return key if _BARE_KEY.fullmatch(key) else _double(key)


def json_value(value: object, indent: int | None = None) -> str:
    """Write a value for JSON; dates are ISO text."""
    plain = list(value) if isinstance(value, tuple) else value
    return json.dumps(plain, ensure_ascii=False, indent=indent, default=_bare)


def _bare(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def _yaml_float(value: float) -> str:
    """Write a float as YAML 1.1 reads it: `.inf`, and a dot before every exponent."""
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    if math.isnan(value):
        return ".nan"
    digits, exponent, power = str(value).partition("e")
    return digits + (".0" if exponent and "." not in digits else "") + exponent + power


def _reads_as(way: str, value: str) -> bool:
    """Tell whether YAML reads `way` as the text `value`, both on its own line and in a list."""
    if "\n" in way or way != way.strip() or not way:
        return False
    for line in (f"key: {way}", f"key: [{way}, {way}]"):
        try:
            read = read_yaml(RawFrontMatter(f"{line}\n", 1)).plain()
        except UnreadableError:
            return False
        if read not in ({"key": value}, {"key": [value, value]}):
            return False
    return True


def _double(value: str) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)
