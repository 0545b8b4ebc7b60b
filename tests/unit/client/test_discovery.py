"""From a site's address to its interface's, over real sockets."""

from __future__ import annotations

import contextlib
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from pressync.client import discovery
from pressync.client.discovery import discover, version
from pressync.client.port import HttpResponse
from pressync.model.errors import BadAnswer, ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

# By path: the status, the headers and the body.
Pages = dict[str, tuple[int, dict[str, str], str]]


@contextlib.contextmanager
def serving(pages: Pages) -> Iterator[str]:
    """Serve these pages on loopback; anything else is 404, and credentials are an error."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = pages.get(self.path, (404, {}, ""))
            self.send_response(500 if "Authorization" in self.headers else status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def link(base: str) -> dict[str, str]:
    return {"Link": f'<https://example.org/style.css>; rel=preload, <{base}>; rel="https://api.w.org/"'}


def found(pages: Pages, path: str = "") -> tuple[str, list[str]]:
    """Discover from a path of the site; gives the base below the site's address, and what was told."""
    told: list[str] = []
    with serving(pages) as site:
        base = discover(site + path, tell=told.append)
        return base.removeprefix(site), [sentence.replace(site, "") for sentence in told]


LINKED = '<html><link rel="stylesheet" href="/x"><link rel="https://api.w.org/" href="/api/"/></html>'


@pytest.mark.parametrize(
    ("path", "page", "base"),
    [
        ("/", (200, link("/wp-json/"), ""), "/wp-json"),
        ("/gone", (404, link("/wp-json/"), ""), "/wp-json"),
        ("/", (200, link("/index.php?rest_route=/"), ""), "/index.php?rest_route=/"),
        ("/", (200, {}, LINKED), "/api"),
        ("/", (200, {}, f"{LINKED}<![foo[x]]>"), "/api"),
    ],
)
def test_the_interface_is_where_the_header_or_the_page_says(
    path: str, page: tuple[int, dict[str, str], str], base: str
) -> None:
    assert found({path: page}, path) == (base, [])


def test_redirects_are_followed_and_told() -> None:
    pages: Pages = {
        "/": (301, {"Location": "/blog?token=x"}, ""),
        "/blog?token=x": (302, {"Location": "blog/"}, ""),
        "/blog/": (200, link("/blog/wp-json/"), ""),
    }
    assert found(pages) == (
        "/blog/wp-json",
        ["the site redirects to /blog", "the site redirects to /blog/"],
    )


def test_a_site_that_redirects_for_ever_is_left() -> None:
    with pytest.raises(BadAnswer, match="more than 3 times"):
        found({"/": (301, {"Location": "/"}, "")})


def test_an_interface_on_another_host_is_told() -> None:
    base, told = found({"/": (200, link("https://api.example.org/wp-json/"), "")})
    assert base == "https://api.example.org/wp-json"
    assert told == ["the site's interface is on another host: https://api.example.org/wp-json/"]


@pytest.mark.parametrize(
    "base", ["javascript:alert(1)", "https://user:secret@example.org/wp-json/", "ftp://example.org/"]
)
def test_an_interface_at_an_address_that_cannot_be_used_is_refused(base: str) -> None:
    with pytest.raises(ConfigError) as caught:
        found({"/": (200, link(base), "")})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("place", ["http://[", "http://[x]/", "https://[::1"])
def test_a_redirect_that_cannot_be_read_is_refused(place: str) -> None:
    with pytest.raises((BadAnswer, ConfigError), match=r"malformed|well.formed"):
        found({"/": (301, {"Location": place}, "")})


def test_a_page_that_names_no_interface_is_not_wordpress() -> None:
    with pytest.raises(BadAnswer, match="does not name the address of its interface"):
        found({"/": (200, {"Link": "</x>; rel=preload"}, '<p>rel="https://api.w.org/"</p>')})


@pytest.mark.parametrize(
    ("pages", "seen"),
    [
        ({"/": (200, {}, '<meta name="generator" content="WordPress 6.8.2" />')}, "6.8.2"),
        ({"/": (200, {}, '<meta name="generator" content="WordPress 7.1-RC1" />')}, "7.1-RC1"),
        ({"/feed/": (200, {}, "<generator>https://wordpress.org/?v=6.1.9</generator>")}, "6.1.9"),
        ({"/": (200, {}, '<p>WordPress 3.0</p><meta name="generator" content="Shop 2.1">')}, None),
        ({"/": (200, {}, f'<meta name="generator" content="WordPress {"9" * 5000}" />')}, None),
        ({}, None),
    ],
)
def test_the_version_is_what_the_page_or_the_feed_names(pages: Pages, seen: str | None) -> None:
    with serving(pages) as site:
        assert version(site) == seen


def test_a_site_that_does_not_respond_shows_no_version() -> None:
    with serving({}) as site:
        pass
    assert version(site) is None
    assert version("no address") is None
    assert version("http://[") is None


def test_a_redirect_from_https_to_http_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = HttpResponse(301, "", {"location": "http://somebody:hush@example.org/"}, b"")
    monkeypatch.setattr(discovery, "_fetched", lambda _place: plain)
    with pytest.raises(BadAnswer) as caught:
        discover("https://example.org", tell=print)
    assert "from https to http://example.org/" in str(caught.value)
