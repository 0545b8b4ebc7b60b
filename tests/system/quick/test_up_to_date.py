"""The stamp of "nothing to do" is an answer only while all its facts are unchanged."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository, copied
from tests.support.syncing import Site

from pressync.app import up_to_date
from pressync.app.revision import Revision
from pressync.app.up_to_date import Stamp
from pressync.app.workspace import Workspace
from pressync.cli import log
from pressync.cli.report import documents
from pressync.plan.build import PlanOptions
from pressync.repo import discover
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pressync.model.changes import Plan

A, B = "content/pages/a.md", "content/pages/b.md"
CONFIG = 'content = "content"\n'
MANIFEST = ".pressync/default.json"


@dataclass
class Synced:
    """A repository whose two pages are up to date with a service, and the stamp that the next run reads."""

    repository: SampleRepository
    site: Site

    def plan(self, site: str | None = None, config_file: Path | None = None) -> Plan:
        """Build a plan of HEAD and write its stamp, as `pressync plan` does."""
        with Workspace.open(self.repository.root, site=site, config_file=config_file) as workspace:
            plan = workspace.plan(Revision(), PlanOptions()).plan
            up_to_date.write(workspace, plan, site=site, config_file=config_file)
        return plan

    def read(self, site: str | None = None, config_file: Path | None = None) -> Stamp | None:
        """Read the stamp as the next run does."""
        return up_to_date.read(discover.at_head(self.repository.root), site=site, config_file=config_file)

    def expected(self) -> Stamp:
        """Give the stamp that is expected while nothing has changed."""
        head, folders = self.repository.head(), ("content", "templates")
        return Stamp("default", self.site.url, head, 2, readable=False, folders=folders, manifest=MANIFEST)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Sync two pages, a template and settings, once; each test gets a copy."""
    folder = tmp_path_factory.mktemp("original")
    repository = SampleRepository.create(folder / "repository")
    files = {A: "# A\n", B: "# B\n", "templates/page.html": "{{ content }}", "pressync.toml": CONFIG}
    repository.commit(files)
    with running(folder.parent / "up-to-date.db") as service:
        made = Site(repository.root, service.url)
        made.sync()
        yield made


