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
    Later,
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


def test_the_drawn_tree_is_the_real_one() -> None:
    assert {name: parent for name, parent, _ in drawn()} == {
        name: error.__base__.__name__ for name, error in real().items() if error.__base__
    }


@pytest.mark.parametrize(("name", "code"), [(name, code) for name, _, code in drawn() if code is not None])
def test_the_drawn_exit_codes_are_the_real_ones(name: str, code: int) -> None:
    assert real()[name].exit_code == code


def test_whatever_the_far_side_does_the_process_ends_with_one() -> None:
    assert {error.exit_code for error in real().values() if issubclass(error, ServiceError)} == {1}


@pytest.mark.parametrize("name", real())
def test_every_error_says_what_it_is(name: str) -> None:
    assert inspect.getdoc(real()[name])


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ConfigError("no such site"), "no such site"),
        (ConfigError("no such site", where="pressync.toml"), "pressync.toml: no such site"),
        (ConfigError("no such site", todo="name one"), "no such site; name one"),
        (ConfigError("no such site", where="--site", todo="name one"), "--site: no such site; name one"),
    ],
)
def test_a_message_says_where_what_and_what_to_do(error: PressyncError, said: str) -> None:
    assert str(error) == said


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Problem("a.md", 3, "no title", "add one", code=Code.VALUE), "a.md:3: no title; add one"),
        (Problem("a.md", 0, "no title", "add one", code=Code.VALUE), "a.md: no title; add one"),
        (Problem("a.md", 3, "no title", code=Code.VALUE), "a.md:3: no title"),
    ],
)
def test_a_problem_says_its_line_if_it_has_one(problem: Problem, said: str) -> None:
    assert str(problem) == said


def test_problems_in_content_come_all_at_once() -> None:
    one, two = Problem("a.md", 1, "x", code=Code.VALUE), Problem("b.md", 2, "y", code=Code.VALUE)
    assert ContentError((one, two)).problems == (one, two)
    assert str(ContentError((one, two))).startswith("2 problems in the content")
    assert str(ContentError((one,))).startswith("1 problem in the content")
    same = replace(one, path="elsewhere.md", line=7)
    assert str(ContentError((one, same))).startswith("1 problem (at 2 places) in the content")


def test_a_caller_can_tell_certainly_not_carried_out_from_perhaps() -> None:
    assert issubclass(Gone, Refused)
    assert not issubclass(NoAnswer, Refused)
    assert not issubclass(Refused, NoAnswer)


def test_a_refusal_keeps_its_status_and_a_delay_its_seconds() -> None:
    assert Gone("no such page", status=410).status == 410
    assert (Later("busy", after=2.5).after, Later("busy").after) == (2.5, None)


@pytest.mark.parametrize("code", Code)
def test_a_code_is_a_kebab_case_text_and_its_help_is_a_sentence(code: Code) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    assert re.fullmatch(r"[A-Z].*[^.]\.", code.help)
    assert f"{code}" == code.value
