"""The Action on real WordPress: planned without a secret, synced by a push, and an edit there is drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.live.live import Eyes, live, visit
from tests.support.github_lookalike import serving
from tests.support.repository import SampleRepository
from tests.system.action.machine import check_out, machine
from tests.system.action.runner import REPOSITORY, TOKEN, Runner, proposal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live.proxy import Line
    from tests.live.sites import Site


def test_what_is_merged_is_on_the_site_and_what_is_edited_there_fails_the_drift_job(
    wordpress: Site, line: Line, tmp_path: Path, program: Path
) -> None:
    origin = SampleRepository.create(tmp_path / "origin")
    origin.git("config", "receive.denyCurrentBranch", "updateInstead")
    origin.commit({"content/pages/index.md": "# Home\n", "content/pages/team.md": "# Team\n\nWe are.\n"})
    clone = check_out(origin, tmp_path / "work")
    environ = live(clone, line, wordpress).environ
    secret = environ.pop("PRESSYNC_PASSWORD")
    with serving(REPOSITORY, TOKEN) as github:
        runner = Runner(clone.root, machine(tmp_path / "temporary", program), environ=environ, api=github.url)
        # No secret: a plan asks the site nothing.
        planned = runner.run("pull_request", proposal())
        assert (planned.code, planned.counts["create"]) == (0, 2)
        assert "2 to create" in github.comments[0]["body"]
        assert runner.run("pull_request", proposal(head="mallory/site")).code == 0
        assert runner.run("push").code != 0, "a sync needs the password"
        runner.environ["PRESSYNC_PASSWORD"] = secret
        pushed = runner.run("push")
        assert (pushed.code, pushed.counts["done"]) == (0, 2)
        fresh = check_out(origin, tmp_path / "fresh")
        runner.workspace = fresh.root
        assert runner.run("schedule", mode="drift").code == 0
        eyes = Eyes(wordpress)
        rows = {row["slug"]: row for row in eyes.rows().values()}
        assert "We are." in visit(rows["team"]["link"])
        eyes.edit(rows["team"]["id"], content="<p>They are.</p>")
        drifted = runner.run("schedule", mode="drift")
        assert (drifted.code, drifted.outputs["exit-code"]) == (1, "1")
        (annotation,) = drifted.annotations
        assert annotation.file == "content/pages/team.md"
        assert "1 blocked" in drifted.summary
        assert secret not in drifted.log + pushed.log + planned.log
