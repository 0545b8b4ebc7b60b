"""Chooses the stage that `--on` names, and the reader of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.rehearse import site_reader
from pressync.app.rehearse.embedded_stage import EmbeddedStage

if TYPE_CHECKING:
    from pressync.app.rehearse.live_site import SiteReader
    from pressync.app.rehearse.stage import RehearsalStage
    from pressync.app.workspace import Workspace


def named(_name: str, site: Workspace) -> RehearsalStage:
    """Give the stage of this name for the site of a workspace."""
    return EmbeddedStage(site)


def reader(site: Workspace) -> SiteReader | None:
    """Give the reader of a site; None for the embedded service, which a stage copies."""
    return site_reader.of(site) if site.settings.site.url else None
