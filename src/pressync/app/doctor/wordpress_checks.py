"""Turns what a WordPress site says about itself and about this user into findings.

The checks ask no more than `WordPressService.describe` does. Some questions only a write could answer; they
stay unknown.
"""

from __future__ import annotations

import re
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from pressync.app.doctor.finding import ok, unknown, wrong
from pressync.app.revision import Revision
from pressync.client.connect import open_wordpress
from pressync.client.wordpress import discover, missing_rights
from pressync.client.wordpress.refusals import NO_USER
from pressync.config.secrets import is_stored
from pressync.model.errors import BadAnswer, ConfigError, Refused, ServiceError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.doctor.finding import Finding
    from pressync.app.workspace import Workspace
    from pressync.client.credentials import Secret
    from pressync.client.wordpress import Description, Identity

# The oldest version on which the dialect is tested.
_OLDEST = (6, 1)
_ME = "GET /wp/v2/users/me?context=edit"


def service(workspace: Workspace, url: str, secret: Secret | None) -> Iterator[Finding]:
    """Ask the site; without credentials it answers as to a visitor."""
    settings = workspace.settings.site
    with closing(open_wordpress(url, authorization=secret, allow_http=settings.allow_http)) as wordpress:
        try:
            site = wordpress.describe()
        except ServiceError as error:
            yield _unreached(url, error)
            return
        yield ok("service", f"GET {url}/: “{site.name}”, a site at {site.home or 'an unknown address'}")
        yield ok("dialect", "the root lists the routes of stock WordPress (wp/v2)")
        yield _version(site)
        if secret is not None:
            yield from _user(site, is_stored=is_stored(settings, workspace.environ))
    if site.user is not None:
        yield from _rights(workspace, site.user)
        yield _filter(site)
        yield _trash(site)
    yield _batch(site)
    yield ok("time zone", f"{site.timezone or 'unknown'}: a date without an offset is in the site's time")


def _unreached(url: str, error: ServiceError) -> Finding:
    """Report that the interface is not at this address, and where the site says that it is."""
    asked = f"GET {url}/: {error.what}"
    if isinstance(error, Refused | BadAnswer):
        with suppress(ServiceError, ConfigError):
            found = discover(url, tell=lambda _sentence: None)
            if found != url:
                return wrong("service", asked, f"set `url` to {found}: the site names this address itself")
    return wrong("service", asked, error.todo)


def _version(site: Description) -> Finding:
    if site.version is None:
        return unknown("version", "neither the front page nor the feed shows it", "6.1 or later is needed")
    shown = f"WordPress {site.version}, as the front page or the feed shows"
    if tuple(int(part) for part in re.findall(r"\d+", site.version)[:2]) < _OLDEST:
        return wrong("version", shown, "update it to 6.1 or later")
    return ok("version", shown)


def _user(site: Description, *, is_stored: bool) -> Iterator[Finding]:
    if site.user is not None:
        roles = ", ".join(site.user.roles) or "no role"
        yield ok("user", f"{_ME}: {site.user.name}, user {site.user.id}, {roles}")
        return
    if is_stored:
        what = f"{_ME}: the site does not accept the password that is stored in the keyring"
        yield wrong("user", what, "`pressync login` gets a new one; somebody may have revoked this one")
    else:
        yield wrong("user", f"{_ME}: the site answers as to a visitor", NO_USER)
    if not site.passwords:
        yield wrong(
            "application passwords",
            "the root offers none, so the site accepts no application password",
            "use https, and check whether a plugin switches them off",
        )


def _rights(workspace: Workspace, user: Identity) -> Iterator[Finding]:
    """Report the missing rights of each kind; for a kind without documents they are not wrong."""
    settings = workspace.settings
    posts = f"{settings.content}/posts/".lstrip("/")
    kinds = {
        Kind.POST if path.startswith(posts) else Kind.PAGE for path in workspace.content(Revision()).sources
    }
    for kind in Kind:
        lacking = missing_rights(kind, user)
        todo = (
            f"a sync blocks the {kind}s that need them; use the application password of an editor or an "
            f"administrator"
        )
        if not lacking:
            yield ok(f"rights: {kind}s", "may publish, change and delete them, other people's too")
        elif kind in kinds and all("_others_" in right for right in lacking):
            # Only the records show whether they are this user's, and a sync reads those that it changes.
            evidence = f"may publish, change and delete the user's own {kind}s; missing: {', '.join(lacking)}"
            yield unknown(f"rights: {kind}s", evidence, todo)
        elif kind in kinds:
            drafts = "" if f"edit_{kind}s" in lacking else f"may write {kind}s that are not published; "
            yield wrong(f"rights: {kind}s", f"{drafts}missing: {', '.join(lacking)}", todo)
        else:
            evidence = (
                f"missing: {', '.join(lacking)}; there are no {kind}s in the content that would need them"
            )
            yield unknown(f"rights: {kind}s", evidence)


def _filter(site: Description) -> Finding:
    if site.filtered is None:
        return unknown("HTML", "no record shows whether the site changes the HTML of this user")
    if site.filtered:
        todo = "if pages need scripts, forms or styles, use a user with the right unfiltered_html"
        return unknown("HTML", "the site removes scripts, forms and styles from the HTML of this user", todo)
    return ok("HTML", "the site stores the HTML of this user as it is sent")


def _trash(site: Description) -> Finding:
    if site.trash:
        return ok("trash", "there are records in it, so deletions can be undone")
    return unknown(
        "trash", "this user sees no record in it, and only a deletion would show whether it is switched on"
    )


def _batch(site: Description) -> Finding:
    if site.batch:
        return ok("batch", f"OPTIONS /batch/v1: {site.batch} calls in a request")
    todo = "check whether a plugin switches it off: a large sync is several times slower without it"
    return unknown("batch", "OPTIONS /batch/v1: there is no such route, so each call is sent alone", todo)
