"""Reads and writes YAML, TOML and JSON; the handlers of python-frontmatter detect, split, load and export.

The library's own handlers give plain values, so a problem could not name its line. Its TOML needs another
package, and its JSON takes an inner brace for the last one. YAML reads `No` as false and `010` as eight. So
text is written without quotes only if our own reader reads it back as the same text.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping

from frontmatter.default_handlers import BaseHandler

from pressync.content.front_matter.value import (
    FLATTEN,
    TOO_DEEP,
    Given,
    UnreadableError,
    given,
    line_at,
    named_twice,
    read_yaml,
)
from pressync.model.errors import Code

_DIGITS = "front matter has a number of thousands of digits"
_QUOTE = "put it in quotes, if it is text"

_LARGEST = 256 * 1024  # characters of front matter
# tomllib takes more than quadratic time for dotted keys: 36 s for 50,000 parts, 10 ms for these.
_MOST_DOTS = 1000

_TOML_KEY = re.compile(
    r"""^[ \t]*(?:\[{1,2}[ \t]*)?(?:"([^"\n]+)"|'([^'\n]+)'|([\w-]+))[ \t]*[=.\]]""", re.MULTILINE
)
# Without the bound, a text of escaped quotes would be read again from each quote.
_JSON_KEY = re.compile(r'"((?:[^"\\\n]|\\.){0,80})"\s*:')
# JSON can spell half of a surrogate pair, which cannot be encoded. Both halves together are a character.
_HALF = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


class FrontMatterHandler(BaseHandler):
    """The common part of the three formats; `KEY` matches the first line of unclosed front matter."""

    KEY = ""

    def split(self, text: str) -> tuple[str, str]:
        """Split a text whose line endings are LF into front matter and the rest.

        :raises ValueError: the text has no front matter; a fence alone is a horizontal rule in Markdown.
        :raises UnreadableError: the front matter is not closed, or it is too large.
        """
        opening = self.FM_BOUNDARY.match(text) if self.FM_BOUNDARY else None
        try:
            head, body = super().split(text)
        except ValueError:
            if re.match(rf".*\n(?:{self.KEY})", text):
                todo = f"add a line `{self.END_DELIMITER}` after its last key"
                reason = (1, "front matter is never closed", todo)
                raise UnreadableError(reason, code=Code.FRONT_MATTER_UNCLOSED) from None
            raise
        _refuse_large(len(head))
        return "\n" * text.count("\n", 0, opening.end() if opening else 0) + head, body

    def load(self, fm: str, repeated: list[tuple[int, str]] | None = None) -> dict[str, Given]:
        """Read front matter that `split` gave: each value with its line and its source text.

        `repeated` is that of `read_yaml`.

        :raises UnreadableError: it cannot be read; the error has the line and advice.
        """
        values = self.read(fm, repeated)
        if isinstance(values.value, Mapping):
            return dict(values.value)
        if values.value is None:  # It has only blank lines and comments.
            return {}
        todo = "write `key: value` lines, or put a blank line before the first `---` if it is a rule"
        raise UnreadableError((values.line or 1, "front matter has no keys", todo))

    def read(self, text: str, repeated: list[tuple[int, str]] | None = None) -> Given:
        """Read the values of a text between two fences, behind the empty lines that the file has before it.

        :raises UnreadableError: it cannot be read; the error has the line and advice.
        """
        raise NotImplementedError

    def export(self, metadata: Mapping[str, object], **_: object) -> str:
        """Write keys without fences; the values are plain, or come from `load`."""
        return self.write(
            {key: value.plain() if isinstance(value, Given) else value for key, value in metadata.items()}
        )

    def write(self, values: Mapping[str, object]) -> str:
        """Write keys and plain values."""
        raise NotImplementedError


class YamlHandler(FrontMatterHandler):
    """YAML between lines of three dashes or more."""

    FM_BOUNDARY = re.compile(r"^-{3,}\s*$", re.MULTILINE)
    START_DELIMITER = END_DELIMITER = "---"
    KEY = r"[^\s:#][^:\n]*:(?:\s|$)"

    def read(self, text: str, repeated: list[tuple[int, str]] | None = None) -> Given:
        """Read YAML 1.1, event by event."""
        return read_yaml(text, repeated)

    def write(self, values: Mapping[str, object]) -> str:
        """Write a line for each key."""
        return "\n".join(
            "\n  ".join([f"{yaml_value(key)}:", *self.write(value).split("\n")])
            if isinstance(value, Lines)
            else f"{yaml_value(key)}: {yaml_value(value)}"
            for key, value in values.items()
        )


