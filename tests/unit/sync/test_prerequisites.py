"""A sync with names and files, from the plan to the manifest, on a service in memory."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import pytest
from tests.support.controls import run_control
from tests.support.library_repository import Shelf
from tests.support.library_service import LibraryService
from tests.support.states import opened

from pressync.cli import console
from pressync.cli.options import Globals
from pressync.cli.report import documents, github, markdown, text
from pressync.client.terms import Term
from pressync.content.references import NO_AUTHOR_TODO
from pressync.model.changes import Result
from pressync.model.errors import ContentError, NoAnswer, Refused, RepositoryError
from pressync.model.records import Name, NoUser
from pressync.sync import prerequisites
from pressync.sync.control import RateLimiter
from pressync.sync.prerequisites import FileUploads, Uploading

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from tests.support.repository import SampleRepository

    from pressync.state.state import State
    from pressync.sync.control import RunControl

ABOUT, TEAM = "content/pages/about.md", "content/pages/team.md"


@pytest.fixture
def shelf(repository: SampleRepository) -> Shelf:
    return Shelf(repository.root, "https://site.test/wp-json")


def test_an_author_whom_nobody_knows_is_a_problem_of_the_content_and_nothing_is_sent(
    shelf: Shelf, repository: SampleRepository
) -> None:
    repository.commit({ABOUT: "---\nauthor: bob\n---\n", TEAM: "x\n"})
    with pytest.raises(ContentError) as caught:
        shelf.sync()
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{ABOUT}:2: author 'bob': nobody has this name; write the user's id")
    assert shelf.service.calls == []
    run = shelf.sync(keep_going=True)
    assert {o.change.path: o.result for o in run.outcomes} == {ABOUT: Result.FAILED, TEAM: Result.DONE}
    failed = next(outcome.message for outcome in run.outcomes if outcome.change.path == ABOUT)
    assert failed == f"line 2: author 'bob': nobody has this name; {NO_AUTHOR_TODO}"


def test_logins_of_the_site_are_in_no_report_that_strangers_read(
    shelf: Shelf,
    repository: SampleRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shelf.service.people["secret"] = 2
    repository.commit({ABOUT: "---\nauthor: bob\n---\n"})
    with pytest.raises(ContentError) as caught:
        shelf.sync()
    run = shelf.sync(keep_going=True)
    assert "this name; secret; write" in str(caught.value.problems[0])
    assert "this name; secret; write" in documents.run(run)
    assert "this name; secret; write" in text.run(run)
    for step in (github.from_error(caught.value), github.from_run(run)):
        for public in filter(None, (step.whole(), step.log, step.document)):
            assert "nobody has this name; run `pressync rehearse` with your password to see logins" in public
            assert "secret" not in public
    assert "secret" not in markdown.run(run)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert "secret" not in documents.run(console.for_readers(run))
    console.tell_problems(Globals(), caught.value.problems)
    assert "secret" not in capsys.readouterr().err


def test_a_refused_file_fails_its_pages_and_no_others(shelf: Shelf, repository: SampleRepository) -> None:
    shelf.service.refuses["a.png"] = Refused("no such type", status=500)
    repository.commit({ABOUT: "![a](a.png)\n", TEAM: "x\n", "content/pages/a.png": b"a"})
    outcomes = {outcome.change.path: outcome for outcome in shelf.sync().outcomes}
    assert outcomes[TEAM].result is Result.DONE
    assert outcomes[ABOUT].result is Result.FAILED
    assert "content/pages/a.png was not uploaded: no such type" in outcomes[ABOUT].message
    shelf.service.refuses.clear()
    assert [outcome.result for outcome in shelf.sync().outcomes] == [Result.DONE]


def test_a_stopped_sync_makes_no_more_of_anything(shelf: Shelf, repository: SampleRepository) -> None:
    stop = threading.Event()
    repository.commit(
        {"content/posts/a.md": "---\ntags: [one, two]\n---\n![a](a.png)\n", "content/posts/a.png": b"a"}
    )
    made = shelf.service.make_term

    def stopping(field: str, name: str, parent: int) -> int:
        stop.set()
        return made(field, name, parent)

    shelf.service.make_term = stopping  # type: ignore[method-assign]
    assert [outcome.result for outcome in shelf.sync(stop=stop).outcomes] == [Result.SKIPPED]
    assert [asked for asked in shelf.service.asked if not asked.startswith("terms")] == [
        "make tags one below 0"
    ]
    assert [outcome.result for outcome in shelf.sync().outcomes] == [Result.DONE]


def test_each_term_each_file_and_each_request_with_records_takes_a_turn_of_the_rate(
    shelf: Shelf, repository: SampleRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[str] = []
    monkeypatch.setattr(RateLimiter, "wait", lambda _limiter: turns.append("turn"))
    posts = {f"content/posts/{n}.md": "---\ntags: [one, two]\n---\n![a](a.png)\n" for n in range(4)}
    repository.commit({**posts, "content/posts/a.png": b"a"})
    assert shelf.sync().counts["done"] == len(posts)
    made = [asked for asked in shelf.service.asked if asked.startswith(("make", "upload "))]
    assert len(made) == 3
    assert shelf.service.batches == [3], "the first record went alone"
    assert len(turns) == len(made) + 2


def test_a_wrong_user_in_the_table_of_authors_is_told_once(
    shelf: Shelf, repository: SampleRepository
) -> None:
    table = '[authors]\n"Jane Doe" = "jnae"\n'
    text = "---\nauthor: Jane Doe\n---\nText\n"
    repository.commit({"pressync.toml": table, ABOUT: text, TEAM: text})
    with pytest.raises(ContentError) as caught:
        shelf.sync()
    (problem,) = caught.value.problems
    assert str(problem) == (
        "pressync.toml: [authors]: 'jnae': nobody has this name; correct the user below `[authors]`"
    )


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
) -> dict[Name | str, str | NoUser]:
    """Upload the files one after the other; why some were not uploaded, by path."""
    uploads = prerequisites.FileUploads(service, state, files, read, control or run_control())
    for blob in uploads.paths:
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


@pytest.mark.parametrize("acted", [True, False])
def test_an_upload_whose_response_is_lost_is_looked_for_or_sent_again(state: State, acted: bool) -> None:
    lost, blue = NoAnswer("the line broke"), {BLUE: FILES[BLUE]}
    service = LibraryService(refuses={"blue.png": lost}, acted=[lost] if acted else [])
    refused = {} if acted else {FILES[BLUE]: f"{FILES[BLUE]} was not uploaded: the line broke"}
    assert upload(service, state, blue) == refused
    service.refuses.clear()
    assert upload(service, state, blue) == {}
    assert state.manifest.media[BLUE].link == "https://site.test/files/blue.png"
    assert len(service.files) == 1


def test_a_file_that_git_does_not_have_or_that_is_a_pointer_of_git_lfs_is_told(state: State) -> None:
    def absent(blob: str) -> bytes:
        raise RepositoryError(f"Git has no object {blob}")

    refused = upload(LibraryService(), state, {RED: "a.png"}, absent)
    assert refused == {"a.png": f"a.png was not uploaded: Git has no object {RED}"}
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
    refused = upload(LibraryService(), state, {RED: "a.png"}, lambda _blob: pointer)
    assert str(refused["a.png"]).startswith("a.png is a pointer of Git LFS here; ")


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


def test_the_first_upload_goes_alone_and_others_follow(
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


def test_after_a_halt_files_are_not_sent(pool: ThreadPoolExecutor, uploads: FileUploads) -> None:
    uploading = Uploading(pool, uploads, 3)
    uploading.begin()
    assert sorted(_taken(uploading, "the service cannot be reached")) == BLOBS
    assert not uploading.under_way
    assert len(uploads.refused) == 5
    assert uploads.refused["content/5.png"] == (
        "content/5.png was not uploaded: the service cannot be reached"
    )


NEWS = Term(3, "News", "news", 0)
LOCAL = Term(4, "Local & Near", "local-near", 3)
OTHER_LOCAL = Term(5, "Local & Near", "local-near-2", 0)


def category(path: str) -> Name:
    return Name("categories", path)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("News", 3),
        ("news", 3),
        ("News/Local & Near", 4),
        ("news/local-near", 4),
        ("Local & Near", 5),
        ("local-near-2", 5),
    ],
)
def test_a_category_is_found_by_names_or_slugs_of_its_path(state: State, written: str, number: int) -> None:
    service = LibraryService(has={"categories": [NEWS, LOCAL, OTHER_LOCAL]})
    assert prerequisites.look_up_names(service, state, [category(written)]) == {}
    assert state.manifest.names == {category(written): number}


def test_authors_are_looked_up_and_never_made(state: State) -> None:
    service = LibraryService(people={"anna": 2})
    nobody = prerequisites.look_up_names(service, state, [Name("author", "anna"), Name("author", "bob")])
    assert nobody == {Name("author", "bob"): NoUser("'bob': nobody has this name", "anna")}
    assert prerequisites.make_terms(service, state, nobody, run_control()) == nobody
    assert state.manifest.names == {Name("author", "anna"): 2}
    assert service.asked == []


def test_missing_terms_are_made_once_parents_first_and_told(state: State) -> None:
    service, told = LibraryService(), list[str]()
    state.learn(names={category("News"): 3})
    names = [
        category("News/Local/North"),
        category("News/Local"),
        category("News/local"),
        Name("tags", "CI/CD"),
    ]
    assert prerequisites.make_terms(service, state, names, run_control(told.append)) == {}
    assert service.asked == [
        "make categories Local below 3",
        "make categories North below 100",
        "make tags CI/CD below 0",
    ]
    assert told[0] == "Created category 'News/Local' (100)."
    assert state.manifest.names[category("News/Local/North")] == 101
    assert state.manifest.names[category("News/local")] == state.manifest.names[category("News/Local")]


def test_a_term_that_cannot_be_made_takes_those_below_it_along_and_no_others(state: State) -> None:
    service = LibraryService(refuses={"News": Refused("it may not", status=403)})
    names = [category("News/Local"), category("News"), Name("tags", "a")]
    refused = prerequisites.make_terms(service, state, names, run_control())
    assert set(refused) == {category("News/Local"), category("News")}
    assert set(refused.values()) == {"'News' could not be created: it may not"}
    assert service.asked.count("make categories News below 0") == 1
    assert Name("tags", "a") in state.manifest.names


DROPPED = {"categories": {3}, "featured_media": {9}, "menu_order": {5}}


@pytest.mark.parametrize(
    ("there", "before", "lost"),
    [
        ((), {("categories", 3), ("featured_media", 9)}, {"categories", "featured_media"}),
        # The site put another term in its place, or took it out.
        ((3,), {("categories", 3), ("featured_media", 9)}, {"featured_media"}),
        # The site deleted it in the save of the record for which this run had made it.
        ((), {("tags", 3), ("featured_media", 9)}, {"featured_media"}),
        ((), {("categories", 3)}, {"categories"}),
    ],
)
def test_a_term_or_picture_that_came_not_back_is_lost_if_the_site_had_it_before_the_run(
    there: tuple[int, ...], before: set[tuple[str, int]], lost: set[str]
) -> None:
    service = LibraryService(has={"categories": [Term(number, "Gone", "gone", 0) for number in there]})
    dropped = prerequisites.DroppedIds(service, frozenset(before))
    # A second record that lost the same is not settled as if the site had wanted that.
    assert all(dropped.lost(DROPPED) == lost for _ in range(2))


def test_a_term_that_cannot_be_looked_up_is_sent_again() -> None:
    class Silent(LibraryService):
        def present(self, field: str, ids: Collection[int]) -> frozenset[int]:
            raise NoAnswer(f"{field} {ids}")

    dropped = prerequisites.DroppedIds(Silent(), frozenset({("categories", 3)}))
    assert dropped.lost(DROPPED) == {"categories"}
