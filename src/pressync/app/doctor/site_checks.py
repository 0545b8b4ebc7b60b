"""Checks the site: whether it can be reached, with which credentials, and whether it speaks the set dialect.

The checks never write. The documented interface shows no reads, so with that dialect much stays unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app import embedded_server
from pressync.app.doctor import wordpress_checks
from pressync.app.doctor.finding import failed, ok, unknown, wrong
from pressync.client import probe
from pressync.client.connect import open_service
from pressync.client.wordpress import WORDPRESS
from pressync.model.errors import ConfigError, ServiceError
from pressync.model.printable import one_line
from pressync.model.web_address import split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.doctor.finding import Finding
    from pressync.app.workspace import Workspace
    from pressync.client.credentials import Secret


def service(workspace: Workspace) -> Iterator[Finding]:
    """Check the site's service with the requests of its dialect."""
    url = workspace.settings.site.url
    if url is None:
        yield _embedded(workspace)
        return
    site = workspace.settings.site
    secret = None
    try:
        found = workspace.clone.credentials.authorization()
        allow_http = workspace.clone.credentials.allow_http
        # Opening a service sends nothing; it fails if the credentials may not be sent to this address.
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
    directory = embedded_server.data_directory(workspace.embedded_home)
    running = embedded_server.find(directory)
    if running is None:
        what = "the embedded service; it does not run now, and `sync` starts it for the time of a run"
        return ok("service", f"{what}; `pressync serve` uses port {embedded_server.free_port(directory)}")
    return ok("service", f"the embedded service runs at {running.site}/, process {running.pid}")


def _configured(workspace: Workspace, secret: Secret | None) -> Finding:
    """Report which credentials would be sent; this does not test whether they are right."""
    site = workspace.settings.site
    if secret is None and site.dialect == WORDPRESS.name and not _is_embedded(site.url or ""):
        todo = "set `user`, and PRESSYNC_PASSWORD to an application password of that user"
        return wrong("credentials", "none are configured, and WordPress refuses writes without them", todo)
    if secret is None:
        return unknown(
            "credentials",
            "none are configured, and the interface does not say whether it wants any",
            "set `user` and PRESSYNC_PASSWORD, or PRESSYNC_TOKEN, if writes are refused",
        )
    origin = workspace.settings.origins.get("user", "")
    user = f"user '{site.user}' ({origin}) with a password"
    what = "a token" if workspace.environ.get("PRESSYNC_TOKEN") else user
    return ok("credentials", f"{what} will be sent to {_origin(site.url or '')}")


def _is_embedded(url: str) -> bool:
    """Whether the embedded service answers there, which needs no credentials unless it was given a token."""
    try:
        return probe.probe(url).documented
    except (ConfigError, ServiceError):
        return False


def _documented(url: str) -> Iterator[Finding]:
    try:
        probed = probe.probe(url)
    except ServiceError as error:
        yield failed("service", error)
        return
    asked = f"GET {probed.asked} without credentials"
    if probed.leads_to and _origin(probed.leads_to) not in {_origin(url), "://"}:
        leads = one_line(f"{_origin(probed.leads_to)}")
        yield wrong(
            "service", f"{asked}: {probed.status}, a redirect to {leads}", "set `url` to the final address"
        )
    else:
        yield ok("service", f"{asked}: {probed.status}, so a server answers there")
    if probed.documented:
        yield ok("dialect", f"{asked}: its index names the documented interface")
    elif probed.wordpress:
        yield wrong(
            "dialect", f"{asked}: {probed.wordpress}", 'this is stock WordPress: set dialect = "wordpress"'
        )
    else:
        yield unknown(
            "dialect",
            f"{asked}: not recognised as stock WordPress, and the documented interface shows no read",
            "a sync sends its first write alone, and the response shows the dialect",
        )
    yield unknown(
        "rights",
        "the documented interface shows no way to ask who may publish",
        "the response to the first write of a sync shows it; a refused write changes nothing",
    )


def _origin(url: str) -> str:
    parts = split(url)
    if parts is None:
        return "an address that cannot be read"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
