"""The stages by their names."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from tests.support.syncing import Bound

from pressync.app.rehearse import stages
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.app.rehearse.conftest import Embedded

    from pressync.app.rehearse.stage import RehearsalStage
    from pressync.app.workspace import Workspace


def named(name: str, site: Workspace, *mounts: str) -> RehearsalStage:
    return stages.named(name, site, mounts, stop=threading.Event(), say=lambda _sentence: None)


def test_the_embedded_service_as_the_site_needs_no_reader(embedded: Embedded) -> None:
    with embedded.workspace() as site:
        assert named("embedded", site).name == "embedded"
        assert stages.reader(site) is None


def test_every_other_site_has_a_reader(embedded: Embedded) -> None:
    with Bound(embedded.root, "http://127.0.0.1:1/wp-json").workspace() as site:
        assert stages.reader(site) is not None


def test_wordpress_gets_the_folders_that_were_given(embedded: Embedded, tmp_path: Path) -> None:
    (tmp_path / "style.css").touch()
    with embedded.workspace() as site:
        assert named("wordpress", site, f"theme={tmp_path}").name == "wordpress"
        with pytest.raises(ConfigError, match="no file with the header"):
            named("wordpress", site, f"plugin={tmp_path}")
