"""The manifest is compared with the commit, with this clone and with the site."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.support.builders import entry
from tests.support.memory_service import MemoryService
from tests.support.states import unconfirmed_in

from pressync.app.verify import verify
from pressync.app.workspace import Workspace
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.client.port import Limits

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


def test_a_manifest_that_is_true_has_no_problem(workspace: Beside) -> None:
    assert verify(workspace, remote=True) == (2, [])


def test_a_record_without_a_file_or_without_its_parent_is_to_be_looked_at(
    workspace: Beside, repository: SampleRepository
) -> None:
    repository.remove(A)
    repository.commit()
    with workspace.state(writable=True) as state:
        state.put(entry(B, 2, parent_path="content/pages/none.md"))
        state.save()
    first, second = told(workspace)
    assert first.startswith(f"? {A}: its file is not in commit")
    assert second.startswith(f"? {B}: its parent content/pages/none.md has no record")


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


def test_an_unconfirmed_create_is_to_be_looked_at(workspace: Beside) -> None:
    with workspace.state(writable=True) as state:
        unconfirmed_in(state, "content/pages/c.md", {"title": "C", "slug": "c"})
        state.save()
    (line,) = told(workspace)
    assert line.startswith("? content/pages/c.md: a create was sent at ")


def test_a_record_that_the_site_does_not_have_or_has_otherwise_is_wrong(workspace: Beside) -> None:
    del workspace.far.held[1]
    workspace.far.hold(2, slug="bee")
    assert [line.partition(";")[0] for line in told(workspace, remote=True)] == [
        f"! {A}: page 1 is not on the site",
        f"! {B}: page 2 has the slug 'bee' on the site, and 'b' in the manifest",
    ]
    workspace.far.hold(2, slug="b__trashed", status="trash")
    assert "page 2 is in the trash" in told(workspace, remote=True)[1]


def test_a_site_that_cannot_be_read_cannot_be_compared(workspace: Beside) -> None:
    workspace.far.reads = False
    with pytest.raises(ConfigError, match="shows no way to read"):
        verify(workspace, remote=True)


def test_a_page_that_somebody_unpublished_is_told(workspace: Beside) -> None:
    workspace.far.hold(1, title="A", slug="a", content="<p>a</p>", status="draft")
    workspace.far.hold(2, title="B", slug="b", content="<p>b</p>")
    assert told(workspace, remote=True) == [
        f"! {A}: page 1 has the status 'draft' on the site, and nobody sent that; look at it on the site"
    ]
