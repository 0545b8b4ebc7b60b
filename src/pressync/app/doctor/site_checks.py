"""The findings of `pressync doctor`, and those about the site: its address, credentials and dialect.

The checks never write. Some questions only a write could answer, and the documented interface shows no reads.
They stay "unknown", because a guess that is reported as "ok" would mislead people.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING

from pressync.app import agents, embedded_server, site_schema
from pressync.app.revision import Revision
from pressync.client import probe
from pressync.client.dialects import dialect_of
from pressync.client.discovery import discover
from pressync.client.port import require_facts, require_readable
from pressync.config.secrets import agents_authorization, is_stored
from pressync.content.sources import likely_kind
from pressync.model.errors import BadAnswer, ConfigError, PressyncError, Refused, ServiceError
from pressync.model.interface import NAMESPACE
from pressync.model.printable import one_line
from pressync.model.web_address import split
from pressync.plan.reasons import EDITORS_RIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.app.workspace import Workspace
    from pressync.client.abilities import Description, Identity
    from pressync.client.credentials import Secret
    from pressync.client.port import Service


class Verdict(StrEnum):
    """The result of a check: it works, it does not work, or the check cannot tell."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """The verdict of a check, its name, the evidence (the question and the response), the next step."""

    verdict: Verdict
    name: str
    evidence: str
    todo: str = ""


# With `ok`, the next step is a hint that is not urgent.
ok, wrong, unknown = (partial(Finding, verdict) for verdict in Verdict)


def failed(name: str, error: PressyncError) -> Finding:
    """Report an error in its own words."""
    place = f"{error.where}: " if error.where else ""
    return wrong(name, f"{place}{error.what}", error.todo)


def document(findings: Sequence[Finding]) -> dict[str, object]:
    """Make the document that `doctor --format json` prints."""
    counts = Counter(finding.verdict for finding in findings)
    return {
        "version": 1,
        "counts": {verdict.value: counts[verdict] for verdict in Verdict},
        "findings": [{"name": finding.name, **asdict(finding)} for finding in findings],
    }


def service(workspace: Workspace) -> Iterator[Finding]:
    """Check the site's service with the requests of its dialect."""
    url = workspace.settings.site.url
    if url is None:
        yield _of_embedded(workspace)
        return
    secret = None
    try:
        authorization = workspace.clone.credentials.authorization()
        # Opening a service sends nothing; it fails if the credentials may not be sent to this address.
        with workspace.clone.opened(authorization):
            pass
    except ConfigError as error:
        yield failed("credentials", error)
    else:
        secret = authorization
        yield _configured(workspace, secret)
    if workspace.capabilities.read:
        yield from of_wordpress(workspace, url, secret)
    else:
        yield from _documented(url)


def _of_embedded(workspace: Workspace) -> Finding:
    """Report whether the embedded service runs, and shows the pages of this version."""
    directory = workspace.clone.embedded_data
    try:
        running = embedded_server.find(directory)
    except embedded_server.SilentServerError as error:
        return failed("service", error)
    if running is None:
        place = "the embedded service; it does not run now, and `sync` starts it for the time of a run"
        port = workspace.clone.embedded.free_port(directory)
        return ok("service", f"{place}; `pressync serve` uses port {port}")
    place = f"the embedded service runs at {running.site}/, process {running.pid}"
    if fault := workspace.clone.embedded.fault(running):
        return wrong("service", f"{place}, but {fault}", "`pressync serve --stop`, and start it again")
    return ok("service", f"{place}, and shows the pages of this version")


def _configured(workspace: Workspace, secret: Secret | None) -> Finding:
    """Report which credentials would be sent; this does not test whether they are right."""
    site = workspace.settings.site
    takes_token = dialect_of(site.dialect).takes_token
    if secret is None:
        needs_some = workspace.capabilities.passwords or takes_token
        # The embedded service needs no credentials, unless it was given a token.
        with suppress(ConfigError, ServiceError):
            needs_some = needs_some and not probe.probe(site.url or "").documented
        if needs_some:
            problem = "none are configured, and WordPress refuses writes without them"
            todo = "set `user`, and PRESSYNC_PASSWORD to an application password of that user"
            todo += ", or PRESSYNC_TOKEN to a token" * takes_token
            return wrong("credentials", problem, todo)
        return unknown(
            "credentials",
            "none are configured, and the interface does not say whether it wants any",
            "set `user` and PRESSYNC_PASSWORD, or PRESSYNC_TOKEN, if writes are refused",
        )
    origin = workspace.settings.origins.get("user", "")
    user = f"user '{site.user}' ({origin}) with a password"
    sent = "a token" if workspace.environ.get("PRESSYNC_TOKEN") or not site.user else user
    return ok("credentials", f"{sent} will be sent to {_origin(site.url or '')}")


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
    elif probed.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        yield wrong("service", f"{asked}: {probed.status}, so the server fails", "look at its log")
    else:
        yield ok("service", f"{asked}: {probed.status}, so a server answers there")
    if probed.documented:
        yield ok("dialect", f"{asked}: its index names the documented interface")
    elif probed.shown:
        yield wrong(
            "dialect", f"{asked}: {probed.wordpress}", f"this is stock WordPress: set {probed.shown.setting}"
        )
    else:
        yield unknown(
            "dialect",
            f"{asked}: not recognised as stock WordPress, and the documented interface shows no read",
            "a sync sends its first write alone, and the response shows the dialect",
        )
    yield unknown(
        "rights",
        "the documented interface does not show how to ask who may publish",
        "the response to the first write of a sync shows it; a refused write changes nothing",
    )


