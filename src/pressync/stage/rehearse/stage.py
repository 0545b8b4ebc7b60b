"""The stage of a rehearsal: a service of one's own that stands for the site, and the workspace on it.

To a sync, a stage is a site: an address and credentials. The stage brings itself to the state that the
manifest tells of. All else is the sync that `pressync sync` runs. The settings stay those of the site, with
its address, so that documents, plan and reasons are the ones of the real sync. Only the service, the manifest
and the files of the clone are the stage's own. A rehearsal that is killed cannot remove its folder. The
kernel releases the lock of a dead process, so the next rehearsal knows by the lock which folders nobody uses
any more.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote

from pressync.app import embedded_server
from pressync.app.workspace import Places, Workspace
from pressync.client.connect import open_service
from pressync.client.dialects import dialect_of
from pressync.model.errors import StorageError
from pressync.model.interface import Kind
from pressync.model.web_address import path_of
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DeleteLimit
from pressync.stage.server import slugs
from pressync.state import atomic_files
from pressync.state.clone_files import CloneFiles
from pressync.state.manifest_file import ManifestFile

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.client.credentials import Secret
    from pressync.client.port import Limits, Service
    from pressync.stage.rehearse.live_site import LiveSite


# A stage has nobody's edits, and its records may all go.
EVERYTHING = PlanOptions(allow_rewind=True, new_manifest=True, delete_limit=DeleteLimit(percent=100))


@dataclass(frozen=True, slots=True)
class SiteDifference:
    """A fact in which the stage is not as the site: a row of `differs`; `site` is "" if it is not known."""

    what: str
    stage: str
    site: str


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A public record as visitors get it: its address on the stage, and its HTML.

    `date` and `date_gmt` are as the interface writes them, and `terms` are the names of its terms.
    """

    kind: Kind
    id: int
    address: str
    html: str
    title: str = ""
    excerpt: str = ""
    date: str = ""
    date_gmt: str = ""
    terms: tuple[str, ...] = ()


# The kind and the id of each record by its path.
RecordsByPath = Mapping[str, tuple[Kind, int]]
# A longer number is not an id of any database.
_BY_NUMBER = re.compile(r"/?\?(?:p|page_id)=([0-9]{1,18})(?:&.*)?")


def normal_path(path: str) -> str:
    """Give a path in one form: encoded letters in lower case, a slash at the end; one with a query stays."""
    if "?" in path:
        return path
    inner = "/".join(slugs.from_address(unquote(segment)) for segment in path.strip("/").split("/"))
    return f"/{inner}/" if inner else "/"


@dataclass(slots=True)
class RenderedSite:
    """All that a visitor of the stage can see. No page is fetched over the network to find it.

    The links of the site begin with `address`, which has no slash at the end. Visitors see the records of
    `public`, and not the drafts, private and scheduled records of `secret`. `page` gives the page of a public
    record at its path, and `answers` tells whether a visitor gets something at a path below `address`.
    """

    address: str
    public: RecordsByPath
    secret: RecordsByPath
    page: Callable[[str, Kind, int], RenderedPage | None]
    answers: Callable[[str], bool]
    _numbered: dict[int, str] = field(init=False)
    _seen: dict[str, bool] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        every = (*self.secret.items(), *self.public.items())
        self._numbered = {number: path for path, (_, number) in every}

    @property
    def below(self) -> str:
        """The path of `address`."""
        return path_of(self.address).rstrip("/")

    def pages(self, also: Container[tuple[Kind, int]] = ()) -> Iterator[RenderedPage]:
        """Give every public page and post, one at a time, and the hidden records that are `also` wanted."""
        hidden = ((path, found) for path, found in self.secret.items() if found in also)
        pages = (self.page(path, *found) for path, found in (*self.public.items(), *hidden))
        yield from filter(None, pages)

    def paths(self) -> dict[int, str]:
        """Give the path on the stage, by its id, of every record that a person can look at there."""
        return {number: path.removeprefix(self.below) for path, (_, number) in self.public.items()}

    def has(self, path: str) -> bool:
        """Tell whether a visitor gets something at a path (with its query)."""
        if self.place(path) in self.public:
            return True
        if path not in self._seen:
            self._seen[path] = self.answers(path.removeprefix(self.below) or "/")
        return self._seen[path]

    def hidden(self, path: str) -> bool:
        """Tell whether a record is there that visitors do not see: a draft, private or scheduled."""
        place = self.place(path)
        return place in self.secret and place not in self.public

    def page_at(self, path: str) -> RenderedPage | None:
        """Give the public record at a path, whose places links may name; None for anything else."""
        place = self.place(path)
        found = self.public.get(place)
        return self.page(place, *found) if found else None

    def place(self, path: str) -> str:
        """Give the path by which a record is known here: each has another one by its number."""
        number = _BY_NUMBER.fullmatch(path.removeprefix(self.below))
        return self._numbered.get(int(number[1]), path) if number else normal_path(path)


