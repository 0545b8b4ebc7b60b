"""The digest of what goes into every page."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import TYPE_CHECKING

import pytest
from tests.support.syncing import Site

from pressync.content.render import page_digest
from pressync.server.server import running

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository


@pytest.mark.parametrize("library", ["comrak", "jinja2"])
def test_a_version_is_the_one_that_is_installed(library: str) -> None:
    assert page_digest.version(library) == metadata.version(library)


def test_the_first_place_on_the_path_counts_as_it_does_for_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jinja2-9.9.dist-info").mkdir()
    (tmp_path / "jinja2_more-1.0.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "nowhere"), str(tmp_path), *sys.path])
    assert page_digest.version("jinja2") == "9.9"


def test_a_library_that_left_no_such_folder_is_asked_for_as_python_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jinja2.egg-info").write_text("Metadata-Version: 1.0\nName: jinja2\nVersion: 8.8\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert page_digest.version("jinja2") == "8.8"


def test_other_versions_other_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    def digest() -> str:
        return page_digest.digest(blocks=False, content="content", layout="", defaults=[], sources={})

    before = digest()
    assert digest() == before
    monkeypatch.setattr(page_digest, "version", lambda library: f"{library} 99")
    assert digest() != before


def test_another_renderer_that_makes_the_same_pages_changes_no_record(
    repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"content/pages/a.md": "# A\n\nText.\n", "content/pages/b.md": "See [A](a.md).\n"})
    with running(tmp_path / "site.sqlite") as service:
        site = Site(repository.root, service.url)
        site.sync()
        before = site.plan()
        monkeypatch.setattr(page_digest, "version", lambda library: f"{library} 99")
        after = site.plan()
    assert (before.pending, after.pending) == ((), ())
    assert len(after.changes) == 2