def _origin(url: str) -> str:
    parts = split(url)
    if parts is None:
        return "an address that cannot be read"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


# The oldest version on which the dialect is tested.
_OLDEST = (6, 1)
_ME = f"GET {NAMESPACE}/users/me?context=edit"


def of_wordpress(workspace: Workspace, url: str, secret: Secret | None) -> Iterator[Finding]:
    """Ask the site; without credentials it answers as to a visitor."""
    settings = workspace.settings.site
    with workspace.clone.opened(secret) as service:
        try:
            site = require_facts(service).describe()
        except ServiceError as error:
            yield _unreached(url, error)
            return
        yield from _found(site, url, has_index=workspace.capabilities.lists_routes)
        yield _version(site)
        if secret is not None:
            yield from _user(workspace, site, url, is_stored=is_stored(settings, workspace.environ))
        rights = [*_rights(workspace, site.user, service)] if site.user else []
    if site.user is not None:
        yield from _schema(workspace)
        yield from rights
        if site.filtered is None:
            yield unknown("HTML", "no record shows whether the site changes the HTML of this user")
        elif site.filtered:
            problem = "the site removes scripts, forms and styles from the HTML of this user"
            todo = "if pages need scripts, forms or styles, use a user with the right unfiltered_html"
            yield unknown("HTML", problem, todo)
        else:
            yield ok("HTML", "the site stores the HTML of this user as it is sent")
        if site.trash:
            yield ok("trash", "there are records in it, so deletions can be undone")
        else:
            none = "this user sees no record in it, and only a deletion would show whether it is switched on"
            yield unknown("trash", none)
    if workspace.capabilities.batch == 1:
        yield ok("batch", "not used: each call is sent alone")
    elif site.batch:
        yield ok("batch", f"OPTIONS /batch/v1: {site.batch} calls in a request")
    else:
        none = "OPTIONS /batch/v1: the site does not have this route, so each call is sent alone"
        todo = "check whether a plugin switches it off: a large sync is several times slower without it"
        yield unknown("batch", none, todo)
    zone = site.root.timezone or "unknown"
    yield ok("time zone", f"{zone}: a date without an offset is in the site's time")


def _found(site: Description, url: str, *, has_index: bool) -> Iterator[Finding]:
    """Report the site at this address, and what shows its dialect."""
    name, home = one_line(site.root.name), one_line(site.root.home) or "an unknown address"
    if has_index:
        yield ok("service", f"GET {url}/: “{name}”, a site at {home}")
        yield ok("dialect", f"the root lists the routes of stock WordPress ({NAMESPACE[1:]})")
    else:
        named = f"“{name}”, a site at {home}" if name else "a site that shows only administrators its name"
        yield ok("service", f"GET {url}/types: {named}")
        yield unknown(
            "dialect",
            "the interface lists nothing at its root, so only its responses show that it is as WordPress",
            "a sync sends its first write alone, and the response shows the dialect",
        )


def _unreached(url: str, error: ServiceError) -> Finding:
    """Report that the interface is not at this address, and where the site says that it is."""
    asked = f"GET {url}/: {error.what}"
    if isinstance(error, Refused | BadAnswer):
        with suppress(ServiceError, ConfigError):
            other, _ = probe.opened(url)
            if other != url:
                problem = f"{asked}; something before WordPress blocks this path, and ?rest_route= is open"
                return wrong("service", problem, f"set `url` to {other}")
            interface = discover(url, tell=lambda _sentence: None)
            if interface != url:
                todo = f"set `url` to {interface}: the site names this address itself"
                return wrong("service", asked, todo)
    return wrong("service", asked, error.todo)


def _version(site: Description) -> Finding:
    if site.version is None:
        return unknown("version", "neither the front page nor the feed shows it", "6.1 or later is needed")
    shown = f"WordPress {site.version}, as the front page or the feed shows"
    if tuple(int(part) for part in re.findall(r"\d+", site.version)[:2]) < _OLDEST:
        return wrong("version", shown, "update it to 6.1 or later")
    return ok("version", shown)


