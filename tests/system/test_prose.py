"""Comments and docstrings of the source keep the rules of prose that a pattern can find."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pressync

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(pressync.__file__).parent
TEXT = re.compile(r'"""(.*?)"""|((?:^[ \t]*#.*\n)+)', re.DOTALL | re.MULTILINE)
BEGINNING = re.compile(r"(?:^|[.:;!?] )(?:What|Who|Whoever)\b[^?]*?(?:[.]|$)")
NEGATION = re.compile(r"(?<![Tt]here )\b(?:is|are) no (?!longer|more)")


def texts(source: str) -> Iterator[str]:
    """Give each docstring and each block of comments of a module on one line."""
    for found in TEXT.finditer(source):
        yield " ".join(word for word in (found[1] or found[2]).split() if word != "#")


@pytest.mark.parametrize("rule", [BEGINNING, NEGATION], ids=["beginning", "negation"])
def test_a_sentence_does_not_begin_with_what_or_who_and_says_is_not_a(rule: re.Pattern[str]) -> None:
    found = [
        f"{file.relative_to(SOURCE)}: {text}"
        for file in sorted(SOURCE.rglob("*.py"))
        for text in texts(file.read_text(encoding="utf-8"))
        if rule.search(text)
    ]
    assert not found


def test_the_rules_find_such_sentences() -> None:
    assert BEGINNING.search("Gives it. What is read is written.")
    assert not BEGINNING.search("What is asked? It says what it does.")
    assert NEGATION.search("A link is no file.")
    assert not NEGATION.search("There is no file, and it is no longer here.")
