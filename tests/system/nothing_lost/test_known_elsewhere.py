"""Records that the manifest lacks and that another place still knows: each is told, nothing is made twice."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support import embedded_wordpress
from tests.support.builders import TARGET, create, entry, manifest
from tests.support.embedded_wordpress import ENVIRON
from tests.support.library_repository import Shelf
from tests.support.memory_service import MemoryService
from tests.support.repository import SampleRepository, copied
from tests.support.states import log_in
from tests.support.strict_service import serving
from tests.support.terminal import Terminal
from tests.unit.app.doctor.findings import findings

from pressync.app import unchanged
from pressync.app.doctor.site_checks import Verdict
from pressync.config import settings
from pressync.model.interface import Kind
from pressync.plan import known_elsewhere
from pressync.plan.known_elsewhere import TakenBack, Way
from pressync.repo.repository import Repository
from pressync.state.clone_facts import (
    VERSION,
    RecordAfter,
    RunRecord,
    RunRecords,
    TouchedRecord,
    record_after,
)
from pressync.state.clone_files import CloneFiles
from pressync.state.clone_log import CloneLog
from pressync.state.manifest.codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.strict_service import Memory, StrictService

    from pressync.config.settings import Site
    from pressync.model.records import Entry


# A record that `git reset` left on the site is told with its id, and neither blocks nor deletes anything.

NEWS = "content/pages/news.md"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Terminal, StrictService, Memory]]:
    """Sync and commit one page, then a second one, and take the second back; each test gets a copy."""
    repository = SampleRepository.create(tmp_path_factory.mktemp("original") / "repository")
    repository.commit({"content/pages/index.md": "# Home\n", "content/pages/about.md": "# About\n"})
    with serving() as strict:
        terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
        terminal.run("sync", "--yes", "--commit")
        repository.commit({NEWS: "# News\n"})
        terminal.run("sync", "--yes", "--commit")
        repository.git("reset", "--quiet", "--hard", "HEAD~2")
        yield terminal, strict, strict.memory()


@pytest.fixture
def strict(original: tuple[Terminal, StrictService, Memory]) -> StrictService:
    _, service, memory = original
    service.recall(memory)
    return service


@pytest.fixture
def left(original: tuple[Terminal, StrictService, Memory], strict: StrictService, tmp_path: Path) -> Terminal:
    copied(original[0].repository.root.parent, tmp_path)
    return Terminal(SampleRepository(tmp_path / "repository"), {"PRESSYNC_URL": strict.url})


def told(shown: str, strict: StrictService) -> None:
    """See that the record is named with its id, its address and the commands."""
    page = strict.pages[-1]
    assert f"page {page['id']} ({page['link']}) is left on the site" in shown
    assert f"`pressync adopt {NEWS} {page['id']}`" in shown
    assert f"`pressync forget {NEWS}`" in shown
    assert "git restore --source=" in shown


def test_plan_status_sync_and_doctor_tell_of_it_until_it_is_forgotten(
    left: Terminal, strict: StrictService
) -> None:
    for command in (("plan",), ("status",), ("sync", "--yes"), ("plan",), ("sync", "--yes")):
        told(left.run(*command).stderr, strict)
    (problem,) = json.loads(left.run("plan", "--format", "json").stdout)["problems"]
    assert (problem["path"], problem["warning"]) == (NEWS, True)
    finding = findings(left.repository, left.environ)["orphans"]
    assert finding.verdict is Verdict.UNKNOWN
    told(f"{finding.evidence}; {finding.todo}", strict)
    left.repository.commit({"content/pages/team.md": "# Team\n", "content/pages/about.md": "# About us\n"})
    assert "2 done" in left.run("sync", "--yes").stdout, "and other work goes on"
    assert sorted(page["title"]["raw"] for page in strict.pages) == ["About us", "Home", "News", "Team"]
    left.run("forget", NEWS)
    assert "left on the site" not in left.run("plan").stderr
    assert "orphans" not in findings(left.repository, left.environ)
    assert len(strict.pages) == 4


def test_the_commands_that_are_named_take_it_up_again(left: Terminal, strict: StrictService) -> None:
    shown = left.run("plan").stderr
    restore = shown.split("to keep it, `")[1].split("`")[0]
    subprocess.run(restore.split(), cwd=left.repository.root, check=True)
    left.repository.commit()
    assert f"pressync adopt {NEWS}" in left.run("plan").stdout
    left.run("adopt", NEWS, str(strict.pages[-1]["id"]))
    left.run("sync", "--yes")
    assert len(strict.pages) == 3
    assert "left on the site" not in left.run("plan").stderr


def test_a_record_that_another_clone_deleted_is_not_taken_for_one(
    repository: SampleRepository, strict: StrictService
) -> None:
    strict.clear()
    repository.commit({"content/pages/index.md": "# Home\n", NEWS: "# News\n"})
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    terminal.run("sync", "--yes", "--commit")
    # A pull would bring this: the file is removed, and so is its entry.
    notes = repository.root / ".git/pressync/default.made"
    made = notes.read_bytes()
    repository.remove(NEWS)
    repository.commit()
    terminal.run("sync", "--yes", "--commit", "--max-delete", "1")
    notes.write_bytes(made)
    assert "left on the site" not in terminal.run("plan").stderr
    assert "orphans" not in findings(repository, terminal.environ)


def test_of_many_records_the_first_are_named_and_the_others_counted() -> None:
    entries = [entry(f"content/pages/{name}.md", number) for number, name in enumerate("abcde", 1)]
    taken = [TakenBack(each, "c" * 40, Way.SENT) for each in entries]
    for told, whole, last in (
        (
            known_elsewhere.of_orphans(entries),
            known_elsewhere.of_orphans(entries, named=5),
            "2 more records that this clone made are left on the site",
        ),
        (
            known_elsewhere.of_taken_back(taken, readable=True),
            known_elsewhere.of_taken_back(taken, readable=True, named=5),
            "2 more records",
        ),
    ):
        assert [problem.path[-4:] for problem in told] == ["a.md", "b.md", "c.md", "d.md"]
        assert told[-1].what.startswith(last)
        assert len(whole) == 5


# A text that `git reset` took back with the manifest is still on the site, and this clone says so.

ABOUT, NEWS = "content/pages/about.md", "content/pages/news.md"
BEFORE = {ABOUT: "# About\n\nWe are two.\n", NEWS: "# News\n\nNothing is new.\n"}


def said(terminal: Terminal, *command: str, exits: int = 0) -> list[str]:
    """Run a command and give what it says of texts that were taken back."""
    lines = terminal.run(*command, exits=exits).stderr.splitlines()
    return [line for line in lines if "HEAD does not descend from that commit" in line]


def test_each_command_tells_of_it_until_the_files_are_sent_again(
    repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedded_wordpress.serving() as site:
        environ = {"PRESSYNC_URL": site.url, **ENVIRON}
        terminal = Terminal(repository, environ)
        repository.commit(BEFORE)
        terminal.run("sync", "--yes", "--commit")
        about, news = sorted(site.shown)
        links = {number: site.shown[number]["link"] for number in (about, news)}
        repository.remove(NEWS)
        gone = repository.commit({ABOUT: "# About\n\nA secret leaked.\n"})[:10]
        terminal.run("sync", "--yes", "--commit", "--max-delete", "1")
        repository.git("reset", "--quiet", "--hard", "HEAD~2")

        sent = f"has on the site what this clone sent from commit {gone}"
        deleted = f"this clone deleted page {news} ({links[news]})"
        lack = "and HEAD does not descend from that commit; `pressync sync --overwrite"
        expected = [
            f"warning: {ABOUT}: page {about} ({links[about]}) {sent}, {lack} {ABOUT}` sends the file of HEAD",
            f"warning: {NEWS}: {deleted} with commit {gone}, {lack} {NEWS}` brings it back",
        ]
        for command in (("plan",), ("status",), ("sync", "--yes"), ("plan", "--drift")):
            assert said(terminal, *command) == expected
        doubted = findings(repository, environ)["taken-back"]
        assert doubted.verdict is Verdict.UNKNOWN
        assert doubted.evidence.startswith(
            f"{ABOUT}: page {about} ({links[about]}) {sent}, and HEAD does not"
        )
        assert doubted.evidence.endswith("; and 1 more, which `pressync status` lists")
        assert doubted.todo == f"`pressync sync --overwrite {ABOUT}` sends the file of HEAD"
        # The manifest and its copy in this clone are the same now, and the short way is not taken.
        with monkeypatch.context() as patch:
            for name, value in environ.items():
                patch.setenv(name, value)
            assert unchanged.find(repository.root, site=None, config_file=None) is None
        repository.commit({ABOUT: "# About\n\nWe are three.\n"})
        assert said(terminal, "sync", "--yes", exits=1) == expected, (
            "the site has a conflict, and the way out"
        )

        terminal.run("sync", "--yes", "--overwrite", ABOUT, NEWS)
        assert "We are three" in site.shown[about]["content"]["raw"]
        assert [site.shown[number]["status"] for number in (about, news)] == ["publish", "publish"]
        assert said(terminal, "plan") == []


@pytest.mark.sweep
def test_without_reads_the_record_is_bound_again(repository: SampleRepository, strict: StrictService) -> None:
    terminal = Terminal(repository, {"PRESSYNC_URL": strict.url})
    repository.commit(BEFORE)
    terminal.run("sync", "--yes", "--commit")
    repository.commit({ABOUT: "# About\n\nA secret leaked.\n"})
    terminal.run("sync", "--yes", "--commit")
    repository.git("reset", "--quiet", "--hard", "HEAD~2")
    number = next(page["id"] for page in strict.pages if "secret" in page["content"]["raw"])
    (line,) = said(terminal, "plan")
    command = f"`pressync forget {ABOUT} && pressync adopt {ABOUT} {number}`"
    assert line.endswith(f"after {command} the next `pressync sync` sends the file of HEAD")
    terminal.run("forget", ABOUT)
    terminal.run("adopt", ABOUT, str(number))
    terminal.run("sync", "--yes")
    assert "We are two" in strict.shown[number]["content"]["raw"]
    assert said(terminal, "plan") == []


@dataclass
class Clone:
    """A repository of one page, whose manifest says again what it said before the commit `away`."""

    repository: SampleRepository
    records: RunRecords
    now: Entry
    away: str
    runs: list[str] = field(default_factory=list)

    def ran(self, commit: str, after: Entry | None, *, before: Entry | None = None, undoes: str = "") -> None:
        """Write down a run that left the page with this entry."""
        run = f"20261122-10000{len(self.runs)}-aaaaa"
        touched = (TouchedRecord(ABOUT, self.now.kind, self.now.id, before or self.now),)
        ends = {ABOUT: record_after(after)} if after else {}
        self.runs.append(run)
        record = RunRecord(VERSION, run, self.records.target, commit, touched, undoes=undoes)
        self.records.begin(record, ())
        self.records.end(record, ends.items())

    def found(self) -> list[tuple[str, Way]]:
        """Find what was taken back: its commit, and how the run left it."""
        with Repository(self.repository.root) as opened:
            tree = opened.tree(opened.commit())
            return [
                (each.commit, each.way)
                for each in known_elsewhere.taken_back(opened, tree, {ABOUT: self.now}, self.records)
            ]


@pytest.fixture
def clone(repository: SampleRepository, tmp_path: Path) -> Clone:
    first = repository.commit(BEFORE)
    away = repository.commit({ABOUT: "# About\n\nA secret leaked.\n"})
    repository.git("reset", "--quiet", "--hard", first)
    now = entry(ABOUT, 5, commit=first)
    return Clone(repository, RunRecords(log_in(tmp_path, "https://site-a.test")), now, away)


def secret(clone: Clone) -> Entry:
    return structs.replace(clone.now, commit=clone.away, fingerprints={"content": "2" * 20})


def test_the_last_run_of_a_record_says_what_the_site_has(clone: Clone) -> None:
    clone.ran(clone.away, secret(clone))
    assert clone.found() == [(clone.away, Way.SENT)]
    clone.ran(clone.away, None, before=secret(clone))
    assert clone.found() == [(clone.away, Way.TRASHED)]
    clone.ran(clone.now.commit, clone.now, before=secret(clone))
    assert clone.found() == []
    clone.ran(clone.away, secret(clone))
    clone.ran(clone.away, clone.now, before=secret(clone))
    assert clone.found() == [], "a later run from the same commit sent the old text again"


def test_what_was_rolled_back_or_is_the_same_or_newer_or_in_head_is_not_told(clone: Clone) -> None:
    clone.ran(clone.away, structs.replace(clone.now, commit=clone.away))
    assert clone.found() == [], "the run left the values of now"
    clone.ran(clone.away, secret(clone))
    clone.ran(clone.away, clone.now, before=secret(clone), undoes=clone.runs[1])
    assert clone.found() == [], "it was rolled back"
    clone.ran(clone.away, secret(clone))
    assert clone.found() == [(clone.away, Way.SENT)]
    now, clone.now = clone.now, structs.replace(clone.now, modified="2031-01-01T00:00:00")
    assert clone.found() == [], "another clone has written the entry since"
    clone.now = now
    clone.repository.git("reset", "--quiet", "--hard", clone.away)
    clone.repository.commit({NEWS: "# News\n\nSomething is new.\n"})
    assert clone.found() == [], "the commit is in the history of HEAD"


# A plan says of a file that comes back which record it had, and which run put that into the trash.

A, B = "content/pages/a.md", "content/pages/b.md"
FIRST, SECOND = "20261122-160000-aaaaa", "20261122-170000-bbbbb"


def test_a_reverted_removal_is_told_with_the_rollback_that_keeps_the_id(repository: SampleRepository) -> None:
    with embedded_wordpress.serving() as site:
        terminal = Terminal(repository, {"PRESSYNC_URL": site.url, **ENVIRON})
        repository.commit({A: "# A\n", B: "# B\n"})
        terminal.run("sync", "--yes", "--commit")
        number = min(site.shown)
        repository.remove(A)
        repository.commit({})
        terminal.run("sync", "--yes", "--commit", "--max-delete", "1")
        repository.commit({A: "# A\n"})
        note = next(line for line in terminal.run("plan").output.splitlines() if f"was page {number}" in line)
        run = note.partition("`pressync rollback ")[2].partition("`")[0]
        assert note.startswith(f"{A} was page {number} until run {run} put it into the trash: ")
        terminal.run("rollback", run, "--yes")
        assert site.shown[number]["status"] == "publish"
        assert f"was page {number}" not in terminal.run("plan").output


def runs(folder: Path, *records: RunRecord) -> RunRecords:
    made = RunRecords(log_in(folder))
    for record in records:
        made.begin(record, ())
        made.end(record, (record.after or {}).items())
    return made


def deleting(run: str, *paths: str, permanent: bool = False) -> RunRecord:
    touched = tuple(TouchedRecord(path, Kind.PAGE, 7, entry(path)) for path in paths)
    return RunRecord(VERSION, run, TARGET, "c" * 40, touched, permanent=permanent, after={})


def test_only_the_last_run_that_touched_a_file_counts(tmp_path: Path) -> None:
    again = RunRecord(
        VERSION, SECOND, TARGET, "c" * 40, (TouchedRecord(A, Kind.PAGE),), after={A: RecordAfter(8, "x")}
    )
    known = runs(tmp_path, deleting(FIRST, A, B), again)
    (note,) = known_elsewhere.returned([create(A), create(B)], known)
    assert note.startswith(f"{B} was page 7 until run {FIRST} put it into the trash")
    assert known_elsewhere.returned([create("content/pages/c.md")], known) == []
    assert known_elsewhere.returned([create(A)], None) == []
    for_good = runs(tmp_path / "other", deleting(FIRST, A, permanent=True))
    assert known_elsewhere.returned([create(A)], for_good) == []


def test_files_of_one_run_have_one_sentence(tmp_path: Path) -> None:
    (note,) = known_elsewhere.returned([create(A), create(B)], runs(tmp_path, deleting(FIRST, A, B)))
    assert note.startswith(f"{A} was page 7, {B} was page 7 until run {FIRST} put them into the trash")


# A manifest's file that was left beside the reference has records that the reference never had, or not.

FILE = ".pressync/live.json"
REFERENCE = "refs/pressync/live"
ONE, TWO, THREE = entry("a.md", 1), entry("b.md", 2), entry("c.md", 3)


def site(manifest_setting: str = "ref") -> Site:
    text = f'[sites.live]\nurl = "{TARGET}"\nmanifest = "{manifest_setting}"\n'
    return settings.load(text, where="pressync.toml", environ={}).site


def moved(repository: SampleRepository, *entries: Entry, subject: str = "Move from a file") -> None:
    """Commit these entries to the reference, beside the branch."""
    head = repository.git("rev-parse", "--verify", "HEAD") if repository.git("branch") else ""
    repository.commit({"manifest.json": encode(manifest(*entries))}, subject)
    repository.git("update-ref", REFERENCE, "HEAD")
    if head:
        repository.git("reset", "--quiet", "--hard", head)


@pytest.mark.parametrize(
    ("there", "more"),
    [((ONE,), 0), ((ONE, TWO), 0), ((ONE, TWO, THREE), 1)],
    ids=["older", "equal", "with another page"],
)
def test_records_that_the_reference_never_had_refuse_a_create(
    repository: SampleRepository, there: tuple[Entry, ...], more: int
) -> None:
    repository.commit({FILE: encode(manifest(*there))})
    moved(repository, ONE, TWO)
    with Repository(repository.root) as opened:
        tree = opened.tree(opened.commit())
        # TWO was deleted after the move.
        found = known_elsewhere.left_behind(opened, site(), tree, [ONE])
        assert known_elsewhere.left_behind(opened, site("x.json"), tree, [ONE]) is None
    assert (found is not None) == bool(more)
    if found:
        assert found.code == "two_manifests"
        assert f"{FILE} in the commit has 1 record that {REFERENCE} does not have" in found.message


def test_a_file_of_another_target_or_a_broken_one_refuses_nothing(repository: SampleRepository) -> None:
    for text in ("{", encode(manifest(THREE)).replace(TARGET, "https://elsewhere.test")):
        repository.commit({FILE: text})
        moved(repository, ONE)
        with Repository(repository.root) as opened:
            assert known_elsewhere.left_behind(opened, site(), opened.tree(opened.commit()), [ONE]) is None


def test_the_last_move_counts_or_else_the_beginning(repository: SampleRepository) -> None:
    with Repository(repository.root) as opened:
        assert known_elsewhere.after_last_move(opened, REFERENCE, TARGET) is None
    moved(repository, ONE, subject="Claim: Sync of 1")
    with Repository(repository.root) as opened:
        assert known_elsewhere.after_last_move(opened, REFERENCE, TARGET) == manifest(ONE)
    repository.commit({"manifest.json": encode(manifest(ONE, TWO))}, "Move from a file")
    repository.commit({"manifest.json": encode(manifest(ONE, TWO, THREE))}, "Sync of 2")
    repository.git("update-ref", REFERENCE, "HEAD")
    with Repository(repository.root) as opened:
        assert known_elsewhere.after_last_move(opened, REFERENCE, TARGET) == manifest(ONE, TWO)


# Records in the trash that pressync created: this clone's files and the manifest's history tell them.

PAGE, OTHER = (Kind.PAGE, 1), (Kind.PAGE, 11)


def ours(shelf: Shelf, *more: tuple[Kind, int]) -> frozenset[tuple[Kind, int]]:
    """Ask of two pages, and of more records."""
    with shelf.workspace() as workspace, workspace.reading() as state:
        return known_elsewhere.once_held(
            workspace.repository, workspace.settings, state, {PAGE, OTHER, *more}
        )


def test_a_page_that_the_manifest_once_had_is_ours(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    assert ours(shelf) == frozenset()
    shelf.sync()
    assert ours(shelf) == frozenset(), "it is on the site, and nobody has removed it"
    repository.commit(message="The manifest")
    repository.remove(".pressync")
    repository.commit()
    assert ours(shelf) == {PAGE}
    whole_site = [(Kind.POST, number) for number in range(100_000, 125_000)]
    assert ours(shelf, *whole_site) == {PAGE}, "so many ids have no room in a command line"


def test_a_page_that_this_clone_deleted_is_ours_whatever_was_committed(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.sync()
    number = shelf.entries()["content/pages/a.md"].id
    repository.remove("content/pages/a.md")
    repository.git("add", "content")
    repository.git("commit", "--quiet", "-m", "Removed")
    shelf.sync()
    assert isinstance(shelf.service, MemoryService)
    assert ours(shelf) == {(Kind.PAGE, number)}


def test_notes_of_another_address_or_no_notes_at_all_say_nothing(repository: SampleRepository) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    assert ours(shelf) == frozenset()
    files = CloneFiles.of(repository.root / ".git", "default")
    CloneLog(files, "elsewhere").append([("removed", b'[["page",1]]')])
    assert ours(shelf) == frozenset()


def test_a_manifest_that_is_a_reference_has_a_history_too(repository: SampleRepository) -> None:
    settings = '[sites.default]\nmanifest = "ref"\n'
    repository.commit(
        {"content/pages/a.md": "# A\n", "content/pages/b.md": "# B\n", "pressync.toml": settings}
    )
    shelf = Shelf(repository.root, "https://site.test/wp-json")
    shelf.sync()
    number = shelf.entries()["content/pages/a.md"].id
    repository.remove("content/pages/a.md")
    repository.commit()
    shelf.sync()
    (repository.root / ".git" / "pressync" / "default.log").unlink()
    assert (Kind.PAGE, number) in ours(shelf)