# Lines that make a server pass the header with the password on, by a part of its name. Apache takes it away
# from PHP that runs as CGI or FastCGI.
_PASSING_ON = {
    "apache": 'in .htaccess: `SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1`',
    "litespeed": "in .htaccess: `RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]`",
    "nginx": "beside `fastcgi_pass`: `fastcgi_param HTTP_AUTHORIZATION $http_authorization;`",
    "cloudflare": "in Cloudflare: a rule for /wp-json/ that skips the firewall and the cache",
}


def _user(workspace: Workspace, site: Description, url: str, *, is_stored: bool) -> Iterator[Finding]:
    if site.user is not None:
        roles = ", ".join(site.user.roles) or "no role"
        yield ok("user", f"{_ME}: {site.user.name}, user {site.user.id}, {roles}")
        return
    no_user = dialect_of(workspace.settings.site.dialect).no_user
    if site.refusal is not None and site.refusal.todo != no_user:
        yield wrong("user", f"{_ME}: {site.refusal.what}", site.refusal.todo)
        return
    if is_stored:
        problem = f"{_ME}: the site does not accept the password that is stored in the keyring"
        yield wrong("user", problem, "`pressync login` gets a new one; somebody may have revoked this one")
    else:
        server = ""
        with suppress(ServiceError, ConfigError):
            server = probe.probe(url).server.lower()
        lines = next((f"; {lines}" for name, lines in _PASSING_ON.items() if name in server), "")
        yield wrong("user", f"{_ME}: the site answers as to a visitor", f"{no_user}{lines}")
    if workspace.capabilities.passwords and not site.root.passwords:
        yield wrong(
            "application passwords",
            "the root offers none, so the site accepts no application password",
            "use https, and check whether a plugin switches them off",
        )


def agent(workspace: Workspace) -> Iterator[Finding]:
    """Report whether a tool of an agent may send drafts here; without an account of an agent, nothing."""
    site = workspace.settings.site
    if site.url is None or agents_authorization(site, workspace.environ) is None:
        return
    place = agents.place_of(workspace)
    if place.may_write:
        yield ok("agent", f"ok, for an agent: {place.why}")
    else:
        yield wrong("agent", f"no tool sends drafts: {place.why}", "see the page Agents of the guide")
    for door in place.doors:
        yield unknown("agent", door, "put the agent where this is not")


def _rights(workspace: Workspace, user: Identity, service: Service) -> Iterator[Finding]:
    """Report the missing rights of each kind; for a kind without documents they are not wrong."""
    types = workspace.settings.types
    # An account that lacks nothing for one kind is a person's.
    is_weak = all(map(user.missing_rights, types.kinds))
    with suppress(ServiceError):
        if is_weak and not require_readable(service).account().beyond:
            yield ok("rights", "ok, for an agent: this account can only write drafts of its own")
            return
    kinds = {likely_kind(path, types) for path in workspace.content(Revision()).sources}
    for kind in types.kinds:
        lacking = user.missing_rights(kind)
        todo = f"a sync blocks the {kind}s that need them; log in as a user who has them: {EDITORS_RIGHTS}"
        if not lacking:
            yield ok(f"rights: {kind}s", "may publish, change and delete them, other people's too")
        elif kind in kinds and all("_others_" in right for right in lacking):
            # Only the records show whether they are this user's, and a sync reads those that it changes.
            evidence = f"may publish, change and delete the user's own {kind}s; missing: {', '.join(lacking)}"
            yield unknown(f"rights: {kind}s", evidence, todo)
        elif kind in kinds:
            none = f"edit_{kind.row.rights}" in lacking
            drafts = "" if none else f"may write {kind}s that are not published; "
            yield wrong(f"rights: {kind}s", f"{drafts}missing: {', '.join(lacking)}", todo)
        else:
            evidence = (
                f"missing: {', '.join(lacking)}; there are no {kind}s in the content that would need them"
            )
            yield unknown(f"rights: {kind}s", evidence)


def _schema(workspace: Workspace) -> Iterator[Finding]:
    """Compare the committed schema with the site; without that file nothing is asked."""
    if workspace.settings.site_schema is None:
        return
    try:
        look = site_schema.look(workspace, lambda _sentence: None)
    except (ConfigError, ServiceError) as error:
        yield unknown("schema", str(error), "`pressync schema site --check` asks again")
        return
    said = " ".join(site_schema.sentences(look))
    if any(workspace.repository.uncommitted([look.path])):
        said += " It is not committed, so other clones do not have it as it is here."
    todo = "`pressync schema site` reads it again, and `pressync check` names the files that are concerned"
    if any(difference.contradicts for difference in look.differences or ()):
        yield wrong("schema", said, todo)
    else:
        yield ok("schema", said, todo if look.differs else "")
