"""Looks at the pages of a rehearsal in a browser, and keeps a picture of each page and window.

The bytes of a page can be right while its picture runs out of the theme, so a browser is the judge. A page
may have scripts of strangers, and may hang. So each page has a limited time, and a browser that fails is
replaced.
"""

from __future__ import annotations

import re
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.changes import Create, Result, Update
from pressync.model.errors import ConfigError
from pressync.stage.browser import Browser, BrowserFailed, browser, find_browser
from pressync.stage.rehearse.page_check import WIDTHS, PageFault, check_page
from pressync.stage.rehearse.stage import on_disk

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from pressync.plan.survey import Progress
    from pressync.stage.rehearse.rehearse import Rehearsal

# Pixels of a thumbnail: a window of a telephone is shown nearly as wide as it is read.
_SMALL = {WIDTHS[0]: 420, WIDTHS[1]: 210}
_HIGH = 560
# After so many pages without an answer, the browser or the stage is the cause.
_MOST_FAILURES = 3
SHEET = "index.html"
# The names that a look gives to its files: a folder with other files is not one of a look.
_OWN = re.compile(r"[0-9]{4,}-[a-z0-9-]{0,60}\.png|index\.html")
# The embedded service makes neither sizes nor a `srcset` of an upload. WordPress does.
_ON_WORDPRESS = "unsized"


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of a page in one window: the name of its file in the folder, and a small JPEG of its top."""

    width: int
    file: str
    small: bytes


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page that was looked at; `path` is its document, "" for the list of posts of the home page.

    `address` is that on the stage. `why` says why it could not be looked at; "" if it was.
    """

    path: str
    address: str
    title: str
    faults: tuple[PageFault, ...] = ()
    shots: tuple[Shot, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class SeenPages:
    """One look: its folder, its pages, and the numbers of those that it left out.

    `left` are pages beyond the limit, and `hidden` are records that the stage shows to no visitor.
    """

    folder: Path
    pages: tuple[SeenPage, ...]
    left: int = 0
    hidden: int = 0

    @property
    def sheet(self) -> Path:
        """The file of the thumbnails, which the command writes."""
        return self.folder / SHEET

    @property
    def seen(self) -> int:
        """The number of pages that were looked at."""
        return sum(not page.why for page in self.pages)

    @property
    def faults(self) -> int:
        """The number of faults, and of pages that could not be looked at; one of both windows is one."""
        places = {(page.address, fault.kind, fault.place) for page in self.pages for fault in page.faults}
        return len(places) + len(self.pages) - self.seen


@dataclass(frozen=True, slots=True)
class _Wanted:
    path: str
    address: str
    title: str
    has_text: bool
    is_list: bool = False


def require(folder: Path) -> None:
    """See that there is a browser, and that a look may write into the folder.

    :raises ConfigError: there is no Chromium on this machine, or the folder has files of somebody else.
    """
    if not find_browser():
        todo = "install it (`apt install chromium`, https://www.chromium.org), or leave out `--look`"
        raise ConfigError("--look needs Chromium or Chrome, and neither is installed", todo=todo)
    if folder.exists() and not folder.is_dir():
        raise ConfigError("is not a folder", where=str(folder), todo="name a new folder for `--look`")
    others = (
        [file.name for file in folder.iterdir() if not _OWN.fullmatch(file.name)] if folder.is_dir() else []
    )
    if others:
        what = f"the folder has files that are not of a look, such as {min(others)}"
        raise ConfigError(what, where=str(folder), todo="name a new or empty folder for `--look`")


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRun:
    """All that one look needs: the folder for its files, and the most pages that it looks at."""

    folder: Path
    limit: int
    stop: threading.Event
    progress: Progress

    def of(self, account: Rehearsal) -> SeenPages:
        """Look at the pages of a rehearsal while its stage answers; the pages that it changes come first.

        :raises StorageError: the pictures cannot be written.
        """
        wanted, hidden = _wanted(account)
        chosen, seen = wanted[: self.limit], list[SeenPage]()
        with on_disk("the pictures cannot be written", self.folder), ExitStack() as stack:
            self.folder.mkdir(parents=True, exist_ok=True)
            for old in self.folder.iterdir():
                if _OWN.fullmatch(old.name):
                    old.unlink()
            person, failures = None, 0
            for number, page in enumerate(chosen, 1):
                if self.stop.is_set() or failures >= _MOST_FAILURES:
                    break
                try:
                    person = person or stack.enter_context(_fresh_browser())
                    seen.append(self._looked(person, page, number, account.stage))
                except BrowserFailed as error:
                    stack.close()
                    person, failures = None, failures + 1
                    seen.append(SeenPage(page.path, page.address, page.title, why=str(error)[:300]))
                self.progress(number, len(chosen))
        return SeenPages(self.folder, tuple(seen), len(wanted) - len(seen), hidden)

    def _looked(self, person: Browser, page: _Wanted, number: int, stage: str) -> SeenPage:
        faults, shots = list[PageFault](), list[Shot]()
        for width in WIDTHS:
            own = check_page(person, page.address, width=width, is_list=page.is_list)
            faults += [fault for fault in own if _counts(fault, page, stage)]
            file = f"{number:04}-{_file_name(page)}-{width}.png"
            person.picture(self.folder / file, whole=True)
            shots.append(Shot(width, file, person.thumbnail(_SMALL[width], _HIGH)))
        return SeenPage(page.path, page.address, page.title, tuple(faults), tuple(shots))


@contextmanager
def _fresh_browser() -> Iterator[Browser]:
    # A browser that is killed may still write into its profile.
    folder = tempfile.TemporaryDirectory(prefix="pressync-", ignore_cleanup_errors=True)
    with folder as profile, browser(Path(profile)) as person:
        yield person


def _counts(fault: PageFault, page: _Wanted, stage: str) -> bool:
    if fault.kind == "empty":
        return page.has_text
    return fault.kind != _ON_WORDPRESS or stage == "wordpress"


def _file_name(page: _Wanted) -> str:
    """Name a page in letters that every system takes."""
    plain = re.sub(r"[^a-z0-9]+", "-", page.path.lower().removesuffix(".md")).strip("-")
    return plain[-50:].strip("-") or ("list" if page.is_list else "page")


def _wanted(account: Rehearsal) -> tuple[list[_Wanted], int]:
    """Choose the pages of documents in the order of looking, and count those that the stage does not show."""
    done = {outcome.change.path for outcome in account.result.outcomes if outcome.result is Result.DONE}
    changes = (each for each in account.result.plan.changes if isinstance(each, Create | Update))
    first = {change.path for change in changes} & done
    pages, paths = account.pages, account.pages.paths()
    places = {found: place for place, found in (*pages.secret.items(), *pages.public.items())}
    home = account.address.rstrip("/")
    found, hidden = list[_Wanted](), 0
    for entry in sorted(
        account.manifest.entries.values(), key=lambda entry: (entry.path not in first, entry.path)
    ):
        place = places.get((entry.kind, entry.id))
        shown = pages.page(place, entry.kind, entry.id) if place and entry.id in paths else None
        if shown is None:
            hidden += place is not None
            continue
        address = home + paths[entry.id]
        found.append(_Wanted(entry.path, address, shown.title, has_text=bool(shown.html.strip())))
    if "/" not in paths.values():
        # The ids of a list of posts are those of several texts.
        found.insert(len(first), _Wanted("", account.address, "", has_text=False, is_list=True))
    return found, hidden
