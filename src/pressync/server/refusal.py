"""Why the service says no: a status, a stable code, a sentence, and the field at fault if there is one.

It knows nothing of HTTP libraries. The document shows no error bodies (section 7); the shape is the one
that WordPress uses, so that a client reads errors in one way whichever service it faces.
"""

from __future__ import annotations


class Refusal(Exception):  # noqa: N818 - a refusal is an ordinary answer, no fault of the service
    """A request that is certainly not carried out. `field` names the body field at fault, if any."""

    def __init__(self, status: int, code: str, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.field = field

    @property
    def body(self) -> dict[str, object]:
        """The JSON object that the caller gets."""
        data: dict[str, object] = {"status": self.status}
        if self.field:
            data["field"] = self.field
        return {"code": self.code, "message": self.message, "data": data}


def invalid(field: str, message: str) -> Refusal:
    """Say that the value of one body field cannot be taken."""
    return Refusal(400, "invalid_field", message, field=field)
