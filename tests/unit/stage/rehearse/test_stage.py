"""A stage, its folder, the workspace on it, and the pages that the embedded service renders there."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from pressync.model.errors import ConfigError
from pressync.stage.rehearse import rehearse
from pressync.stage.rehearse.embedded_stage import EmbeddedStage
from pressync.stage.rehearse.live_site import LiveSite
from pressync.stage.rehearse.stage import RehearsalStage, stage_folder, stages_folder

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.unit.stage.rehearse.conftest import Embedded

    from pressync.app.workspace import Workspace


def test_a_kept_folder_replaces_the_one_before_and_stays(tmp_path: Path) -> None:
    for text in ("old", "new"):
        with stage_folder(tmp_path) as folder:
            (folder.path / "site.db").write_text(text)
            kept = folder.keep("live-1234567")
    assert (kept / "site.db").read_text() == "new"
    with stage_folder(tmp_path):
        pass
    assert [path.name for path in stages_folder(tmp_path).iterdir()] == ["kept-live-1234567"]


def test_a_folder_goes_with_its_rehearsal_and_that_of_a_killed_process_too(tmp_path: Path) -> None:
    killed = stages_folder(tmp_path) / "running-1-killed"
    killed.mkdir(parents=True)
    (killed / "site.db").write_text("rows")
    with stage_folder(tmp_path) as first, stage_folder(tmp_path) as second:
        assert not killed.exists()
        assert first.path.is_dir()
        assert second.path.stat().st_mode & 0o777 == 0o700
        (first.path / "site.db").write_text("rows")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt), stage_folder(tmp_path):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def named(name: str, site: Workspace, *mounts: str) -> RehearsalStage:
    return rehearse.stage_named(name, site, mounts, stop=threading.Event(), say=lambda _sentence: None)


def test_wordpress_gets_the_folders_that_were_given(embedded: Embedded, tmp_path: Path) -> None:
    (tmp_path / "style.css").touch()
    with embedded.workspace() as site:
        assert named("wordpress", site, f"theme={tmp_path}").name == "wordpress"
        with pytest.raises(ConfigError, match="no file with the header"):
            named("wordpress", site, f"plugin={tmp_path}")


def test_nobody_else_may_write_to_a_stage(repository: SampleRepository, embedded: Embedded) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    with embedded.workspace() as site:
        stage = EmbeddedStage(site)
        with stage.running(repository.root / ".git" / "stage", LiveSite()) as running:
            request = Request(f"{running.url}/wp/v2/pages", data=b"title=x", method="POST")  # noqa: S310 - loopback
            with pytest.raises(HTTPError, match="401") as refused:
                urlopen(request, timeout=60)  # noqa: S310 - loopback
            refused.value.close()
            with urlopen(running.address, timeout=60) as page:  # noqa: S310 - loopback
                assert page.status == 200
