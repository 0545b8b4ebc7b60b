"""Entries from responses: uncertain ones, and the addresses that a record had before."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support.builders import HEAD, PUBLISHED, entry, record

from pressync.model.fingerprint import UNSURE, fingerprint
from pressync.sync import echo

PATH = "content/pages/about.md"
HELD = entry(PATH)


def test_an_entry_has_the_address_of_the_record_and_no_blob() -> None:
    found = echo.of_record(PATH, record(PATH, 12), HEAD, PUBLISHED)
    assert (found.path, found.id, found.slug, found.commit) == (PATH, 12, "about", HEAD)
    assert (found.blob, found.fingerprints) == ("", PUBLISHED), "the next plan reads the file again"


def test_equal_digests_in_the_same_order_are_held_once() -> None:
    held = {"title": "t", "slug": "s"}
    assert echo.shared_digests({"title": "t", "slug": "s"}, held) is held
    for other in ({"slug": "s", "title": "t"}, {"title": "t"}, {"title": "t", "slug": "x"}):
        assert echo.shared_digests(other, held) is other
    assert echo.shared_digests({}) is echo.shared_digests({})


def test_the_texts_that_many_records_share_are_held_once() -> None:
    first, second = (
        replace(record(PATH, number), modified=f"2026-01-01T00:00:{0:02}") for number in (12, 13)
    )
    assert first.modified is not second.modified
    made = [echo.of_record(PATH, each, HEAD, PUBLISHED) for each in (first, second)]
    assert made[0].modified is made[1].modified
    sent = PATH.rpartition("/")[2].removesuffix(".md")
    assert echo.of_record(PATH, first, HEAD, PUBLISHED, sent).slug is sent
    assert echo.of_record(PATH, first, HEAD, PUBLISHED, "other").slug == "about"


def test_an_entry_that_is_unsure_is_so_of_every_field() -> None:
    doubtful = echo.unsure(structs.replace(HELD, changed_by_service={"slug": fingerprint("about-2")}))
    assert set(doubtful.fingerprints.values()) == {UNSURE}
    assert doubtful.fingerprints.keys() == HELD.fingerprints.keys()
    assert (doubtful.changed_by_service, doubtful.id) == ({}, HELD.id)


def test_former_addresses_are_kept_oldest_first_and_none_twice() -> None:
    here = entry(PATH, slug="b", former=("/a/", "/c/"))
    assert echo.former(structs.replace(here, link="/b/"), "/d/") == ("/a/", "/c/", "/b/")
    assert echo.former(structs.replace(here, link="/a/"), "/d/") == ("/c/", "/a/")


def test_an_address_that_is_in_use_again_is_former_no_longer() -> None:
    back = structs.replace(HELD, link="/b/", former=("/a/", "/c/"))
    assert echo.former(back, "/a/") == ("/c/", "/b/")


def test_a_first_address_has_none_before_it() -> None:
    assert echo.former(structs.replace(HELD, link=""), "/a/") == ()


def test_a_page_below_a_moved_one_has_moved() -> None:
    there = echo.moved(HELD, "/new/about/")
    assert (there.link, there.former) == ("/new/about/", (HELD.link,))
    assert there.modified == HELD.modified, "nothing was said of when"


@given(st.lists(st.sampled_from(["/a/", "/b/", "/c/"]), min_size=1))
def test_the_present_address_is_never_among_the_former(links: list[str]) -> None:
    here = structs.replace(HELD, link="")
    for link in links:
        here = echo.moved(here, link)
        assert here.link not in here.former
        assert len(set(here.former)) == len(here.former)
    assert {here.link, *here.former} == set(links)


def test_another_port_of_this_machine_is_not_another_address() -> None:
    here = structs.replace(HELD, link="http://127.0.0.1:8127/a/")
    assert echo.address_of(here, "http://127.0.0.1:8128/a/") == "http://127.0.0.1:8127/a/"
    for link in ("http://127.0.0.1:8128/b/", "http://127.0.0.1/a/", "https://127.0.0.1:8128/a/"):
        assert echo.address_of(here, link) == link
    assert echo.address_of(None, "http://127.0.0.1:8128/a/") == "http://127.0.0.1:8128/a/"
    elsewhere = structs.replace(HELD, link="http://example.test:8127/a/")
    assert echo.address_of(elsewhere, "http://example.test:8128/a/") == "http://example.test:8128/a/"
