"""The new site of a comparison: a rehearsed sync of this commit, or the site as it is."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.app import redirects
from pressync.app.workspace import Workspace
from pressync.client.address import home_of
from pressync.client.dialects import dialect_of
from pressync.content.front_matter.keys import REST
from pressync.model.changes import Blocked, Outcome, Result
from pressync.model.errors import ConfigError
from pressync.stage.rehearse.embedded_stage import EmbeddedStage
from pressync.stage.rehearse.rehearse import RehearsalRun
from pressync.stage.rehearse.stage import EVERYTHING, stage_folder
from pressync.stage.rehearse.wordpress_stage import rendered
from pressync.sync.apply import RunListener

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from pressync.app.revision import Revision
    from pressync.model.records import Manifest
    from pressync.plan.survey import Progress
    from pressync.stage.rehearse.live_site import SiteReader
    from pressync.stage.rehearse.stage import RenderedSite


@dataclass(frozen=True, slots=True)
class NewSite:
    """The records of the new site, and the manifest that names their documents.

    `unmade` has the documents without a record, each with the reason.
    """

    pages: RenderedSite
    manifest: Manifest
    unmade: tuple[tuple[str, str], ...] = ()


@contextmanager
def rehearsed(
    workspace: Workspace,
    revision: Revision,
    reader: SiteReader | None,
    *,
    stop: threading.Event,
    progress: Progress | None = None,
) -> Iterator[NewSite]:
    """Rehearse the sync of a revision. An author without a user is left out: a comparison is of texts."""
    settings = workspace.settings
    authors = settings._replace(authors={REST: "", **settings.authors})
    lenient = Workspace(replace(workspace.clone, settings=authors))
    with stage_folder(workspace.clone.embedded_home) as folder:
        run = RehearsalRun(
            workspace=lenient,
            stage=EmbeddedStage(lenient),
            reader=reader,
            revision=revision,
            plan_options=replace(EVERYTHING, again=True),
            keep_going=True,
            stop=stop,
            listener=RunListener(lambda _outcome: None, lambda _sentence: None),
            progress=progress,
        )
        with run.rehearsed(folder.path) as account:
            ended = (each for each in account.result.outcomes if each.result is not Result.DONE)
            unmade = ((each.change.path, _why(each)) for each in ended)
            yield NewSite(account.pages, account.manifest, tuple(unmade))


def _why(outcome: Outcome) -> str:
    return outcome.change.reason if isinstance(outcome.change, Blocked) else outcome.message


@contextmanager
def as_it_is(workspace: Workspace) -> Iterator[NewSite]:
    """Read the records that the site has now.

    :raises ConfigError: the site cannot be read, or nothing has been synced to it.
    """
    site, clone = workspace.settings.site, workspace.clone
    if not workspace.capabilities.read:
        what = "the documented interface does not show how to read a record"
        raise ConfigError(what, where="compare", todo="leave out `site`, and compare with a rehearsal")
    with workspace.reading() as state:
        manifest = redirects.published(state.manifest, redirects.public_address(site))
    if not manifest.entries:
        todo = "run `pressync sync` first, or leave out `site`"
        raise ConfigError(f"nothing has been synced to site '{site.name}' yet", where="compare", todo=todo)
    credentials = clone.credentials
    secret = credentials.authorization()
    with clone.address() as url:
        home = home_of(url, dialect_of(site.dialect).route)
        pages = rendered(
            url,
            secret,
            workspace.settings.types,
            home=home,
            stage=home,
            allow_http=credentials.allow_http,
            hidden_too=secret is not None,
        )
        yield NewSite(pages, manifest)
