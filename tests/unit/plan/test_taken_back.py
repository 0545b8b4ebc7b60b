"""A text that `git reset` took back with the manifest is still on the site, and this clone says so."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support import embedded_wordpress
from tests.support.builders import entry
from tests.support.embedded_wordpress import ENVIRON
from tests.support.terminal import Terminal
from tests.unit.app.doctor.findings import findings

from pressync.app import unchanged
from pressync.app.doctor.finding import Verdict
from pressync.model.problem_codes import Code
from pressync.plan import taken_back
from pressync.plan.taken_back import TakenBack, Way
from pressync.repo.repository import Repository
from pressync.state.run_records import VERSION, RunRecord, RunRecords, TouchedRecord, record_after

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.strict_service import StrictService

    from pressync.model.records import Entry

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
                for each in taken_back.find(opened, tree, {ABOUT: self.now}, self.records)
            ]


@pytest.fixture
def clone(repository: SampleRepository, tmp_path: Path) -> Clone:
    """Take a commit back."""
    first = repository.commit(BEFORE)
    away = repository.commit({ABOUT: "# About\n\nA secret leaked.\n"})
    repository.git("reset", "--quiet", "--hard", first)
    now = entry(ABOUT, 5, commit=first)
    return Clone(repository, RunRecords(tmp_path / "runs", "https://site-a.test"), now, away)


def secret(clone: Clone) -> Entry:
    return structs.replace(clone.now, commit=clone.away, fingerprints={"content": "2" * 20})


def test_the_last_run_of_a_record_says_what_the_site_has(clone: Clone) -> None:
    clone.ran(clone.away, secret(clone))
    assert clone.found() == [(clone.away, Way.SENT)]
    clone.ran(clone.away, None, before=secret(clone))
    assert clone.found() == [(clone.away, Way.TRASHED)]
    clone.ran(clone.now.commit, clone.now, before=secret(clone))
    assert clone.found() == []


def test_a_run_that_was_rolled_back_is_not_told(clone: Clone) -> None:
    clone.ran(clone.away, secret(clone))
    clone.ran(clone.away, clone.now, before=secret(clone), undoes=clone.runs[0])
    assert clone.found() == []


def test_a_run_that_left_the_values_of_now_is_not_told(clone: Clone) -> None:
    clone.ran(clone.away, structs.replace(clone.now, commit=clone.away))
    assert clone.found() == []


def test_an_entry_that_another_clone_has_written_since_is_believed(clone: Clone) -> None:
    clone.ran(clone.away, secret(clone))
    clone.now = structs.replace(clone.now, modified="2031-01-01T00:00:00")
    assert clone.found() == []


def test_a_commit_in_the_history_of_head_was_not_taken_back(clone: Clone) -> None:
    clone.ran(clone.away, secret(clone))
    clone.repository.git("reset", "--quiet", "--hard", clone.away)
    clone.repository.commit({NEWS: "# News\n\nSomething is new.\n"})
    assert clone.found() == []


def test_of_many_the_first_are_named_and_the_others_counted() -> None:
    found = [
        TakenBack(entry(f"content/pages/{name}.md", number), "c" * 40, Way.SENT)
        for number, name in enumerate("abcde", 1)
    ]
    warnings = taken_back.problems(found, readable=True)
    assert [(problem.path[-4:], problem.code) for problem in warnings] == [
        (f"{name}.md", Code.TAKEN_BACK) for name in "abcd"
    ]
    assert warnings[-1].what.startswith("2 more records")
    assert len(taken_back.problems(found, readable=True, named=len(found))) == 5
