"""The error tree: drawn as it is, each with its exit code, each message saying what, where and what next."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace

import pytest

from pressync.model import errors
from pressync.model.errors import (
    Code,
    ConfigError,
    ContentError,
    Gone,
    NoAnswer,
    PressyncError,
    Problem,
    Refused,
    ServiceError,
)


def drawn() -> list[tuple[str, str, int | None]]:
    """Read the tree of the docstring: each error, the one above it, and its exit code if it is drawn."""
    above = [PressyncError.__name__]
    rows = []
    for branch, name, code in re.findall(
        r"^ {4}([│ ├└─]{4,})(\w+)(?: +\((\d)\))?", inspect.getdoc(errors) or "", re.MULTILINE
    ):
        depth = len(branch) // 4
        del above[depth:]
        rows.append((name, above[-1], int(code) if code else None))
        above.append(name)
    return rows


def real() -> dict[str, type[PressyncError]]:
    """Gather the errors that the module defines."""
    return {
        name: error
        for name, error in inspect.getmembers(errors, inspect.isclass)
        if issubclass(error, PressyncError) and error is not PressyncError
    }


def test_the_drawn_tree_and_its_exit_codes_are_the_real_ones() -> None:
    assert {name: parent for name, parent, _ in drawn()} == {
        name: error.__base__.__name__ for name, error in real().items() if error.__base__
    }
    codes = {name: code for name, _, code in drawn() if code is not None}
    assert codes == {name: real()[name].exit_code for name in codes}
    assert {error.exit_code for error in real().values() if issubclass(error, ServiceError)} == {1}
    assert all(map(inspect.getdoc, real().values()))
    # A caller can tell certainly not carried out from perhaps.
    assert issubclass(Gone, Refused)
    assert not issubclass(NoAnswer, Refused)
    assert not issubclass(Refused, NoAnswer)


def test_a_message_says_where_what_and_what_to_do_and_problems_come_all_at_once() -> None:
    error = ConfigError("no such site", where="--site", todo="name one")
    assert str(error) == "--site: no such site; name one"
    assert str(ConfigError("no such site")) == "no such site"
    one, two = Problem("a.md", 1, "x", "y", code=Code.VALUE), Problem("b.md", 0, "y", code=Code.VALUE)
    assert (str(one), str(two)) == ("a.md:1: x; y", "b.md: y")
    assert ContentError((one, two)).problems == (one, two)
    assert str(ContentError((one, two))).startswith("2 problems in the content")
    assert str(ContentError((one,))).startswith("1 problem in the content")
    same = replace(one, path="elsewhere.md", line=7)
    assert str(ContentError((one, same))).startswith("1 problem (at 2 places) in the content")


@pytest.mark.parametrize("code", Code)
def test_a_code_is_a_kebab_case_text_and_its_help_is_a_sentence(code: Code) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    assert re.fullmatch(r"[A-Z].*[^.]\.", code.help)
    assert f"{code}" == code.value
