"""Reads the parameters of a request as PHP does, and checks them by the rules of WordPress's schemas.

WordPress is lenient where a type can be guessed (`"3"` is an integer), and does not check null at all. It
names all wrong parameters at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress.schemas import EMPTY, WrongParameter, value_of

# The schema of each parameter, by name.
Parameters = Mapping[str, Mapping[str, Any]]


class NoData(HttpRefusal):
    """A refusal for which WordPress gives no data, not even the status."""

    @property
    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        return {"code": self.code, "message": self.message, "data": None}


def invalid_parameters(problems: Mapping[str, WrongParameter]) -> HttpRefusal:
    """Make the refusal of all wrong parameters of a request."""
    details = {
        name: {"code": problem.code, "message": problem.message, "data": problem.data}
        for name, problem in problems.items()
        if problem.code
    }
    return HttpRefusal(
        400,
        "rest_invalid_param",
        f"Invalid parameter(s): {', '.join(problems)}",
        params={name: problem.message for name, problem in problems.items()},
        # PHP encodes an empty map as a list.
        details=details or [],
    )


def no_route() -> HttpRefusal:
    """Make the refusal of a path or a method that the interface does not have."""
    return HttpRefusal(404, "rest_no_route", "No route was found matching the URL and request method.")


def integer(value: object) -> int:
    """Give a checked integer of a parameter; 0 without one."""
    return value if isinstance(value, int) else 0


def no_trash(what: str) -> HttpRefusal:
    """Make the refusal to move a term or a file to the trash."""
    return HttpRefusal(
        501, "rest_trash_not_supported", f"{what} do not support trashing. Set 'force=true' to delete."
    )


# PHP ignores the parameters after these.
_MOST = 1000


def parse_query(text: str) -> dict[str, object]:
    """Read a query; of two values with one name, the last counts."""
    given: dict[str, object] = {}
    for name, value in parse_qsl(text, keep_blank_values=True)[:_MOST]:
        outer, bracket, inner = name.partition("[")
        inner = inner.removesuffix("]")
        before = given.get(outer)
        if not bracket:
            given[name] = value
        elif inner:
            given[outer] = {**(before if isinstance(before, dict) else {}), inner: value}
        elif isinstance(before, list):
            before.append(value)
        else:
            given[outer] = [value]
    return given


def read(known: Parameters, given: Mapping[str, object]) -> dict[str, object]:
    """Give the known parameters of a request with their types and defaults.

    A schema may say that its parameter is `required`, and may have a `check` in place of the type, which gets
    the name and the value. WordPress looks at the `late` parameters only if no other one is wrong. It turns
    null into the empty value of the type, and never checks it.

    :raises HttpRefusal: a parameter is missing, or some are wrong.
    """
    missing = [name for name, one in known.items() if one.get("required") and given.get(name) is None]
    if missing:
        names = ", ".join(missing)
        raise HttpRefusal(
            400, "rest_missing_callback_param", f"Missing parameter(s): {names}", params=missing
        )
    values: dict[str, object] = {name: one["default"] for name, one in known.items() if "default" in one}
    for late in (False, True):
        problems: dict[str, WrongParameter] = {}
        for name, one in known.items():
            if name not in given or one.get("late", False) != late:
                continue
            value = given[name]
            try:
                if value is None:
                    values[name] = EMPTY.get(str(one.get("type")))
                else:
                    values[name] = one["check"](name, value) if "check" in one else value_of(one, value, name)
            except WrongParameter as problem:
                problems[name] = problem
        if problems:
            raise invalid_parameters(problems)
    return values
