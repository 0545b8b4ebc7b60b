"""A repository synced once, honestly, and then changed in every way at once; and syncs of copies of it.

The mixed run creates (a page, a parent with its child, two pages that link to each other), updates (a page
and the post), renames with a child below, deletes (a page, a parent and its child), completes links, and sets
the front page.
"""

from __future__ import annotations

import html
import re
import shutil
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.hostile.port import PASSWORD, USER
from tests.support.hostile.service import put_stranger
from tests.support.kinds import SCHEMA_TEXT
from tests.support.repository import SampleRepository

from pressync.app import bind
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.cli.console import run_exit_code
from pressync.cli.report import text
from pressync.client.port import Limits
from pressync.model.errors import PressyncError
from pressync.model.printable import printable
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DeleteLimit
from pressync.sync.apply import RunListener, RunOptions
from pressync.sync.control import Approval

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.hostile.port import Asked
    from tests.support.hostile.service import HostileService
    from tests.support.wire import Json

    from pressync.model.records import Entry

# Every date that a document names is before this, and every date of the embedded service after it.
_CLOCK = "2025"

_BEFORE = {
    "content/pages/guide.md": "# Guide\n\n[first](guide/first.md)\n",
    "content/pages/guide/first.md": "# First\n\n[up](../guide.md) [about](../about.md)\n",
    "content/pages/about.md": "# About\n\nOnce.\n",
    "content/pages/moving.md": "# Moving\n\nA text that stays.\n\nAnd one more line.\n",
    "content/pages/moving/inner.md": "# Inner\n\nBelow what moves.\n\nAnd one more line.\n",
    "content/pages/linker.md": "# Linker\n\n[where it goes](moving.md)\n",
    "content/pages/old.md": "# Old\n\nGoes.\n",
    "content/pages/former.md": "# Former\n\nGoes with its child.\n",
    "content/pages/former/leaf.md": "# Former leaf\n\nGoes.\n",
    "content/posts/news.md": "---\nid: 1\ntitle: News\n---\nWhat is new.\n",
}
_NEW = {
    "content/pages/about.md": (
        "---\ntitle: About\nexcerpt: In short.\nfront_page: true\n---\nTwice.\n\n[ring](ring-a.md)\n"
    ),
    "content/posts/news.md": "---\nid: 1\ntitle: News today\nsticky: true\n---\nWhat is new today.\n",
    "content/pages/linker.md": "# Linker\n\n[where it goes](moved.md)\n",
    "content/pages/ring-a.md": "# Ring A\n\n[on](ring-b.md)\n",
    "content/pages/ring-b.md": "# Ring B\n\n[on](ring-a.md)\n",
    "content/pages/parent.md": "---\ntitle: Parent\ndate: 2024-05-01 10:00:00\n---\nNew.\n",
    "content/pages/parent/child.md": "---\ntitle: Child\nexcerpt: A child.\n---\n[up](../parent.md)\n",
}
# The files of a site with types of its own in the place of those above: a flat type with fields, one without
# batches, and a tree.
_TYPED = {
    "content/pages/old.md": "content/places/old.md",
    "content/pages/ring-b.md": "content/books/ring-b.md",
    "content/pages/parent.md": "content/chapters/parent.md",
    "content/pages/parent/child.md": "content/chapters/parent/child.md",
}
# A service that answers with the id of another record has one of each type that this clone made.
_TYPED_BEFORE = {
    f"content/{folder}/kept.md": f"# Kept of {folder}\n" for folder in ("books", "chapters", "places")
}
_TYPED_TEXTS = {
    "content/pages/ring-a.md": "# Ring A\n\n[on](../books/ring-b.md)\n",
    "content/books/ring-b.md": "---\nmeta: {isbn: '1'}\n---\n# Ring B\n\n[on](../pages/ring-a.md)\n",
    "content/chapters/parent/child.md": "# Child\n\n[up](../parent.md)\n",
}
# On a machine that is busy with other tests, an honest response takes up to 0.4 s.
_LIMITED = Limits(read=1.0, total=1.6, largest=2_000_000)


