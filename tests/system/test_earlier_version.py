"""Files that version 0.1.0 wrote before its modules moved: this version reads each of them as that one did.

`tests/system/earlier_version` holds them as they were on the disk: a manifest in a file and in a reference,
journals of runs that were killed, the lock of a dead process, a reviewed plan, an installed hook and a
workflow. `wordpress` has all that a later version kept in a clone beside the manifest, after two runs and
after a third one that was killed, with the database of the embedded service.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.embedded_wordpress import ENVIRON, PASSWORD, EmbeddedWordPress
from tests.support.repository import SampleRepository
from tests.support.syncing import Site
from tests.support.terminal import Terminal
from tests.support.wire import listening
from werkzeug.test import Client

from pressync.app.workspace import Workspace
from pressync.content import basis
from pressync.content.render import markdown
from pressync.model.changes import Result
from pressync.model.interface import Kind
from pressync.stage.server.app import WORDPRESS, make_app
from pressync.stage.server.store import Store
from pressync.state.clone_facts import RunRecords, record_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.strict_service import StrictService

WRITTEN = Path(__file__).with_name("earlier_version")
# The service that the earlier version spoke to; the tests put their own in its place.
_URL = "http://127.0.0.1:18127/wp-json"
_DOUBTFUL = "content/pages/news.md"
# The links on the site that was recorded begin with this; the site keeps it as its address.
_WORDPRESS = "http://127.0.0.1:18128"


def test_a_run_that_the_earlier_version_left_goes_on_without_a_second_page(
    tmp_path: Path, strict: StrictService
) -> None:
    terminal = _clone("file", tmp_path, strict)
    first = terminal.run("sync", "--yes", "--format", "json", exits=5)
    results = {row["path"]: row["result"] for row in json.loads(first.stdout)["outcomes"]}
    # The answer to the create was lost; the update that was under way is sent again.
    assert results[_DOUBTFUL] == "in_doubt"
    assert results["content/pages/about.md"] == "done"
    terminal.run("resolve", _DOUBTFUL, "--id", "5")
    terminal.run("sync", "--yes")
    terminal.run("plan", "--exit-code")
    assert sorted(strict.records) == [1, 2, 3, 4, 5]
    assert not strict.violations


def test_a_manifest_of_the_earlier_version_is_a_plan_of_nothing_for_what_was_synced(
    tmp_path: Path, strict: StrictService
) -> None:
    terminal = _clone("file", tmp_path, strict, local=False)
    assert "4 records" in terminal.run("plan", "--ref", "HEAD~1").stdout


def test_only_pages_with_a_quoted_shortcode_are_sent_once_more(
    tmp_path: Path, strict: StrictService, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = SampleRepository.create(tmp_path)
    gallery = "content/pages/gallery.md"
    texts = ('Text "quoted" in [a "bracket"]\n\n`[gallery ids="1"]`\n', "![a](b.png)\n")
    plain = {f"content/pages/{number}.md": text for number, text in enumerate(texts)}
    repository.commit({**plain, gallery: '[gallery ids="1,2"]\n'})
    site = Site(repository.root, strict.url)
    with monkeypatch.context() as earlier:
        earlier.setattr(basis, "_RECIPE", 1)
        earlier.setattr(markdown, "as_written", str)
        site.sync()
        assert site.plan().pending == ()
    (outcome,) = site.sync().outcomes
    assert (outcome.change.path, outcome.result) == (gallery, Result.DONE)
    assert [page["content"]["raw"] for page in strict.pages if page["slug"] == "gallery"] == [
        '<p>[gallery ids="1,2"]</p>\n'
    ]
    assert site.sync().outcomes == ()


def test_a_plan_that_was_reviewed_with_the_earlier_version_is_made(tmp_path: Path) -> None:
    repository = _imported("plan", tmp_path)
    terminal = Terminal(repository, {})
    plan = WRITTEN / "plan/plan.json"
    done = terminal.run("sync", "--yes", "--plan", str(plan), "--format", "json")
    assert json.loads(done.stdout)["counts"]["done"] == 3
    # Another commit is another plan.
    repository.commit({"content/pages/more.md": "# More\n"})
    terminal.run("sync", "--yes", "--plan", str(plan), exits=4)


def test_a_reference_that_the_earlier_version_left_in_mid_run_goes_on(
    tmp_path: Path, strict: StrictService
) -> None:
    terminal = _clone("ref", tmp_path, strict)
    terminal.run("sync", "--yes", exits=5)
    terminal.run("resolve", _DOUBTFUL, "--id", "5")
    terminal.run("sync", "--yes")
    terminal.run("plan", "--exit-code")
    assert sorted(strict.records) == [1, 2, 3, 4, 5]


@pytest.mark.sweep
def test_an_installed_hook_of_the_earlier_version_syncs(tmp_path: Path, strict: StrictService) -> None:
    terminal = _clone("file", tmp_path, strict, local=False, site="site_before.json")
    hook = terminal.repository.root / ".git/hooks/post-commit"
    program = Path(sys.executable).with_name("pressync")
    text = (WRITTEN / "file/post-commit").read_text(encoding="utf-8")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(text.replace("@EXECUTABLE@", str(program)), encoding="utf-8")
    hook.chmod(0o755)
    terminal.repository.commit({"content/pages/more.md": "# More\n"})
    assert {record["slug"] for record in strict.pages} >= {"news", "more", "about"}


def test_a_clone_that_the_earlier_version_left_has_nothing_to_do(tmp_path: Path) -> None:
    with _clone_of_wordpress("settled", tmp_path) as (terminal, service):
        before = service.shown
        assert "Nothing to do" in terminal.run("plan", "--drift").stdout
        terminal.run("sync", "--yes")
        assert service.shown == before


def test_a_run_of_the_earlier_version_is_undone(tmp_path: Path) -> None:
    with _clone_of_wordpress("settled", tmp_path) as (terminal, service):
        terminal.run("rollback", "--yes")
        records = {record["slug"]: record for record in service.shown.values()}
        assert records["about"]["title"]["raw"] == "About"
        assert records["jobs"]["status"] == "publish"


def test_a_record_that_the_earlier_version_removed_stays_removed(tmp_path: Path) -> None:
    with _clone_of_wordpress("settled", tmp_path) as (terminal, service):
        terminal.repository.commit({"content/pages/about.md": "# About everybody\n"})
        done = terminal.run("sync", "--yes", "--format", "json")
        assert json.loads(done.stdout)["counts"] | {"kept": 0} == {
            **dict.fromkeys(("failed", "skipped", "blocked", "in_doubt", "kept"), 0),
            "done": 1,
        }
        assert service.shown[1]["status"] == "trash"


def test_a_clone_of_the_earlier_version_finds_its_records_without_the_manifest(tmp_path: Path) -> None:
    with _clone_of_wordpress("settled", tmp_path) as (terminal, service):
        known = sorted(service.shown)
        # This clone's copy of its records still knows them.
        terminal.repository.git("rm", "--quiet", "--force", ".pressync/production.json")
        terminal.repository.git("commit", "--quiet", "--message", "The manifest is gone")
        terminal.run("sync", "--yes", "--new-manifest", exits=1)
        assert sorted(service.shown) == known


def test_a_killed_run_of_the_earlier_version_makes_no_second_post(tmp_path: Path) -> None:
    with _clone_of_wordpress("killed", tmp_path) as (terminal, service):
        known = sorted(service.shown)
        terminal.run("sync", "--yes")
        terminal.run("plan", "--exit-code")
        assert sorted(service.shown) == known
        contents = [record["content"]["raw"] for record in service.shown.values()]
        assert sum("She writes books" in content for content in contents) == 1


@pytest.mark.parametrize("is_upgraded", [False, True], ids=["in place", "taken in"])
def test_what_the_earlier_version_noted_in_many_files_stays_known(
    tmp_path: Path, *, is_upgraded: bool
) -> None:
    with _clone_of_wordpress("settled", tmp_path) as (terminal, service):
        own = terminal.repository.root / ".git/pressync"
        written = {path.name for path in own.iterdir()}
        if is_upgraded:
            terminal.repository.commit({"content/pages/team/anna.md": "# Anna\n\nShe writes books.\n"})
            terminal.run("sync", "--yes")
            asked = [each.path for each in service.received]
            assert not [path for path in asked if "users/me" in path], "the rights are known"
            written = {"production.lock", "production.made", "production.log", "any.seen", "used-settings"}
        removed = terminal.repository.git(
            "log", "--diff-filter=D", "--format=%H", "--", "content/pages/jobs.md"
        )
        terminal.repository.git("checkout", "--quiet", f"{removed}^", "--", "content/pages/jobs.md")
        terminal.repository.commit()
        said = terminal.run("plan").output
        assert "was page 1 until run 20261123-054440-dewyh put it into the trash" in said
        standings = json.loads(terminal.run("status", "--format", "json").stdout)["records"]
        assert {row["path"]: row["notes"] for row in standings if row["notes"]} == {
            "content/pages/about.md": 2
        }
        assert {path.name for path in own.iterdir()} - {"any.seen"} == written - {"any.seen"}
        opened = Workspace.open(terminal.repository.root, environ=ENVIRON, wait=0)
        with opened as workspace, workspace.reading() as state:
            bonds = {path: bond.id for path, bond in state.vouched.bonds().items()}
            assert state.created_copy.removed() == {(Kind.PAGE, 1)}
            assert state.log.claim() == "c" * 32
            about, run = "content/pages/about.md", RunRecords(state.log).read("20261123-054440-dewyh")
            # The digest that it noted is the one of today.
            assert run
            assert run.after
            assert run.after[about] == record_after(state.manifest.entries[about])
        assert bonds["content/pages/jobs.md"] == 0
        assert sorted(bonds.values()) == [0, 3, 4, 5, 6]


@pytest.mark.parametrize("command", ["push", "pull_request", "schedule"])
def test_a_workflow_of_the_earlier_version_names_events_that_the_action_still_serves(command: str) -> None:
    workflow = (WRITTEN / "workflow.yml").read_text(encoding="utf-8")
    assert re.search(rf"^  {command}:", workflow, re.MULTILINE)
    action = (Path(__file__).parents[2] / "action.yml").read_text(encoding="utf-8")
    for given in re.findall(r"^          ([a-z-]+): (?!0|false)", workflow, re.MULTILINE):
        assert f"  {given}:" in action or given in {"fetch-depth", "persist-credentials"}


def _clone(
    kind: str, folder: Path, strict: StrictService, *, local: bool = True, site: str = "site.json"
) -> Terminal:
    """Put a repository, the site and (if `local`) what the earlier version noted in the clone in place."""
    written = WRITTEN / kind
    repository = _imported(kind, folder, strict.url)
    notes = repository.root / ".git/pressync"
    notes.mkdir()
    if local:
        for file in written.glob("production.*"):
            here = repository.root / ".pressync" if file.suffix == ".json" else notes
            (here / file.name).write_bytes(_readdressed(file.read_bytes(), strict.url))
    else:
        manifest = repository.root / ".pressync/production.json"
        manifest.write_bytes(_readdressed(manifest.read_bytes(), strict.url))
    strict.records.clear()
    for number, record in json.loads((written / site).read_text(encoding="utf-8")).items():
        strict.records[int(number)] = record
    settings = repository.root / "pressync.toml"
    settings.write_bytes(settings.read_bytes().replace(_URL.encode(), strict.url.encode()))
    return Terminal(repository, {})


@contextlib.contextmanager
def _clone_of_wordpress(state: str, folder: Path) -> Iterator[tuple[Terminal, EmbeddedWordPress]]:
    """Put the earlier version's clone in place, and serve the site to which it belonged."""
    written = WRITTEN / "wordpress" / state
    database = folder / "site/site.db"
    picture = database.parent / "uploads/2026/11/dot.png"
    picture.parent.mkdir(parents=True)
    picture.write_bytes(b"a picture")
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.executescript((written / "site.sql").read_text(encoding="utf-8"))
    store = Store(database, address=_WORDPRESS)
    service = EmbeddedWordPress(
        client=Client(make_app(store, dialect=WORDPRESS, token=PASSWORD)), store=store
    )
    with contextlib.closing(store), listening(service):
        repository = _imported(f"wordpress/{state}", folder)
        for file in (path for path in (written / "notes").rglob("*") if path.is_file()):
            here = repository.root / ".git/pressync" / file.relative_to(written / "notes")
            here.parent.mkdir(parents=True, exist_ok=True)
            here.write_bytes(_at(service, file.read_bytes()))
        manifest = repository.root / ".pressync/production.json"
        manifest.parent.mkdir(exist_ok=True)
        manifest.write_bytes(_at(service, (written / "production.json").read_bytes()))
        settings = repository.root / "pressync.toml"
        settings.write_bytes(_at(service, settings.read_bytes()))
        # The settings name the address that this test has, and a run reads the committed ones.
        repository.git("commit", "--quiet", "--all", "--message", "The address of today")
        yield Terminal(repository, ENVIRON), service