class TomlHandler(FrontMatterHandler):
    """TOML between lines of three plus signs or more; the standard library reads it."""

    FM_BOUNDARY = re.compile(r"^\+{3,}\s*$", re.MULTILINE)
    START_DELIMITER = END_DELIMITER = "+++"
    KEY = r"\[|[\w\"'.-]+\s*="

    def read(self, text: str, _repeated: list[tuple[int, str]] | None = None) -> Given:
        """Read TOML 1.0."""
        for number, line in enumerate(text.split("\n"), 1):
            if line.count(".") > _MOST_DOTS:
                raise UnreadableError((number, f"a line has more than {_MOST_DOTS} dots", FLATTEN))
        lines: dict[str, int] = {}
        for key in _TOML_KEY.finditer(text):
            lines.setdefault(key[key.lastindex or 0], line_at(text, key.start()))
        try:
            return given(tomllib.loads(text), lines)
        except RecursionError:
            raise UnreadableError((1, TOO_DEEP, FLATTEN)) from None
        except tomllib.TOMLDecodeError as error:
            message, at, place = str(error).partition(" (at ")
            named = re.match(r"line (\d+)", place)
            last = line_at(text, len(text.rstrip())) if at else 1
            todo = "correct this line; text needs quotes"
            raise UnreadableError(
                (int(named[1]) if named else last, f"front matter is not TOML: {message}", todo)
            ) from None
        except ValueError:  # Python refuses no other valid TOML.
            raise UnreadableError((1, _DIGITS, _QUOTE)) from None

    def write(self, values: Mapping[str, object]) -> str:
        """Write a line for each key; null is left out, because TOML has no null."""
        present = {key: value for key, value in values.items() if value is not None}
        return "\n".join(f"{toml_key(key)} = {toml_value(value)}" for key, value in present.items())


class JsonHandler(FrontMatterHandler):
    """A JSON object at the start of the file; it needs no fences."""

    FM_BOUNDARY = re.compile(r'\{(?=\s*["}])')
    START_DELIMITER = END_DELIMITER = ""

    def split(self, text: str) -> tuple[str, str]:
        """Split a text after the object at its start.

        :raises UnreadableError: the object cannot be read, or is too large.
        """
        try:
            end: int = json.JSONDecoder().raw_decode(text)[1]
        except json.JSONDecodeError as error:
            reason = (error.lineno, f"front matter is not JSON: {error.msg}", "correct this line")
            raise UnreadableError(reason) from None
        except RecursionError:
            raise UnreadableError((1, TOO_DEEP, FLATTEN)) from None
        except ValueError:  # Python refuses no other valid JSON.
            raise UnreadableError((1, _DIGITS, _QUOTE)) from None
        _refuse_large(end)
        return text[:end], text[end:]

    def read(self, text: str, _repeated: list[tuple[int, str]] | None = None) -> Given:
        """Read the members of the object."""
        twice: list[str] = []

        def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
            members = dict(pairs)
            if len(members) < len(pairs):
                twice.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
            return members

        value = json.loads(text, object_pairs_hook=once)
        lines: dict[str, int] = {}
        for key in _JSON_KEY.finditer(text):
            lines.setdefault(key[1], line_at(text, key.start()))
        for half in _HALF.finditer(text):
            if half["half"]:
                problem = f"front matter has half of a character ({half['half']})"
                raise UnreadableError((line_at(text, half.start()), problem, "write the character itself"))
        if twice:
            raise UnreadableError(*(named_twice(lines.get(name, 1), name) for name in twice))
        try:
            return given(value, lines, 1)
        except RecursionError:
            raise UnreadableError((1, TOO_DEEP, FLATTEN)) from None

    def write(self, values: Mapping[str, object]) -> str:
        """Write the object, a member a line."""
        return json_value(dict(values), indent=2)


YAML, TOML, JSON = YamlHandler(), TomlHandler(), JsonHandler()
# The library's `detect_format` asks the handlers in this order.
HANDLERS: tuple[FrontMatterHandler, ...] = (JSON, YAML, TOML)


def fenced(handler: FrontMatterHandler, values: Mapping[str, object]) -> str:
    """Write new front matter with its fences, as the first lines of a file."""
    fences = (handler.START_DELIMITER, handler.export(values), handler.END_DELIMITER)
    return "".join(f"{line}\n" for line in fences if line)


def _refuse_large(size: int) -> None:
    if size > _LARGEST:
        problem = f"front matter is larger than {_LARGEST // 1024} KiB"
        raise UnreadableError((1, problem, "move text into the body"))


# Characters that JSON writes unescaped, and that YAML and TOML do not allow.
_CONTROL = re.compile("[\x7f-\x9f\ufffe\uffff]")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class Lines(dict[str, object]):
    """A mapping that YAML writes with a line for each member."""


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
            read = read_yaml(f"{line}\n").plain()
        except UnreadableError:
            return False
        if read not in ({"key": value}, {"key": [value, value]}):
            return False
    return True


def _double(value: str) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)
