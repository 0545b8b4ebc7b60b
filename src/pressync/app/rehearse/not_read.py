"""Names what a rehearsal does not read of the site, although the sync depends on it.

The interface of WordPress does not list the PHP templates of a theme. Records that are up to
date are not read, because a sync reads none of them either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.rehearse.stage import SiteDifference
from pressync.model.changes import Create, Keep, Update
from pressync.model.fingerprint import fingerprint
from pressync.plan.reasons import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pressync.app.rehearse.live_site import LiveSite
    from pressync.model.changes import Change
    from pressync.model.outcomes import RunResult

_TEMPLATE = "template"


def up_to_date(result: RunResult, live: LiveSite) -> Iterator[SiteDifference]:
    """Say that records which are up to date were not read, if the site can be read."""
    if live.was_read and result.counts["kept"]:
        why = "not read: `pressync plan --drift` compares them"
        yield SiteDifference("records that are up to date", "as last synced", why)


def templates(changes: Iterable[Change], live: LiveSite) -> Iterator[SiteDifference]:
    """Say which documents name a template that is not known on the site; the stage takes every one."""
    changes = list(changes)
    known = {
        (change.kind, change.entry.fingerprints.get(_TEMPLATE))
        for change in changes
        if isinstance(change, Update | Keep)
    }
    known |= {(each.kind, fingerprint(each.fields.get(_TEMPLATE, ""))) for each in live.records}
    empty = fingerprint("")
    unknown = [
        change.path
        for change in changes
        if isinstance(change, Create | Update)
        and _TEMPLATE in change.fields
        and (named := change.desired.fingerprints.get(_TEMPLATE, empty)) != empty
        and (change.kind, named) not in known
    ]
    if unknown:
        why = f"not read: a sync fails unless the theme has what is named in {listed(unknown)}"
        yield SiteDifference("the templates of its theme", "every name is taken", why)
