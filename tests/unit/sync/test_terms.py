"""Names become ids: found if the site has them, else created one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.controls import run_control
from tests.support.library_service import LibraryService
from tests.support.states import opened

from pressync.client.port import Term
from pressync.model.errors import Refused
from pressync.model.interface import Kind
from pressync.model.records import Medium, Name, Record
from pressync.sync import prerequisites

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.model.records import Fields
    from pressync.state.state import State

NEWS = Term(3, "News", "news", 0)
LOCAL = Term(4, "Local & Near", "local-near", 3)
OTHER_LOCAL = Term(5, "Local & Near", "local-near-2", 0)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with opened(tmp_path) as state:
        yield state


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
def test_a_category_is_found_by_the_names_or_slugs_of_its_path(
    state: State, written: str, number: int
) -> None:
    service = LibraryService(has={"categories": [NEWS, LOCAL, OTHER_LOCAL]})
    assert prerequisites.look_up_names(service, state, [category(written)]) == {}
    assert state.manifest.names == {category(written): number}


def test_a_name_goes_before_a_slug_and_the_oldest_of_twins_before_the_others(state: State) -> None:
    service = LibraryService(
        has={"tags": [Term(7, "Else", "a", 0), Term(8, "a", "a-2", 0), Term(9, "A", "a-3", 0)]}
    )
    prerequisites.look_up_names(service, state, [Name("tags", "a")])
    assert state.manifest.names == {Name("tags", "a"): 8}


def test_what_is_not_there_is_not_learned_and_each_field_is_read_once(state: State) -> None:
    service = LibraryService(has={"categories": [NEWS]})
    names = [category("News/Local"), category("News"), category("Sports"), Name("tags", "a/b")]
    prerequisites.look_up_names(service, state, names)
    assert state.manifest.names == {category("News"): 3}
    assert service.asked == ["terms categories", "terms tags"]


def test_authors_are_looked_up_and_never_made(state: State) -> None:
    service = LibraryService(people={"anna": 2})
    nobody = prerequisites.look_up_names(service, state, [Name("author", "anna"), Name("author", "bob")])
    assert nobody == {Name("author", "bob"): "'bob': nobody has this name"}
    assert prerequisites.make_terms(service, state, nobody, run_control()) == nobody
    assert state.manifest.names == {Name("author", "anna"): 2}
    assert service.asked == []


def test_missing_terms_are_made_parents_first_and_told(state: State) -> None:
    service, told = LibraryService(), list[str]()
    state.learn(names={category("News"): 3})
    names = [category("News/Local/North"), category("News/Local"), Name("tags", "CI/CD")]
    assert prerequisites.make_terms(service, state, names, run_control(told.append)) == {}
    assert service.asked == [
        "make categories Local below 3",
        "make categories North below 100",
        "make tags CI/CD below 0",
    ]
    assert told[0] == "Created category 'News/Local' (100)."
    assert state.manifest.names[category("News/Local/North")] == 101


def test_names_that_differ_in_case_alone_are_one_term(state: State) -> None:
    service = LibraryService()
    assert prerequisites.make_terms(service, state, [category("News"), category("news")], run_control()) == {}
    assert service.asked == ["make categories News below 0"]
    assert len(set(state.manifest.names.values())) == 1


def test_a_term_that_cannot_be_made_takes_those_below_it_along_and_no_others(state: State) -> None:
    service = LibraryService(refuses={"News": Refused("it may not", status=403)})
    names = [category("News/Local"), category("News"), Name("tags", "a")]
    refused = prerequisites.make_terms(service, state, names, run_control())
    assert set(refused) == {category("News/Local"), category("News")}
    assert set(refused.values()) == {"'News' could not be created: it may not"}
    assert service.asked.count("make categories News below 0") == 1
    assert Name("tags", "a") in state.manifest.names


def test_a_term_or_picture_that_the_site_dropped_is_forgotten(state: State) -> None:
    gone, kept, other = category("Gone"), category("Kept"), Name("tags", "other")
    state.learn(
        names={gone: 3, kept: 4, other: 3}, media=[Medium("b", "x.png", 9, "https://site.test/x.png")]
    )
    sent: Fields = {"categories": (3, 4), "featured_media": 9, "menu_order": 5, "title": "x"}
    echoed: Fields = {"categories": (4,), "featured_media": 0, "menu_order": 5, "title": "y"}
    record = Record(Kind.POST, 1, "x", "l", "m", "m", echoed)
    assert prerequisites.forget_dropped(state, sent, record) == {"categories", "featured_media"}
    assert state.manifest.names == {kept: 4, other: 3}
    assert state.manifest.media == {}


def test_a_term_that_the_site_dropped_is_forgotten_without_a_picture(state: State) -> None:
    state.learn(names={category("Gone"): 3})
    record = Record(Kind.POST, 1, "x", "l", "m", "m", {"categories": ()})
    assert prerequisites.forget_dropped(state, {"categories": (3,)}, record) == {"categories"}
    assert state.manifest.names == {}


def test_a_service_that_kept_everything_makes_nobody_forget(state: State) -> None:
    state.learn(names={category("Kept"): 4})
    record = Record(Kind.POST, 1, "x", "l", "m", "m", {"categories": (1, 4)})
    assert prerequisites.forget_dropped(state, {"categories": (4,)}, record) == frozenset()
    assert state.manifest.names == {category("Kept"): 4}


def test_a_run_that_is_stopped_makes_no_more_terms(state: State) -> None:
    service = LibraryService()
    names = [category("News"), category("Sport"), Name("tags", "a")]
    refused = prerequisites.make_terms(service, state, names, run_control(turns=1))
    assert service.asked == ["make categories News below 0"]
    assert refused == {
        name: f"'{name.text}' was not created: the run was stopped before" for name in names[1:]
    }
