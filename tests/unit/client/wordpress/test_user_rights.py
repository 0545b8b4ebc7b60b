"""Our user where a site responds strangely; test_service has the roles of real sites."""

from __future__ import annotations

import pytest
from tests.unit.client.wordpress.answered import answered, refused

from pressync.client.address import parse
from pressync.client.port import HttpResponse
from pressync.client.wordpress.users import Identity, NoInterface, identity, missing_rights
from pressync.model.errors import BadAnswer, Refused
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


@pytest.mark.parametrize("status", [200, 404, 405])
@pytest.mark.parametrize(
    ("base", "todo"),
    [
        ("https://example.org", "set `url` to https://example.org/wp-json; `pressync doctor` asks"),
        ("https://example.org/blog/wp-json", "check `url`; `pressync doctor` asks"),
    ],
)
def test_a_web_page_shows_that_the_interface_is_at_another_address(status: int, base: str, todo: str) -> None:
    page = HttpResponse(status, "text/html; charset=UTF-8", {}, b"<title>Page not found</title>")
    with pytest.raises(NoInterface, match=f"the site sends a web page \\({status}\\)") as raised:
        identity(lambda _: page, parse(base).join)
    assert raised.value.where == f"GET {base}/wp/v2/users/me"
    assert raised.value.todo.startswith(todo)
    assert raised.value.exit_code == 2


def test_an_error_of_wordpress_itself_is_not_a_web_page() -> None:
    with pytest.raises(Refused) as raised:
        identity(lambda _: refused(404, "rest_no_route"))
    assert raised.value.exit_code == 1


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
