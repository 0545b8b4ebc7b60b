"""Real commits of upstream trees, synced one by one as their authors made them."""

from __future__ import annotations

import subprocess
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.support.corpora import FOLDER, settings

from pressync.app.revision import Revision
from pressync.client.port import require_readable
from pressync.model.changes import Blocked, Result
from pressync.model.interface import DOCUMENTED_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.syncing import Site

TREES = ("etcd-website", "opensource-guide")
COMMITS = 20


@dataclass
class Replay:
    """A clone of a tree at the commit before the last twenty, with the settings of the guide."""

    root: Path
    commits: list[str]
    # How the changes of all syncs ended, without those of the first.
    ended: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, name: str, root: Path) -> Replay:
        """Clone the history of a tree; skip the test, with a word, when it is not there."""
        bundle = FOLDER / f"{name}-history.bundle"
        if not bundle.is_file():
            pytest.skip(f"the history of the real tree {name} is not beside the project")
        subprocess.run(["git", "clone", "-q", "-b", "main", bundle, root], check=True)
        listed = _git(root, "rev-list", "--reverse", f"HEAD~{COMMITS}..HEAD").split()
        _git(root, "checkout", "-q", "--detach", f"HEAD~{COMMITS}")
        (root / "pressync.toml").write_text(settings(name))
        return cls(root, listed)

    def run(self, site: Site, look: Callable[[], None] = lambda: None) -> None:
        """Sync the first commit and each of the following; no change may fail, wait or be a conflict.

        `look` is called before and after each sync of a later commit.
        """
        first = site.sync()
        assert {outcome.result for outcome in first.outcomes} == {Result.DONE}
        for commit in self.commits:
            _git(self.root, "checkout", "-q", "--detach", commit)
            look()
            outcomes = site.sync().outcomes
            look()
            assert [o for o in outcomes if o.result is not Result.DONE or isinstance(o.change, Blocked)] == []
            self.ended.update(type(outcome.change).__name__ for outcome in outcomes)


def differing(site: Site) -> tuple[int, list[str]]:
    """Count the documents of HEAD, and name every field of a record that is not as its document says.

    Nothing may be pending.
    """
    planned = site.plan()
    assert planned.settled
    assert not planned.refusals
    with site.workspace() as workspace, workspace.reading() as state, workspace.service(1) as service:
        content = workspace.content(Revision(), manifest=state.manifest)
        entries = dict(state.manifest.entries)
        assert entries.keys() == content.sources.keys()
        reads = require_readable(service)
        records = {
            (kind, number): record
            for kind in DOCUMENTED_TYPES.kinds
            for number, record in reads.records(
                kind, [entry.id for entry in entries.values() if entry.kind is kind]
            ).items()
        }
        found = []
        for path, entry in entries.items():
            record = records[entry.kind, entry.id]
            assert record is not None, path
            wanted = content.prepare(path, entries).fields
            shown = {**record.fields, "slug": record.slug}
            names = wanted.keys() & shown.keys() - entry.changed_by_service.keys()
            found += [f"{path}: {name}" for name in sorted(names) if wanted[name] != shown[name]]
    return len(entries), found


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", root, *arguments], check=True, capture_output=True, text=True).stdout