@pytest.fixture
def synced(original: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Synced:
    monkeypatch.setenv("PRESSYNC_URL", original.url)
    root = copied(original.root.parent, tmp_path) / "repository"
    found = Synced(SampleRepository(root), Site(root, original.url))
    found.plan()
    return found


def test_nothing_is_known_before_the_first_look(repository: SampleRepository, tmp_path: Path) -> None:
    assert up_to_date.read(discover.at_head(repository.root), site=None, config_file=None) is None
    assert up_to_date.read(discover.at_head(tmp_path), site=None, config_file=None) is None
    repository.commit({A: "# A\n"})
    assert up_to_date.read(discover.at_head(repository.root), site=None, config_file=None) is None


def test_a_commit_elsewhere_changes_the_commit_and_not_the_answer(synced: Synced) -> None:
    synced.repository.commit({"code.py": "pass\n"})
    assert synced.read() == synced.expected()


def test_it_is_found_from_a_folder_inside_and_in_a_hook(
    synced: Synced, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    found = up_to_date.read(
        discover.at_head(synced.repository.root / "content" / "pages"), site=None, config_file=None
    )
    assert found is not None


def edit_the_settings(here: Synced) -> None:
    here.repository.write("pressync.toml", f"{CONFIG}[defaults]\nauthor = 2\n")


def leave_a_journal(here: Synced, text: str = "something is not settled\n") -> None:
    here.repository.write(".git/pressync/default.journal", text)


def go_back(here: Synced) -> None:
    here.repository.git("checkout", "--quiet", "--orphan", "empty")
    here.repository.git("rm", "--quiet", "-r", "--cached", "content")
    here.repository.git("commit", "--quiet", "-m", "Nothing")


CHANGES: dict[str, Callable[[Synced], object]] = {
    "another text": lambda here: here.repository.commit({A: "# A\n\nEdited.\n"}),
    "a page removed": lambda here: here.repository.git("rm", "--quiet", A) + here.repository.commit(),
    "a template": lambda here: here.repository.commit({"templates/page.html": "<b>{{ content }}</b>"}),
    "other settings": edit_the_settings,
    "no settings": lambda here: here.repository.remove("pressync.toml"),
    "a touched manifest": lambda here: os.utime(here.repository.root / MANIFEST, ns=(0, 0)),
    "no manifest": lambda here: here.repository.remove(MANIFEST),
    "a journal": leave_a_journal,
    "another history": go_back,
}


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_could_change_the_answer_ends_it(synced: Synced, name: str) -> None:
    assert synced.read() is not None
    CHANGES[name](synced)
    assert synced.read() is None


def test_a_variable_that_settings_come_from_and_another_version_end_it_and_an_empty_journal_does_not(
    synced: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("PRESSYNC_URL", "PRESSYNC_DIALECT", "PRESSYNC_USER", "PRESSYNC_SITE"):
        with monkeypatch.context() as patch:
            patch.setenv(variable, "http://127.0.0.1:1/wp-json")
            assert synced.read() is None, variable
    leave_a_journal(synced, "")
    assert synced.read() is not None
    monkeypatch.setattr(up_to_date, "__version__", "999")
    assert synced.read() is None


def test_secrets_do_not_decide_and_are_not_remembered(
    synced: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRESSYNC_TOKEN", "hunter2")
    assert synced.read() is not None
    synced.plan()
    noted = [file.read_text() for file in (synced.repository.root / ".git/pressync").glob("*.seen")]
    assert noted
    assert "hunter2" not in "".join(noted)


def test_each_site_and_each_settings_file_has_its_own_answer(synced: Synced, tmp_path: Path) -> None:
    assert synced.read(site="default") is None
    other = tmp_path / "other.toml"
    other.write_text(CONFIG)
    assert synced.read(config_file=other) is None
    synced.plan(site="default")
    synced.plan(config_file=other)
    assert synced.read(site="default") == synced.read(config_file=other) == synced.read()
    other.write_text(f"{CONFIG}\n")
    assert synced.read(config_file=other) is None
    assert synced.read() is not None


def test_the_note_of_a_site_of_one_branch_does_not_hold_on_another(
    synced: Synced, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PRESSYNC_URL")
    synced.repository.write("pressync.toml", f'[sites.default]\nurl = "{synced.site.url}"\nbranch = "main"\n')
    synced.plan()
    assert synced.read() is not None
    synced.repository.git("checkout", "--quiet", "-b", "other")
    assert synced.read() is None
    synced.repository.git("checkout", "--quiet", "--detach", "main")
    assert synced.read() is None
    synced.repository.git("checkout", "--quiet", "main")
    assert synced.read() is not None


def test_a_plan_with_something_to_do_is_forgotten(synced: Synced) -> None:
    head = synced.repository.head()
    CHANGES["another text"](synced)
    assert synced.plan().pending
    synced.repository.git("reset", "--quiet", "--hard", head)
    assert synced.read() is None


def test_after_a_move_no_note_holds_until_a_sync_has_noted_the_paths(synced: Synced) -> None:
    synced.repository.move(A, "content/pages/moved.md")
    synced.repository.commit()
    assert synced.plan().settled is False
    assert synced.read() is None
    synced.site.sync()
    assert synced.plan().settled
    assert synced.read() is not None


def test_it_names_what_is_not_committed(synced: Synced) -> None:
    synced.repository.write(A, "# A, edited\n")
    synced.repository.write("content/pages/new ä.md", "# New\n")
    synced.repository.write("notes.txt", "no content")
    seen = synced.read()
    assert seen is not None
    assert discover.uncommitted(synced.repository.root / "content", seen.folders) == (
        [A],
        ["content/pages/new ä.md"],
    )


def test_what_was_edited_while_the_plan_was_drawn_is_not_in_the_answer(synced: Synced) -> None:
    for name in ("other settings", "another text"):
        with Workspace.open(synced.repository.root) as workspace:
            plan = workspace.plan(Revision(), PlanOptions()).plan
            CHANGES[name](synced)
            up_to_date.write(workspace, plan, site=None, config_file=None)
        assert synced.read() is None


def test_a_note_that_cannot_be_read_or_written_does_not_hold_and_stops_nobody(synced: Synced) -> None:
    (note,) = (synced.repository.root / ".git/pressync").glob("*.seen")
    for broken in ("", "\n", "x", "a\tb\tc", "a\tu\t1\t\tc\tt\tm\tj\tmore"):
        note.write_text(broken)
        assert synced.read() is None
    note.unlink()
    note.mkdir()
    synced.plan()
    assert synced.read() is None


def test_the_answer_is_a_sentence_and_as_json_that_of_the_whole_plan(synced: Synced) -> None:
    seen = synced.read()
    assert seen is not None
    assert log.plan_of_nothing(seen, "text") == (
        "Nothing to do: 2 records are up to date with default, as of the last sync.\n"
    )
    assert log.nothing_to_do(seen._replace(kept=1)) == (
        "Nothing to do: 1 record is up to date with default, as of the last sync."
    )
    assert log.plan_of_nothing(seen, "json") == documents.plan(synced.plan())
