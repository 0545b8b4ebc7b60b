"""The users of a strict WordPress, and its search for them as the three real versions searched (measured)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.support.wire import Json


def user(number: int, login: str, name: str, *, email: str = "", published: bool = False) -> Json:
    """Make a user; WordPress stores an ampersand of a displayed name as an entity."""
    return {
        "id": number,
        "username": login,
        "name": name.replace("&", "&amp;"),
        "email": email or f"{number}@example.org",
        "slug": re.sub(r"[^a-z0-9]+", "-", login.lower()),
        "published": published,
    }


def found(people: Iterable[Json], query: Mapping[str, str], *, may_list: bool) -> list[Json] | None:
    """Search; None if this user may not."""
    full = query.get("context") == "edit"
    if full and not may_list:
        return None
    text = query.get("search", "").strip()
    rows = [row for row in people if any(text.lower() in str(row[key]).lower() for key in _searched(text))]
    rows.sort(key=lambda row: int(row["id"]))
    if not may_list:
        rows = [row for row in rows if row["published"]]
    shown = ("id", "username", "name", "email", "slug") if full else ("id", "name", "slug")
    return [{key: row[key] for key in shown} for row in rows]


def _searched(text: str) -> tuple[str, ...]:
    """Give the fields where WordPress searches for a text that looks like this."""
    if "@" in text:
        return ("email",)
    if text.isdigit():
        return ("username", "id")
    if re.match("https?://", text):
        return ()
    return ("username", "email", "slug", "name")
