"""The manifest as it is read: now, at a commit, its runs, and its mistakes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import TARGET, entry
from tests.support.memory_service import MemoryService
from tests.support.states import unconfirmed_in

from pressync.app import manifest
from pressync.app.manifest import verify
from pressync.app.workspace import Workspace
from pressync.model.errors import ConfigError, ManifestError, RepositoryError
from pressync.model.interface import Kind
from pressync.model.records import Manifest, UnconfirmedCreate
from pressync.state.manifest.codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.client.port import Limits
    from pressync.model.records import Entry

FILE = ".pressync/live.json"
SETTINGS = f'[sites.live]\nurl = "{TARGET}"\n'
ONE, TWO = entry("a.md", 1), entry("b.md", 2)
SENT_CREATE = UnconfirmedCreate("c.md", Kind.PAGE, "c", "2024-01-31T12:00:00+00:00", "c", {"title": "t"})


def holding(*entries: Entry, target: str = TARGET) -> Manifest:
    return Manifest(target, {each.path: each for each in entries})


@pytest.fixture
def site(repository: SampleRepository) -> Iterator[Workspace]:
    repository.commit({"pressync.toml": SETTINGS})
    with Workspace.open(repository.root, environ={}) as opened:
        yield opened


def test_now_is_what_the_file_and_the_journal_say_together(
    site: Workspace, repository: SampleRepository
) -> None:
    repository.write(FILE, encode(holding(ONE)))
    with site.state(writable=True) as state:
        state.put(TWO)
    assert manifest.manifest_now(site) == holding(ONE, TWO)


def test_then_is_what_was_committed_then(site: Workspace, repository: SampleRepository) -> None:
    with pytest.raises(RepositoryError, match=rf"does not have {FILE}; `pressync manifest log` lists"):
        manifest.manifest_at(site, "HEAD")
    first = repository.commit({FILE: encode(holding(ONE))})
    repository.commit({FILE: encode(holding(ONE, TWO))})
    assert manifest.manifest_at(site, first) == holding(ONE)
    other = repository.commit({FILE: encode(holding(ONE, target="https://old.test"))})
    with pytest.raises(ManifestError, match=rf"{FILE} \({other[:10]}\): it is for https://old"):
        manifest.manifest_at(site, other)


def test_runs_are_the_last_commits_of_the_file_newest_first(
    site: Workspace, repository: SampleRepository
) -> None:
    for number in (1, 2, 3):
        repository.commit({FILE: encode(holding(entry("a.md", number)))}, f"Run {number}")
    repository.commit({"content/pages/a.md": "# ONE\n"}, "An edit")
    assert [run.subject for run in manifest.runs(site, 2)] == ["Run 3", "Run 2"]


def test_in_a_reference_a_claim_is_the_end_of_no_run(repository: SampleRepository) -> None:
    repository.commit({"pressync.toml": f'{SETTINGS}manifest = "ref"\n'})
    with Workspace.open(repository.root, environ={}) as site:
        kept = site.manifest_reference
        assert kept is not None
        assert manifest.runs(site, 5) == []
        kept.read(writable=True)
        kept.claim(holding(), (SENT_CREATE,), "Sync of 1")
        kept.save(holding(ONE), "Sync of 1")
        kept.claim(holding(ONE), (SENT_CREATE,), "Sync of 2")
        [run] = manifest.runs(site, 1)
        assert run.subject.startswith("Sync of 1")
        assert manifest.manifest_at(site, run.id) == holding(ONE)


A, B = "content/pages/a.md", "content/pages/b.md"


class Beside(Workspace):
    """A workspace whose site is in memory."""

    far: MemoryService

    @contextmanager
    def service(self, concurrency: int, limits: Limits | None = None) -> Iterator[MemoryService]:
        assert concurrency
        assert limits is None or limits.total
        yield self.far


@pytest.fixture
def workspace(repository: SampleRepository) -> Iterator[Beside]:
    """Two pages with records, and the site that has them."""
    repository.commit({A: "# A\n", B: "# B\n"})
    with Beside.open(
        repository.root, environ={"PRESSYNC_URL": "http://127.0.0.1:9/wp-json"}, wait=0
    ) as opened:
        with opened.state(writable=True) as state:
            state.put(entry(A, 1), entry(B, 2))
            state.save()
        opened.far = MemoryService()
        opened.far.hold(1, slug="a")
        opened.far.hold(2, slug="b")
        yield opened


def told(workspace: Workspace, *, remote: bool = False) -> list[str]:
    return [f"{'?' if each.warning else '!'} {each}" for each in verify(workspace, remote=remote)[1]]


def test_a_record_without_a_file_or_without_its_parent_is_to_be_looked_at(
    workspace: Beside, repository: SampleRepository
) -> None:
    repository.remove(A)
    repository.commit()
    with workspace.state(writable=True) as state:
        state.put(entry(B, 2, parent_path="content/pages/none.md"))
        state.save()
        unconfirmed_in(state, "content/pages/c.md", {"title": "C", "slug": "c"})
    first, second, third = told(workspace)
    assert first.startswith(f"? {A}: its file is not in commit")
    assert second.startswith(f"? {B}: its parent content/pages/none.md is not in the manifest")
    assert third.startswith("? content/pages/c.md: a create was sent at ")


def test_the_page_of_a_folder_needs_no_file(repository: SampleRepository) -> None:
    made, gone = "content/pages/team/index.md", "content/pages/old/index.md"
    repository.commit({"pressync.toml": 'folders = "pages"\n', "content/pages/team/anna.md": "# Anna\n"})
    environ = {"PRESSYNC_URL": "http://127.0.0.1:9/wp-json"}
    with Beside.open(repository.root, environ=environ, wait=0) as workspace:
        with workspace.state(writable=True) as state:
            state.put(entry(made, 1), entry(gone, 2))
            state.save()
        (problem,) = told(workspace)
    assert problem.startswith(f"? {gone}: its file is not in commit")


def test_what_this_clone_made_and_the_manifest_lost_is_wrong(workspace: Beside) -> None:
    workspace.manifest_path.unlink()
    assert told(workspace) == [
        f"! {path}: this clone created page {number} for this path, and the manifest does not have it; "
        f"`pressync adopt {path} {number}`, or `pressync forget {path}`"
        for path, number in ((A, 1), (B, 2))
    ]


def test_what_the_site_does_not_have_or_has_otherwise_is_wrong(workspace: Beside) -> None:
    assert verify(workspace, remote=True) == (2, [])
    del workspace.far.held[1]
    workspace.far.hold(2, slug="bee")
    assert [line.partition(";")[0] for line in told(workspace, remote=True)] == [
        f"! {A}: page 1 is not on the site",
        f"! {B}: page 2 has the slug 'bee' on the site, and 'b' in the manifest",
    ]
    workspace.far.hold(1, title="A", slug="a", content="<p>a</p>", status="draft")
    workspace.far.hold(2, slug="b__trashed", status="trash")
    first, second = told(workspace, remote=True)
    assert first == (
        f"! {A}: page 1 has the status 'draft' on the site, and nobody sent that; look at it on the site"
    )
    assert "page 2 is in the trash" in second
    workspace.far.reads = False
    with pytest.raises(ConfigError, match="does not show how to read"):
        verify(workspace, remote=True)
