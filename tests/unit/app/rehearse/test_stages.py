"""The stages by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.rehearse import stages

if TYPE_CHECKING:
    from tests.unit.app.rehearse.conftest import Embedded


def test_the_default_stage_is_the_embedded_service_and_its_own_site_needs_no_reader(
    embedded: Embedded,
) -> None:
    with embedded.workspace() as site:
        assert stages.named("embedded", site).name == "embedded"
        assert stages.reader(site) is None
