"""The findings about the state: the manifest in Git, unconfirmed creates, the holder of the lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import Fault, serving
from tests.support.syncing import Site
from tests.unit.app.doctor.findings import findings

from pressync.app.doctor.examine import Verdict
from pressync.app.workspace import Workspace
from pressync.state.lock import Lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

    from pressync.app.doctor.examine import Finding

MANIFEST = ".pressync/default.json"


@pytest.fixture
def service() -> Iterator[StrictService]:
    """Serve with the strict service."""
    with serving() as strict:
        yield strict


@pytest.fixture
def site(repository: SampleRepository, service: StrictService) -> Site:
    """One page, bound to the service."""
    repository.commit({"content/pages/index.md": "# Home\n"})
    return Site(repository.root, service.url)


def seen(repository: SampleRepository, site: Site, name: str) -> Finding:
    """Examine and give one finding."""
    return findings(repository, {"PRESSYNC_URL": site.url})[name]


def test_a_manifest_is_followed_from_not_there_to_committed(repository: SampleRepository, site: Site) -> None:
    assert "does not exist yet; 0 records" in seen(repository, site, "manifest").evidence
    site.sync()
    made = seen(repository, site, "manifest")
    assert "1 record on" in made.evidence
    assert f"git add {MANIFEST}" in made.todo
    repository.commit()
    assert seen(repository, site, "manifest").evidence.endswith("; committed")


def test_a_manifest_that_git_ignores_is_wrong_but_for_the_embedded_service(
    repository: SampleRepository, site: Site
) -> None:
    repository.commit({".gitignore": "/.pressync/\n"})
    site.sync()
    assert seen(repository, site, "manifest").verdict is Verdict.WRONG
    repository.write(".pressync/embedded.json", '{"version": 1,\n "target": "embedded",\n "records": []}\n')
    assert findings(repository)["manifest"].verdict is Verdict.OK


def test_nobody_is_asked_to_commit_the_manifest_of_the_embedded_service(repository: SampleRepository) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    repository.write(".pressync/embedded.json", '{"version": 1,\n "target": "embedded",\n "records": []}\n')
    found = findings(repository)["manifest"]
    assert (found.verdict, found.todo) == (Verdict.OK, "")
    assert found.evidence.endswith("not for Git, because the embedded service belongs to this clone")


def test_a_manifest_of_another_address_is_wrong(repository: SampleRepository, site: Site) -> None:
    site.sync()
    other = findings(repository, {"PRESSYNC_URL": "http://127.0.0.1:9/wp-json"})
    assert other["manifest"].verdict is Verdict.WRONG


def test_records_that_the_manifest_has_lost_are_counted(repository: SampleRepository, site: Site) -> None:
    site.sync()
    (repository.root / MANIFEST).unlink()
    lost = seen(repository, site, "manifest")
    assert lost.verdict is Verdict.UNKNOWN
    assert "1 that this clone created are missing" in lost.evidence


def test_an_unconfirmed_create_is_named_with_the_command_that_settles_it(
    repository: SampleRepository, service: StrictService, site: Site
) -> None:
    service.faults.append(Fault(end="reset"))
    site.sync()
    doubtful = seen(repository, site, "journal")
    assert doubtful.verdict is Verdict.WRONG
    assert "pressync resolve content/pages/index.md" in doubtful.todo


def test_who_holds_the_lock_is_told_until_it_is_free(repository: SampleRepository, site: Site) -> None:
    with Workspace.open(repository.root, environ={"PRESSYNC_URL": site.url}) as workspace:
        lock = Lock(workspace.clone_files.lock, "pressync sync")
        lock.acquire(0, lambda _sentence: None)
        held = seen(repository, site, "lock")
        assert held.verdict is Verdict.UNKNOWN
        assert "`pressync sync`" in held.evidence
        lock.release()
    assert seen(repository, site, "lock").verdict is Verdict.OK


def test_what_a_killed_run_left_in_the_lock_does_not_hold_it(
    repository: SampleRepository, site: Site
) -> None:
    site.sync()
    lock = repository.root / ".git" / "pressync" / "default.lock"
    lock.write_text('{"pid": 1, "host": "h", "command": "pressync sync", "since": "then"}', encoding="utf-8")
    assert seen(repository, site, "lock").verdict is Verdict.OK


def test_a_manifest_that_git_has_and_this_clone_does_not_is_wrong(
    repository: SampleRepository, site: Site
) -> None:
    site.sync()
    kept = repository.commit()
    repository.remove(MANIFEST)
    repository.commit()
    lost = seen(repository, site, "manifest")
    assert lost.verdict is Verdict.WRONG
    assert f"is missing, and commit {kept[:10]} has it with 1 record" in lost.evidence
    assert lost.todo == f"`git restore --source={kept[:10]} -- {MANIFEST}` brings it back"


def test_a_manifest_that_was_not_pulled_is_wrong(repository: SampleRepository, site: Site) -> None:
    base = repository.commit({MANIFEST: f'{{"version": 1,\n "target": "{site.url}",\n "records": []}}\n'})
    site.sync()
    repository.commit()
    repository.git("branch", "theirs")
    repository.git("reset", "--quiet", "--hard", base)
    repository.git("branch", "--quiet", "--set-upstream-to=theirs")
    behind = seen(repository, site, "manifest")
    assert behind.verdict is Verdict.WRONG
    assert "theirs knows 1 record more than" in behind.evidence
    assert behind.todo == "`git merge theirs`"
