"""A command in a message is there to be copied, so a shell must read each value in it as one word."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pressync

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(pressync.__file__).parent
# Between two backquotes; or the whole text, which another module puts between them.
COMMAND = re.compile(
    r"`(?:git|pressync|curl|rm|mkdir|chmod|cp|mv|cd) [^`]*`"
    r"|^git (?:add|merge|pull|restore|show|switch|update-ref) (?!failed|ended).*"
    r"|^pressync (?:doctor|forget|plan|resolve|rollback|sync) .*"
)
# A source without such a text has nothing to look for in its tree.
BEGINNING = re.compile(r"[`\"'](?:git|pressync|curl|rm|mkdir|chmod|cp|mv|cd) ")
# Numbers, ids, names of commits, and words of our own: no person and no site chooses these.
SAFE = re.compile(
    r"[\w.]+\.(?:id|run)|\(?\w[\w. ]*\)?\[:(?:10|_SHORT)\]|_?[A-Z][A-Z_]+|'[^']*' \* \w+|deletes|number"
)
OURS = {
    "cli/commands/help.py": {"word"},
    "cli/tool_answers.py": {"tool.command"},
    "cli/tool_server.py": {"tool.command"},
    "cli/main.py": {"error.name", "error.problems[0].code"},
}


def unquoted(text: str) -> Iterator[str]:
    """Give the values in printed commands that nobody quotes."""
    if not BEGINNING.search(text):
        return
    for scope in ast.walk(ast.parse(text)):
        if isinstance(scope, ast.FunctionDef) and (values := list(_values_in_commands(scope))):
            quoted = set(_made_by_quote(scope))
            for value in values:
                if "quote(" not in value and value not in quoted and not SAFE.fullmatch(value):
                    yield value


def _made_by_quote(scope: ast.FunctionDef) -> Iterator[str]:
    for made in ast.walk(scope):
        if isinstance(made, ast.Assign) and re.search(r"\bquote\b", ast.unparse(made.value)):
            yield from re.findall(r"\w+", ", ".join(map(ast.unparse, made.targets)))


def _values_in_commands(scope: ast.FunctionDef) -> Iterator[str]:
    for string in ast.walk(scope):
        if isinstance(string, ast.JoinedStr):
            values = {f"\0{number}\0": value for number, value in enumerate(string.values)}
            said = "".join(
                str(value.value) if isinstance(value, ast.Constant) else place
                for place, value in values.items()
            )
            for place in re.findall("\0[0-9]+\0", "".join(COMMAND.findall(said))):
                value = values[place]
                assert isinstance(value, ast.FormattedValue)
                # Only a number has such a format.
                if not re.search("[dfg]'$", ast.unparse(value.format_spec or ast.Constant(""))):
                    yield ast.unparse(value.value)


@pytest.mark.sweep
def test_no_value_in_a_command_to_copy_is_left_unquoted() -> None:
    found = {
        file.relative_to(SOURCE).as_posix(): left
        for file in sorted(SOURCE.rglob("*.py"))
        if (left := set(unquoted(file.read_text(encoding="utf-8"))))
    }
    assert found == OURS


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ('f"git merge {name}"', ["name"]),
        ('f"`git switch {name}` does it"', ["name"]),
        ('f"`git switch {quote(name)}`, or `git add {file}`"', ["file"]),
        ('f"`pressync sync --wait {name:.0f}`"', []),
        ('f"`pressync forget {path}` for {name}"', []),
        ('f"{name} is not a branch; `pressync resolve {path} --id {entry.id}`"', []),
    ],
)
def test_a_value_is_found_wherever_it_is_in_a_command(line: str, values: list[str]) -> None:
    assert (
        list(unquoted(f"def told(name, file, entry):\n    path = quote(file)\n    return {line}\n")) == values
    )
