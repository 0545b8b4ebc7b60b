"""A person is told of the dialect, of drafts and of both sides of a conflict, on real WordPress."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import requests
from tests.live.live import Eyes, live
from tests.support.syncing import Bound

from pressync.app import comparisons
from pressync.app.revision import Revision
from pressync.cli.report import text
from pressync.model.errors import ConfigError
from pressync.plan.build import PlanOptions

if TYPE_CHECKING:
    from tests.live.proxy import Line
    from tests.live.sites import Site
    from tests.support.repository import SampleRepository

A = "content/pages/a.md"


@pytest.mark.parametrize("base", ["/wp-json", "", "/?rest_route=/", "/index.php/wp-json"])
def test_a_forgotten_dialect_publishes_nothing(
    wordpress: Site, line: Line, repository: SampleRepository, base: str
) -> None:
    repository.commit({A: "# A\n"})
    with pytest.raises(ConfigError, match="stock WordPress"):
        Bound(repository.root, f"{line.url}{base}").sync()
    assert Eyes(wordpress).rows() == {}


def test_a_draft_is_no_page_for_visitors_and_has_a_preview(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({A: "---\nstatus: draft\n---\n# A\n", "content/pages/b.md": "# B\n"})
    run = live(repository, line, wordpress).sync()
    (number,) = (row["id"] for row in Eyes(wordpress).rows().values() if row["status"] == "draft")
    (preview,) = (part for part in text.run(run).split() if part.endswith("&preview=true"))
    assert preview.endswith(f"?page_id={number}&preview=true")
    assert requests.get(preview, timeout=30).status_code == 404, "for somebody who is not logged in"


def test_an_edit_on_the_site_is_shown_as_markdown_beside_what_was_last_sent(
    wordpress: Site, line: Line, repository: SampleRepository
) -> None:
    repository.commit({A: "# A\n\nOne *word*.\n\n- first\n- second\n"})
    site, eyes = live(repository, line, wordpress), Eyes(wordpress)
    site.sync()
    (number,) = eyes.rows()
    eyes.edit(number, content=eyes.row(number)["content"]["raw"].replace("second", "<em>third</em>"))
    with site.workspace() as workspace:
        found = comparisons.diffs(
            workspace, Revision(), workspace.plan(Revision(), PlanOptions(), drift=True)
        )
    assert found[A].splitlines()[-2:] == ["-- second", "+- *third*"]
