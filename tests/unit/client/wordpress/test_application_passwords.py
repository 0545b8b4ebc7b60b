"""Application passwords: where a site lets a person make one, and how it takes one back."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.unit.client.wordpress.answered import answered, refused

from pressync.client.wordpress import users
from pressync.model.errors import BadAnswer, ConfigError, Refused

if TYPE_CHECKING:
    from pressync.client.port import HttpRequest, HttpResponse

PAGE = "https://example.org/wp-admin/authorize-application.php"


def offers(page: object) -> dict[str, object]:
    endpoints = {"application-passwords": {"endpoints": {"authorization": page}}}
    return {"url": "https://example.org", "home": "https://example.org", "authentication": endpoints}


def test_the_page_is_named_by_the_root_and_gets_program_and_way_back() -> None:
    found = users.approval_page(lambda _request: answered(200, offers(PAGE)))
    address = found.address_for("pressync on a & b", "http://127.0.0.1:5/x")
    query = parse_qs(urlsplit(address).query)
    assert address.startswith(f"{PAGE}?")
    assert (query["app_name"], query["success_url"]) == (["pressync on a & b"], ["http://127.0.0.1:5/x"])
    assert len(query["app_id"][0]) == 36
    assert "success_url" not in found.address_for("pressync")


@pytest.mark.parametrize("authentication", [[], {}, {"application-passwords": {"endpoints": {}}}])
def test_a_site_without_application_passwords_is_told(authentication: object) -> None:
    root = {**offers(PAGE), "authentication": authentication}
    with pytest.raises(ConfigError, match="offers no application passwords; use https"):
        users.approval_page(lambda _request: answered(200, root))


@pytest.mark.parametrize("page", ["javascript:alert(1)", "file:///etc/passwd", "https://a/\x1b[2J", "//["])
def test_a_page_that_is_not_of_the_web_is_not_opened(page: str) -> None:
    with pytest.raises(BadAnswer, match="not of the web"):
        users.approval_page(lambda _request: answered(200, offers(page)))


def test_the_password_that_is_used_is_deleted() -> None:
    asked = []

    def send(request: HttpRequest) -> HttpResponse:
        asked.append((request.method, request.path.partition("?")[0]))
        return answered(200, {"uuid": "11-aa", "name": "pressync on laptop"})

    assert users.revoke(send) == "pressync on laptop"
    mine = "/wp/v2/users/me/application-passwords"
    assert asked == [("GET", f"{mine}/introspect"), ("DELETE", f"{mine}/11-aa")]


def test_a_password_that_the_site_does_not_know_is_refused() -> None:
    with pytest.raises(Refused):
        users.revoke(lambda _request: refused(401, "rest_not_logged_in"))
    with pytest.raises(BadAnswer, match="which application password"):
        users.revoke(lambda _request: answered(200, {"uuid": "../../users/1"}))
