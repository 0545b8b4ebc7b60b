"""The sites of the stand, for live tests and for recording: where they are, and who may do what there."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.client.address import parse
from pressync.client.credentials import basic
from pressync.client.http import Transport
from pressync.client.wordpress import WordPressService

if TYPE_CHECKING:
    from pressync.client.credentials import Secret

# Read while the tests are collected: while they run, no PRESSYNC_ variable of anybody is there.
LIVE = os.environ.get("PRESSYNC_TEST_WORDPRESS") == "1"
RECORDING = os.environ.get("PRESSYNC_RECORD") == "1"
HOME = Path(os.environ.get("PRESSYNC_WP_HOME") or Path(tempfile.gettempdir(), "pressync-wordpress"))

NAMES = ("old", "mid", "new")
ROLES = ("admin", "editor", "author", "contributor", "subscriber")

# Where the stand puts them, and so where all recordings were made.
URLS = {"old": "http://127.0.0.1:8161", "mid": "http://127.0.0.1:8168", "new": "http://127.0.0.1:8171"}


@dataclass(frozen=True)
class Site:
    """One WordPress: its address, its version, its folder in the stand, and the users' passwords."""

    name: str
    url: str
    version: str
    folder: Path
    passwords: dict[str, str] = field(repr=False)

    def service(
        self, user: str | None = "admin", *, password: str | None = None, base: str = "/wp-json"
    ) -> WordPressService:
        """Open the site's service as this user; None is a visitor."""
        secret = basic(user, password or self.passwords[user]) if user else None
        return open_at(self.url + base, secret)


def open_at(url: str, secret: Secret | None) -> WordPressService:
    """Open the WordPress service at a base address."""
    return WordPressService(Transport(parse(url), authorization=secret, concurrency=1, allow_http=False))


def site(name: str) -> Site:
    """Give a site of the running stand."""
    folder = HOME / "sites" / name
    pairs = (line.split("=", 1) for line in (folder / "env").read_text(encoding="utf-8").splitlines())
    known = dict(pairs)
    passwords = {role: known[role.upper()] for role in ROLES}
    return Site(name, known["URL"], known["VERSION"], folder, passwords)
