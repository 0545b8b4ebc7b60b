"""The examination as a whole: it goes on after a failure, changes nothing, and shows no secret."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from tests.support.strict_service import serving
from tests.unit.app.doctor.findings import findings, verdicts

from pressync.app.doctor import examine, state_checks
from pressync.app.doctor.examine import Verdict
from pressync.app.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.support.repository import SampleRepository


def test_a_fresh_repository_with_a_page_is_well(repository: SampleRepository) -> None:
    repository.commit({"content/pages/index.md": "# Home\n"})
    assert set(verdicts(findings(repository)).values()) == {"ok"}


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
    monkeypatch.setattr(state_checks, "holder", refused)
    found = findings(repository)
    assert found["lock"].evidence == "/srv/site/.git/pressync: Permission denied"
    assert found["service"].verdict is Verdict.OK
