"""The stage of a rehearsal: a service of one's own that stands for the site, and its rendered pages.

The sync must not know that it writes to a stage. So a stage only offers an address and credentials, and
brings itself to the state that the manifest tells of; all else is the sync that `pressync sync` runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pressync.app.rehearse.live_site import LiveSite, Unread
    from pressync.app.workspace import Workspace
    from pressync.client.credentials import Secret
    from pressync.model.interface import Kind


@dataclass(frozen=True, slots=True)
class SiteDifference:
    """A fact in which the stage is not as the site: a row of `differs`; `site` is "" if it is not known."""

    what: str
    stage: str
    site: str

    @classmethod
    def unread(cls, part: Unread, stage: str) -> Self:
        """Make the row of a part of the site that could not be read; `stage` says what the stage has."""
        return cls(part.what, stage, f"not read: {part.why}")


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A public record as visitors get it: its address on the stage, and its HTML."""

    kind: Kind
    id: int
    address: str
    html: str
    title: str = ""


class RenderedSite(Protocol):
    """All that a visitor of the stage can see. No page is fetched over the network to find it."""

    @property
    def address(self) -> str:
        """The address that the links of the site begin with, without a slash at the end."""

    def pages(self) -> Iterator[RenderedPage]:
        """Give every public page and post, one at a time."""

    def has(self, path: str) -> bool:
        """Tell whether a visitor gets something at a path (with its query) below `address`."""

    def hidden(self, path: str) -> bool:
        """Tell whether a record is there that visitors do not see: a draft, private or scheduled."""

    def page_at(self, path: str) -> RenderedPage | None:
        """Give the public record at a path, whose places links may name; None for anything else."""


class RunningStage(Protocol):
    """A stage that answers. `url` is the base address of its interface, `address` that of its pages."""

    @property
    def url(self) -> str:
        """The base address of the interface."""

    @property
    def address(self) -> str:
        """The address at which a person looks at the pages."""

    @property
    def home(self) -> str:
        """The address of the site's pages, with which the links in the stage's responses begin."""

    @property
    def authorization(self) -> Secret | None:
        """The credentials of the user who syncs."""

    def bring(self, workspace: Workspace) -> None:
        """Bring the stage to what the manifest says: the records of the commits last synced.

        A stage that cannot choose ids writes the ids that it gave into the manifest of `workspace`, which
        is the stage's own.
        """

    def rendered(self) -> RenderedSite:
        """Give the site as visitors see it now."""

    def differences(self) -> tuple[SiteDifference, ...]:
        """List the facts in which this stage is not as the site."""


class RehearsalStage(Protocol):
    """A kind of stage: `embedded` or `wordpress`."""

    @property
    def name(self) -> str:
        """Its name, as `--on` has it."""

    def running(self, directory: Path, live: LiveSite) -> AbstractContextManager[RunningStage]:
        """Run the stage with its data in a directory of its own, which exists, until the block ends.

        :raises ConfigError: something that it needs is missing, such as Node.
        :raises StorageError: it does not start.
        """
