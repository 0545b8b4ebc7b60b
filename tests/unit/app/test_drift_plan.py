"""The plan from the records that the site has now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.drift_plan import plan_with_drift
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.errors import ConfigError
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


def test_where_nothing_can_be_read_there_is_no_drift_to_see(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "A\n"})
    environ = {"PRESSYNC_URL": "https://site.test/wp-json"}
    with (
        Workspace.open(repository.root, environ=environ) as workspace,
        pytest.raises(ConfigError, match="no way to read"),
    ):
        plan_with_drift(workspace, Revision(), PlanOptions())
