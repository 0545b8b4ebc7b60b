"""A file's text -> its front matter, each value with its line and its source text; and the body.

It must not know what any key means. What decided its shape: Markdown may begin with dashes, too. A fence
that is never closed is front matter only if what follows it looks like a key; else it is a rule.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontmatter.default_handlers import BaseHandler, YAMLHandler

from pressync.documents.front_matter.given import (
    FLATTEN,
    TOO_DEEP,
    Block,
    UnreadableError,
    given,
    named_twice,
)
from pressync.documents.front_matter.yaml_text import read_yaml
from pressync.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.documents.front_matter.given import Given

YAML = YAMLHandler()
# The library offers TOML only together with the package `toml`; the standard library reads it as well.
TOML = BaseHandler(re.compile(r"^\+{3,}\s*$", re.MULTILINE), "+++", "+++")
# The library's own pattern wants each brace alone on its line, and takes an inner one for the last.
JSON = BaseHandler(re.compile(r'\{(?=\s*["}])'), "{", "}")

_DIGITS = "front matter has a number of thousands of digits"
_QUOTE = "put it in quotes, if it is text"

_LARGEST = 256 * 1024  # characters of front matter
# tomllib takes more than quadratic time for dotted keys: 36 s for 50,000 parts, 10 ms for these.
_MOST_DOTS = 1000

_TOML_KEY = re.compile(
    r"""^[ \t]*(?:\[{1,2}[ \t]*)?(?:"([^"\n]+)"|'([^'\n]+)'|([\w-]+))[ \t]*[=.\]]""", re.MULTILINE
)
# The bound keeps a text of nothing but escaped quotes from being read again from each of them.
_JSON_KEY = re.compile(r'"((?:[^"\\\n]|\\.){0,80})"\s*:')
# JSON can spell half of a character, which nothing can be written with; both halves together are one.
_HALF = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*+")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands at the head of a file, and the rest of it from its first line that is not blank."""

    values: Mapping[str, Given]
    body: str
    body_line: int
    problems: tuple[Problem, ...] = ()


def split(path: str, text: str) -> FrontMatter:
    """Take the front matter off a text whose line ends are LF.

    YAML is fenced by `---`, TOML by `+++`, JSON is an object; each must begin on the first line. When it
    cannot be read, `problems` say why and the rest is empty.
    """
    try:
        if JSON.detect(text):
            values, body = _read_json(text)
        elif YAML.detect(text):
            values, body = _read_fenced(text, YAML, read_yaml, r"[^\s:#][^:\n]*:(?:\s|$)")
        elif TOML.detect(text):
            values, body = _read_fenced(text, TOML, _read_toml, r"\[|[\w\"'.-]+\s*=")
        else:
            values, body = {}, text
    except UnreadableError as error:
        return FrontMatter({}, "", 0, tuple(Problem(path, *reason) for reason in error.reasons))
    offset = after_blank_lines(text, len(text) - len(body))
    return FrontMatter(values, text[offset:], 1 + text.count("\n", 0, offset))


def after_blank_lines(text: str, offset: int) -> int:
    """Give the offset of the first line, from `offset` on, that is not blank."""
    blank = _BLANK_LINES.match(text, offset)
    return blank.end() if blank else offset


def _read_fenced(
    text: str, fence: BaseHandler, read: Callable[[Block], Given], key: str
) -> tuple[Mapping[str, Given], str]:
    """Read what stands between two fences. An opening fence alone is how Markdown writes a rule."""
    try:
        head, body = fence.split(text)
    except ValueError:
        if re.match(rf".*\n(?:{key})", text):
            todo = f"add a line `{fence.END_DELIMITER}` after its last key"
            raise UnreadableError((1, "front matter is never closed", todo)) from None
        return {}, text
    _refuse_large(len(head))
    start = fence.FM_BOUNDARY.match(text) if fence.FM_BOUNDARY else None
    block = Block(head, 1 + text.count("\n", 0, start.end() if start else 0))
    return _mapping(read(block), block.line), body


def _refuse_large(size: int) -> None:
    if size > _LARGEST:
        what = f"front matter is larger than {_LARGEST // 1024} KiB"
        raise UnreadableError((1, what, "move what is text into the body"))


def _mapping(front_matter: Given, line: int) -> Mapping[str, Given]:
    if isinstance(front_matter.value, Mapping):
        return front_matter.value
    if front_matter.value is None:  # nothing but blank lines and comments
        return {}
    todo = "write `key: value` lines, or put a blank line before the first `---` if it is a rule"
    raise UnreadableError((front_matter.line or line, "front matter has no keys", todo))


def _read_toml(block: Block) -> Given:
    for number, text in enumerate(block.text.split("\n"), block.line):
        if text.count(".") > _MOST_DOTS:
            raise UnreadableError((number, f"a line has more than {_MOST_DOTS} dots", FLATTEN))
    lines: dict[str, int] = {}
    for found in _TOML_KEY.finditer(block.text):
        lines.setdefault(found[found.lastindex or 0], block.line_at(found.start()))
    try:
        return given(tomllib.loads(block.text), lines)
    except RecursionError:
        raise UnreadableError((block.line, TOO_DEEP, FLATTEN)) from None
    except tomllib.TOMLDecodeError as error:
        what, at, place = str(error).partition(" (at ")
        named = re.match(r"line (\d+)", place)
        last = block.line_at(len(block.text.rstrip())) if at else block.line
        line = block.line + int(named[1]) - 1 if named else last
        todo = "correct this line; text stands in quotes"
        raise UnreadableError((line, f"front matter is not TOML: {what}", todo)) from None
    except ValueError:  # of all valid TOML, Python refuses this alone
        raise UnreadableError((block.line, _DIGITS, _QUOTE)) from None


def _read_json(text: str) -> tuple[Mapping[str, Given], str]:
    """Read the object that the text begins with; the body is what follows it."""
    twice: list[str] = []

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) < len(pairs):
            twice.extend(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        return members

    try:
        value, end = json.JSONDecoder(object_pairs_hook=once).raw_decode(text)
        _refuse_large(end)
        lines: dict[str, int] = {}
        for found in _JSON_KEY.finditer(text, 0, end):
            lines.setdefault(found[1], 1 + text.count("\n", 0, found.start()))
        _refuse_halves(text[:end])
        if twice:
            raise UnreadableError(*(named_twice(lines.get(name, 1), name) for name in twice))
        return _mapping(given(value, lines), 1), text[end:]
    except json.JSONDecodeError as error:
        reason = (error.lineno, f"front matter is not JSON: {error.msg}", "correct this line")
        raise UnreadableError(reason) from None
    except RecursionError:
        raise UnreadableError((1, TOO_DEEP, FLATTEN)) from None
    except ValueError:  # of all valid JSON, Python refuses this alone
        raise UnreadableError((1, _DIGITS, _QUOTE)) from None


def _refuse_halves(text: str) -> None:
    for found in _HALF.finditer(text):
        if found["half"]:
            line = 1 + text.count("\n", 0, found.start())
            what = f"front matter has half of a character ({found['half']})"
            raise UnreadableError((line, what, "write the character itself"))
