"""Each file is uploaded once, whatever happens on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.controls import run_control
from tests.support.library_service import LibraryService
from tests.support.states import opened

from pressync.model.errors import NoAnswer, Refused, RepositoryError
from pressync.model.records import Medium
from pressync.sync import media

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pressync.model.records import Name
    from pressync.state.state import State
    from pressync.sync.control import RunControl

RED, BLUE = "aa" * 20, "bb" * 20
CONTENTS = {RED: b"red", BLUE: b"blue"}
FILES = {RED: "content/img/Rot & Grün.png", BLUE: "content/img/blue.png"}


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
    uploads = media.FileUploads(service, state, files, read, control or run_control())
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
    assert media.look_up(service, state, FILES) is True
    assert upload(service, state) == {}
    assert len(service.asked) == len(FILES)
    assert set(state.manifest.media) == {RED, BLUE}
    assert media.look_up(service, state, FILES) is False


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


def test_unused_files_are_deleted_for_good_and_a_failure_is_told(state: State) -> None:
    service, told = LibraryService(), list[str]()
    upload(service, state)
    gone = Medium("cc", "gone.png", 999, "https://site.test/files/gone.png")
    state.learn(media=[gone])
    assert media.delete(service, state, [state.manifest.media[RED], gone], run_control(told.append)) == 1
    assert list(service.files) == ["blue-bbbbbbbbbbbbbbbb"]
    assert set(state.manifest.media) == {BLUE, "cc"}
    assert told[-1] == "gone.png (media 999) was not deleted: there is no such file"


def test_a_run_that_is_stopped_uploads_no_more(state: State) -> None:
    service = LibraryService()
    refused = upload(service, state, control=run_control(turns=1))
    assert service.asked == ["upload Rot & Grün.png"]
    assert refused == {FILES[BLUE]: f"{FILES[BLUE]} was not uploaded: the run was stopped before"}


def test_a_run_that_is_stopped_deletes_no_more(state: State) -> None:
    service = LibraryService()
    upload(service, state)
    assert media.delete(service, state, list(state.manifest.media.values()), run_control(turns=1)) == 0
    assert len(service.files) == len(state.manifest.media) == 1
