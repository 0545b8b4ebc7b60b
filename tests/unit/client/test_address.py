"""Base addresses: which are accepted, how paths are joined, and that nothing secret is repeated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.client.address import home_of, parse
from pressync.client.dialects import WORDPRESS_COM
from pressync.model.errors import ConfigError


@pytest.mark.parametrize(
    ("url", "joined"),
    [
        ("https://example.org/wp-json", "https://example.org/wp-json/x"),
        ("https://example.org/wp-json/", "https://example.org/wp-json/x"),
        ("https://example.org", "https://example.org/x"),
        ("HTTP://Example.org:8080/a/b", "http://example.org:8080/a/b/x"),
        ("http://[::1]:81/wp-json", "http://[::1]:81/wp-json/x"),
        ("https://example.org/?rest_route=", "https://example.org/?rest_route=/x"),
        ("https://example.org/?rest_route=/", "https://example.org/?rest_route=/x"),
        ("https://example.org/index.php?rest_route=%2F", "https://example.org/index.php?rest_route=/x"),
        ("https://example.org/?rest_route=/&lang=de", "https://example.org/?lang=de&rest_route=/x"),
    ],
)
def test_a_path_of_the_interface_is_joined_to_the_base(url: str, joined: str) -> None:
    assert parse(url).join("/x") == joined


@pytest.mark.parametrize(
    ("url", "joined"),
    [
        ("https://example.org/?rest_route=/", "https://example.org/index.php?rest_route=/x"),
        ("https://example.org?rest_route=/", "https://example.org/index.php?rest_route=/x"),
        ("https://example.org/a/?rest_route=/&l=de", "https://example.org/a/index.php?l=de&rest_route=/x"),
        ("https://example.org/index.php?rest_route=/", "https://example.org/index.php?rest_route=/x"),
        ("https://example.org/wp-json/", "https://example.org/wp-json/x"),
    ],
)
def test_behind_a_query_the_script_is_named_since_a_folder_takes_no_delete(url: str, joined: str) -> None:
    assert parse(url).through_script().join("/x") == joined


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:1/x", True),
        ("http://127.9.9.9/x", True),
        ("http://[::1]/x", True),
        ("http://LOCALHOST/x", True),
        ("http://localhost.example.org/x", False),
        ("http://127.0.0.1.example.org/x", False),
        ("http://10.0.0.1/x", False),
        ("http://0.0.0.0/x", False),
    ],
)
def test_loopback_is_this_machine_and_nothing_that_looks_like_it(url: str, loopback: bool) -> None:
    assert parse(url).loopback is loopback


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "https://"),
        ("example.org/wp-json", "https://"),
        ("ftp://example.org", "https://"),
        ("https:///wp-json", "no host"),
        ("https://example.org:99999/", "well-formed"),
        ("https://[::1/", "well-formed"),
        ("https://example.org/#top", "fragment"),
        ("https://example.org/?token=hush", "PRESSYNC_TOKEN"),
        ("https://example.org/?rest_route=/&rest_route=/", "query"),
        ("https://editor:hush@example.org/", "PRESSYNC_PASSWORD"),
        ("https://hush@example.org/", "PRESSYNC_PASSWORD"),
        ("https://example.org\\@hush.example/", "backslash"),
        ("https://exam\tple.org/", "control character"),
        ("https://example.org/ x", "blank"),
    ],
)
def test_an_invalid_base_address_is_refused_without_repeating_secrets(url: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(url)
    assert said in str(caught.value)
    assert "hush" not in str(caught.value)


@given(st.text() | st.from_regex(r"https?://[^/]*/.*"))
def test_any_text_is_an_address_or_a_config_error(text: str) -> None:
    try:
        address = parse(text)
    except ConfigError:
        return
    assert address.join("/x").startswith(address.origin)


@pytest.mark.parametrize(
    ("path", "joined"),
    [
        ("/wp/v2/pages/7?force=true", "/wp/v2/sites/garden.example/pages/7?force=true"),
        ("/acme/v1/books", "/acme/v1/sites/garden.example/books"),
        ("/", "/wp/v2/sites/garden.example/"),
        ("", "/wp/v2/sites/garden.example"),
    ],
)
def test_a_path_of_one_site_among_many_has_the_site_behind_its_namespace(path: str, joined: str) -> None:
    address = parse("https://host.example/api/wp/v2/sites/garden.example/").of_one_site(WORDPRESS_COM.route)
    assert address.join(path) == f"https://host.example/api{joined}"


@pytest.mark.parametrize(
    ("route", "at", "joined"),
    [
        ("/{site}{namespace}{rest}", "/api/a.example/", "/api/a.example{path}"),
        ("/api/{site}{namespace}{rest}", "/api/a.example", "/api/a.example{path}"),
        ("/{site}/rest{namespace}{rest}", "/a.example/rest", "/a.example/rest{path}"),
        (
            "/sites/{site}/in{namespace}/of{rest}",
            "/sites/a.example/in/wp/v2/of",
            "/sites/a.example/in/wp/v2/of/pages/7",
        ),
    ],
)
def test_a_route_of_its_own_has_the_site_where_it_says(route: str, at: str, joined: str) -> None:
    url = f"https://host.example{at}"
    address = parse(url).of_one_site(route)
    assert address.join("/wp/v2/pages/7") == f"https://host.example{joined.format(path='/wp/v2/pages/7')}"
    assert home_of(url, route) == "https://a.example"


@pytest.mark.parametrize(
    "path", ["", "/wp-json", "/wp/v2/sites/", "/wp/v2/sites/a/b", "/wp/v2/sites/%7Bx%7D"]
)
def test_an_address_without_one_site_is_refused_for_that_dialect(path: str) -> None:
    with pytest.raises(ConfigError, match="does not end with a site"):
        parse(f"https://host.example{path}").of_one_site(WORDPRESS_COM.route)
