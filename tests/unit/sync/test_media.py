"""Each file is uploaded once, whatever happens on the way."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import pytest
from tests.support.controls import run_control
from tests.support.library_service import LibraryService
from tests.support.states import opened

from pressync.model.errors import NoAnswer, Refused, RepositoryError
from pressync.sync import prerequisites
from pressync.sync.prerequisites import FileUploads, Uploading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pressync.model.records import Name
    from pressync.state.state import State
    from pressync.sync.control import RunControl

RED, BLUE = "aa" * 20, "bb" * 20
CONTENTS = {RED: b"red", BLUE: b"blue"}
FILES = {RED: "content/img/Rot & Grün.png", BLUE: "content/img/blue.png"}
BLOBS = [f"{number:040x}" for number in range(1, 7)]


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with opened(tmp_path) as state:
        yield state


def upload(
    service: LibraryService,
    state: State,
    files: Mapping[str, str] = FILES,
    read: Callable[[str], bytes] = CONTENTS.__getitem__,
    control: RunControl | None = None,
) -> dict[Name | str, str]:
    """Upload the files one after the other; why some were not uploaded, by path."""
    uploads = prerequisites.FileUploads(service, state, files, read, control or run_control())
    for blob in uploads.blobs:
        uploads.end(blob, uploads.send(blob))
    return uploads.refused


def test_each_content_is_sent_once_under_its_name_and_a_slug_that_holds_its_hash(state: State) -> None:
    service = LibraryService()
    assert upload(service, state) == {}
    assert upload(service, state) == {}
    assert sorted(service.asked) == ["upload Rot & Grün.png", "upload blue.png"]
    assert {slug: data for slug, (_, data) in service.files.items()} == {
        "rot-gr-n-aaaaaaaaaaaaaaaa": b"red",
        "blue-bbbbbbbbbbbbbbbb": b"blue",
    }
    medium = state.manifest.media[BLUE]
    assert (medium.path, medium.link) == ("content/img/blue.png", "https://site.test/files/blue.png")


def test_what_the_site_has_already_is_learned_and_not_sent(state: State, tmp_path: Path) -> None:
    service = LibraryService()
    with opened(tmp_path / "another") as before:
        upload(service, before)
    assert prerequisites.look_up_files(service, state, FILES) is True
    assert upload(service, state) == {}
    assert len(service.asked) == len(FILES)
    assert set(state.manifest.media) == {RED, BLUE}
    assert prerequisites.look_up_files(service, state, FILES) is False


def test_a_file_that_is_refused_is_told_and_the_others_go(state: State) -> None:
    service = LibraryService(refuses={"blue.png": Refused("no such type", status=500)})
    assert upload(service, state) == {FILES[BLUE]: f"{FILES[BLUE]} was not uploaded: no such type"}
    assert set(state.manifest.media) == {RED}


def test_an_upload_whose_response_is_lost_is_looked_for(state: State) -> None:
    lost = NoAnswer("the line broke")
    service = LibraryService(refuses={"blue.png": lost}, acted=[lost])
    assert upload(service, state, {BLUE: FILES[BLUE]}) == {}
    assert state.manifest.media[BLUE].link == "https://site.test/files/blue.png"
    assert len(service.files) == 1


def test_an_upload_that_never_arrived_is_left_to_the_next_run(state: State) -> None:
    service = LibraryService(refuses={"blue.png": NoAnswer("the line broke")})
    refused = upload(service, state, {BLUE: FILES[BLUE]})
    assert refused == {FILES[BLUE]: f"{FILES[BLUE]} was not uploaded: the line broke"}
    service.refuses.clear()
    assert upload(service, state, {BLUE: FILES[BLUE]}) == {}
    assert len(service.files) == 1


def test_a_file_that_git_does_not_have_is_told(state: State) -> None:
    def absent(blob: str) -> bytes:
        raise RepositoryError(f"Git has no object {blob}")

    refused = upload(LibraryService(), state, {RED: "a.png"}, absent)
    assert refused == {"a.png": f"a.png was not uploaded: Git has no object {RED}"}


def test_a_pointer_of_git_lfs_is_no_picture(state: State) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
    refused = upload(LibraryService(), state, {RED: "a.png"}, lambda _blob: pointer)
    assert refused["a.png"].startswith("a.png is a pointer of Git LFS here; ")


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
