"""The examination as a whole, and the findings about the clone and its state."""

from __future__ import annotations

import errno
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.strict_service import Fault, serving
from tests.support.syncing import Site
from tests.unit.app.doctor.findings import findings, verdicts

from pressync.app.doctor import examine
from pressync.app.doctor.examine import Verdict
from pressync.app.workspace import Workspace
from pressync.stage.server.server import running
from pressync.state.lock import Lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.strict_service import StrictService

    from pressync.app.doctor.examine import Finding


def test_where_there_is_no_repository_that_is_the_only_finding(tmp_path: Path) -> None:
    found = list(examine.examine(lambda: Workspace.open(tmp_path, environ={})))
    assert [(each.name, each.verdict) for each in found] == [("repository", Verdict.WRONG)]
    assert "git init" in found[0].todo


def test_settings_that_cannot_be_read_are_the_only_finding(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": "contnet = 1\n"})
    assert verdicts(findings(repository)) == {"settings": "wrong"}


def test_a_look_that_fails_is_one_of_many(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_workspace: Workspace) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/srv/site/.git/pressync")

    repository.commit({"content/pages/index.md": "# Home\n"})
    before = _files(repository.root)
    findings(repository)
    assert _files(repository.root) == before
    repository.write(".pressync/embedded.json", "{ torn")
    monkeypatch.setattr(Workspace, "run_under_way", refused)
    found = findings(repository)
    assert found["manifest"].verdict is Verdict.WRONG
    assert found["lock"].evidence == "/srv/site/.git/pressync: Permission denied"
    assert found["service"].verdict is Verdict.OK


def _files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


PAGE = {"content/pages/index.md": "# Home\n"}
URL = "https://site.test/wp-json"


def test_another_branch_than_the_sites_is_wrong(repository: SampleRepository) -> None:
    repository.commit(
        {**PAGE, "pressync.toml": '[sites.live]\nurl = "http://127.0.0.1:9/x"\nbranch = "live"\n'}
    )
    seen = findings(repository)["branch"]
    assert seen.verdict is Verdict.WRONG
    assert "'main'" in seen.evidence
    assert "git switch live" in seen.todo
    repository.git("switch", "--quiet", "--create", "live")
    assert findings(repository)["branch"].verdict is Verdict.OK


def test_a_head_beside_what_was_synced_is_wrong(repository: SampleRepository, tmp_path: Path) -> None:
    first = repository.commit({**PAGE, ".gitignore": ".pressync/\n"})
    second = repository.commit({"content/pages/two.md": "# Two\n"})
    with running(tmp_path / "site.db") as service:
        Site(repository.root, service.url).sync()
        repository.git("reset", "--quiet", "--hard", first)
        seen = findings(repository, {"PRESSYNC_URL": service.url})["history"]
    assert seen.verdict is Verdict.WRONG
    assert second[:10] in seen.evidence
    assert "--allow-rewind" in seen.todo


def test_no_documents_are_wrong_and_uncommitted_ones_are_counted(repository: SampleRepository) -> None:
    repository.commit({"README.md": "# Here\n"})
    repository.write("content/pages/index.md", "# Home\n")
    seen = findings(repository)["content"]
    assert seen.verdict is Verdict.WRONG
    assert "1 untracked files are not committed" in seen.evidence
    repository.commit()
    assert findings(repository)["content"].evidence == "1 document below content/ in the commit"


def test_a_bare_repository_is_looked_at_too(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit({**PAGE, "pressync.toml": f'[sites.live]\nurl = "{URL}"\nbranch = "live"\n'})
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", repository.root, bare], check=True)
    seen = findings(SampleRepository(bare), {}, "embedded")
    assert {name for name, finding in seen.items() if finding.verdict is Verdict.WRONG} == set()
    assert "bare" in seen["repository"].evidence


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


def test_a_manifest_is_followed_until_it_is_lost(repository: SampleRepository, site: Site) -> None:
    assert "does not exist yet; 0 records" in seen(repository, site, "manifest").evidence
    site.sync()
    made = seen(repository, site, "manifest")
    assert "1 record on" in made.evidence
    assert f"git add {MANIFEST}" in made.todo
    other = findings(repository, {"PRESSYNC_URL": "http://127.0.0.1:9/wp-json"})
    assert other["manifest"].verdict is Verdict.WRONG
    kept = repository.commit()
    assert seen(repository, site, "manifest").evidence.endswith("; committed")
    repository.remove(MANIFEST)
    repository.commit()
    lost = seen(repository, site, "manifest")
    assert lost.verdict is Verdict.WRONG
    assert f"is missing, and commit {kept[:10]} has it with 1 record" in lost.evidence
    assert lost.todo == f"`git restore --source={kept[:10]} -- {MANIFEST}` brings it back"


def test_a_manifest_that_git_ignores_is_wrong(repository: SampleRepository, site: Site) -> None:
    repository.commit({".gitignore": "/.pressync/\n"})
    site.sync()
    assert seen(repository, site, "manifest").verdict is Verdict.WRONG
    repository.write(".pressync/embedded.json", '{"version": 1,\n "target": "embedded",\n "records": []}\n')
    assert findings(repository)["manifest"].verdict is Verdict.OK


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
    left = repository.root / ".git" / "pressync" / "default.lock"
    left.write_text('{"pid": 1, "host": "h", "command": "pressync sync", "since": "then"}', encoding="utf-8")
    assert seen(repository, site, "lock").verdict is Verdict.OK


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
