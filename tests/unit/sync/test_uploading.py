"""Uploads beside the records: the first alone, then as many as the run may have, none after a halt."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import pytest
from tests.support.controls import run_control
from tests.support.library_service import LibraryService
from tests.support.states import opened

from pressync.sync.media import FileUploads
from pressync.sync.uploading import Uploading

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BLOBS = [f"{number:040x}" for number in range(1, 7)]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


@pytest.fixture
def uploads(tmp_path: Path) -> Iterator[FileUploads]:
    with opened(tmp_path) as state:
        files = {blob: f"content/{number}.png" for number, blob in enumerate(BLOBS)}
        yield FileUploads(LibraryService(), state, files, str.encode, run_control())


def _taken(uploading: Uploading, halted: str = "") -> list[str]:
    """Take in one upload; give the blob ids that have ended."""
    future = next(iter(uploading.under_way))
    wait([future])
    return list(uploading.take(future, halted))


def test_without_uploads_nothing_begins(pool: ThreadPoolExecutor) -> None:
    assert Uploading(pool, None, 4).begin() == ()


def test_the_first_upload_goes_alone_and_then_as_many_as_the_run_may_have(
    pool: ThreadPoolExecutor, uploads: FileUploads
) -> None:
    uploading = Uploading(pool, uploads, 3)
    assert sorted(uploading.begin()) == BLOBS
    assert list(uploading.under_way.values()) == BLOBS[:1]
    assert _taken(uploading) == BLOBS[:1]
    assert list(uploading.under_way.values()) == BLOBS[1:4]
    ended = [blob for _ in range(5) for blob in _taken(uploading)]
    assert ended == BLOBS[1:]
    assert not uploading.under_way
    assert not uploads.refused


def test_after_the_run_halted_the_files_that_are_left_are_not_sent(
    pool: ThreadPoolExecutor, uploads: FileUploads
) -> None:
    uploading = Uploading(pool, uploads, 3)
    uploading.begin()
    assert sorted(_taken(uploading, "the service cannot be reached")) == BLOBS
    assert not uploading.under_way
    assert len(uploads.refused) == 5
    assert uploads.refused["content/5.png"] == (
        "content/5.png was not uploaded: the service cannot be reached"
    )
