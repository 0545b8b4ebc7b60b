"""Who may read, change and delete a record."""

from __future__ import annotations

import pytest

from pressync.model.interface import Kind
from pressync.server.record import StoredRecord
from pressync.server.wordpress.rights import may_delete, may_edit, may_read
from pressync.server.wordpress.roles import VISITOR, User


def post(status: str, author: int = 1) -> StoredRecord:
    return StoredRecord(id=5, kind=Kind.POST, guid="", date=0, modified=0, status=status, author=author)


@pytest.mark.parametrize(
    ("role", "status", "own", "rights"),
    [
        ("editor", "private", False, "red"),
        ("author", "publish", True, "red"),
        ("author", "publish", False, "r"),
        ("author", "draft", False, ""),
        ("author", "private", True, "red"),
        ("contributor", "draft", True, "red"),
        ("contributor", "publish", True, "r"),
        ("subscriber", "publish", False, "r"),
    ],
)
def test_rights_depend_on_role_state_and_author(role: str, status: str, own: bool, rights: str) -> None:
    user, record = User(2, role=role), post(status, 2 if own else 1)
    checks = {"r": may_read, "e": may_edit, "d": may_delete}

    assert "".join(name for name, check in checks.items() if check(user, record)) == rights


def test_a_visitor_reads_what_is_public() -> None:
    assert may_read(VISITOR, post("publish"))
    assert not may_read(VISITOR, post("private", 0))
    assert not may_edit(VISITOR, post("draft", 0))