def _at(service: EmbeddedWordPress, text: bytes) -> bytes:
    """Put the address of the service into what names the target; links keep the site's own address."""
    target = f"{_WORDPRESS}/wp-json".encode()
    return _readdressed(text, service.url, target) if target in text else text


def _imported(kind: str, folder: Path, url: str = _URL) -> SampleRepository:
    """Make the earlier version's repository; a manifest in its reference gets the address of the service."""
    repository = SampleRepository.create(folder / "repository")
    stream = (WRITTEN / kind / "repository.fast-export").read_bytes()
    if kind == "ref":
        # The ids of the commits on main stand in the manifest, so nothing on main may change.
        target = f'"target": "{_URL}"'.encode()
        assert len(url) == len(_URL), "the stream counts bytes"
        stream = stream.replace(target, f'"target": "{url}"'.encode())
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force"], cwd=repository.root, input=stream, check=True
    )
    repository.git("reset", "--quiet", "--hard", "main")
    return repository


def _readdressed(text: bytes, url: str, was: bytes = _URL.encode()) -> bytes:
    """Put the address of the test's service into a manifest, or into a journal's first line."""
    first, newline, rest = text.partition(b"\n")
    line, tab, _ = first.rpartition(b"\t")
    if tab:
        line = line.replace(was, url.encode())
        return b"%s\t%08x\n%s" % (line, zlib.crc32(line), rest)
    return text.replace(was, url.encode()) if newline or was != _URL.encode() else text
