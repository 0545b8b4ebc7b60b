"""The far side: whether it can be reached, as whom, and whether it speaks the dialect that is set.

It must not write, so with the documented dialect much stays unknown: its interface shows no reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.app import embedded_server
from pressync.app.doctor import wordpress_checks
from pressync.app.doctor.finding import failed, ok, unknown, wrong
from pressync.client import probe
from pressync.client.connect import open_service
from pressync.client.wordpress import WORDPRESS
from pressync.config.pushed_settings import may_use_http, secret_for
from pressync.model.errors import ConfigError, ServiceError
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.doctor.finding import Finding
    from pressync.app.workspace import Workspace
    from pressync.client.credentials import Secret


def service(workspace: Workspace) -> Iterator[Finding]:
    """Look at the site's service, in the words of its dialect."""
    url = workspace.settings.site.url
    if url is None:
        yield _embedded(workspace)
        return
    site = workspace.settings.site
    secret = None
    try:
        found = secret_for(workspace.settings, workspace.environ, is_pushed=workspace.is_pushed)
        allow_http = may_use_http(workspace.settings, is_pushed=workspace.is_pushed)
        # Only made ready, which tells whether the credentials may travel there at all.
        open_service(url, dialect=site.dialect, authorization=found, allow_http=allow_http).close()
    except ConfigError as error:
        yield failed("credentials", error)
    else:
        secret = found
        yield _configured(workspace, secret)
    if site.dialect == WORDPRESS.name:
        yield from wordpress_checks.service(workspace, url, secret)
    else:
        yield from _documented(url)


def _embedded(workspace: Workspace) -> Finding:
    running = embedded_server.find(embedded_server.data_directory(workspace.repository.common_directory))
    if running is None:
        return ok("service", "the embedded one; it does not run now, and `sync` starts it for its own time")
    return ok("service", f"the embedded one runs at {running.site}/, process {running.pid}")


def _configured(workspace: Workspace, secret: Secret | None) -> Finding:
    """Say which credentials would be sent; whether they are right is another question."""
    site = workspace.settings.site
    if secret is None and site.dialect == WORDPRESS.name:
        todo = "set `user`, and PRESSYNC_PASSWORD to an application password of that user"
        return wrong("credentials", "none are configured, and WordPress lets nobody write without", todo)
    if secret is None:
        return unknown(
            "credentials",
            "none are configured, and the interface does not say whether it wants any",
            "set `user` and PRESSYNC_PASSWORD, or PRESSYNC_TOKEN, if writes are refused",
        )
    what = "a token" if workspace.environ.get("PRESSYNC_TOKEN") else f"user '{site.user}' with a password"
    return ok("credentials", f"{what} will be sent to {_origin(site.url or '')}")


def _documented(url: str) -> Iterator[Finding]:
    try:
        seen = probe.probe(url)
    except ServiceError as error:
        yield failed("service", error)
        return
    asked = f"GET {seen.asked} without credentials"
    if seen.leads_to and _origin(seen.leads_to) not in {_origin(url), "://"}:
        leads = one_line(f"{_origin(seen.leads_to)}")
        yield wrong(
            "service", f"{asked}: {seen.status}, a redirect to {leads}", "set `url` to the final address"
        )
    else:
        yield ok("service", f"{asked}: {seen.status}, so something listens there")
    if seen.wordpress:
        yield wrong(
            "dialect", f"{asked}: {seen.wordpress}", 'this is stock WordPress: set dialect = "wordpress"'
        )
    else:
        yield unknown(
            "dialect",
            f"{asked}: no sign of stock WordPress, and the documented interface shows no read",
            "the first write of a sync goes alone, and its echo shows the dialect",
        )
    yield unknown(
        "rights",
        "the documented interface shows no way to ask who may publish",
        "the first write of a sync shows it, and a refusal changes nothing",
    )


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return "an address that cannot be read"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
