"""Hosts with many sites: the path of one of them leads to the WordPress face of the embedded service.

That of `wordpress.com` is made from public descriptions: each namespace has `sites/SITE` behind it, a token
or a user with an application password is the account, nothing is at the root, and there are no batches. Every
other host is one of a dialect that a package adds, and this module is that package. The pages of the site are
at another origin, which notes each request that reaches it.
"""

from __future__ import annotations

import base64
import contextlib
import re
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from tests.support.embedded_wordpress import PASSWORD, USER, EmbeddedWordPress
from tests.support.wire import PREFIX, End, FarSide, Reply, listening
from werkzeug.test import Client

from pressync.client import dialects
from pressync.client.dialects import WORDPRESS_COM
from pressync.stage.server.app import WORDPRESS, make_app
from pressync.stage.server.database import read_settings, write_settings
from pressync.stage.server.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.wire import Received

SITE, TOKEN = "garden.example", "a-token.of~this+site=="
ENVIRON = {"PRESSYNC_DIALECT": "wordpress.com", "PRESSYNC_TOKEN": TOKEN}


class HostForm(NamedTuple):
    """The address of the site, and what a path has in it: the site, the path in its namespace, the query."""

    prefix: str
    path: re.Pattern[str]


# Each host by the name of its dialect.
HOSTS = {
    "wordpress.com": HostForm(f"/wp/v2/sites/{SITE}", re.compile(r"/wp/v2/sites/([^/?]+)(/[^?]+)(\?.*)?")),
    "site-first": HostForm(f"/api/{SITE}", re.compile(r"/api/([^/?]+)/wp/v2(/[^?]+)(\?.*)?")),
}


SITE_FIRST = WORDPRESS_COM._replace(name="site-first", route="/api/{site}{namespace}{rest}")
_BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


@dataclass
class Host(EmbeddedWordPress):
    """The interface; `visitors` is the other origin, of the site itself."""

    visitors: Pages = field(kw_only=True)
    form: HostForm = HOSTS["wordpress.com"]

    @property
    def prefix(self) -> str:  # type: ignore[override]
        """The address of the site below the host."""
        return self.form.prefix

    def respond(self, received: Received) -> Reply:
        """Carry out a request for the site; refuse every other one."""
        found = self.form.path.fullmatch(received.path)
        if found is None:
            return _refused(404, "rest_no_route")
        if found[1] != SITE:
            return _refused(404, "unknown_blog")
        given = received.headers.get("Authorization")
        if given not in {None, f"Bearer {TOKEN}", _BASIC}:
            return _refused(403, "rest_forbidden")
        headers = {name: value for name, value in received.headers.items() if name != "Authorization"}
        headers |= {"Authorization": _BASIC} if given else {}
        path = f"{PREFIX}/wp/v2{found[2]}{found[3] or ''}"
        return super().respond(replace(received, path=path, headers=headers))


def _refused(status: int, code: str) -> Reply:
    return Reply(status, {"code": code, "message": "Sorry.", "data": {"status": status}})


@dataclass
class Pages(FarSide):
    """The pages of the site, for visitors."""

    prefix: ClassVar[str] = ""

    def take(self, received: Received) -> tuple[bytes, End]:
        """Show every page, without the name of an interface."""
        self.received.append(received)
        page = b"<html><head><meta name='generator' content='WordPress 6.8'></head><body>Hello</body></html>"
        return Reply(200, None, raw=page, content_type="text/html").spelled(), End.KEEP


@contextlib.contextmanager
def _installed() -> Iterator[None]:
    """Install the package for a while."""
    with tempfile.TemporaryDirectory() as folder:
        about = Path(folder, "hosts_of_tests-1.dist-info")
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: hosts-of-tests\nVersion: 1\n")
        point = f"[{dialects.GROUP}]\n{SITE_FIRST.name} = {__name__}:SITE_FIRST\n"
        (about / "entry_points.txt").write_text(point)
        sys.path.append(folder)
        try:
            yield
        finally:
            sys.path.remove(folder)


@contextlib.contextmanager
def serving(dialect: str = WORDPRESS_COM.name) -> Iterator[Host]:
    """Serve an empty site on loopback: its interface at one port, and its pages at another."""
    pages = Pages()
    with tempfile.TemporaryDirectory() as folder, _installed(), listening(pages):
        store = Store(Path(folder, "site.db"), with_post=False)
        with store.writing() as db:
            db.execute("UPDATE users SET login = ?, name = ? WHERE id = 1", (USER, USER))
            write_settings(db, replace(read_settings(db), address=pages.url))
        client = Client(make_app(store, dialect=WORDPRESS, token=PASSWORD))
        host = Host(client=client, store=store, visitors=pages, form=HOSTS[dialect])
        try:
            with listening(host):
                yield host
        finally:
            store.close()
