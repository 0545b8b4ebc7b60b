"""The records of runs: private, bounded, and gone after a while."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import TARGET, entry
from tests.support.states import log_in

from pressync.model.errors import StorageError
from pressync.model.interface import Kind
from pressync.model.records import new_id
from pressync.state import atomic_files, clone_facts
from pressync.state.clone_facts import (
    VERSION,
    Image,
    RunRecord,
    RunRecords,
    TouchedRecord,
    record_after,
)

if TYPE_CHECKING:
    from pathlib import Path


A = "content/pages/a.md"
OLD, AHEAD = "20200101-000000-22222", "20990101-000000-22222"


@pytest.fixture
def records(tmp_path: Path) -> RunRecords:
    """Make records in a log that does not exist yet."""
    return RunRecords(log_in(tmp_path))


def record(run: str = "", **members: object) -> RunRecord:
    made = RunRecord(VERSION, run or new_id(), TARGET, "c" * 40, (TouchedRecord(A, Kind.PAGE, 7, entry(A)),))
    return replace(made, **members)


def test_a_run_whose_clock_was_ahead_does_not_stay_the_last_one(records: RunRecords) -> None:
    runs = [AHEAD, new_id(), OLD]
    for run in runs:
        records.begin(record(run), ())
    assert records.ids() == runs
    records.log.prune()
    assert records.ids() == runs


@pytest.mark.parametrize("count", [0, 1, 400, 401, 900])
def test_the_record_of_a_large_run_is_written_in_pieces(records: RunRecords, count: int) -> None:
    paths = [f"content/pages/{number}.md" for number in range(count)]
    begun = record(touched=tuple(TouchedRecord(path, Kind.PAGE) for path in paths), commit='"touched":[')
    after = {path: record_after(entry(path)) for path in paths}
    with pytest.MonkeyPatch.context() as patch:
        sizes: list[int] = []
        patch.setattr(atomic_files, "append", lambda _path, pieces, **_: sizes.extend(map(len, pieces)))
        records.begin(begun, ())
        records.end(begun, after.items())
        assert max(sizes) < 60_000
    records.begin(begun, ())
    records.end(begun, after.items())
    assert records.all() == [replace(begun, after=after)]


def test_texts_of_other_people_are_kept_for_a_limited_time_and_size(
    records: RunRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    records.begin(record(OLD), [Image.of(Kind.PAGE, 7, {"title": "Old"}, {})])
    assert records.images(OLD) == {}, "it is older than 30 days"
    assert records.read(OLD)
    monkeypatch.setattr(clone_facts, "_LARGEST", 10)
    begun = record()
    records.begin(begun, [Image.of(Kind.PAGE, n, {"title": "12345678"}, {}) for n in (1, 2)])
    assert [number for _, number in records.images(begun.run)] == [1]


def test_a_record_of_another_target_or_a_damaged_one_is_not_read(records: RunRecords) -> None:
    other, torn = record(target="https://other.test"), record()
    records.begin(other, ())
    records.begin(torn, ())
    os.truncate(records.log.path, records.log.path.stat().st_size - 20)
    assert records.read(other.run) is records.read(torn.run) is None
    assert records.read("../../etc/passwd") is None
    assert records.all() == []


def test_a_run_that_cannot_write_its_record_sends_nothing(records: RunRecords) -> None:
    records.log.path.mkdir(parents=True)
    with pytest.raises(StorageError, match="nothing was sent"):
        records.begin(record(), ())


@pytest.mark.parametrize(
    ("fields", "unclear"),
    [
        ({"title": "Plain", "excerpt": "<b>x</b>", "tags": "[3]"}, set()),
        ({"title": "A <em>x</em>"}, {"title"}),
        ({"title": "Tom & Jerry", "content": "First.\n\nSecond."}, {"title", "content"}),
        ({"content": "<!-- wp:paragraph -->\n<p>x</p>\n<!-- /wp:paragraph -->"}, set()),
        ({"content": "<!-- wp:html -->\n<p>x</p><!-- /wp:html -->"}, {"content"}),
        ({"content": ""}, set()),
    ],
)
def test_a_text_of_an_earlier_version_is_clear_if_it_can_have_been_stored_in_one_form_alone(
    fields: dict[str, str], unclear: set[str]
) -> None:
    image = Image(Kind.POST, 1, fields)
    assert image.unclear == unclear
    assert image.values.keys() == fields.keys() - unclear
