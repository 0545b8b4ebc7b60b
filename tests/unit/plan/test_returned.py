"""A plan says of a file that comes back which record it had, and which run put that into the trash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import embedded_wordpress
from tests.support.builders import TARGET, create, entry
from tests.support.embedded_wordpress import ENVIRON
from tests.support.terminal import Terminal

from pressync.model.interface import Kind
from pressync.plan import returned
from pressync.state.run_records import VERSION, RecordAfter, RunRecord, RunRecords, TouchedRecord

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

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
    made = RunRecords(folder, TARGET)
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
    (note,) = returned.notes([create(A), create(B)], known)
    assert note.startswith(f"{B} was page 7 until run {FIRST} put it into the trash")
    assert returned.notes([create("content/pages/c.md")], known) == []
    assert returned.notes([create(A)], None) == []


def test_a_record_that_was_deleted_for_good_cannot_come_back(tmp_path: Path) -> None:
    assert returned.notes([create(A)], runs(tmp_path, deleting(FIRST, A, permanent=True))) == []


def test_files_of_one_run_have_one_sentence(tmp_path: Path) -> None:
    (note,) = returned.notes([create(A), create(B)], runs(tmp_path, deleting(FIRST, A, B)))
    assert note.startswith(f"{A} was page 7, {B} was page 7 until run {FIRST} put them into the trash")
