"""The old site as a visitor gets it: the pages of its sitemap, or those to which its own links lead.

Somebody else may run the site. So only its own host is asked, without credentials, one request at a time and
slowly, and never for what its `robots.txt` asks not to read. A site may lie in a folder of its host, beside
other sites: an address with a path means what is below it. Each response is kept on disk, so a second run
asks nothing. A redirect is kept as a page that leads elsewhere.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections import Counter, deque
from contextlib import closing
from dataclasses import dataclass, field
from html import escape, unescape
from http import HTTPStatus
from shlex import quote
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import unquote
from urllib.robotparser import RobotFileParser

from pressync.app.old_addresses import Locations
from pressync.client.address import parse
from pressync.client.http import ReadingTransport
from pressync.client.port import Limits
from pressync.model.bounds import MIB
from pressync.model.errors import ConfigError, ServiceError
from pressync.model.printable import counted, one_line
from pressync.model.web_address import from_root, joined, origin_of, path_of
from pressync.stage.compare.old_site import OldPage
from pressync.stage.compare.page_text import parsed
from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pressync.client.port import HttpResponse

_AGENT = "pressync"
_OK = b"200"
# The second one is that of WordPress, which leads from the first to it only at the root of a host.
_SITEMAPS = ("sitemap.xml", "wp-sitemap.xml")
_GZIP = b"\x1f\x8b"
# The protocol of sitemaps allows 50 MB a file. An index names at most so many files here.
_LARGEST, _MOST_SITEMAPS = 50 * MIB, 200
_DEFAULT_RATE = 2.0
_OTHER_TYPES = ("image/", "video/", "audio/", "font/", "application/pdf", "application/zip")
_CHARSET = re.compile(r"charset=[\"']?([\w-]+)", re.IGNORECASE)
_REFRESH = '<meta http-equiv="refresh" content="0; url={}">'
_MOVED = re.compile(_REFRESH.replace("{}", '([^"]*)').encode())
# Many sites answer with a page of theirs where they have no sitemap.
_PAGE = re.compile(
    rb"\A(?:\s|<\?[^>]{0,200}>|<!--[^>]{0,200}>){0,9}<(?:!doctype\s+html|html)\b", re.IGNORECASE
)
_NO_PAGE = re.compile(r"\.(?!html?$|php$|aspx?$)\w{1,5}$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OldLive:
    """A live site that was read into a folder. `passed_over` says what was not read, and why."""

    origin: str
    pages: tuple[OldPage, ...]
    kept: Path
    passed_over: tuple[str, ...] = ()
    files: frozenset[str] = frozenset()

    def read(self, page: OldPage) -> bytes:
        """Give a page.

        :raises OSError: the site does not show it.
        """
        status, _, body = (self.kept / page.place).read_bytes().partition(b"\n")
        if status != _OK:
            raise OSError(f"the site answers {status.decode()}")
        return body


@dataclass
class LiveReader:
    """Reads one site into a folder. `wait` takes seconds and tells whether to stop."""

    url: str
    kept: Path
    wait: Callable[[float], bool]
    limit: int
    rate: float | None = None
    progress: Callable[[int, int], None] = lambda _done, _total: None
    _asked: float = field(default=0.0, init=False)
    # The addresses of other hosts in sitemaps, and those that `robots.txt` asks not to read.
    _elsewhere: Counter[str] = field(default_factory=Counter, init=False)
    _refused: set[str] = field(default_factory=set, init=False)
    _beside: set[str] = field(default_factory=set, init=False)
    _tried: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self._address = parse(self.url)
        self._origin = self._address.origin
        # A sitemap says itself what is of the site, wherever it lies.
        self._is_sitemap = ".xml" in (from_root(self.url) or "")
        self._folder = "/" if self._is_sitemap else _folder_of(path_of(self.url))
        self._robots = RobotFileParser()
        self._pause = 1 / (self.rate or _DEFAULT_RATE)

    def read(self) -> OldLive:
        """Read the pages.

        :raises ConfigError: the site names no page, or it is at another address.
        :raises ServiceError: it does not answer.
        """
        site = self._address._replace(path="", query=())
        reader = ReadingTransport(site, limits=Limits(largest=_LARGEST))
        with closing(reader):
            self._reader = reader
            self._obey(*self._kept("/robots.txt"))
            asked = self._robots.crawl_delay(_AGENT)
            self._pause = max(self._pause, float(asked or 0))
            wanted = list(dict.fromkeys(self._listed()))
            allowed = list(filter(self._may_read, wanted))
            taken = self._taken(allowed) if wanted else self._followed()
            if not taken:
                raise self._nothing()
        over = [
            f"{counted(number, 'address', 'addresses')} of {one_line(origin)} in the sitemap, another host"
            for origin, number in self._elsewhere.most_common(3)
        ]
        if number := len(self._refused):
            over.append(f"{counted(number, 'address', 'addresses')}, as its robots.txt asks")
        if number := len(self._beside):
            over.append(f"{counted(number, 'address', 'addresses')} outside {one_line(self._folder)}")
        if (number := len(allowed) - len(taken)) > 0:
            over.append(f"{counted(number, 'address', 'addresses')} above `--limit {self.limit}`")
        return OldLive(
            self._origin, tuple(OldPage(each, _file(each)) for each in taken), self.kept, tuple(over)
        )

    def _nothing(self) -> ConfigError:
        """Say why a page was not read."""
        todo = "name a folder with its built pages"
        robots = self._kept("/robots.txt")[0].decode()
        if self._refused and robots != _OK.decode():
            return ConfigError(
                f"its robots.txt answers {robots}, so it is not read", where=self.url, todo=todo
            )
        if self._refused:
            return ConfigError("its robots.txt asks not to read it", where=self.url, todo=todo)
        what, todo = (
            "the site names no page that may be read",
            f"name the address of its sitemap, or {todo[5:]}",
        )
        front = self._kept(self._front)[0].decode()
        what = what if front == _OK.decode() else f"{self._front} answers {front}"
        return ConfigError(what, where=self.url, todo=todo)

    @property
    def _front(self) -> str:
        return from_root(self.url) or "/"

    def _may_read(self, path: str) -> bool:
        may = self._robots.can_fetch(_AGENT, f"{self._origin}{path}")
        self._refused |= set() if may else {path}
        return may

    def _obey(self, status: bytes, body: bytes) -> None:
        """Read `robots.txt`; a site that does not show it to us, or fails, asks to read nothing."""
        lines = body.decode(errors="replace").splitlines() if status == _OK else []
        if status in {b"401", b"403"} or status.startswith(b"5"):
            lines = ["User-agent: *", "Disallow: /"]
        self._robots.parse(lines)

    def _listed(self) -> Iterator[str]:
        """Give the paths of the sitemaps: of the one that was named, or of those that the site names."""
        sure, guessed = self._sitemaps()
        waiting = deque([*guessed, *sure])
        seen = set(waiting)
        while waiting:
            path = waiting.popleft()
            body = _unpacked(self._body(path))
            is_page = path in guessed and _PAGE.search(body)
            if is_page or not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
                continue
            for kind, address in self._located(path, body):
                own = self._own(address)
                self._elsewhere.update([origin_of(address)] if kind == "url" and not own else ())
                if own and kind == "url":
                    yield from filter(self._is_below, [own])
                elif own and own not in seen and len(seen) < _MOST_SITEMAPS:
                    seen.add(own)
                    waiting.append(own)
                    guessed += [own] if path in guessed else []

    def _sitemaps(self) -> tuple[list[str], list[str]]:
        """Give the sitemaps that somebody named, and those that may be there."""
        if self._is_sitemap:
            return [from_root(self.url) or "/"], []
        # `robots.txt` is the one of the host, so it may name the sitemaps of the sites beside this one alone.
        told = list(filter(None, map(self._own, self._robots.site_maps() or ())))
        if self._folder == "/":
            return told, [] if told else [f"/{_SITEMAPS[0]}"]
        return told, [each for name in _SITEMAPS if (each := self._folder + name) not in told]

    def _located(self, path: str, body: bytes) -> Iterator[tuple[str, str]]:
        """Give the kind and the address of each location; WordPress has its sitemap behind a redirect."""
        if moved := _MOVED.match(body):
            to = unescape(moved[1].decode(errors="replace"))
            return iter([("sitemap", joined(f"{self._origin}{path}", to) or "")])
        located = Locations(f"{self._origin}{path}").of(iter([body]))
        return ((kind, address) for kind, _, address in located)

    def _own(self, address: str) -> str:
        """Give the path of an address of this site; "" for one elsewhere."""
        return (from_root(address) or "") if self._is_own(address) else ""

    def _is_own(self, address: str) -> bool:
        return origin_of(address).lower() == self._origin.lower()

    def _is_below(self, path: str) -> bool:
        """Tell whether a path is of the folder that was named; note it if it is not."""
        plain = unquote(path.partition("?")[0])
        is_below = f"{plain}/".startswith(unquote(self._folder))
        self._beside |= set() if is_below else {path}
        return is_below

    def _taken(self, paths: list[str]) -> list[str]:
        taken = []
        for path in paths[: self.limit]:
            if self._is_stopped(path):
                break
            taken.append(path)
            self.progress(len(taken), min(len(paths), self.limit))
        return taken

    def _followed(self) -> list[str]:
        """Follow the links of a site without a sitemap, from its front page on."""
        taken: list[str] = []
        waiting = deque([self._front])
        seen = set(waiting)
        while waiting and len(taken) < self.limit:
            path = waiting.popleft()
            if not self._may_read(path):
                continue
            if self._is_stopped(path):
                break
            body = self._body(path)
            if not taken:
                self._refuse_another_host(body)
            # A link of the old site may lead nowhere, and that is not an address of the site.
            taken += [path] * bool(body)
            self.progress(len(taken), len(taken) + len(waiting))
            for link in parsed(body).css("a[href]"):
                whole = joined(f"{self._origin}{path}", (link.attributes.get("href") or "").strip()) or ""
                own = self._own(whole.partition("#")[0])
                if own and own not in seen and not _NO_PAGE.search(own) and self._is_below(own):
                    seen.add(own)
                    waiting.append(own)
        return taken

    def _refuse_another_host(self, body: bytes) -> None:
        """Refuse a site whose first page leads to another host, such as one with `www.`, or that of https."""
        to = (
            joined(f"{self._origin}{self._front}", unescape(moved[1].decode()))
            if (moved := _MOVED.match(body))
            else ""
        )
        if to and not self._is_own(to):
            other = origin_of(to)
            raise ConfigError(
                f"it leads to {other}, another host",
                where=self.url,
                todo=f"name that one: `pressync compare {quote(other)}`",
            )

    def _is_stopped(self, path: str) -> bool:
        """Read a page into the folder, and tell whether to stop."""
        self._body(path)
        return self.wait(0)

    def _body(self, path: str) -> bytes:
        """Give the body of a page, b"" if the site does not show it."""
        status, body = self._kept(path)
        return body if status == _OK else b""

    def _kept(self, path: str) -> tuple[bytes, bytes]:
        """Give the status and the body of a page; ask the site if it is not kept yet."""
        file = self.kept / _file(path)
        # A failure of a former run says nothing of the site now.
        failed = path not in self._tried and file.is_file() and file.read_bytes().startswith(b"5")
        if failed or not file.is_file():
            self._tried.add(path)
            self.wait(max(0.0, self._asked + self._pause - monotonic()))
            self._asked = monotonic()
            atomic_files.make_folder(self.kept, mode=atomic_files.PRIVATE_FOLDER)
            atomic_files.replace(file, _stored(self._response(path)))
        status, _, body = file.read_bytes().partition(b"\n")
        return status, body

    def _response(self, path: str) -> HttpResponse:
        response = self._reader.get(path)
        if response.status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
            todo = "run the command again later, with a lower `--rate`: what was read is kept"
            raise ServiceError(f"{self._origin} asks to be left alone ({response.status})", todo=todo)
        return response


def kept_folder(home: Path, url: str) -> Path:
    """Name the folder of a Git directory that has what was read of a site.

    :raises ConfigError: it is not an address.
    """
    return home / "pressync" / "compared" / _file(parse(url).origin)


def _folder_of(path: str) -> str:
    """Give the folder that an address means; that of a file is the folder around it."""
    last = path.rpartition("/")[2]
    return path[: len(path) - len(last)] or "/" if "." in last else f"{path.rstrip('/')}/"


def _file(path: str) -> str:
    return hashlib.sha256(path.encode(errors="surrogatepass")).hexdigest()[:32]


def _stored(response: HttpResponse) -> bytes:
    """Write a response as it is kept: its status, and its text in UTF-8."""
    to = response.headers.get("location", "")
    if HTTPStatus.MULTIPLE_CHOICES <= response.status < HTTPStatus.BAD_REQUEST and to:
        return f"200\n{_REFRESH.format(escape(to))}".encode()
    if response.content_type.startswith(_OTHER_TYPES):
        return b"with something that is not a page\n"
    named = _CHARSET.search(response.content_type)
    try:
        body = response.body.decode(named[1] if named else "utf-8", "replace").encode(errors="replace")
    except LookupError:
        body = response.body
    packed = response.body.startswith(_GZIP)
    return f"{response.status}\n".encode() + (response.body if packed else body)


def _unpacked(body: bytes) -> bytes:
    """Unpack a packed sitemap, up to the size that one may have."""
    if not body.startswith(_GZIP):
        return body
    try:
        return zlib.decompressobj(31).decompress(body, _LARGEST)
    except zlib.error:
        return b""
