"""Roles have the rights that WordPress gives them."""

from __future__ import annotations

import pytest

from pressync.server.wordpress.roles import VISITOR, User


@pytest.mark.parametrize(
    ("role", "may", "may_not"),
    [
        ("administrator", "list_users", "nothing"),
        ("editor", "edit_others_pages", "list_users"),
        ("author", "publish_posts", "edit_pages"),
        ("contributor", "edit_posts", "publish_posts"),
        ("subscriber", "read", "edit_posts"),
        ("", "nothing", "read"),
    ],
)
def test_a_role_has_its_rights(role: str, may: str, may_not: str) -> None:
    user = User(2, role=role)
    assert user.may(may) == (may != "nothing")
    assert not user.may(may_not)


def test_a_refusal_tells_a_visitor_from_a_user_without_the_right() -> None:
    assert VISITOR.refused("c", "m").status == 401
    assert User(2).refused("c", "m").status == 403
