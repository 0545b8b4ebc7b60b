"""The stage of every sweep: a site with one commit synced, and a second commit of a dozen changes.

A sweep puts the stage up again for each run that it strikes. Then it finishes the run as a person would, and
compares the site's own records with the commit.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from tests.support.kinds import SCHEMA_TEXT
from tests.support.pages import Content, Page
from tests.support.repository import SampleRepository
from tests.support.syncing import Bound

from pressync.app import bind
from pressync.model.changes import Result

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from tests.support.strict_service import StrictService


# Where these files are on a site with types of its own: a flat type, one without batches, and a tree.
_TYPED = {
    "content/pages/p1.md": "content/books/p1.md",
    "content/pages/z.md": "content/places/z.md",
    "content/pages/p2.md": "content/chapters/p2.md",
}
_SCHEMA = ".pressync/default.schema.json"


def first(places: Mapping[str, str]) -> Content:
    """Say what the site shows at the beginning: records that link in a circle, a child, the one post."""
    names = [places.get(name, name) for name in (f"content/pages/p{n}.md" for n in range(5))]
    pages = {
        name: Page(f"Page {n}", f"Birth {n}", f"first-{n}", [names[n - 1]]) for n, name in enumerate(names)
    }
    pages["content/pages/p0/child.md"] = Page("Child", "Birth child", "first-child", [names[4]])
    pages["content/posts/news.md"] = Page("News", "Birth news", "first-news", [names[1]], number=1)
    return Content(pages)


def second(content: Content, repository: SampleRepository, places: Mapping[str, str]) -> None:
    """Create, edit, move and remove: parents with children, links to what is made later, a new template."""
    pages, top = content.pages, "content/pages"
    p1, p2, last = (places.get(name, name) for name in (f"{top}/p1.md", f"{top}/p2.md", f"{top}/z.md"))
    pages[f"{top}/new.md"] = Page("New", "Birth new", "second-new", [f"{top}/new/two/deep.md", last])
    pages[f"{top}/new/one.md"] = Page("One", "Birth one", "second-one", [f"{top}/new.md"])
    pages[f"{top}/new/two.md"] = Page("Two", "Birth two", "second-two", [f"{top}/p0.md"])
    pages[f"{top}/new/two/deep.md"] = Page("Deep", "Birth deep", "second-deep", [f"{top}/moved.md"])
    pages[last] = Page("Last", "Birth last", "second-last")
    pages[f"{top}/p0.md"].title = "Page zero"
    pages[p1].marker = "second-1"
    pages["content/posts/news.md"].marker = "second-news"
    del pages[f"{top}/p3.md"]
    repository.remove(f"{top}/p3.md")
    pages[f"{top}/moved.md"] = pages.pop(f"{top}/p4.md")
    repository.move(f"{top}/p4.md", f"{top}/moved.md")
    pages[f"{top}/moved.md"].links = [p2]
    pages[f"{top}/p0/child.md"].links = [f"{top}/moved.md"]
    content.write(repository)


class Stage:
    """One site and one repository, put up again and again."""

    def __init__(self, folder: Path, service: StrictService, environ: Mapping[str, str]) -> None:
        self.service = service
        self.log = folder / "strace.log"
        self._root, self._saved = folder / "repository", folder / "saved"
        self.environ = {**os.environ, "PRESSYNC_URL": service.url, **environ}
        # This one makes posts, has none to begin with, and has types of its own.
        places = _TYPED if environ else {}
        self.content = first(places)
        repository = SampleRepository.create(self._root)
        if environ:
            self.content.pages["content/posts/news.md"].number = None
            repository.write(_SCHEMA, SCHEMA_TEXT)
        self.content.write(repository)
        repository.commit()
        self.site = Bound(self._root, service.url, environ=self.environ)
        self.site.sync()
        self.content.assert_shown(self.site.entries(), service.shown)
        second(self.content, repository, places)
        repository.commit()
        shutil.copytree(self._root, self._saved)
        self._memory = service.memory()
        with self.site.workspace() as workspace:
            notes, manifest = workspace.clone_files, workspace.manifest_path
        self.journal = notes.journal
        kept = [manifest, notes.made, notes.journal]
        self.files = (
            *(notes.directory, manifest.parent, notes.lock, notes.directory / "any.seen"),
            *(file for each in kept for file in (each, each.with_name(f".{each.name}.new"))),
        )

    def arguments(self, *, concurrency: int = 1) -> list[str]:
        """Give the arguments of a sync; one call at a time makes each run like the one before."""
        return ["-C", str(self._root), "sync", "--yes", "--concurrency", str(concurrency)]

    def put_up(self) -> None:
        """Bring everything back to where the second commit is not synced yet."""
        shutil.rmtree(self._root)
        shutil.copytree(self._saved, self._root)
        with self.service.lock:
            self.service.recall(self._memory)
            self.service.received.clear()
            self.service.faults.clear()

    def finish(self, tally: Counter[str]) -> None:
        """Bring a struck run to its end as a person would, count, and hold the site to the commit."""
        self.service.wait_until_idle()
        with self.site.workspace() as workspace, workspace.reading() as state:
            tally["unconfirmed creates"] += len(state.unconfirmed)
        resolve(self.site, self.service)
        run = self.site.sync()
        twice, lost = self.content.census(self.service.shown)
        tally["made twice"] += twice
        tally["lost"] += lost
        ended = {outcome.result for outcome in run.outcomes}
        assert ended <= {Result.DONE, Result.KEPT}, run.outcomes
        self.content.assert_shown(self.site.entries(), self.service.shown)
        assert not self.journal.exists(), "nothing is left to settle"
        requests = len(self.service.received)
        assert not self.site.sync().outcomes, "a sync more has nothing to do"
        assert len(self.service.received) == requests, "and sends nothing"
        assert not self.service.violations


def resolve(site: Bound, service: StrictService) -> None:
    """Do what a person does on a site without reads: look there, and say what became of each create."""
    with site.workspace() as workspace:
        if workspace.capabilities.read:
            return
        with workspace.reading() as state:
            held = {entry.id for entry in state.manifest.entries.values()}
            unconfirmed = sorted(state.unconfirmed.values(), key=lambda create: create.path)
        for create in unconfirmed:
            made = _made(service, create.slug, held)
            assert len(made) < 2, f"{create.path} was created twice"
            bind.resolve(workspace, {create.path: made[0] if made else None})


def _made(service: StrictService, slug: str, held: Collection[int]) -> list[int]:
    return [int(str(page["id"])) for page in service.pages if page["slug"] == slug and page["id"] not in held]
