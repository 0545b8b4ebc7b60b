"""A seeded random walk over commits; after each sync the site must say what the commit says.

The walk keeps its own model of the content (titles, parents, markers in bodies, links) and reads the
service's store, so the comparison shares nothing with what plans and renders.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.support.syncing import Site, stored_pages

from pressync.model.changes import Result
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DeleteLimit
from pressync.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.server.server import RunningService

_STEPS = 25


@dataclass
class Page:
    """What the walk put into one file."""

    title: str
    marker: str
    links: list[str]


class Walk:
    """Random edits of a repository, and what they should lead to."""

    def __init__(self, seed: int, repository: SampleRepository) -> None:
        self._random = random.Random(seed)  # noqa: S311 - a seeded walk, no secret
        self._repository = repository
        self._count = 0
        self.pages: dict[str, Page] = {}
        self.template = 0
        for _ in range(8):
            self.add()

    def step(self) -> str:
        """Edit one to three things, commit, and say what was done."""
        verbs = [
            self.add,
            self.add,
            self.edit,
            self.edit,
            self.rename,
            self.move,
            self.remove,
            self.retemplate,
        ]
        done = [self._random.choice(verbs)() for _ in range(self._random.randint(1, 3))]
        if self._random.random() < 0.1 and self._count > 8:
            done.append(self.revert())
        self._repository.commit()
        return ", ".join(done)

    def add(self) -> str:
        self._count += 1
        folder = self._random.choice(["content/pages", *self._folders()])
        path = f"{folder}/page{self._count}.md"
        self.pages[path] = Page(f"Page {self._count}", self._marker(), self._some_links())
        self._write(path)
        return f"add {path}"

    def edit(self) -> str:
        path = self._any()
        page = self.pages[path]
        page.marker, page.links = self._marker(), self._some_links()
        if self._random.random() < 0.5:
            page.title = f"{page.title} again"
        self._write(path)
        return f"edit {path}"

    def rename(self) -> str:
        self._count += 1
        path = self._any()
        return self._moved(path, f"{path.rpartition('/')[0]}/page{self._count}.md")

    def move(self) -> str:
        path = self._any()
        if path.removesuffix(".md") in self._used_folders():
            return "no move"
        self._count += 1
        folder = self._random.choice(["content/pages", *self._folders()])
        new = f"{folder}/page{self._count}.md"
        done = self._moved(path, new)
        self._write(new)
        return done

    def remove(self) -> str:
        if len(self.pages) < 5:
            return "no removal"
        path = self._any()
        del self.pages[path]
        self._repository.remove(path)
        return f"remove {path}"

    def retemplate(self) -> str:
        self.template += 1
        self._repository.write("templates/page.html", f"<!-- design {self.template} -->\n{{{{ content }}}}\n")
        return "retemplate"

    def revert(self) -> str:
        """Go back to the content of an earlier commit, in a new commit."""
        self._repository.commit()
        before = {path: Page(p.title, p.marker, list(p.links)) for path, p in self.pages.items()}
        template = self.template
        self.edit()
        self.add()
        self._repository.commit()
        self._repository.git("revert", "--no-edit", "HEAD")
        self.pages, self.template = before, template
        return "edit, add and revert"

    def parent(self, path: str) -> str | None:
        """Find the nearest page beside a folder that holds the path."""
        folder = path.rpartition("/")[0]
        while folder not in {"", "content/pages"}:
            if f"{folder}.md" in self.pages:
                return f"{folder}.md"
            folder = folder.rpartition("/")[0]
        return None

    def _moved(self, old: str, new: str) -> str:
        self.pages[new] = self.pages.pop(old)
        self._repository.move(old, new)
        return f"move {old} to {new}"

    def _folders(self) -> list[str]:
        return [path.removesuffix(".md") for path in sorted(self.pages)]

    def _used_folders(self) -> set[str]:
        return {path.rpartition("/")[0] for path in self.pages}

    def _any(self) -> str:
        return self._random.choice(sorted(self.pages))

    def _some_links(self) -> list[str]:
        return self._random.sample(sorted(self.pages), min(len(self.pages), self._random.randint(0, 3)))

    def _marker(self) -> str:
        return f"marker-{self._random.randrange(10**9)}"

    def _write(self, path: str) -> None:
        page = self.pages[path]
        up = "../" * path.count("/")
        links = " ".join(f"[link]({up}{target})" for target in page.links)
        # Enough equal lines that Git sees a renamed file as the same one.
        body = "A line that stays.\n" * 12
        self._repository.write(path, f"---\ntitle: {page.title}\n---\n{body}\n{page.marker}\n\n{links}\n")


def _assert_same(walk: Walk, site: Site, service: RunningService) -> None:
    entries = site.entries()
    records = {r["id"]: r for r in stored_pages(service)}
    assert set(entries) == set(walk.pages)
    assert {entry.id for entry in entries.values()} == set(records), "each document is one record, once"
    for path, page in walk.pages.items():
        record = records[entries[path].id]
        parent = walk.parent(path)
        assert record["title"]["raw"] == page.title
        assert record["slug"] == path.rpartition("/")[2].removesuffix(".md")
        assert record["parent"] == (entries[parent].id if parent else 0)
        assert record["link"] == entries[path].link
        body = record["content"]["raw"]
        assert page.marker in body
        assert (f"design {walk.template} " in body) == (walk.template > 0)
        for target in page.links:
            if target in walk.pages:
                assert f'href="{records[entries[target].id]["link"]}"' in body, f"{path} links to {target}"
        assert len(re.findall("marker-", body)) == 1


@pytest.mark.parametrize("seed", range(2))
def test_after_every_sync_the_site_equals_the_commit(
    seed: int, tmp_path: Path, repository: SampleRepository
) -> None:
    _follow(Walk(seed, repository), tmp_path, repository)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(2, 8))
def test_on_more_walks_the_site_equals_the_commit_after_every_sync(
    seed: int, tmp_path: Path, repository: SampleRepository, record_property: Callable[[str, object], None]
) -> None:
    _follow(Walk(seed, repository), tmp_path, repository)
    record_property("commits synced", _STEPS)


def _follow(walk: Walk, folder: Path, repository: SampleRepository) -> None:
    """Sync after every step of a walk, and compare."""
    repository.commit()
    with running(folder / "site.db") as service:
        site = Site(repository.root, service.url)
        story = ["start"]
        for _ in range(_STEPS):
            run = site.sync(PlanOptions(delete_limit=DeleteLimit(percent=100)))
            failed = [o for o in run.outcomes if o.result not in {Result.DONE, Result.KEPT}]
            assert not failed, f"{failed[0].change.path}: {failed[0].message}, after {story[-1]}"
            _assert_same(walk, site, service)
            assert not site.plan().pending, f"a second sync has nothing to send after {story[-1]}"
            story.append(walk.step())