class RunningStage(Protocol):
    """A stage that answers.

    `url` is the base address of its interface, and `address` that of the pages at which a person looks.
    """

    url: str
    address: str

    @property
    def authorization(self) -> Secret | None:
        """The credentials of the user who syncs."""

    @property
    def home(self) -> str:
        """The address of the site's pages, with which the links in the stage's responses begin."""

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
    """A kind of stage; its name is that of `--on`: `embedded` or `wordpress`."""

    @property
    def name(self) -> str:
        """Its name."""

    def running(self, directory: Path, live: LiveSite) -> AbstractContextManager[RunningStage]:
        """Run the stage with its data in a directory of its own, which exists, until the block ends.

        :raises ConfigError: something that it needs is missing, such as Node.
        :raises StorageError: it does not start.
        """


_RUNNING, _KEPT = "running-", "kept-"


@dataclass
class StageFolder:
    """The folder of a rehearsal that runs; `keep` names it for good when the block ends."""

    path: Path
    kept: Path | None = None

    def keep(self, name: str) -> Path:
        """Have the folder kept below a name; an older one of that name is replaced, unless it is served."""
        wanted = self.path.with_name(f"{_KEPT}{name}")
        number = 2
        while embedded_server.is_running(wanted):
            wanted = self.path.with_name(f"{_KEPT}{name}-{number}")
            number += 1
        self.kept = wanted
        return wanted


@contextmanager
def on_disk(what: str, where: Path, also: type[Exception] = OSError) -> Iterator[None]:
    """Turn what the disk refuses in a block into the error of a stage; `what` is the fault.

    :raises StorageError: the disk refused.
    """
    try:
        yield
    except (OSError, also) as error:
        todo = "see that the disk is not full and the folder can be written"
        why = getattr(error, "strerror", None) or error
        raise StorageError(f"{what} ({why})", where=str(where), todo=todo) from error


def stages_folder(home: Path) -> Path:
    """Name the folder of all stages of a Git directory."""
    return home / "pressync" / "rehearsals"


@contextmanager
def stage_folder(home: Path) -> Iterator[StageFolder]:
    """Make a folder for one rehearsal, and remove it at the end unless it is to be kept.

    Folders of rehearsals that were killed are removed first.

    :raises StorageError: the folder cannot be made or moved.
    """
    place = stages_folder(home)
    folder = StageFolder(place / f"{_RUNNING}{os.getpid()}-{secrets.token_hex(4)}")
    with ExitStack() as locks:
        try:
            with on_disk("the folder of the stage cannot be used", folder.path):
                # Between its creation and its lock, a folder would look abandoned to another rehearsal.
                with locked(home, wait=True):
                    for abandoned in place.glob(f"{_RUNNING}*"):
                        with suppress(BlockingIOError), locked(abandoned):
                            shutil.rmtree(abandoned, ignore_errors=True)
                    atomic_files.make_folder(folder.path, mode=atomic_files.PRIVATE_FOLDER)
                    locks.enter_context(locked(folder.path))
                yield folder
                if folder.kept:
                    shutil.rmtree(folder.kept, ignore_errors=True)
                    folder.path.rename(folder.kept)
        finally:
            shutil.rmtree(folder.path, ignore_errors=True)
            for empty in (place, place.parent):
                with suppress(OSError):
                    empty.rmdir()


@contextmanager
def locked(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock of a folder itself, which needs no file. BlockingIOError: another process holds it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)


def on_stage(workspace: Workspace, stage: RunningStage, directory: Path) -> Workspace:
    """Open a workspace on a stage, with a copy of what the clone knows of the site, which stays open.

    The copy has the manifest and the notes of the clone. The lock and the claim are those of another run, and
    the stage says itself which rights its user has.
    """
    files = CloneFiles(directory / "state", workspace.settings.site.name)
    with workspace.reading() as state:
        files.directory.mkdir(parents=True)
        state.log.copy(files)
        if state.has_manifest or state.whole.unconfirmed:
            store = ManifestFile(
                files.manifest, state.whole.target, workspace.settings.types, is_private=True
            )
            store.read()
            store.save(state.whole)

    row = dialect_of(workspace.settings.site.dialect)

    def service(concurrency: int, limits: Limits | None) -> AbstractContextManager[Service]:
        return closing(
            open_service(
                stage.url,
                dialect=row.staged or row.name,
                types=workspace.settings.types,
                authorization=stage.authorization,
                concurrency=concurrency,
                limits=limits,
            )
        )

    places = Places(
        address=None,
        clone_files=files,
        manifest_path=files.manifest,
        service=service,
        takes_every_branch=True,
    )
    return Workspace(workspace.clone, places)
