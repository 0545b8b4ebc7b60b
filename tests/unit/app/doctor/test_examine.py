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
from pressync.app.doctor.site_checks import failed, wrong
from pressync.app.workspace import Workspace
from pressync.model.errors import ConfigError
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


def test_a_look_that_fails_does_not_keep_the_others_from_theirs(repository: SampleRepository) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    repository.write(".pressync/embedded.json", "{ torn")
    seen = verdicts(findings(repository))
    assert seen["manifest"] == "wrong"
    assert seen["service"] == "ok"


def test_a_repository_without_a_commit_is_told_what_to_do(repository: SampleRepository) -> None:
    seen = findings(repository)
    assert seen["repository"].verdict is Verdict.WRONG
    assert "commit your content" in seen["repository"].todo


def test_looking_changes_no_file(repository: SampleRepository) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    before = _files(repository.root)
    findings(repository)
    assert _files(repository.root) == before


def test_no_finding_shows_a_secret(repository: SampleRepository) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    with serving() as service:
        environ = {"PRESSYNC_URL": service.url, "PRESSYNC_USER": "ada", "PRESSYNC_PASSWORD": "hunter2"}
        seen = findings(repository, environ)
    assert seen["credentials"].verdict is Verdict.OK
    assert "hunter2" not in repr(seen)


def _files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_a_disk_that_refuses_a_look_does_not_keep_the_others_from_theirs(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_workspace: Workspace) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/srv/site/.git/pressync")

    repository.commit({"content/pages/index.md": "# Home\n"})
    monkeypatch.setattr(Workspace, "run_under_way", refused)
    found = findings(repository)
    assert found["lock"].evidence == "/srv/site/.git/pressync: Permission denied"
    assert found["service"].verdict is Verdict.OK


def test_an_error_is_a_finding_in_its_own_words_with_its_place() -> None:
    there = ConfigError("this is no plan", where="plan.json", todo="write one")
    assert failed("plan", there) == wrong("plan", "plan.json: this is no plan", "write one")
    assert failed("plan", ConfigError("nobody agrees")) == wrong("plan", "nobody agrees", "")


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


def test_in_a_shallow_clone_removals_have_no_witness(repository: SampleRepository, tmp_path: Path) -> None:
    repository.commit(PAGE)
    repository.commit({"content/pages/two.md": "# Two\n"})
    source = f"file://{repository.root}"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", source, tmp_path / "shallow"], check=True)
    seen = findings(SampleRepository(tmp_path / "shallow"))["history"]
    assert seen.verdict is Verdict.UNKNOWN
    assert "--unshallow" in seen.todo


def test_a_head_that_does_not_descend_from_what_was_synced_is_wrong(
    repository: SampleRepository, tmp_path: Path
) -> None:
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
