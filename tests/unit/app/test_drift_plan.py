"""The plan from the records that the site has now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support import clones

from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.changes import Keep
from pressync.model.errors import ConfigError, SafetyRefusal
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.embedded_wordpress import EmbeddedWordPress
    from tests.support.repository import SampleRepository


def test_where_nothing_can_be_read_there_is_no_drift_to_see(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "A\n"})
    environ = {"PRESSYNC_URL": "https://site.test/wp-json"}
    with (
        Workspace.open(repository.root, environ=environ) as workspace,
        pytest.raises(ConfigError, match="no way to read"),
    ):
        workspace.plan_with_drift(Revision(), PlanOptions())


def test_a_plan_that_found_the_records_announces_that_the_sync_refuses(
    repository: SampleRepository, site: EmbeddedWordPress, tmp_path: Path
) -> None:
    repository.commit({clones.ABOUT: "# About\n"})
    clones.bound(repository, site).sync()
    repository.commit()
    repository.remove(".pressync/default.json")
    repository.commit()
    there = clones.clone(repository, site, tmp_path / "there")
    plan = clones.drift(there)
    assert [type(change) for change in plan.changes] == [Keep]
    (refusal,) = plan.refusals
    with pytest.raises(SafetyRefusal) as refused:
        there.sync()
    assert refusal.code == "lost_manifest"
    assert refusal.message == str(refused.value)
