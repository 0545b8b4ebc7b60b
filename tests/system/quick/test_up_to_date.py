"""The stamp of "nothing to do" is an answer only while all its facts are unchanged."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.support.syncing import Site

from pressync.app import up_to_date
from pressync.app.revision import Revision
from pressync.app.up_to_date import Stamp
from pressync.app.workspace import Workspace
from pressync.cli import log
from pressync.plan.build import PlanOptions
from pressync.repo import discover
from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.repository import SampleRepository

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
        return up_to_date.read(self.repository.root, site=site, config_file=config_file)

    def expected(self) -> Stamp:
        """Give the stamp that is expected while nothing has changed."""
        head, folders = self.repository.head(), ("content", "templates")
        return Stamp("default", self.site.url, head, 2, readable=False, folders=folders, manifest=MANIFEST)


@pytest.fixture
def synced(repository: SampleRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Synced]:
    """Two pages, a template and settings, synced; the stamp is written."""
    repository.commit(
        {A: "# A\n", B: "# B\n", "templates/page.html": "{{ content }}", "pressync.toml": CONFIG}
    )
    with running(tmp_path / "site.db") as service:
        monkeypatch.setenv("PRESSYNC_URL", service.url)
        found = Synced(repository, Site(repository.root, service.url))
        found.site.sync()
        found.plan()
        yield found


def test_nothing_is_known_before_the_first_look(repository: SampleRepository, tmp_path: Path) -> None:
    assert up_to_date.read(repository.root, site=None, config_file=None) is None
    assert up_to_date.read(tmp_path, site=None, config_file=None) is None
    repository.commit({A: "# A\n"})
    assert up_to_date.read(repository.root, site=None, config_file=None) is None


def test_a_commit_elsewhere_changes_the_commit_and_not_the_answer(synced: Synced) -> None:
    synced.repository.commit({"code.py": "pass\n"})
    assert synced.read() == synced.expected()


def test_it_is_found_from_a_folder_inside_and_in_a_hook(
    synced: Synced, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    found = up_to_date.read(synced.repository.root / "content" / "pages", site=None, config_file=None)
    assert found is not None


def _edit_content(here: Synced) -> None:
    here.repository.commit({A: "# A\n\nEdited.\n"})


def _remove_content(here: Synced) -> None:
    here.repository.remove(A)
    here.repository.commit()


def _edit_a_template(here: Synced) -> None:
    here.repository.commit({"templates/page.html": "<main>{{ content }}</main>"})


def _edit_the_settings(here: Synced) -> None:
    here.repository.write("pressync.toml", f"{CONFIG}[defaults]\nauthor = 2\n")


def _remove_the_settings(here: Synced) -> None:
    (here.repository.root / "pressync.toml").unlink()


def _touch_the_manifest(here: Synced) -> None:
    os.utime(here.repository.root / ".pressync/default.json", ns=(0, 0))


def _remove_the_manifest(here: Synced) -> None:
    (here.repository.root / ".pressync/default.json").unlink()


def _leave_a_journal(here: Synced) -> None:
    with here.site.workspace() as workspace:
        workspace.clone_files.journal.write_text("something is not settled\n")


def _go_back(here: Synced) -> None:
    here.repository.git("checkout", "--quiet", "--orphan", "empty")
    here.repository.git("rm", "--quiet", "-r", "--cached", "content")
    here.repository.git("commit", "--quiet", "-m", "Nothing")


@pytest.mark.parametrize(
    "change",
    [
        _edit_content,
        _remove_content,
        _edit_a_template,
        _edit_the_settings,
        _remove_the_settings,
        _touch_the_manifest,
        _remove_the_manifest,
        _leave_a_journal,
        _go_back,
    ],
)
def test_whatever_could_change_the_answer_ends_it(synced: Synced, change: Callable[[Synced], None]) -> None:
    assert synced.read() is not None
    change(synced)
    assert synced.read() is None


@pytest.mark.parametrize("variable", ["PRESSYNC_URL", "PRESSYNC_DIALECT", "PRESSYNC_USER", "PRESSYNC_SITE"])
def test_a_variable_that_settings_come_from_ends_it(
    synced: Synced, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:1/wp-json")
    assert synced.read() is None


def test_another_version_reads_everything_anew(synced: Synced, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(up_to_date, "__version__", "999")
    assert synced.read() is None


def test_an_empty_journal_holds_nothing_back(synced: Synced) -> None:
    with synced.site.workspace() as workspace:
        workspace.clone_files.journal.write_text("")
    assert synced.read() is not None


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
    _edit_content(synced)
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


def test_it_counts_what_is_not_committed(synced: Synced) -> None:
    synced.repository.write(A, "# A, edited\n")
    synced.repository.write("content/pages/new ä.md", "# New\n")
    synced.repository.write("notes.txt", "no content")
    seen = synced.read()
    assert seen is not None
    assert discover.uncommitted(synced.repository.root / "content", seen.folders) == (1, 1)


def test_a_plan_of_an_older_commit_is_not_the_answer_for_head(synced: Synced) -> None:
    with Workspace.open(synced.repository.root) as workspace:
        plan = workspace.plan(Revision(), PlanOptions()).plan
        _edit_content(synced)
        up_to_date.write(workspace, plan, site=None, config_file=None)
    assert synced.read() is None


def test_settings_that_were_edited_while_the_plan_was_drawn_are_not_in_the_answer(synced: Synced) -> None:
    with Workspace.open(synced.repository.root) as workspace:
        plan = workspace.plan(Revision(), PlanOptions()).plan
        _edit_the_settings(synced)
        up_to_date.write(workspace, plan, site=None, config_file=None)
    assert synced.read() is None


@pytest.mark.parametrize("broken", ["", "\n", "x", "a\tb\tc", "a\tu\t1\t\tc\tt\tm\tj\tmore"])
def test_a_note_that_cannot_be_read_does_not_hold(synced: Synced, broken: str) -> None:
    (note,) = (synced.repository.root / ".git/pressync").glob("*.seen")
    note.write_text(broken)
    assert synced.read() is None


def test_a_note_that_cannot_be_written_stops_nobody(synced: Synced) -> None:
    (note,) = (synced.repository.root / ".git/pressync").glob("*.seen")
    note.unlink()
    note.mkdir()
    synced.plan()
    assert synced.read() is None


def test_the_answer_is_a_sentence(synced: Synced) -> None:
    seen = synced.read()
    assert seen is not None
    assert log.plan_of_nothing(seen, "text") == "Nothing to do: 2 records are up to date with default.\n"
    assert log.nothing_to_do(seen._replace(kept=1)) == "Nothing to do: 1 record is up to date with default."


def test_the_answer_as_json_is_that_of_the_whole_plan(synced: Synced) -> None:
    from pressync.cli.report import documents  # noqa: PLC0415 - beside the one place that compares with it

    seen = synced.read()
    assert seen is not None
    assert log.plan_of_nothing(seen, "json") == documents.plan(synced.plan())
