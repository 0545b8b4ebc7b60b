"""Refusals in the words of WordPress: a code, a sentence, and data that names the wrong parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.server.refusal import HttpRefusal

if TYPE_CHECKING:
    from collections.abc import Mapping


class RestRefusal(HttpRefusal):
    """A refusal with the data of WordPress; `data` is beside the status."""

    def __init__(self, status: int, code: str, message: str, **data: object) -> None:
        super().__init__(status, code, message)
        self.data = data

    @property
    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        return {"code": self.code, "message": self.message, "data": {"status": self.status, **self.data}}


class NoData(RestRefusal):
    """A refusal for which WordPress gives no data, not even the status."""

    @property
    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        return {"code": self.code, "message": self.message, "data": None}


class WrongParameter(Exception):  # noqa: N818 - it names what it is
    """One wrong parameter: its code, its sentence and its data; some have no code, and so no details."""

    def __init__(self, message: str, code: str = "", data: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.data = data


def invalid_parameters(problems: Mapping[str, WrongParameter]) -> RestRefusal:
    """Make the refusal of all wrong parameters of a request."""
    details = {
        name: {"code": problem.code, "message": problem.message, "data": problem.data}
        for name, problem in problems.items()
        if problem.code
    }
    return RestRefusal(
        400,
        "rest_invalid_param",
        f"Invalid parameter(s): {', '.join(problems)}",
        params={name: problem.message for name, problem in problems.items()},
        # PHP encodes an empty map as a list.
        details=details or [],
    )


def no_route() -> RestRefusal:
    """Make the refusal of a path or a method that the interface does not have."""
    return RestRefusal(404, "rest_no_route", "No route was found matching the URL and request method.")


def no_trash(what: str) -> RestRefusal:
    """Make the refusal to move a term or a file to the trash."""
    return RestRefusal(
        501,
        "rest_trash_not_supported",
        f"{what} do not support trashing. Set 'force=true' to delete.",
    )
