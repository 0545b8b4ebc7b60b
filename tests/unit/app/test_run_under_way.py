"""A run that goes on at this moment is named, because its creates look like those of a dead one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.strict_service import Fault, serving
from tests.support.syncing import Site
from tests.support.terminal import Terminal

from pressync.app import run_under_way
from pressync.state.lock import Lock

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


def test_the_lock_names_its_holder_and_is_free_afterwards(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    with Site(repository.root, "https://site.test/wp-json").workspace() as workspace:
        assert run_under_way.holder(workspace) is None
        workspace.clone_files.directory.mkdir(parents=True)
        lock = Lock(workspace.clone_files.lock, "pressync sync")
        lock.acquire(0, lambda _sentence: None)
        assert "holds the lock" in (run_under_way.holder(workspace) or "")
        lock.release()
        assert run_under_way.holder(workspace) is None


def test_plan_and_status_say_that_unconfirmed_creates_may_be_under_way(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    with serving() as service:
        service.faults.append(Fault())
        terminal = Terminal(repository, {"PRESSYNC_URL": service.url})
        terminal.run("sync", "--yes", exits=5)
        lock = Lock(repository.root / ".git/pressync/default.lock", "pressync sync")
        lock.acquire(0, lambda _sentence: None)
        for command in ("plan", "status"):
            assert "wait for its end" in terminal.run(command).stderr
        lock.release()
        for command in ("plan", "status"):
            assert "wait for its end" not in terminal.run(command).stderr
