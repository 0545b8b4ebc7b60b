"""The records of runs: private, bounded, and gone after a while."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace
from tests.support.builders import TARGET, entry

from pressync.model.errors import StorageError
from pressync.model.interface import Kind
from pressync.model.run_marks import new_id
from pressync.state import private_files, run_records
from pressync.state.run_records import (
    VERSION,
    Image,
    RunRecord,
    RunRecords,
    TouchedRecord,
    digest,
    record_after,
)

if TYPE_CHECKING:
    from pathlib import Path

A = "content/pages/a.md"
OLD = "20200101-000000-22222"


@pytest.fixture
def records(tmp_path: Path) -> RunRecords:
    """Make records in a folder that does not exist yet."""
    return RunRecords(tmp_path / "clone" / "site.runs", TARGET)


def record(run: str = "", **members: object) -> RunRecord:
    made = RunRecord(VERSION, run or new_id(), TARGET, "c" * 40, (TouchedRecord(A, Kind.PAGE, 7, entry(A)),))
    return replace(made, **members)


def test_a_record_is_read_back_as_it_was_written(records: RunRecords) -> None:
    begun = record()
    records.begin(begun, [Image.of(Kind.PAGE, 7, {"title": "Theirs", "tags": (3, 4), "sticky": True})])
    assert records.read(begun.run) == begun
    after = {A: record_after(entry(A))}
    records.end(begun, after.items())
    ended = replace(begun, after=after)
    assert records.all() == [ended]
    assert records.images(begun.run) == {(Kind.PAGE, 7): {"title": "Theirs", "tags": (3, 4), "sticky": True}}


@pytest.mark.parametrize("count", [0, 1, 400, 401, 900])
def test_the_record_of_a_large_run_is_written_in_pieces(records: RunRecords, count: int) -> None:
    paths = [f"content/pages/{number}.md" for number in range(count)]
    begun = record(touched=tuple(TouchedRecord(path, Kind.PAGE) for path in paths), target='"touched":[')
    after = {path: record_after(entry(path)) for path in paths}
    with pytest.MonkeyPatch.context() as patch:
        sizes: list[int] = []
        patch.setattr(private_files, "write", lambda _path, pieces: sizes.extend(map(len, pieces)))
        records.end(begun, after.items())
        assert max(sizes) < 60_000
    records.end(begun, after.items())
    assert next(records.folder.iterdir()).read_bytes() == msgspec.json.encode(replace(begun, after=after))


def test_a_reader_in_a_hurry_leaves_out_large_ones(records: RunRecords) -> None:
    small, large = record(), record(touched=tuple(TouchedRecord(A, Kind.PAGE, n) for n in range(99)))
    records.begin(small, ())
    records.begin(large, ())
    assert records.all(largest=1000) == [small]
    assert len(records.all()) == 2


def test_nobody_else_may_read_it(records: RunRecords) -> None:
    records.begin(record(), [Image.of(Kind.PAGE, 7, {"title": "A draft of somebody"})])
    files = list(records.folder.iterdir())
    assert len(files) == 2
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert stat.S_IMODE(records.folder.stat().st_mode) == 0o700


def test_only_the_last_runs_are_kept(records: RunRecords, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_records, "KEPT", 3)
    made = [f"20260101-00000{n}-22222" for n in range(5)]
    for run in made:
        records.begin(record(run), ())
    assert records.ids() == made[2:]


def test_texts_of_other_people_are_kept_for_a_limited_time_and_size(
    records: RunRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    records.begin(record(OLD), [Image.of(Kind.PAGE, 7, {"title": "Old"})])
    assert records.images(OLD) == {}, "it is older than 30 days"
    assert records.read(OLD)
    monkeypatch.setattr(run_records, "_LARGEST", 10)
    begun = record()
    records.begin(begun, [Image.of(Kind.PAGE, n, {"title": "12345678"}) for n in (1, 2)])
    assert [number for _, number in records.images(begun.run)] == [1]


def test_a_record_of_another_target_or_a_damaged_one_is_not_read(records: RunRecords) -> None:
    other, torn = record(target="https://other.test"), record()
    records.begin(other, ())
    records.begin(torn, ())
    (records.folder / f"{torn.run}.run").write_bytes(b'{"version": 1')
    assert records.read(other.run) is records.read(torn.run) is None
    assert records.read("../../etc/passwd") is None
    assert records.all() == []


def test_a_run_that_cannot_write_its_record_sends_nothing(records: RunRecords) -> None:
    records.folder.parent.mkdir()
    records.folder.write_text("a file in the place of the folder")
    with pytest.raises(StorageError, match="nothing was sent"):
        records.begin(record(), ())


def test_a_page_above_may_move_without_a_change_of_the_record() -> None:
    assert digest(entry(A)) == digest(entry(A, link="https://site.test/elsewhere/a/"))
    assert digest(entry(A)) != digest(entry(A, fingerprints={"title": "other"}))
    assert digest(entry(A)) != digest(entry(A, 8))
