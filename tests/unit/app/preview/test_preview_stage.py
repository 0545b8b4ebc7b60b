"""The stage of a preview: which page is which document, and what it shows of a new one."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.support.syncing import Site

from pressync.app.preview.preview_stage import PreviewOptions, PreviewStage
from pressync.app.preview.work_tree import WorkTree
from pressync.app.rehearse import directories
from pressync.app.rehearse.embedded_stage import EmbeddedStage
from pressync.app.rehearse.live_site import LiveSite
from pressync.app.rehearse.staged_workspace import on_stage
from pressync.model.changes import Result
from pressync.sync.apply import RunListener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

    from pressync.app.workspace import Workspace

A, NEW = "content/pages/a.md", "content/pages/new.md"
# The smallest picture that there is.
PICTURE = bytes.fromhex(
    "47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b"
)


@contextmanager
def stage(site: Workspace) -> Iterator[PreviewStage]:
    """Run the stage of a site."""
    options = PreviewOptions(stop=threading.Event(), listener=RunListener(lambda _o: None, lambda _s: None))
    with (
        directories.opened(site.embedded_home) as folder,
        EmbeddedStage(site).running(folder.path, LiveSite()) as running,
    ):
        staged = on_stage(site, running, folder.path)
        running.bring(staged)
        yield PreviewStage(staged, running.rendered, options)


@pytest.fixture
def site(repository: SampleRepository) -> Iterator[Workspace]:
    """Commit one page for a site of WordPress that nobody has synced."""
    repository.commit({A: "# A\n\n[new](new.md)\n", NEW: "# New\n\n![x](x.gif)\n"})
    (repository.root / "content/pages/x.gif").write_bytes(PICTURE)
    with Site(repository.root, "https://site.test/wp-json").workspace() as opened:
        yield opened


def test_each_document_has_an_address_and_each_address_its_document(site: Workspace) -> None:
    with stage(site) as shown:
        shown.sync(WorkTree.now(site))
        assert shown.addresses() == {A: "/a/", NEW: "/new/"}
        assert shown.document_at("/new/") == NEW
        assert shown.document_at("/nowhere/") is None
        assert shown.document_at("/-/preview/file?path=x") is None


def test_a_text_leads_to_the_pages_of_the_stage(site: Workspace) -> None:
    with stage(site) as shown:
        shown.sync(WorkTree.now(site))
        text = shown.text(A) or ""
        assert 'href="https://site.test/new/"' in text
        assert 'href="/new/"' in shown.with_paths(text)
        assert shown.text(NEW) is not None


def test_only_what_changed_is_sent_and_a_broken_file_is_left_out(site: Workspace) -> None:
    root = site.repository.root
    assert root
    with stage(site) as shown:
        assert len(shown.sync(WorkTree.now(site))) == 2
        (root / A).write_text("# A\n\nOther.\n")
        (root / NEW).write_text("---\ntitle: [\n---\n")
        done = [each for each in shown.sync(WorkTree.now(site)) if each.result is Result.DONE]
        assert [each.change.path for each in done] == [A]
        assert shown.text(NEW) is None
        assert shown.addresses()[NEW] == "/new/"