def _typed(files: dict[str, str]) -> dict[str, str]:
    return {_TYPED.get(path, path): text for path, text in files.items()}


class Hurried(threading.Event):
    """A stop that nobody sets, and for which waiting takes no time; `waited` are the seconds asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.waited = 0.0

    def wait(self, timeout: float | None = None) -> bool:
        """Note the wait, and do not."""
        self.waited += timeout or 0.0
        return self.is_set()


@dataclass
class Ended:
    """How a sync ended: its exit code, everything that it had to say, and how long it would have waited."""

    code: int
    said: str
    waited: float


@dataclass
class Scenario:
    """A repository between two commits and the site as it was at the first; `honest` is how it must end."""

    dialect: str
    service: HostileService
    root: Path
    memory: Any = None
    asked: list[Asked] = field(default_factory=list)
    honest: list[Json] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)
    fingerprints: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def prepared(cls, dialect: str, service: HostileService, root: Path) -> Scenario:
        """Sync the first commit honestly, make the second, and note how an honest sync of it ends."""
        made = cls(dialect, service, root)
        repository = SampleRepository(root)
        root.mkdir()
        repository.git("init", "--quiet", "--initial-branch=main", "--template=")
        own = dialect == "wordpress"
        if own:
            repository.write(".pressync/default.schema.json", SCHEMA_TEXT)
            for kind in ("book", "chapter", "place"):
                put_stranger(service.site, kind)
        repository.commit({**_typed(_BEFORE), **_TYPED_BEFORE} if own else _BEFORE)
        assert made.sync(root).code == 0
        repository.move("content/pages/moving.md", "content/pages/moved.md")
        repository.move("content/pages/moving/inner.md", "content/pages/moved/inner.md")
        old = "content/pages/old.md"
        repository.remove(_TYPED[old] if own else old, "content/pages/former.md", "content/pages/former")
        repository.commit({**_typed(_NEW), **_TYPED_TEXTS} if own else _NEW)
        repository.git("gc", "--quiet")
        made.memory = service.site.memory()
        return made

    def begin(self, place: Path) -> Path:
        """Copy the repository to a new folder, and set the site back to the first commit."""
        self.service.begin()
        self.service.site.recall(self.memory)
        shutil.copytree(self.root, place)
        return place

    def learn(self, place: Path) -> None:
        """Sync a copy honestly, and note what was asked, and what it made of the site and of the manifest."""
        assert self.sync(self.begin(place / "eight"), concurrency=8).code == 0
        eight_at_a_time = [(each.method, each.path) for each in self.service.received]
        root = self.begin(place / "one")
        assert self.sync(root).code == 0
        self.asked = list(self.service.asked)
        one_at_a_time = [(each.method, each.path) for each in self.service.received]
        assert eight_at_a_time[: self.first_write] == one_at_a_time[: self.first_write]
        shown, entries = self.service.site.shown, self.entries(root)
        self.honest = picture(shown)
        self.titles = {path: shown[e.id]["title"]["raw"] for path, e in entries.items()}
        self.fingerprints = remembered(entries)

    @property
    def first_write(self) -> int:
        """Give the number of the first request of an honest sync that writes."""
        return next(asked.point.request for asked in self.asked if asked.verb != "read")

    def sync(
        self, root: Path, *, concurrency: int = 1, limited: bool = False, overwrite: bool = False
    ) -> Ended:
        """Sync a copy as the command line does, without waiting for any clock."""
        said: list[str] = []
        stop = Hurried()
        limits = _LIMITED if limited else Limits()
        pace = RunOptions(concurrency, overwrite=overwrite, limits=limits)
        choices = PlanOptions(overwrite=overwrite, delete_limit=DeleteLimit(percent=100))
        with self.workspace(root, said) as workspace:
            try:
                run = workspace.sync(
                    Revision(),
                    choices,
                    pace,
                    Approval(lambda _plan: True),
                    stop=stop,
                    listener=RunListener(lambda _outcome: None, said.append),
                )
            except PressyncError as error:
                return Ended(error.exit_code, "\n".join([*map(printable, said), printable(str(error))]), 0)
        assert run is not None
        told = "\n".join([*map(printable, said), text.run(run)])
        return Ended(run_exit_code(run, stopped=False), told, stop.waited)

    def workspace(self, root: Path, said: list[str] | None = None) -> Workspace:
        """Open a copy."""
        environ = {
            "PRESSYNC_URL": self.service.url,
            "PRESSYNC_DIALECT": self.dialect,
            "PRESSYNC_USER": USER,
            "PRESSYNC_PASSWORD": PASSWORD,
        }
        return Workspace.open(root, environ=environ, wait=0, say=(said if said is not None else []).append)

    def entries(self, root: Path) -> dict[str, Entry]:
        """Read what manifest and journal say."""
        with self.workspace(root) as workspace, workspace.reading() as state:
            return dict(state.manifest.entries)

    def resolve(self, root: Path) -> int:
        """Do what a person does: look each unconfirmed create up by its title. Tells how many there were."""
        with self.workspace(root) as workspace:
            with workspace.reading() as state:
                held = {entry.id for entry in state.manifest.entries.values()}
                unconfirmed = sorted(state.unconfirmed)
            if self.dialect == "wordpress":
                # The next sync looks by itself.
                return len(unconfirmed)
            for path in unconfirmed:
                made = [
                    number
                    for number, record in self.service.site.shown.items()
                    if record["title"]["raw"] == self.titles[path] and number not in held
                ]
                bind.resolve(workspace, {path: made[0] if made else None})
        return len(unconfirmed)

    def differences(
        self, entries: dict[str, Entry], records: dict[int, Json], *, modified: bool = True
    ) -> list[str]:
        """Compare the manifest with the site, record by record, in everything that both know."""
        found = [f"{path} is not in the manifest" for path in self.titles.keys() - entries.keys()]
        for path, entry in entries.items():
            record = records.get(entry.id)
            if record is None or record["title"]["raw"] != self.titles.get(path):
                found.append(f"{path} is bound to {entry.id}, which is {record and record['title']['raw']}")
                continue
            names = ["slug", "link", *(["modified", "modified_gmt"] if modified else [])]
            found += [
                f"{path}: {name} {getattr(entry, name)} is {record[name]} on the site"
                for name in names
                if getattr(entry, name) != record[name]
            ]
        return found


def picture(records: dict[int, Json]) -> list[Json]:
    """Describe the records of a site without ids and times: parents and links by title, sorted."""
    links = {record["link"]: record["title"]["raw"] for record in records.values()}
    return sorted(
        (_drawn(record, records, links) for record in records.values()),
        key=lambda drawn: (drawn["title"], drawn["status"], drawn["slug"]),
    )


def remembered(entries: dict[str, Entry]) -> dict[str, object]:
    """Give what the manifest remembers of each record beside ids and times."""
    return {
        path: (
            {name: text for name, text in entry.fingerprints.items() if name not in {"parent", "status"}},
            (dict(entry.changed_by_service), dict(entry.conflict), entry.former),
            (entry.blob, entry.links, entry.parent_path),
        )
        for path, entry in entries.items()
    }


def _drawn(record: Json, records: dict[int, Json], links: dict[str, str]) -> Json:
    parent = records.get(record.get("parent", 0))
    content = re.sub(
        r'href="([^"]+)"',
        lambda found: f"href={links.get(html.unescape(found[1]), found[1])}",
        record["content"]["raw"],
    )
    return {
        "title": record["title"]["raw"],
        "type": record["type"],
        "status": record["status"],
        "slug": record["slug"],
        "parent": parent["title"]["raw"] if parent else "",
        "content": content,
        "excerpt": record.get("excerpt", {}).get("raw", ""),
        "isbn": record.get("meta", {}).get("isbn", ""),
        # A record whose document names no date has the time of its create.
        "date": record["date"] if record["date"] < _CLOCK else "now",
    }
