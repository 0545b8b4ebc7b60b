"""From the address that people know to the interface behind it, by the evidence that one GET shows."""

from __future__ import annotations

import socket

import pytest
from tests.support.wordpress_lookalike import Lookalike, serving

from pressync.client.discovery import discover
from pressync.client.probe import detect, probe
from pressync.model.errors import ConfigError, NotSent


@pytest.mark.parametrize(
    ("path", "says_link"),
    [("", True), ("/", True), ("/wp-json", True), ("/wp-json/", True), ("/wp-json", False)],
)
def test_wordpress_is_found_from_the_site_and_from_its_interface(path: str, says_link: bool) -> None:
    with serving(Lookalike(says_link=says_link)) as site:
        found = detect(site.url + path)
        assert (found.url, found.dialect) == (site.base, "wordpress")
        assert found.evidence == (
            f"{site.url}{path} says that its interface is {site.base}"
            if says_link
            else f"{site.base} does not name an interface as WordPress does, so it is considered "
            "the interface",
            f"GET {site.base}/: 200; its JSON lists the routes of WordPress (wp/v2)",
        )
        assert not any(credentials for _, _, credentials in site.asked)


@pytest.mark.parametrize(
    "path", ["/wp-admin", "/wp-admin/", "/wp-admin/edit.php?post_type=page", "/wp-login.php?redirect_to=x"]
)
def test_the_site_is_found_from_its_dashboard_of_which_people_copy_the_address(path: str) -> None:
    with serving(Lookalike(says_link=False)) as site:
        assert detect(site.url + path).url == f"{site.url}/wp-json"
    with serving(Lookalike(says_link=True)) as site:
        assert discover(site.url + path, tell=print) == site.base


def test_where_nothing_listens_there_is_nothing_to_say() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(NotSent):
            detect(f"http://127.0.0.1:{free.getsockname()[1]}")


def test_an_address_without_a_scheme_is_https_and_that_is_said_when_it_fails() -> None:
    with serving() as site, pytest.raises(NotSent) as failed:
        detect(site.url.removeprefix("http://"))
    assert "so https was taken" in failed.value.what
    assert failed.value.todo.startswith(
        f"if the site has http alone, write {site.url}; if not, check the port"
    )


@pytest.mark.parametrize(
    "address", ["ada:hunter2@site.test", "https://ada:hunter2@site.test/", "ftp://site.test"]
)
def test_an_invalid_address_is_refused_without_repeating_it(address: str) -> None:
    with pytest.raises(ConfigError) as refused:
        detect(address)
    assert "hunter2" not in str(refused.value)


LINK = {"Link": '<https://site.test/wp-json/>; rel="https://api.w.org/"'}


@pytest.mark.parametrize(
    ("body", "headers", "shown"),
    [
        ({"namespaces": ["oembed/1.0", "wp/v2"]}, {}, "routes"),
        ({"namespaces": ["other/v1"]}, {}, ""),
        ({"namespaces": "wp/v2"}, {}, ""),
        ({}, LINK, "Link header"),
        ({"namespaces": ["wp/v2"], "dialects": ["wordpress"]}, {}, "routes"),
        ([1, 2], {"Link": "<https://site.test/style.css>; rel=preload"}, ""),
    ],
)
def test_wordpress_shows_its_routes_or_its_header(body: object, headers: dict[str, str], shown: str) -> None:
    with serving(Lookalike(canned=(200, headers, body))) as site:
        seen = probe(site.base)
    assert (seen.asked, seen.status, seen.leads_to) == (f"{site.base}/", 200, "")
    assert (shown in seen.wordpress) if shown else (seen.wordpress == "")


@pytest.mark.parametrize(("status", "leads_to"), [(201, ""), (300, "/a"), (308, "/a"), (400, "")])
def test_a_redirect_is_told_and_not_followed(status: int, leads_to: str) -> None:
    with serving(Lookalike(canned=(status, {"Location": "/a"}, {}))) as site:
        assert probe(site.base).leads_to == leads_to
    assert len(site.asked) == 1


@pytest.mark.parametrize(
    ("named", "documented"), [(["wordpress", "documented"], True), (["x"], False), ("documented", False)]
)
def test_a_service_may_name_its_dialects(named: object, documented: bool) -> None:
    body = {"namespaces": ["wp/v2"], "dialects": named}
    with serving(Lookalike(canned=(200, {}, body))) as site:
        seen = probe(site.base)
    assert (bool(seen.wordpress), seen.documented) == (True, documented)


@pytest.mark.parametrize("path", ["", "/wp-json/"])
def test_where_the_path_of_the_interface_is_blocked_its_query_is_used_and_that_is_told(path: str) -> None:
    with serving(Lookalike(blocked=True)) as site:
        found = detect(site.url + path)
        assert (found.url, found.dialect) == (f"{site.url}/?rest_route=/", "wordpress")
        assert any("something before WordPress blocks" in sentence for sentence in found.evidence)


@pytest.mark.parametrize(
    ("says_link", "blocked"), [(True, False), (True, True), (False, False), (False, True)]
)
@pytest.mark.parametrize("path", ["", "/", "/wp-json"])
def test_wordpress_is_seen_where_it_shows_its_interface_to_users_alone(
    path: str, *, says_link: bool, blocked: bool
) -> None:
    # Measured: plug-ins refuse guests with rest_not_logged_in, rest_login_required or rest_cannot_access.
    lookalike = Lookalike(closed="rest_login_required", says_link=says_link, blocked=blocked)
    with serving(lookalike) as site:
        found = detect(site.url + path)
        assert found.url == (f"{site.url}/?rest_route=/" if blocked else site.base)
        assert found.dialect == "wordpress"
        assert found.evidence[-1].endswith(
            "401; WordPress shows its interface to users alone (rest_login_required)"
        )
        assert not any(credentials for _, _, credentials in site.asked)


@pytest.mark.parametrize("address", ["", "/"])
def test_an_interface_that_the_site_does_not_name_is_looked_for_below_its_address(address: str) -> None:
    with serving(Lookalike(says_link=False)) as site:
        assert detect(site.url + address).url == site.base
    with serving(Lookalike(says_link=False, blocked=True)) as site:
        assert detect(site.url + address).url == f"{site.url}/?rest_route=/"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, {"code": "unauthorized", "data": {"status": 401}}),
        (401, {"code": "rest_x"}),
        (404, {"code": "rest_no_route", "data": {"status": 404}}),
        (403, {"code": 7, "data": {"status": 403}}),
        (401, ["rest_x"]),
    ],
)
def test_a_refusal_that_is_not_one_of_wordpress_is_no_sign_of_it(status: int, error: object) -> None:
    with serving(Lookalike(canned=(status, {}, error))) as site:
        assert detect(site.url).dialect == "documented"
