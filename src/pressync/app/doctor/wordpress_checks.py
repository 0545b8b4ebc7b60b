"""What a WordPress site says of itself and of this user, as findings.

It must not ask more than `WordPressService.describe` does: what only a write could tell stays unknown.
"""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, cast

from pressync.app.doctor.finding import failed, ok, unknown, wrong
from pressync.app.revision import Revision
from pressync.client.connect import open_service
from pressync.client.wordpress import missing_rights
from pressync.client.wordpress.refusals import NO_USER
from pressync.model.errors import ServiceError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.doctor.finding import Finding
    from pressync.app.workspace import Workspace
    from pressync.client.credentials import Secret
    from pressync.client.wordpress import Description, Identity, WordPressService

# The oldest version that the dialect was proven on.
_OLDEST = (6, 1)
_WHO = "GET /wp/v2/users/me?context=edit"


def service(workspace: Workspace, url: str, secret: Secret | None) -> Iterator[Finding]:
    """Ask the site; with no credentials only what a visitor is told."""
    site = workspace.settings.site
    opened = open_service(url, dialect=site.dialect, authorization=secret, allow_http=site.allow_http)
    with closing(cast("WordPressService", opened)) as asked:
        try:
            said = asked.describe()
        except ServiceError as error:
            yield failed("service", error)
            return
        yield ok("service", f"GET {url}/: “{said.name}”, a site at {said.home or 'an address that it hides'}")
        yield ok("dialect", "the root lists the routes of stock WordPress (wp/v2)")
        yield _version(said)
        if secret is not None:
            yield from _user(said)
    if said.user is not None:
        yield from _rights(workspace, said.user)
        yield _filter(said)
        yield _trash(said)
    yield _batch(said)
    yield ok("time zone", f"{said.timezone or 'not told'}: a date without an offset is in the site's time")


def _version(said: Description) -> Finding:
    if said.version is None:
        return unknown("version", "neither the front page nor the feed tells it", "6.1 or later is needed")
    shown = f"WordPress {said.version}, as the front page or the feed says"
    if tuple(int(part) for part in re.findall(r"\d+", said.version)[:2]) < _OLDEST:
        return wrong("version", shown, "update it to 6.1 or later")
    return ok("version", shown)


def _user(said: Description) -> Iterator[Finding]:
    if said.user is not None:
        roles = ", ".join(said.user.roles) or "no role"
        yield ok("user", f"{_WHO}: {said.user.name}, user {said.user.id}, {roles}")
        return
    yield wrong("user", f"{_WHO}: the site takes us for a visitor", NO_USER)
    if not said.passwords:
        yield wrong(
            "application passwords",
            "the root offers none, so no application password is looked at",
            "use https, and look for a plugin that switches them off",
        )


def _rights(workspace: Workspace, user: Identity) -> Iterator[Finding]:
    """Tell per kind which rights are missing; of a kind without documents that is nothing wrong."""
    settings = workspace.settings
    posts = f"{settings.content}/posts/".lstrip("/")
    kinds = {
        Kind.POST if path.startswith(posts) else Kind.PAGE for path in workspace.content(Revision()).sources
    }
    for kind in Kind:
        lacking = missing_rights(kind, user)
        if not lacking:
            yield ok(f"rights: {kind}s", "may publish, change and delete them, other people's too")
        elif kind in kinds:
            todo = "use the application password of an editor or an administrator"
            yield wrong(f"rights: {kind}s", f"missing: {', '.join(lacking)}", todo)
        else:
            evidence = (
                f"missing: {', '.join(lacking)}; there are no {kind}s in the content that would need them"
            )
            yield unknown(f"rights: {kind}s", evidence)


def _filter(said: Description) -> Finding:
    if said.filtered is None:
        return unknown("HTML", "no record shows whether the site strips what this user writes")
    if said.filtered:
        todo = "if pages need scripts, forms or styles, use a user with the right unfiltered_html"
        return unknown("HTML", "scripts, forms and styles are stripped from what this user writes", todo)
    return ok("HTML", "what this user writes is stored as it is sent")


def _trash(said: Description) -> Finding:
    if said.trash:
        return ok("trash", "there are records in it, so deletions can be undone")
    return unknown(
        "trash", "no record is in it that we may see, and only a deletion would tell whether it is on"
    )


def _batch(said: Description) -> Finding:
    if said.batch:
        return ok("batch", f"OPTIONS /batch/v1: {said.batch} calls in a request")
    todo = "look for a plugin that switches it off: a large sync is several times slower without it"
    return unknown("batch", "OPTIONS /batch/v1: there is no such route, so each call goes alone", todo)
