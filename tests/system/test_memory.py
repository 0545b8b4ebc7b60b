"""The memory of a sync does not grow with the texts of its pages, and a new page costs little of it."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository
from tests.support.syncing import Site

from pressync.server.server import running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_FEW, _MANY = 60, 360
# A page of 9,000 characters. The objects of Python that a run holds of it take about 3,000 bytes.
_TEXT = "one two three four\n\n" * 450
_MOST = 4_500


@pytest.mark.sweep
def test_a_new_page_takes_less_than_half_of_its_text(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    _peak(tmp_path / "first", 2)
    few, many = _peak(tmp_path / "few", _FEW), _peak(tmp_path / "many", _MANY)
    grown = (many - few) // (_MANY - _FEW)
    record_property("bytes of a new page", grown)
    assert grown < _MOST


def _peak(folder: Path, count: int) -> int:
    """Sync so many new pages, and give the most memory that objects of Python took meanwhile."""
    repository = SampleRepository.create(folder / "repository")
    section = {f"content/pages/part-{number}/index.md": "# Part\n" for number in range(count // 20 + 1)}
    pages = {
        f"content/pages/part-{number // 20}/page-{number}.md": f"# Page {number}\n\n{_TEXT}"
        for number in range(count)
    }
    repository.commit(section | pages)
    with running(folder / "site.db") as service:
        tracemalloc.start()
        try:
            run = Site(repository.root, service.url).sync(concurrency=2)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert run.counts["done"] == len(section) + len(pages)
    return peak
