"""Opens the live site for the look before a rehearsal, with a transport that has GET alone.

A site need not be reachable, and nobody need have given a password. Then the look is that of a visitor, or
there is none, and the account of the rehearsal says why.
"""

from __future__ import annotations

import threading
from contextlib import closing, suppress
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.app.rehearse.live_site import LiveSite, Unread
from pressync.app.rehearse.site_parts import LoginRefused, SiteParts, Wanted
from pressync.client.address import parse
from pressync.client.get_only import GetOnly
from pressync.client.port import Limits
from pressync.client.retry import Patience, Retry
from pressync.client.wordpress import WORDPRESS
from pressync.model.errors import ConfigError, ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pressync.app.workspace import Workspace
    from pressync.client.credentials import Secret
    from pressync.plan.build import PlannedRun
    from pressync.state.state import State

_PATIENCE = Patience(unsent_attempts=2, unanswered_attempts=2, budget=30.0)

# Links of a rendered site that are asked at the real one, and the seconds for each and for all.
_MOST_LINKS = 200
_SECONDS, _SECONDS_IN_ALL = 5.0, 10.0


def of(workspace: Workspace, say: Callable[[str], None] = lambda _sentence: None) -> LiveSiteReader:
    """Make the reader of the site of a workspace; nothing is sent yet."""
    return LiveSiteReader(workspace, Retry(_PATIENCE, threading.Event().wait, say))


@dataclass(frozen=True, slots=True)
class LiveSiteReader:
    """Reads the site of a workspace; it implements `SiteReader`."""

    workspace: Workspace
    retry: Retry

    def read(self, planned: PlannedRun, state: State) -> LiveSite:
        """Read what a sync of this plan will meet. A part that cannot be read is never an error.

        :raises ConfigError: the dialect is wrong.
        :raises LoginRefused: the site refuses the credentials, as in a sync.
        """
        site = self.workspace.settings.site
        if site.url is None or site.dialect != WORDPRESS.name:
            why = "the documented interface shows no way to read a record"
            return LiveSite(unread=(Unread("site", why),))
        unread: list[Unread] = []
        wanted = Wanted.of(planned, state)
        try:
            secret = self._secret(unread)
            with closing(self._opened(site.url, secret, unread)) as site_:
                return SiteParts(site_, self.retry, unread, has_secret=secret is not None).site(wanted)
        except LoginRefused:
            raise
        except ServiceError as error:
            return LiveSite(unread=(*unread, Unread("site", str(error))))

    def answering(self, addresses: Collection[str]) -> frozenset[str]:
        """Tell which of these addresses a visitor can open; one that could not be asked does not count."""
        site, there = self.workspace.settings.site, set[str]()
        origin = _origin(site.url or "")
        until = monotonic() + _SECONDS_IN_ALL
        limits = Limits(connect=_SECONDS, read=_SECONDS, total=_SECONDS)
        asked = [address for address in sorted(addresses) if origin and _origin(address) == origin]
        with suppress(ServiceError, ConfigError), _visitor(origin, limits) as reader:
            for address in asked[:_MOST_LINKS]:
                if monotonic() > until:
                    break
                parts = urlsplit(address)
                status = reader.get((parts.path or "/") + (f"?{parts.query}" if parts.query else "")).status
                if status not in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
                    there.add(address)
        return frozenset(there)

    def _secret(self, unread: list[Unread]) -> Secret | None:
        workspace = self.workspace
        why = "no password is configured, so it was read as a visitor"
        try:
            found = workspace.clone.credentials.authorization()
        except ConfigError as error:
            found, why = None, str(error)
        if found is None:
            unread.append(Unread("what only a user sees", why))
        return found

    def _opened(self, url: str, secret: Secret | None, unread: list[Unread]) -> GetOnly:
        workspace = self.workspace
        address = parse(url).through_script()
        allow_http = workspace.clone.credentials.allow_http
        try:
            return GetOnly(address, authorization=secret, allow_http=allow_http)
        except ConfigError as error:
            unread.append(Unread("what only a user sees", str(error)))
            return GetOnly(address, authorization=None, allow_http=allow_http)


def _visitor(origin: str, limits: Limits) -> closing[GetOnly]:
    return closing(GetOnly(parse(origin), authorization=None, allow_http=True, limits=limits))


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"
