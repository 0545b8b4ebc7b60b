"""Our user where a site responds strangely; test_service has the roles of real sites."""

from __future__ import annotations

import pytest
from tests.unit.client.wordpress.answered import answered

from pressync.client.wordpress.user_rights import Identity, identity, missing_rights
from pressync.model.errors import BadAnswer
from pressync.model.interface import Kind


def user(*rights: str) -> Identity:
    return Identity(3, "Ada", "ada", ("editor",), frozenset(rights))


def test_only_rights_that_are_given_count() -> None:
    answer = answered(
        200, {"id": 3, "name": "Ada", "capabilities": {"edit_pages": True, "edit_posts": False}}
    )

    assert identity(lambda _: answer).capabilities == {"edit_pages"}


def test_a_user_without_any_right_has_an_empty_list_of_them() -> None:
    answer = answered(200, {"id": 3, "name": "Ada", "capabilities": [], "roles": []})

    assert identity(lambda _: answer) == Identity(3, "Ada", "", (), frozenset())


def test_a_response_without_a_user_is_a_bad_response() -> None:
    with pytest.raises(BadAnswer, match="not a user"):
        identity(lambda _: answered(200, {}))


def test_missing_rights_are_those_of_the_kind() -> None:
    ada = user("edit_pages", "edit_others_pages", "edit_published_pages", "publish_pages")

    assert missing_rights(Kind.PAGE, ada) == (
        "delete_pages",
        "delete_others_pages",
        "delete_published_pages",
    )
    assert "publish_posts" in missing_rights(Kind.POST, ada)


def test_a_user_whose_text_is_filtered_is_told_from_one_whose_is_not() -> None:
    assert user().filtered
    assert not user("unfiltered_html").filtered
