"""The manifest's history: its content now, its content at a commit, and the runs between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.builders import TARGET, entry

from pressync.app import manifest_history
from pressync.app.workspace import Workspace
from pressync.model.errors import ManifestError, RepositoryError
from pressync.model.interface import Kind
from pressync.model.records import Manifest, UnconfirmedCreate
from pressync.state.manifest.codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.model.records import Entry

FILE = ".pressync/live.json"
SETTINGS = f'[sites.live]\nurl = "{TARGET}"\n'
A, B = entry("a.md", 1), entry("b.md", 2)
SENT_CREATE = UnconfirmedCreate("c.md", Kind.PAGE, "c", "2024-01-31T12:00:00+00:00", "c", {"title": "t"})


def holding(*entries: Entry, target: str = TARGET) -> Manifest:
    return Manifest(target, {each.path: each for each in entries})


@pytest.fixture
def workspace(repository: SampleRepository) -> Iterator[Workspace]:
    repository.commit({"pressync.toml": SETTINGS})
    with Workspace.open(repository.root, environ={}) as opened:
        yield opened


def test_now_is_what_the_file_and_the_journal_say_together(
    workspace: Workspace, repository: SampleRepository
) -> None:
    repository.write(FILE, encode(holding(A)))
    with workspace.state(writable=True) as state:
        state.put(B)
    assert manifest_history.manifest_now(workspace) == holding(A, B)


def test_then_is_what_was_committed_then(workspace: Workspace, repository: SampleRepository) -> None:
    first = repository.commit({FILE: encode(holding(A))})
    repository.commit({FILE: encode(holding(A, B))})
    assert manifest_history.manifest_at(workspace, first) == holding(A)


def test_before_there_was_a_manifest_the_command_that_lists_them_is_told(workspace: Workspace) -> None:
    with pytest.raises(RepositoryError, match=rf"has no {FILE}; `pressync manifest log` lists"):
        manifest_history.manifest_at(workspace, "HEAD")


def test_what_was_said_of_another_address_is_refused_with_its_commit(
    workspace: Workspace, repository: SampleRepository
) -> None:
    commit = repository.commit({FILE: encode(holding(A, target="https://old.test"))})
    with pytest.raises(ManifestError, match=rf"{FILE} \({commit[:10]}\): it is for https://old"):
        manifest_history.manifest_at(workspace, commit)


def test_runs_are_the_last_commits_of_the_file_newest_first(
    workspace: Workspace, repository: SampleRepository
) -> None:
    for number in (1, 2, 3):
        repository.commit({FILE: encode(holding(entry("a.md", number)))}, f"Run {number}")
    repository.commit({"content/pages/a.md": "# A\n"}, "An edit")
    assert [run.subject for run in manifest_history.runs(workspace, 2)] == ["Run 3", "Run 2"]


def test_in_a_reference_a_claim_is_the_end_of_no_run(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": f'{SETTINGS}manifest = "ref"\n'})
    with Workspace.open(repository.root, environ={}) as workspace:
        kept = workspace.manifest_reference
        assert kept is not None
        assert manifest_history.runs(workspace, 5) == []
        kept.read(writable=True)
        kept.claim(holding(), (SENT_CREATE,), "Sync of 1")
        kept.save(holding(A), "Sync of 1")
        kept.claim(holding(A), (SENT_CREATE,), "Sync of 2")
        [run] = manifest_history.runs(workspace, 1)
        assert run.subject.startswith("Sync of 1")
        assert manifest_history.manifest_at(workspace, run.id) == holding(A)
