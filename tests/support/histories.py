"""Real histories, replayed with one sync per commit, as fresh clones on a runner would do it."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.corpora import FOLDER
from tests.support.repository import SampleRepository
from tests.support.syncing import Bound

from pressync.app.workspace import Workspace
from pressync.model.changes import Blocked, Delete, Keep, Update
from pressync.plan.build import PlanOptions
from pressync.plan.limits import DeleteLimit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Settings beside the repository: the histories have none.
SETTINGS = (
    '{top}templates = "templates"\n[sites.production]\nurl = "{url}"\ndialect = "{dialect}"\n{defaults}'
)
_DEFAULTS = '[sites.production.defaults]\ntype = "page"\n{more}'
# Names of people and terms are the site's, and the strict peers have none.
_NAMED = re.compile(rb"^(author|categories|tags|featured_media|image):", re.MULTILINE)
# Whether the histories are replayed whole. Read while the tests are collected, as in `corpora`.
WHOLE = os.environ.get("PRESSYNC_TEST_CORPORA") == "all"
UNLIMITED = PlanOptions(delete_limit=DeleteLimit(count=10_000))


def cloned(name: str, target: Path) -> SampleRepository:
    """Clone a bundle of commits; skip the test, with a word, when it is not there."""
    bundle = FOLDER / f"{name}-history.bundle"
    if not bundle.is_file():
        pytest.skip(f"the real history {name} is not beside the project")
    SampleRepository(target.parent).git("clone", "--quiet", "-b", "main", str(bundle), str(target))
    return SampleRepository(target)


@dataclass
class Replay(Bound):
    """A repository that is synced anew and anew, each time by a clone that vouches for nothing."""

    settings: Path = Path()

    def workspace(self) -> Workspace:
        """Open the workspace; the caller closes it."""
        return Workspace.open(
            self.root, config_file=self.settings, environ=self.environ, wait=0, say=self.heard.append
        )

    def configure(self, content: str, dialect: str, more: str = "") -> None:
        """Write the settings; `more` are lines of defaults."""
        text = SETTINGS.format(
            top=f'content = "{content}"\n',
            url=self.url,
            dialect=dialect,
            defaults=_DEFAULTS.format(more=more),
        )
        self.settings.write_text(text)

    def step(self) -> Counter[str]:
        """Forget the notes, sync HEAD, and count what the plan had and what was not verified."""
        for notes in (self.root / ".git/pressync").glob("*.log"):
            notes.unlink()
        run = self.sync(UNLIMITED, keep_going=True, concurrency=8)
        found: Counter[str] = Counter()
        for change in run.plan.changes:
            match change:
                case Delete():
                    found["deletes"] += 1
                case Update():
                    found["updates"] += 1
                    found["renames"] += "moved from" in change.reason
                case Keep():
                    found["renames"] += "moved from" in change.reason
                case Blocked() if "the manifest says that it is" in change.reason:
                    found["unverified"] += 1
                    self.heard.append(f"{change.path}: {change.reason}")
                case Blocked():
                    found["blocked otherwise"] += 1
                case _:
                    pass
        return found


def with_templates(repository: SampleRepository, commits: Iterable[str]) -> Iterator[int]:
    """Commit the tree of each commit once more, with a template that changes every twentieth time."""
    repository.git("checkout", "--quiet", "--orphan", "replayed")
    for number, commit in enumerate(commits):
        repository.git("rm", "-r", "--quiet", "--force", "--ignore-unmatch", ".")
        repository.git("checkout", "--quiet", commit, "--", ".")
        for file in repository.root.rglob("*.md"):
            file.write_bytes(_NAMED.sub(rb"x_\1:", file.read_bytes()))
        repository.write("templates/page.html", f"<p>Version {number // 20}</p>{{{{ content }}}}<hr>")
        repository.git("add", "--all", "--", ":!.pressync")
        repository.git("commit", "--quiet", "--allow-empty", "-m", f"As {commit[:10]}")
        yield number


def commits_of(repository: SampleRepository) -> list[str]:
    """List the commits, oldest first."""
    return repository.git("rev-list", "--first-parent", "--reverse", "HEAD").split()
