"""People of a site: found by their names or told apart, with the rights and the passwords that they have."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.live.sites import open_at
from tests.support.embedded_wordpress import PASSWORD, USER, serving
from tests.unit.client.wordpress.answered import answered, refused
from tests.unit.client.wordpress.test_reads import Asked

from pressync.client.address import parse
from pressync.client.credentials import basic
from pressync.client.port import HttpResponse
from pressync.client.wordpress import users
from pressync.client.wordpress.users import NoInterface, identity
from pressync.model.errors import BadAnswer, ConfigError, Refused
from pressync.model.records import NoUser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.client.port import HttpRequest
    from pressync.client.wordpress import WordPressService


NOBODY = "no user has this login, e-mail address or name"
UNSEEN = "this account may not list users, and none that it sees has this login, e-mail address or name"


@pytest.fixture
def site() -> Iterator[EmbeddedWordPress]:
    with serving() as site:
        # The administrator has the id 1.
        site.add_person("annabel", "Anna Bell", email="annabel@example.org", published=True)
        site.add_person("Anna", "Same")
        site.add_person("other", "Same")
        site.add_person("jane", "Jane @ Home", published=True)
        site.add_person("tom", "Tom & Jerry")
        site.add_person("year", "2024")
        site.add_person("old@example.net", "Moved", email="new@example.net")
        site.add_person("m1", "Matz")
        site.add_person("m2", "matz")
        site.add_person("link", "https://example.org/me")
        yield site


@pytest.fixture
def service(site: EmbeddedWordPress) -> Iterator[WordPressService]:
    with contextlib.closing(open_at(site.url, basic(USER, PASSWORD))) as service:
        yield service


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("annabel", 2),
        ("anna", 3),
        ("Annabel@example.org", 2),
        ("anna bell", 2),
        ("Jane @ Home", 5),
        ("Tom & Jerry", 6),
        ("2024", 7),
        ("old@example.net", 8),
        ("new@example.net", 8),
        ("Matz", 9),
        ("matz", 10),
        ("https://example.org/me", 11),
    ],
)
def test_a_user_is_found_by_login_address_slug_or_displayed_name_in_exact_spelling_first(
    service: WordPressService, name: str, number: int
) -> None:
    assert service.authors([name]) == {name: number}


def test_a_name_of_several_users_is_told_with_their_logins_and_a_part_of_one_is_nobody_s(
    service: WordPressService,
) -> None:
    assert service.authors(["Same", "MATZ", "ann", "Jane @ Work"]) == {
        "Same": NoUser("2 users have this name", "the logins are Anna, other"),
        "MATZ": NoUser("2 users have this name", "the logins are m1, m2"),
        "ann": NoUser(NOBODY, "the nearest logins are Anna, annabel, jane, admin, other"),
        "Jane @ Work": NoUser(NOBODY, "the nearest logins are jane, annabel, other, Anna, link"),
    }


def test_a_user_behind_a_hundred_hits_is_found(service: WordPressService, site: EmbeddedWordPress) -> None:
    for number in range(20, 321):
        site.add_person(f"smith{number}", "Smith")
    last = site.add_person("jsmith", "J. Smith")
    assert service.authors(["j. smith", "smith"]) == {
        "j. smith": last,
        "smith": NoUser(
            "301 users have this name",
            "the logins are smith100, smith101, smith102, smith103, smith104 and 296 more",
        ),
    }


def test_an_account_that_may_not_list_users_asks_three_times_for_any_number_of_names(
    service: WordPressService, site: EmbeddedWordPress
) -> None:
    site.demote()
    names = ["carol", "admin@localhost", "Anna Bell", "jane", "bob"]
    assert service.authors(names) == {
        "carol": NoUser(UNSEEN, "the nearest logins are annabel, jane, admin"),
        "admin@localhost": 1,
        "Anna Bell": 2,
        "jane": 5,
        "bob": NoUser(UNSEEN, "the nearest logins are annabel, jane, admin"),
    }
    asked = [one.path.partition("/wp/v2")[2] for one in site.received if "/users" in one.path]
    assert [path.partition("?")[0] for path in asked] == ["/users", "/users/me", "/users"]


def test_a_user_who_may_not_be_seen_is_there_and_a_deleted_one_is_not(
    service: WordPressService, site: EmbeddedWordPress
) -> None:
    site.demote()
    assert service.present("author", [2, 3, 99]) == {2, 3}


@pytest.mark.parametrize(
    "answer",
    [refused(404, "rest_no_route"), HttpResponse(404, "text/html", {}, b"<h1>Not found</h1>")],
    ids=["no route", "a page"],
)
def test_a_site_that_hides_its_users_has_all_of_them(answer: HttpResponse) -> None:
    assert users.present(Asked(answer), [3]) == {3}


def test_a_response_without_a_user_is_a_bad_response_and_an_error_of_wordpress_is_not_a_web_page() -> None:
    with pytest.raises(BadAnswer, match="not a user"):
        identity(lambda _: answered(200, {}))
    with pytest.raises(Refused) as raised:
        identity(lambda _: refused(404, "rest_no_route"))
    assert raised.value.exit_code == 1


@pytest.mark.parametrize(
    ("base", "todo"),
    [
        ("https://example.org/wp-json", "a plugin of the site takes it away"),
        ("https://example.org/index.php?rest_route=/", "a plugin of the site takes it away"),
        ("https://example.org/wp-json/wp/v2", "check `url`: for WordPress it ends with /wp-json"),
    ],
)
def test_a_site_that_hides_its_users_is_told_from_a_wrong_address(base: str, todo: str) -> None:
    with pytest.raises(Refused) as raised:
        identity(lambda _: refused(404, "rest_no_route"), parse(base).join)
    assert todo in raised.value.todo


@pytest.mark.parametrize(
    ("answer", "todo"),
    [
        (refused(403, "rest_user_cannot_view"), "WordPress opens this path to each user"),
        (
            HttpResponse(403, "text/html", {}, b"<title>Blocked</title>"),
            "WordPress opens this path to each user",
        ),
        (
            HttpResponse(401, "text/html", {"www-authenticate": 'Basic realm="Staging"'}, b"<p>401</p>"),
            "the web server asks for a password of its own before WordPress",
        ),
        (refused(401, "rest_not_logged_in"), "WordPress ignores wrong credentials"),
        (refused(403, "incorrect_password"), "WordPress ignores wrong credentials"),
    ],
)
def test_what_stands_before_wordpress_is_told_from_wrong_credentials(answer: HttpResponse, todo: str) -> None:
    with pytest.raises(Refused) as raised:
        identity(lambda _: replace(answer, has_credentials=True))
    assert raised.value.todo.startswith(todo)


def test_a_message_of_php_before_the_user_is_not_the_page_of_another_address() -> None:
    body = b'<br />\n<b>Notice</b>: x in y.php on line <i>3</i>\n{"id": 1}'
    with pytest.raises(BadAnswer, match=r"has “Notice : x in y\.php on line 3” before its JSON"):
        identity(lambda _: HttpResponse(200, "text/html; charset=UTF-8", {}, body))


@pytest.mark.parametrize("status", [200, 404, 405])
@pytest.mark.parametrize(
    ("base", "todo"),
    [
        ("https://example.org/wp-admin", "set `url` to https://example.org/wp-json; `pressync doctor` asks"),
        ("https://example.org", "set `url` to https://example.org/wp-json; `pressync doctor` asks"),
        ("https://example.org/blog/wp-json", "check `url`; `pressync doctor` asks"),
    ],
)
def test_a_web_page_shows_that_the_interface_is_at_another_address(status: int, base: str, todo: str) -> None:
    page = HttpResponse(status, "text/html; charset=UTF-8", {}, b"<title>Page not found</title>")
    with pytest.raises(
        NoInterface, match=f"the site sends a web page “Page not found” \\({status}\\)"
    ) as raised:
        identity(lambda _: page, parse(base).join)
    assert raised.value.where == f"GET {base}/wp/v2/users/me"
    assert raised.value.todo.startswith(todo)
    assert raised.value.exit_code == 2


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


def test_the_password_that_is_used_is_deleted_and_no_other() -> None:
    asked = []

    def send(request: HttpRequest) -> HttpResponse:
        asked.append((request.method, request.path.partition("?")[0]))
        return answered(200, {"uuid": "11-aa", "name": "pressync on laptop"})

    assert users.revoke(send) == "pressync on laptop"
    mine = "/wp/v2/users/me/application-passwords"
    assert asked == [("GET", f"{mine}/introspect"), ("DELETE", f"{mine}/11-aa")]
    with pytest.raises(Refused):
        users.revoke(lambda _request: refused(401, "rest_not_logged_in"))
    with pytest.raises(BadAnswer, match="which application password"):
        users.revoke(lambda _request: answered(200, {"uuid": "../../users/1"}))


def test_users_are_named_by_their_logins_or_else_as_everybody_sees_them() -> None:
    row = {"id": 3, "username": "Bob.B", "slug": "bob-b", "name": "Bob"}
    assert users.logins(Asked(answered(200, [row])), [3, 4]) == {3: "Bob.B"}
    row.pop("username")
    assert users.logins(Asked(refused(403, "rest_forbidden_context"), answered(200, [row])), [3]) == {
        3: "bob-b"
    }
    closed = refused(401, "rest_user_cannot_view")
    assert users.logins(Asked(closed, closed), [3]) == {}
