"""Clones of one repository before one strict WordPress, and what became of their syncs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.support.embedded_wordpress import ENVIRON
from tests.support.syncing import Bound

from pressync.app.bind import adopt_from_site
from pressync.app.revision import Revision
from pressync.model.changes import Blocked, Keep
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository

    from pressync.app.bind import Adoption
    from pressync.model.changes import Plan, Result

ABOUT = "content/pages/about.md"
TEAM = "content/pages/about/team.md"
NEWS = "content/pages/news.md"


def bound(repository: SampleRepository, wordpress: EmbeddedWordPress) -> Bound:
    """Bind a repository to the site."""
    return Bound(repository.root, wordpress.url, environ=ENVIRON)


def clone(repository: SampleRepository, wordpress: EmbeddedWordPress, folder: Path) -> Bound:
    """Clone what is committed, and bind the clone to the same site."""
    repository.git("clone", "--quiet", str(repository.root), str(folder))
    return Bound(folder, wordpress.url, environ=ENVIRON)


def results(site: Bound, *, keep_going: bool = False) -> dict[str, Result]:
    """Sync, and give how each path ended."""
    return {one.change.path: one.result for one in site.sync(keep_going=keep_going).outcomes}


def changes(plan: Plan) -> dict[str, type]:
    """Give the kind of change of each path that is not in step."""
    return {one.path: type(one) for one in plan.changes if not isinstance(one, Keep)}


def blocks(plan: Plan) -> dict[str, str]:
    """Give the reason of each change that is blocked."""
    return {one.path: one.reason for one in plan.changes if isinstance(one, Blocked)}


def drift(site: Bound) -> Plan:
    """Draw the plan beside what the site holds now."""
    with site.workspace() as workspace:
        return workspace.plan(Revision(), PlanOptions(), drift=True).plan


def from_site(site: Bound) -> Adoption:
    """Bind all documents to what is at their addresses."""
    with site.workspace() as workspace:
        return adopt_from_site(workspace, Revision())


def titles(wordpress: EmbeddedWordPress) -> Counter[str]:
    """Count the records of each title that are not in the trash."""
    return Counter(r["title"]["raw"] for r in wordpress.shown.values() if r["status"] != "trash")
