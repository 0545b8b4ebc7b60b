"""A host with many sites: `/wp/v2/sites/SITE/…` leads to the WordPress face of the embedded service.

Made from public descriptions of WordPress.com: each namespace has `sites/SITE` behind it, a token or a user
with an application password is the account, nothing is at the root, and there are no batches. The pages of
the site are at another origin, which notes each request that reaches it.
"""

from __future__ import annotations

import base64
import contextlib
import re
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tests.support.embedded_wordpress import PASSWORD, USER, EmbeddedWordPress
from tests.support.wire import PREFIX, End, FarSide, Reply, listening
from werkzeug.test import Client

from pressync.stage.server.app import WORDPRESS, make_app
from pressync.stage.server.database import read_settings, write_settings
from pressync.stage.server.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.wire import Received

SITE, TOKEN = "garden.example", "a-token.of~this+site=="
ENVIRON = {"PRESSYNC_DIALECT": "wordpress.com", "PRESSYNC_TOKEN": TOKEN}
_PATH = re.compile(r"/wp/v2/sites/([^/?]+)(/[^?]+)(\?.*)?")
_BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


@dataclass
class Host(EmbeddedWordPress):
    """The interface; `visitors` is the other origin, of the site itself."""

    prefix: ClassVar[str] = f"/wp/v2/sites/{SITE}"

    visitors: Pages = field(kw_only=True)

    def respond(self, received: Received) -> Reply:
        """Carry out a request for the site; refuse every other one."""
        found = _PATH.fullmatch(received.path)
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
def serving() -> Iterator[Host]:
    """Serve an empty site on loopback: its interface at one port, and its pages at another."""
    pages = Pages()
    with tempfile.TemporaryDirectory() as folder, listening(pages):
        store = Store(Path(folder, "site.db"), with_post=False)
        with store.writing() as db:
            db.execute("UPDATE users SET login = ?, name = ? WHERE id = 1", (USER, USER))
            write_settings(db, replace(read_settings(db), address=pages.url))
        host = Host(
            client=Client(make_app(store, dialect=WORDPRESS, token=PASSWORD)), store=store, visitors=pages
        )
        try:
            with listening(host):
                yield host
        finally:
            store.close()
