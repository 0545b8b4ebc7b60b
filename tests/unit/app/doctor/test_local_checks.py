"""The findings about the clone: branch, history, documents."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.support.repository import SampleRepository
from tests.support.syncing import Site
from tests.unit.app.doctor.findings import findings

from pressync.app.doctor.examine import Verdict
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from pathlib import Path

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
