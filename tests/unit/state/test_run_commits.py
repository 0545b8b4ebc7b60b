"""The commit of a run is read without the rest of its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.interface import Kind
from pressync.state import run_commits
from pressync.state.run_records import VERSION, RunRecord, RunRecords, TouchedRecord

if TYPE_CHECKING:
    from pathlib import Path


def test_each_run_has_its_commit_and_the_oldest_comes_first(tmp_path: Path) -> None:
    touched = tuple(TouchedRecord(f'content/"commit":"{number}".md', Kind.PAGE) for number in range(200))
    records = RunRecords(tmp_path / "runs", 'https://site-a.test/"commit":"00"')
    for run, commit in (("20261122-100001-bbbbb", "b" * 40), ("20261122-100000-aaaaa", "a" * 40)):
        records.begin(RunRecord(VERSION, run, records.target, commit, touched), ())
    (records.folder / "20261122-100002-ccccc.run").write_bytes(b"")
    assert list(run_commits.read(records.folder).items()) == [
        ("20261122-100000-aaaaa", "a" * 40),
        ("20261122-100001-bbbbb", "b" * 40),
    ]


def test_a_clone_without_runs_has_no_commits(tmp_path: Path) -> None:
    assert run_commits.read(tmp_path / "runs") == {}
