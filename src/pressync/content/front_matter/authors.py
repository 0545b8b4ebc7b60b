"""Turns what files say about their authors into users of the site, by the table `[authors]`.

In trees of other tools a file names any person, several persons, or a key of another file. A record has one
author, who is a user of the site. So the settings map the words of the files, and the files stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.content.front_matter.value import Given
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from pressync.content.front_matter.keys import Meaning

# The key of everybody whom the table does not name.
REST = "*"
# `authors` counts where `author` is missing.
_KEYS = ("author", "authors")


class Authors:
    """The table of one site. Without a table, a file names a user by itself, as in any other field."""

    def __init__(self, users: Mapping[str, str | int]) -> None:
        # Exact spelling counts first, as it does on the site: `Matz` and `matz` can be two people.
        self._users = {_plain(name).casefold(): user for name, user in users.items()}
        self._users |= {_plain(name): user for name, user in users.items()}

    def mapped(self, values: Mapping[str, Given]) -> Mapping[str, Given]:
        """Put the user of the first author in the place of what a file says."""
        written = self._written(values)
        if written is None:
            return values
        first, _ = _first(written)
        user = self._user(first)
        others = {key: given for key, given in values.items() if key != "author"}
        return {**others, "author": Given(user, written.line, str(user))} if user else others

    def kept(self, meaning: Meaning, values: Mapping[str, Given], path: str) -> Meaning:
        """Give templates the words of the file, and warn where a file has several authors."""
        written = self._written(values)
        if written is None:
            return meaning
        extra = {key: values[key].plain() for key in _KEYS if key in values}
        several = Problem(
            path,
            written.line,
            "it has several authors, and a record has one",
            "the first is taken",
            warning=True,
            code=Code.SEVERAL_AUTHORS,
        )
        problems = (*meaning.problems, several) if _first(written)[1] else meaning.problems
        return replace(meaning, extra={**meaning.extra, **extra}, problems=problems)

    def has(self, name: str) -> bool:
        """Tell whether the table has a user for an author."""
        return any(key in self._users for key in _keys(_plain(name)))

    def _written(self, values: Mapping[str, Given]) -> Given | None:
        if not self._users:
            return None
        return next((values[key] for key in _KEYS if key in values and values[key].value is not None), None)

    def _user(self, name: Given) -> str | int:
        """Give the user of an author; an empty text leaves the author out."""
        if isinstance(name.value, int):
            return name.value
        text = _plain(name.text)
        if not text:
            return ""
        return next((self._users[key] for key in _keys(text) if key in self._users), text)


def _first(written: Given) -> tuple[Given, bool]:
    """Give the first author, and whether there are more; a table names a person by its `name`."""
    value = written.value
    several = isinstance(value, tuple) and len(value) > 1
    first = (value[0] if value else Given(None)) if isinstance(value, tuple) else written
    if isinstance(first.value, Mapping):
        first = first.value.get("name", Given(None))
    return first, several


def _keys(text: str) -> tuple[str, ...]:
    return text, text.casefold(), REST


def _plain(name: str) -> str:
    return " ".join(name.split())
