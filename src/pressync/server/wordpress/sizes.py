"""The sizes that the columns of WordPress's database have: it refuses a longer value, and stores nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.server.wordpress.refusals import RestRefusal

if TYPE_CHECKING:
    from pressync.server.record import StoredRecord

# A TEXT of MariaDB has this many bytes, and the column of passwords this many characters (measured).
_TEXT, _PASSWORD = 65_535, 255


class _DatabaseRefusal(RestRefusal):
    """The refusal of the database; its words are beside the message."""

    @property
    def body(self) -> dict[str, object]:
        """The JSON object of the response."""
        return {**super().body, "data": {"status": self.status}, "additional_data": [self.data["words"]]}


def check(record: StoredRecord, *, new: bool) -> None:
    """Refuse a record with a value that is too long for its column."""
    longest = {
        "post_title": len(record.title.encode()) > _TEXT,
        "post_excerpt": len(record.excerpt.encode()) > _TEXT,
        "post_password": len(record.password) > _PASSWORD,
    }
    names = [name for name, is_too_long in longest.items() if is_too_long]
    if not names:
        return
    one = len(names) == 1
    s = "" if one else "s"
    words = (
        f"WordPress database error: Processing the value{s} for the following field{s} failed: "
        f"{', '.join(names)}. The supplied value{s} may be too long "
        f"or contain{'s' if one else ''} invalid data."
    )
    verb, where = ("insert", "into") if new else ("update", "in")
    message = f"Could not {verb} post {where} the database."
    raise _DatabaseRefusal(500, f"db_{verb}_error", message, words=words)
