"""The memory of a sync does not grow with the texts of its pages, and a new page costs little of it."""

from __future__ import annotations

import itertools
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.syncing import Site

from pressync.stage.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pressync.model.changes import Outcome

_FEW, _MANY = 60, 360
# A page of 9,000 characters. The objects of Python that a run holds of it take about 3,000 bytes.
_TEXT = "one two three four\n\n" * 450
_MOST = 4_500
# Python's own tables, as that of all names, grow in steps which have nothing to do with these pages.
_TABLE = 500_000


@pytest.mark.sweep
def test_a_new_page_takes_less_than_half_of_its_text(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    _held(tmp_path / "first", 2)
    few, many = _held(tmp_path / "few", _FEW), _held(tmp_path / "many", _MANY)
    grown = (many - few) // (_MANY - _FEW)
    record_property("bytes of a new page", grown)
    assert grown < _MOST


def _held(folder: Path, count: int) -> int:
    """Sync so many new pages, and give the memory of Python's objects after the first or the last of them."""
    repository = SampleRepository.create(folder / "repository")
    section = {f"content/pages/part-{number}/index.md": "# Part\n" for number in range(count // 20 + 1)}
    pages = {
        f"content/pages/part-{number // 20}/page-{number}.md": f"# Page {number}\n\n{_TEXT}"
        for number in range(count)
    }
    repository.commit(section | pages)
    ended, held = itertools.count(1), list[int]()

    def note(_outcome: Outcome) -> None:
        if next(ended) in {1, len(section) + count}:
            traces = tracemalloc.take_snapshot().traces
            held.append(sum(trace.size for trace in traces if trace.size < _TABLE))

    with running(folder / "site.db") as service:
        tracemalloc.start()
        try:
            Site(repository.root, service.url).sync(concurrency=2, on_outcome=note)
        finally:
            tracemalloc.stop()
    assert len(held) == 2
    return max(held)
