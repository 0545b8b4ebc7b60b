"""Machines that share a manifest sync records of a site's own types at once, and each record is made once."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.live.live import Eyes, Live
from tests.live.proxy import Cut
from tests.live.test_lost_answers import SETTLING, settle_after
from tests.live.test_types import TREE, shown
from tests.support.shared_manifest import HASTY, Clones, started

from pressync.client.wordpress.site_schema import read
from pressync.model.site_schema import encode
from pressync.state.manifest_ref import ManifestRef

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.live.proxy import Line, Passed
    from tests.live.sites import Site


@pytest.fixture
def clones(
    types_without: Callable[[str], None],
    line: Line,
    wordpress: Site,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Clones:
    """Clones whose manifest is in a reference of their origin."""
    types_without("")
    monkeypatch.setenv("PRESSYNC_PASSWORD", wordpress.passwords["admin"])
    schema = encode(read(wordpress.service().transport.send))
    files = {**TREE, ".pressync/live.schema.json": schema}
    settings = 'dialect = "wordpress"\nuser = "admin"\n'
    return Clones.create(tmp_path, f"{line.url}/wp-json", files, settings=settings)


def test_of_two_machines_that_sync_at_once_each_record_is_made_once(clones: Clones, wordpress: Site) -> None:
    machines = [clones.clone() for _ in range(2)]
    jobs = [started(machine.root, "sync", "--yes") for machine in machines]
    ends = [(job.communicate()[0], job.returncode) for job in jobs]
    assert [code for _, code in ends] == [0, 0], ends
    assert len(shown(Eyes(wordpress))) == 7
    assert clones.is_linear


@pytest.mark.parametrize("number", [2, 4, 6])
def test_the_records_of_a_machine_that_is_gone_are_known_to_the_next(
    clones: Clones, wordpress: Site, line: Line, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    settle_after(SETTLING, monkeypatch)
    # Every claim is that of a dead run.
    assert ManifestRef.__init__.__kwdefaults__ is not None
    monkeypatch.setitem(ManifestRef.__init__.__kwdefaults__, "times", replace(HASTY, dead=0, poll=0))
    gone = clones.clone()
    job = started(gone.root, "sync", "--yes", "--concurrency", "1")

    def cut(passed: Passed) -> Cut | None:
        if passed.number < number:
            return None
        job.send_signal(signal.SIGKILL)
        return Cut.ANSWERED if passed.number == number else Cut.BEFORE

    line.cut = cut
    job.communicate()
    line.cut = lambda _passed: None
    line.wait_until_idle()
    made = set(shown(Eyes(wordpress)))
    heir = Live(clones.clone().root, clones.url, password=wordpress.passwords["admin"])
    while heir.unconfirmed() or heir.plan().pending:
        heir.sync()
    rows = shown(Eyes(wordpress))
    assert made <= set(rows)
    assert set(heir.ids().values()) == set(rows)
    assert len(rows) == 7
    # Alone on a machine, the heir takes less than the time after which a create is looked up.
    time.sleep(SETTLING)
    returned = Live(gone.root, clones.url, password=wordpress.passwords["admin"])
    assert returned.sync().outcomes == ()
