"""The basis is equal exactly as long as everything beside the file is equal."""

from __future__ import annotations

import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

from tests.support.syncing import Site

from pressync.config import settings
from pressync.content import basis
from pressync.content.basis import BasisDigest
from pressync.content.render.layouts import Layouts
from pressync.content.render.links import Unresolved
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.support.repository import SampleRepository


SETTINGS = settings.load('[defaults]\nauthor = "jane"\n', where="pressync.toml", environ={})
A, B = ("a.md", "https://example.org/a/"), ("b.md", Unresolved.UNKNOWN)


def made(template: str = "t", **settings: Any) -> BasisDigest:  # noqa: ANN401 - members of Settings
    return BasisDigest(SETTINGS._replace(**settings), lambda layout: f"{layout} {template}")


def test_equal_facts_give_equal_digests_and_other_versions_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert made().of("page.html", 7, [A, B]) == made().of("page.html", 7, [A, B])
    assert len(made().of("page.html", 7)) == 20

    def digest() -> str:
        return basis.of_layouts(Layouts({}), content="content", blocks=False)("")

    before = digest()
    assert digest() == before
    monkeypatch.setattr(basis, "version", lambda library: f"{library} 99")
    assert digest() != before


def test_the_first_place_on_the_path_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jinja2-9.9.dist-info").mkdir()
    (tmp_path / "jinja2_more-1.0.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "nowhere"), str(tmp_path), *sys.path])
    assert basis.version("jinja2") == "9.9"


def test_a_library_without_such_a_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert basis.version("comrak") == metadata.version("comrak")
    (tmp_path / "jinja2.egg-info").write_text("Metadata-Version: 1.0\nName: jinja2\nVersion: 8.8\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert basis.version("jinja2") == "8.8"


def test_another_renderer_that_makes_the_same_pages_changes_no_record(
    repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"content/pages/a.md": "# A\n\nText.\n", "content/pages/b.md": "See [A](a.md).\n"})
    with running(tmp_path / "site.sqlite") as service:
        site = Site(repository.root, service.url)
        site.sync()
        before = site.plan()
        monkeypatch.setattr(basis, "version", lambda library: f"{library} 99")
        after = site.plan()
    assert (before.pending, after.pending) == ((), ())
    assert len(after.changes) == 2
