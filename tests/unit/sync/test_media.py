"""Each file is uploaded once, whatever happens on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.controls import run_control
from tests.support.library_service import LibraryService
from tests.support.states import opened

from pressync.client.port import Uploaded
from pressync.model.calls import CreateCall
from pressync.model.errors import NoAnswer, Refused, RepositoryError
from pressync.model.interface import Kind
from pressync.model.records import Medium
from pressync.sync import media

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
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
    class Locked(LibraryService):
        """Deletes one file only."""

        def delete_upload(self, number: int) -> None:
            if number == state.manifest.media[BLUE].id:
                raise Refused("not today", status=403)
            super().delete_upload(number)

    service, told = Locked(), list[str]()
    upload(service, state)
    idle = [state.manifest.media[RED], state.manifest.media[BLUE]]
    assert media.delete(service, state, idle, run_control(told.append)) == 1
    assert list(service.files) == ["blue-bbbbbbbbbbbbbbbb"]
    assert set(state.manifest.media) == {BLUE}
    assert told[1:] == [
        "Deleted content/img/Rot & Grün.png (media 200), which the site does not use.",
        "content/img/blue.png (media 201) was not deleted: not today",
    ]


def test_a_file_that_pressync_did_not_upload_is_never_deleted(state: State) -> None:
    """The manifest of the version before does not say who uploaded a file; its slug on the site does."""
    service, told = LibraryService(), list[str]()
    theirs = Medium(RED, "content/media/2026/11/oven.png", 1535, "https://site.test/files/oven.png")
    state.learn(media=[theirs])
    service.files["oven"] = (Uploaded(theirs.id, theirs.link), b"red")
    assert media.delete(service, state, [theirs], run_control(told.append)) == 1
    assert (list(service.files), service.asked) == (["oven"], [])
    assert told == ["content/media/2026/11/oven.png (media 1535) stays: pressync did not upload it."]
    assert state.manifest.media[RED].foreign


def test_a_file_that_this_user_may_not_see_stays_and_one_that_is_gone_is_forgotten(state: State) -> None:
    class Partial(LibraryService):
        """Hides a file of somebody else."""

        def lost_files(self, ids: Collection[int]) -> frozenset[int]:
            return super().lost_files(ids) - {7}

        def delete_upload(self, number: int) -> None:
            assert number != 7

    service, told = Partial(), list[str]()
    hidden, gone = (
        Medium(RED, "a.png", 7, "https://s.test/a.png"),
        Medium(BLUE, "b.png", 8, "https://s.test/b"),
    )
    state.learn(media=[hidden, gone])
    assert media.delete(service, state, [hidden, gone], run_control(told.append)) == 1
    assert told[0] == "a.png (media 7) stays: this user may not see it on the site."
    assert state.manifest.media == {RED: hidden}


def test_an_upload_that_the_site_uses_stays_and_its_use_is_named(state: State) -> None:
    service, told = LibraryService(), list[str]()
    upload(service, state)
    number = state.manifest.media[RED].id
    service.carry_out(CreateCall(Kind.POST, {"slug": "theirs", "featured_media": number}))
    assert media.delete(service, state, list(state.manifest.media.values()), run_control(told.append)) == 1
    assert list(state.manifest.media) == [RED]
    assert told[1] == "content/img/Rot & Grün.png (media 200) stays: it is in post 1."


def test_nothing_is_deleted_if_the_site_cannot_be_asked(state: State) -> None:
    class Mute(LibraryService):
        """Does not show its records."""

        def uses(self, files: Mapping[int, str]) -> dict[int, str]:
            raise Refused(f"you may not see what uses {len(files)} files", status=403)

    service, told = Mute(), list[str]()
    upload(service, state)
    assert media.delete(service, state, list(state.manifest.media.values()), run_control(told.append)) == 2
    assert len(service.files) == 2
    assert told[-1].startswith("No uploaded file was deleted: ")


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
