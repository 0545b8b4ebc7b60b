"""An error response of the service: a status, a stable code, a sentence, and the wrong field if there is one.

The interface does not show error bodies (section 7). The format is that of WordPress, so that a client reads
the errors of both services in one way.
"""

from __future__ import annotations


class HttpRefusal(Exception):  # noqa: N818 - an ordinary response, not a fault of the service
    """The request was certainly not carried out. `field` names the wrong body field, if there is one."""

    def __init__(self, status: int, code: str, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.field = field

    @property
    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        data: dict[str, object] = {"status": self.status}
        if self.field:
            data["field"] = self.field
        return {"code": self.code, "message": self.message, "data": data}


def invalid(field: str, message: str) -> HttpRefusal:
    """Make the refusal of the value of one body field."""
    return HttpRefusal(400, "invalid_field", message, field=field)
