"""A live old site is read politely: its own host alone, as its robots.txt asks, and once."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from pressync.model.errors import ConfigError
from pressync.stage.compare.old_live import LiveReader, OldLive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

HTML = "text/html; charset=utf-8"
Pages = dict[str, tuple[int, str, bytes]]


class Peer:
    """A site on this machine; it notes what it was asked."""

    def __init__(self, pages: Pages) -> None:
        self.pages = pages
        self.asked: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        self.url = ""


@contextmanager
def serving(pages: Pages) -> Iterator[Peer]:
    peer = Peer(pages)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            peer.asked.append(self.path)
            peer.headers.append(dict(self.headers))
            status, kind, body = peer.pages.get(self.path, (404, HTML, b"nothing"))
            self.send_response(status)
            self.send_header("Location" if status == 301 else "Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        peer.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield peer
        finally:
            server.shutdown()
            thread.join()


def read(peer: Peer, kept: Path, path: str = "/", limit: int = 100) -> OldLive:
    return LiveReader(f"{peer.url}{path}", kept, lambda _seconds: False, limit, rate=1000).read()


def sitemap(*addresses: str) -> tuple[int, str, bytes]:
    rows = "".join(f"<url><loc>{each}</loc></url>" for each in addresses)
    return 200, "application/xml", f"<urlset>{rows}</urlset>".encode()


def test_the_pages_of_the_sitemap_are_read_once_and_no_other_host_is_asked(tmp_path: Path) -> None:
    with serving({}) as peer:
        peer.pages |= {
            "/robots.txt": (200, "text/plain", b"User-agent: *\nDisallow: /private/"),
            "/sitemap.xml": sitemap(
                *(f"{peer.url}/{each}" for each in ("a/", "moved/", "private/x/", "gone/")),
                "http://169.254.0.1/b/",
            ),
            "/a/": (200, "text/html; charset=iso-8859-1", b"<p>caf\xe9</p>"),
            "/moved/": (301, "/a/", b""),
        }
        old = read(peer, tmp_path / "kept")
        assert [page.address for page in old.pages] == ["/a/", "/moved/", "/gone/"]
        assert peer.asked == ["/robots.txt", "/sitemap.xml", "/a/", "/moved/", "/gone/"]
        assert not any("Authorization" in headers or "Cookie" in headers for headers in peer.headers)
        assert old.passed_over == (
            "1 address of http://169.254.0.1 in the sitemap, another host",
            "1 address, as its robots.txt asks",
        )
        assert old.read(old.pages[0]).decode() == "<p>café</p>"
        assert b'url=/a/"' in old.read(old.pages[1])
        with pytest.raises(OSError, match="the site answers 404"):
            old.read(old.pages[2])
        peer.asked.clear()
        assert read(peer, tmp_path / "kept").pages == old.pages
        assert peer.asked == []


def test_without_a_sitemap_the_links_are_followed_up_to_the_limit(tmp_path: Path) -> None:
    links = (
        b'<a href="/b/#x">b</a> <a href="c.html">c</a> <a href="http://e.org/">e</a> <a href="/d.pdf">d</a>'
    )
    pages = {"/": (200, HTML, links), "/b/": (200, HTML, b'<a href="/dead/">'), "/c.html": (200, HTML, b"c")}
    with serving(pages) as peer:
        assert [page.address for page in read(peer, tmp_path / "all").pages] == ["/", "/b/", "/c.html"]
        assert [page.address for page in read(peer, tmp_path / "few", limit=2).pages] == ["/", "/b/"]


SITEMAPS: Mapping[str, Pages] = {
    "behind a redirect": {"/sitemap.xml": (301, "/wp-sitemap.xml?a=1&b=2", b"")},
    "with a page in its place": {"/sitemap.xml": (200, HTML, b"<!DOCTYPE html>\n<html><br>nothing</html>")},
    "with a page in its place behind XML": {
        "/sitemap.xml": (200, HTML, b"<?xml version='1.0'?>\n<html><br>")
    },
}


@pytest.mark.parametrize("name", SITEMAPS)
def test_a_site_is_read_whose_sitemap_is(name: str, tmp_path: Path) -> None:
    with serving({"/": (200, HTML, b'<a href="/a/">a</a>'), "/a/": (200, HTML, b"a")}) as peer:
        peer.pages |= SITEMAPS[name]
        peer.pages["/wp-sitemap.xml?a=1&b=2"] = sitemap(f"{peer.url}/", f"{peer.url}/a/")
        assert [page.address for page in read(peer, tmp_path).pages] == ["/", "/a/"]


NOTHING: Mapping[str, tuple[Pages, str]] = {
    "refused": ({"/robots.txt": (403, HTML, b"")}, "its robots.txt answers 403, so it is not read"),
    "forbidden": ({"/robots.txt": (200, HTML, b"User-agent: *\nDisallow: /")}, "asks not to read it"),
    "failing": ({"/": (500, HTML, b"oops")}, "/ answers 500"),
    "elsewhere": ({"/": (301, "https://www.e.test/", b"")}, "it leads to https://www.e.test, another host"),
    "without a page": ({"/": (200, HTML, b"")}, "names no page that may be read"),
}


@pytest.mark.parametrize("name", NOTHING)
def test_a_site_of_which_nothing_is_read_is_told_why(name: str, tmp_path: Path) -> None:
    pages, why = NOTHING[name]
    with serving({"/": (200, HTML, b"a"), **pages}) as peer, pytest.raises(ConfigError, match=why):
        read(peer, tmp_path)


def test_addresses_of_another_host_and_links_that_may_not_be_read_are_told(tmp_path: Path) -> None:
    pages = {
        "/robots.txt": (200, "text/plain", b"User-agent: *\nDisallow: /private/"),
        "/sitemap.xml": sitemap("https://www.e.test/a/", "https://www.e.test/b/"),
        "/": (200, HTML, b'<a href="/private/">p</a>'),
    }
    with serving(pages) as peer:
        assert read(peer, tmp_path).passed_over == (
            "2 addresses of https://www.e.test in the sitemap, another host",
            "1 address, as its robots.txt asks",
        )


def test_a_page_that_failed_is_asked_for_again(tmp_path: Path) -> None:
    with serving({"/": (200, HTML, b'<a href="/a/">a</a>'), "/a/": (500, HTML, b"")}) as peer:
        assert [page.address for page in read(peer, tmp_path).pages] == ["/"]
        peer.pages["/a/"] = (200, HTML, b"a")
        assert [page.address for page in read(peer, tmp_path).pages] == ["/", "/a/"]
        assert peer.asked.count("/") == 1


FOLDERS: Mapping[str, tuple[str, Pages, list[str], tuple[str, ...]]] = {
    "by its links": ("/shop", {}, ["/shop", "/shop/a/"], ("1 address outside /shop/",)),
    "as a page in it": (
        "/shop/start.html",
        {},
        ["/shop/start.html", "/shop/a/"],
        ("1 address outside /shop/",),
    ),
    "by letters of its language": ("/%E8%8B%94/", {}, ["/%E8%8B%94/", "/%e8%8b%94/b/"], ()),
    "by its sitemap": (
        "/shop/",
        {"/shop/wp-sitemap.xml": sitemap("/shop/c/", "/shopping/")},
        ["/shop/c/"],
        ("1 address outside /shop/",),
    ),
    "by the sitemap of the host": (
        "/shop/",
        {
            "/robots.txt": (200, "text/plain", b"Sitemap: /all.xml"),
            "/all.xml": sitemap("/blog/1/", "/shop/d/"),
        },
        ["/shop/d/"],
        ("1 address outside /shop/",),
    ),
    "by a sitemap that lies elsewhere": ("/maps/all.xml", {"/maps/all.xml": sitemap("/e/")}, ["/e/"], ()),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_of_a_site_in_a_folder_of_its_host_nothing_beside_it_is_read(name: str, tmp_path: Path) -> None:
    path, pages, addresses, passed_over = FOLDERS[name]
    front = (200, HTML, b'<a href="/shop/a/">a</a> <a href="/blog/">the site beside it</a>')
    with serving({"/shop": front, "/shop/a/": front, "/blog/": front}) as peer:
        peer.pages["/shop/start.html"] = (200, HTML, b'<a href="a/">a</a>')
        peer.pages["/%E8%8B%94/"] = (200, HTML, b"<a href='/%e8%8b%94/b/'>b</a>")
        peer.pages["/%E8%8B%94/b/"] = (200, HTML, b"b")
        here = peer.url.encode()
        for each, (status, kind, body) in pages.items():
            whole = body.replace(b"<loc>/", b"<loc>" + here + b"/").replace(b": /", b": " + here + b"/")
            peer.pages[each] = (status, kind, whole)
        old = read(peer, tmp_path, path)
    assert [page.address for page in old.pages] == addresses
    assert old.passed_over == passed_over
