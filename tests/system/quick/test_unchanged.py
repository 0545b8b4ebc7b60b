"""A run with nothing to do is answered without a plan, and only where a plan has nothing to say."""

from __future__ import annotations

import gc
import os
import shutil
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support.builders import entry
from tests.support.repository import SampleRepository
from tests.support.syncing import Bound, synced_once

from pressync.app import unchanged, up_to_date
from pressync.app.revision import Revision
from pressync.app.workspace import Workspace
from pressync.model.interface import Kind
from pressync.model.records import Medium, RolledBack, UnconfirmedCreate
from pressync.plan.build import PlanOptions
from pressync.repo import discover
from pressync.stage.server.server import running
from pressync.state.manifest import codec

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from pressync.model.records import Manifest

INDEX, A, B = "content/pages/guide/index.md", "content/pages/guide/a.md", "content/pages/b.md"
LATE, PICTURE = "content/pages/guide/late.md", "content/pages/picture.png"
MANIFEST = ".pressync/default.json"
FILES: dict[str, str | bytes] = {
    INDEX: "# Guide\n",
    A: "# A\n\nSee [B](../b.md) and ![a picture](../picture.png).\n",
    B: "# B\n",
    LATE: "---\nparent: content/pages/b.md\n---\n# Late\n",
    PICTURE: b"\x89PNG\r\n\x1a\n",
    "content/pages/.hidden.md": "# Hidden\n",
    "content/pages/draft/plan.md": "# Left out\n",
    "templates/page.html": "<main>{{ content }}</main>",
    "pressync.toml": 'exclude = ["draft/"]\n',
}


@dataclass
class Synced:
    """A repository whose four pages are up to date with a service that takes pictures, without a stamp."""

    repository: SampleRepository
    site: Bound

    @property
    def manifest(self) -> Path:
        return self.repository.root / MANIFEST

    def is_answered(self) -> bool:
        """Compare without a plan; where there is an answer, the plan has nothing to do and nothing to say."""
        for stamp in (self.repository.root / ".git/pressync").glob("*.seen"):
            stamp.unlink()
        found = unchanged.find(self.repository.root, site=None, config_file=None)
        if found is None:
            return False
        with Workspace.open(self.repository.root) as workspace:
            plan = workspace.plan(Revision(), PlanOptions()).plan
        assert plan.settled
        assert (plan.problems, plan.notes, plan.refusals) == ((), (), ())
        assert (found.kept, found.commit, found.target) == (len(plan.changes), plan.commit, plan.target)
        return True

    def rewrite(self, change: Callable[[Manifest], Manifest]) -> None:
        known = codec.decode(self.manifest.read_text(), where="")
        self.manifest.write_text(codec.encode(change(known)))

    def replace(self, path: str, **members: object) -> None:
        self.rewrite(
            lambda known: replace(
                known,
                entries={**known.entries, path: structs.replace(known.entries[path], **members)},
            )
        )


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Bound:
    """Sync a repository once; a comparison needs no service, so each test gets a copy."""
    return synced_once(tmp_path_factory.mktemp("original"), FILES)


