"""The state of each record, without a word to the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.syncing import Site

from pressync.app.revision import Revision
from pressync.app.standings import standings
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

A, B, C = (f"content/pages/{name}.md" for name in "abc")


def test_each_record_and_each_document_has_its_state_and_nobody_is_asked(
    repository: SampleRepository, strict: StrictService
) -> None:
    repository.commit({A: "# A\n", B: "# B\n"})
    site = Site(repository.root, strict.url)
    site.sync()
    repository.commit({B: "# Bee\n", C: "# C\n"})
    asked = strict.connections
    with site.workspace() as workspace:
        planned = workspace.plan(Revision(), PlanOptions())
        found = standings(planned, workspace.content(Revision()), titles=True)
        below = standings(planned, workspace.content(Revision()), [B])
    assert [(each.path, each.state, each.title) for each in found] == [
        (A, "in_step", "A"),
        (B, "changed", "Bee"),
        (C, "new", "C"),
    ]
    assert [each.path for each in below] == [B]
    assert strict.connections == asked
