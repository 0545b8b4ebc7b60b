"""The rights that a user needs to read, change or delete a record, as WordPress maps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.server.record import StoredRecord
    from pressync.server.wordpress.roles import User

_LIVE = frozenset({"publish", "future"})


def may_read(user: User, record: StoredRecord) -> bool:
    """Whether the user may read a record."""
    if record.status == "publish":
        return True
    if record.status == "private":
        own = bool(user.id) and record.author == user.id
        return own or user.may(f"read_private_{record.kind}s")
    return may_edit(user, record)


def may_edit(user: User, record: StoredRecord) -> bool:
    """Whether the user may change a record."""
    return _may(user, record, "edit")


def may_delete(user: User, record: StoredRecord) -> bool:
    """Whether the user may delete a record."""
    return _may(user, record, "delete")


def _may(user: User, record: StoredRecord, verb: str) -> bool:
    kinds = f"{record.kind}s"
    if not user.id or not user.may(f"{verb}_{kinds}"):
        return False
    published = f"{verb}_published_{kinds}"
    if record.author == user.id:
        return record.status not in _LIVE or user.may(published)
    if not user.may(f"{verb}_others_{kinds}"):
        return False
    if record.status == "private":
        return user.may(f"{verb}_private_{kinds}")
    return record.status not in _LIVE or user.may(published)