@pytest.fixture
def synced(original: Bound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Synced:
    monkeypatch.setenv("PRESSYNC_URL", original.url)
    monkeypatch.setenv("PRESSYNC_DIALECT", "wordpress")
    root = Path(shutil.copytree(original.root, tmp_path / "copy", symlinks=True))
    return Synced(SampleRepository(root), Bound(root, original.url, environ=original.environ))


def test_a_site_that_is_up_to_date_is_answered_and_remembered(synced: Synced) -> None:
    assert synced.is_answered()
    stamp = up_to_date.read(discover.at_head(synced.repository.root), site=None, config_file=None)
    assert stamp == unchanged.find(synced.repository.root, site=None, config_file=None)
    assert stamp is not None
    assert (stamp.kept, stamp.readable, stamp.manifest) == (4, True, MANIFEST)


def test_a_commit_without_a_change_for_the_site_is_answered(synced: Synced) -> None:
    (synced.repository.root / A).chmod(0o755)
    (synced.repository.root / "content/pages/guide/link.md").symlink_to("a.md")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", ResourceWarning)
        for path in (
            "content/pages/aaa.txt",
            "content/pages/zzz.png",
            "content/pages/draft/more.md",
            "src/program.py",
            "templates/unused.html",
        ):
            synced.repository.commit({path: "Not for the site"})
            assert synced.is_answered(), path
        synced.repository.commit({})
        assert synced.is_answered()
        gc.collect()
    assert [str(each.message) for each in seen if MANIFEST in str(each.message)] == []


def commit(files: dict[str, str | bytes]) -> Callable[[Synced], object]:
    return lambda here: here.repository.commit(files)


def git(*words: str) -> Callable[[Synced], object]:
    return lambda here: [here.repository.git(*words), here.repository.commit()]


def says(path: str, **members: object) -> Callable[[Synced], object]:
    """Change members of the entry of a path; the unit tests of the comparison have the other members."""
    return lambda here: here.replace(path, **members)


def damaged(damage: Callable[[str], str]) -> Callable[[Synced], object]:
    return lambda here: here.manifest.write_text(damage(here.manifest.read_text()))


def behind_a_link(here: Synced) -> None:
    here.manifest.rename(elsewhere := here.manifest.with_name("elsewhere.json"))
    here.manifest.symlink_to(elsewhere)


SENT = UnconfirmedCreate("content/pages/x.md", Kind.PAGE, "x", "", "", {})
IDLE = Medium("f" * 40, "content/pages/old.png", 900, "https://example.org/old.png")
NEEDS_A_PLAN: dict[str, Callable[[Synced], object]] = {
    "another text": commit({A: "# Another A\n"}),
    "a new page": commit({"content/pages/new.md": "# New\n"}),
    "a used template": commit({"templates/page.html": "<div>{{ content }}</div>"}),
    "a template that comes before": commit({"templates/default.html": "<div>{{ content }}</div>"}),
    "a default": commit({"pressync.toml": 'exclude = ["draft/"]\n[defaults]\nmenu_order = 4\n'}),
    "a page that is left out no more": commit({"pressync.toml": ""}),
    "a page that is left out": commit({"pressync.toml": 'exclude = ["draft/", "b.md"]\n'}),
    "broken settings": commit({"pressync.toml": "exclude = 4"}),
    "pages for folders": commit({"pressync.toml": 'exclude = []\nfolders = "pages"\n'}),
    "a term": commit({"pressync.toml": 'exclude = ["draft/"]\n[terms]\n"tags/x" = "y"\n'}),
    "another picture": commit({PICTURE: b"\x89PNG\r\n\x1a\n\0"}),
    "a move": git("mv", A, "content/pages/guide/moved.md"),
    "a move to another parent": git("mv", A, "content/pages/a.md"),
    "a move out of the content": git("mv", A, "a.md"),
    "a parent removed": git("rm", "-q", INDEX),
    "a page removed": git("rm", "-q", LATE),
    "an entry without bytes": says(A, blob=""),
    "another basis": says(A, basis="0" * 20),
    "an entry without its links": says(A, links=()),
    "a parent outside": says(A, parent_path="../outside.md"),
    "a commit that is not here": says(A, commit="0" * 40),
    "a commit like an option": says(A, commit="--all"),
    "a linked page with another address": says(B, link="https://example.org/elsewhere/"),
    "a linked page with another record": says(B, id=4040),
    "a parent with another record": says(INDEX, id=4040),
    "two entries of one record": lambda here: here.replace(A, id=here.site.entries()[B].id),
    "a head that does not descend": lambda here: here.repository.git(
        *("commit", "--quiet", "--amend", "--no-edit", "--date", "2001-01-01T00:00:00Z")
    ),
    "another version": damaged(lambda text: text.replace('"version": 1', '"version": 2')),
    "another target": damaged(lambda text: text.replace('"target": "http', '"target": "ftp')),
    "half a manifest": damaged(lambda text: text[: len(text) // 2]),
    "a manifest with markers": damaged(lambda text: f"<<<<<<< ours\n{text}"),
    "an empty manifest": damaged(lambda _text: ""),
    "a manifest in no file": lambda here: here.manifest.rename(here.manifest.with_name("elsewhere.json")),
    "a manifest behind a link": behind_a_link,
    "an unconfirmed create": lambda here: here.rewrite(lambda known: replace(known, unconfirmed=(SENT,))),
    "an unused upload": lambda here: here.rewrite(
        lambda known: replace(known, media={**known.media, IDLE.blob: IDLE})
    ),
    "a run that was killed": lambda here: here.repository.write(".git/pressync/default.journal", "{}\n"),
    "a run that was rolled back": lambda here: here.rewrite(
        lambda known: replace(known, rolled_back=RolledBack("some-run", here.repository.head(), "digest"))
    ),
}


@pytest.mark.parametrize("name", NEEDS_A_PLAN)
def test_whatever_may_change_the_site_or_what_a_plan_would_look_into_needs_a_plan(
    synced: Synced, name: str
) -> None:
    NEEDS_A_PLAN[name](synced)
    assert unchanged.find(synced.repository.root, site=None, config_file=None) is None


def test_a_record_that_only_this_clone_remembers_needs_a_plan(synced: Synced) -> None:
    copy = synced.repository.root / ".git/pressync/default.made"
    known = codec.decode(copy.read_text(), where="")
    more = {**known.entries, "content/pages/lost.md": entry("content/pages/lost.md", 77)}
    copy.write_text(codec.encode(replace(known, entries=more)))
    assert not synced.is_answered()
    copy.unlink()
    assert synced.is_answered()


def test_another_branch_than_the_sites_needs_a_plan(synced: Synced) -> None:
    url = os.environ["PRESSYNC_URL"]
    synced.repository.write(
        "pressync.toml", f'exclude = ["draft/"]\n[sites.default]\nurl = "{url}"\nbranch = "main"\n'
    )
    assert synced.is_answered()
    synced.repository.git("switch", "--quiet", "-c", "topic")
    assert not synced.is_answered()


_members = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(1, 9),
        "link": st.sampled_from(["https://example.org/x/", "javascript:x"]),
        "links": st.lists(st.sampled_from([A, B, PICTURE, "gone.md"]), max_size=2).map(tuple),
        "parent_path": st.sampled_from([None, INDEX, B, A, "gone.md"]),
        "layout": st.sampled_from(["", "page.html", "none.html"]),
        "fingerprints": st.sampled_from([{"title": "?"}, {"title": "aa"}]),
        "commit": st.sampled_from(["", "f" * 40]),
        "protect": st.booleans(),
        "former": st.just(("https://example.org/old/",)),
    },
)


@pytest.mark.sweep
@given(st.dictionaries(st.sampled_from([INDEX, A, B, LATE]), _members, max_size=3), st.randoms())
def test_wherever_there_is_an_answer_the_plan_has_nothing_to_say(
    synced: Synced, changes: dict[str, dict[str, object]], chance: Random
) -> None:
    """Half of the entries with changes get the basis that they would have if they were up to date."""
    before = synced.manifest.read_bytes()
    entries = codec.decode(before.decode(), where="").entries
    changed = {path: structs.replace(entries[path], **members) for path, members in changes.items()}
    with Workspace.open(synced.repository.root) as workspace:
        content, entries = workspace.content(Revision()), {**entries, **changed}
        for path, known in changed.items():
            if chance.random() < 0.5:
                basis = content.basis(known.layout, known.parent_path, known.links, entries)
                entries[path] = structs.replace(known, basis=basis)
    synced.rewrite(lambda known: replace(known, entries=entries))
    try:
        synced.is_answered()
    finally:
        synced.manifest.write_bytes(before)


def test_folders_whose_pages_have_no_file_are_answered_until_another_folder_needs_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SampleRepository.create(tmp_path / "folders")
    repository.commit(
        {"pressync.toml": 'folders = "pages"\n', "content/pages/deep/er/a.md": "# A\n", B: "# B\n"}
    )
    with running(tmp_path / "site.db") as service:
        monkeypatch.setenv("PRESSYNC_URL", service.url)
        site = Bound(repository.root, service.url)
        assert len(site.sync().outcomes) == 4
    synced = Synced(repository, site)
    assert synced.is_answered()
    repository.move("content/pages/deep/er/a.md", "content/pages/deep/other/a.md")
    repository.commit()
    assert not synced.is_answered()
    repository.move("content/pages/deep/other/a.md", "content/pages/deep/er/a.md")
    repository.commit()
    assert synced.is_answered()
    repository.commit({"content/pages/deep/index.md": ""})
    assert synced.is_answered()
    repository.commit({"content/pages/deep/index.md": "# Deep\n"})
    assert not synced.is_answered()
