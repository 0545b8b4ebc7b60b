"""Chooses the stage that `--on` names, and the reader of the site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.app.rehearse import site_reader
from pressync.app.rehearse.embedded_stage import EmbeddedStage

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable

    from pressync.app.rehearse.live_site import SiteReader
    from pressync.app.rehearse.stage import RehearsalStage
    from pressync.app.workspace import Workspace


def named(
    name: str,
    workspace: Workspace,
    mounts: Iterable[str] = (),
    *,
    stop: threading.Event,
    say: Callable[[str], None],
) -> RehearsalStage:
    """Give the stage of this name for the site of a workspace; `mounts` are the values of `--mount`.

    :raises ConfigError: a mount is not a folder of its kind.
    """
    if name == EmbeddedStage.name:
        return EmbeddedStage(workspace)
    from pressync.app.rehearse.mounts import Mounts  # noqa: PLC0415 - few rehearsals run WordPress
    from pressync.app.rehearse.wordpress_stage import WordPressStage  # noqa: PLC0415

    return WordPressStage(workspace, Mounts.of(mounts), stop=stop, say=say)


def reader(workspace: Workspace, say: Callable[[str], None] = lambda _sentence: None) -> SiteReader | None:
    """Give the reader of a site; None for the embedded service, which a stage copies."""
    return site_reader.of(workspace, say) if workspace.settings.site.url else None
