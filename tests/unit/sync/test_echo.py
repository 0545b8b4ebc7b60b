"""A response beside what was sent: what the service changed, what others changed, what is remembered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support.builders import PUBLISHED, SITE, desired, entry, prints, record

from pressync.model.fingerprint import UNSURE, fingerprint
from pressync.sync import echo, field_comparison

if TYPE_CHECKING:
    from pressync.model.records import Entry, Fields

PATH = "content/pages/about.md"
ABOUT = desired(PATH)
HELD = entry(PATH)
SENT: Fields = {"title": "About", "slug": "about", "content": "<p>about</p>", "status": "publish"}
LATER = "d" * 40


TAKEN = ", because another record or a file of the media library has it"


def settle(sent: Fields, previous: Entry | None = HELD, /, **echoed: Any) -> echo.Settlement:  # noqa: ANN401 - any value
    """Settle a write of ABOUT whose echo has further or other fields."""
    return echo.settle(ABOUT, sent, record(PATH, **echoed), previous, LATER)


# After a create


@pytest.mark.parametrize(
    ("sent", "echoed", "notices"),
    [
        ({}, {}, ()),
        ({"excerpt": "Short"}, {}, ()),
        ({}, {"slug": "about-2"}, (f"slug: changed by the service from 'about' to 'about-2'{TAKEN}",)),
        ({}, {"slug": "about-us"}, ("slug: changed by the service from 'about' to 'about-us'",)),
        (
            {"content": "x" * 100},
            {"content": "y" * 90},
            ("content: changed by the service (100 characters sent, 90 came back)",),
        ),
        (
            {"excerpt": "x" * 60},
            {"excerpt": "y" * 60},
            (f"excerpt: changed by the service from '{'x' * 60}' to '{'y' * 60}'",),
        ),
        (
            {"password": "secret-1"},
            {"password": "secret-2"},
            ("password: changed by the service; it is not the one that was sent",),
        ),
    ],
    ids=[
        "nothing",
        "a field that the response lacks",
        "a taken slug",
        "another slug",
        "a long text",
        "a line",
        "a password",
    ],
)
def test_what_the_service_changed_of_a_create_is_told(
    sent: Fields, echoed: dict[str, Any], notices: tuple[str, ...]
) -> None:
    settled = settle({**SENT, **sent}, None, **echoed)
    assert settled.notices == notices
    assert (settled.entry.conflict, settled.entry.former) == ({}, ())


def test_the_entry_has_the_service_s_facts_and_the_file_s() -> None:
    wanted = desired(PATH, layout="wide.html", links=("team.md",), protect=True, parent_path="index.md")
    settled = echo.settle(wanted, SENT, record(PATH, 12), None, LATER).entry
    assert (settled.path, settled.id, settled.link) == (PATH, 12, f"{SITE}/about/")
    assert (settled.modified, settled.modified_gmt) == ("2024-02-01T12:00:00", "2024-02-01T11:00:00")
    assert (settled.commit, settled.blob, settled.basis) == (LATER, ABOUT.blob, ABOUT.basis)
    assert (settled.layout, settled.links, settled.protect) == ("wide.html", ("team.md",), True)
    assert settled.parent_path == "index.md"


def test_what_the_service_changed_is_remembered_beside_what_was_sent() -> None:
    settled = settle(SENT, None, slug="about-2")
    assert settled.entry.slug == "about-2"
    assert settled.entry.fingerprints == {**prints(PATH), **PUBLISHED}
    assert settled.entry.changed_by_service == {"slug": fingerprint("about-2")}


# After an update
AGAIN, NUMBER = {"slug": "about-2"}, {"slug": fingerprint("about-2")}
BENT = structs.replace(HELD, changed_by_service=NUMBER)
TEXT: Fields = {"content": "<p>about</p>"}
BOUND = structs.replace(HELD, fingerprints={}, commit="", link="")


@pytest.mark.parametrize(
    ("held", "sent", "echoed", "conflict"),
    [
        (HELD, TEXT, {}, {}),
        (HELD, TEXT, {"title": "Theirs"}, {"title": "Theirs"}),
        (HELD, TEXT, {"status": "draft"}, {"status": "draft"}),
        # The slug of a record in the trash is not somebody's edit.
        (HELD, TEXT, {"status": "trash", "slug": "about__trashed"}, {"status": "trash"}),
        (structs.replace(HELD, fingerprints={}), TEXT, {"status": "trash"}, {"status": "trash"}),
        # The service changed the slug before.
        (BENT, TEXT, {"slug": "about-2"}, {}),
        (BENT, TEXT, {"slug": "us"}, {"slug": "us"}),
        (BENT, TEXT, {"slug": "about"}, {}),
        # A conflict that was overwritten is over, and one that was there before a move stays.
        (structs.replace(HELD, conflict={"title": "Theirs"}), {"title": "About"}, {}, {}),
        (structs.replace(HELD, conflict=AGAIN), {"parent": 3}, AGAIN, AGAIN),
        (HELD, {"parent": 3}, {"slug": "us"}, {"slug": "us"}),
        # Nothing is known of a field whose last write got no response, nor of a record that was adopted.
        (structs.replace(HELD, fingerprints={"title": UNSURE}), TEXT, {"title": "Whatever"}, {}),
        (BOUND, SENT, {"author": 3}, {}),
    ],
)
def test_a_field_that_was_not_sent_and_is_another_was_changed_by_somebody(
    held: Entry, sent: Fields, echoed: dict[str, Any], conflict: dict[str, str]
) -> None:
    settled = settle(sent, held, **echoed)
    assert settled.entry.conflict == conflict
    assert settled.notices == tuple(
        f"{name} was changed on the site by somebody else and was not overwritten ({value!r})"
        for name, value in conflict.items()
    )


def test_what_a_person_made_of_a_password_stays_out_of_manifest_and_message() -> None:
    wanted = structs.replace(ABOUT, fingerprints={**ABOUT.fingerprints, "password": fingerprint("ours")})
    held = structs.replace(HELD, fingerprints=wanted.fingerprints)
    settled = echo.settle(wanted, {"title": "About"}, record(PATH, password="theirs"), held, LATER)
    assert settled.entry.conflict == {"password": ""}
    assert "theirs" not in "".join(settled.notices)


def test_a_field_that_was_taken_this_time_is_changed_by_the_service_no_longer() -> None:
    assert settle({"slug": "about"}, BENT).entry.changed_by_service == {}
    assert settle(TEXT, BENT, slug="about-2").entry.changed_by_service == NUMBER


def test_a_field_that_nobody_names_any_more_or_that_was_sent_empty_is_forgotten() -> None:
    named = {"author": fingerprint(3), "excerpt": fingerprint("Short")}
    held = structs.replace(HELD, fingerprints={**HELD.fingerprints, **named})
    settled = settle({"excerpt": ""}, held, author=5, excerpt="")
    assert (settled.notices, settled.entry.conflict) == ((), {})
    assert not named.keys() & settled.entry.fingerprints.keys()


def test_an_address_below_a_page_in_the_trash_is_told() -> None:
    below = replace(record(PATH), link="https://site.test/docs__trashed/a/")
    settled = echo.settle(ABOUT, SENT, below, None, LATER)
    assert settled.notices == (
        "parent: a page above it is in the trash, so its address is 'https://site.test/docs__trashed/a/'",
    )


@pytest.mark.parametrize(("before", "after"), [("publish", "future"), ("future", "publish")])
def test_a_status_that_follows_from_the_date_is_nobody_s_edit(before: str, after: str) -> None:
    held = structs.replace(HELD, fingerprints={**HELD.fingerprints, "status": fingerprint(before)})
    assert settle({"content": "<p>about</p>"}, held, status=after).entry.conflict == {}
    assert field_comparison.edits(held, record(PATH, status=after)) == {}
    assert field_comparison.edits(held, record(PATH, status="draft")) == {"status": "draft"}


LONG_AFTER = "2135-01-01T10:00:00"


def test_a_date_that_takes_a_record_off_the_site_is_told_unless_the_plan_has_said_it() -> None:
    (notice,) = settle({"date": LONG_AFTER}, status="future").notices
    assert notice == "status: the date that was sent makes it 'future', and nobody sees it until then"
    scheduled = structs.replace(ABOUT, date=LONG_AFTER)
    answer = record(PATH, status="future", date=LONG_AFTER)
    for sent in ({"date": LONG_AFTER}, {"date": LONG_AFTER, "status": "publish"}):
        assert echo.settle(scheduled, sent, answer, HELD, LATER).notices == ()


# What follows from a write


def test_an_encoded_slug_is_the_one_that_was_sent() -> None:
    encoded = "%d0%bc%d1%8b"
    assert settle({"slug": "мы"}, slug=encoded).notices == ()
    told = settle({"slug": "мы"}, slug=f"{encoded}-2").notices
    assert told == (f"slug: changed by the service from 'мы' to '{encoded}-2'",)


def test_a_slug_that_the_service_numbers_at_a_new_place_is_told_once_and_nobodys_edit() -> None:
    moving = {"parent": 3}
    moved = echo.settle(
        structs.replace(ABOUT, fingerprints={**ABOUT.fingerprints, "parent": fingerprint(3)}),
        moving,
        record(PATH, slug="about-2", parent=3),
        HELD,
        LATER,
    )
    told = "slug: changed by the service from 'about' to 'about-2', as an effect of this update"
    assert moved.notices == (f"{told}; another record has the slug there",)
    assert moved.entry.conflict == {}
    assert moved.entry.changed_by_service == {"slug": fingerprint("about-2")}
    assert moved.entry.fingerprints["slug"] == fingerprint("about"), "what we sent stays what we sent"
    again = settle({"content": "<p>about</p>"}, moved.entry, slug="about-2")
    assert (again.notices, again.entry.conflict) == ((), {})
    assert settle({"content": "<p>about</p>"}, moved.entry, slug="us").entry.conflict == {"slug": "us"}


# After the first write to a record that was adopted


BEFORE = entry(PATH)


@given(st.lists(st.sampled_from(["/a/", "/b/", "/c/"]), min_size=1))
def test_the_present_address_is_never_among_the_former(links: list[str]) -> None:
    here = structs.replace(BEFORE, link="")
    for link in links:
        here = echo.moved(here, link)
        assert here.link not in here.former
        assert len(set(here.former)) == len(here.former)
    assert {here.link, *here.former} == set(links)


def test_another_port_of_this_machine_is_not_another_address() -> None:
    here = structs.replace(BEFORE, link="http://127.0.0.1:8127/a/")
    assert echo.address_of(here, "http://127.0.0.1:8128/a/") == "http://127.0.0.1:8127/a/"
    for link in ("http://127.0.0.1:8128/b/", "http://127.0.0.1/a/", "https://127.0.0.1:8128/a/"):
        assert echo.address_of(here, link) == link
    assert echo.address_of(None, "http://127.0.0.1:8128/a/") == "http://127.0.0.1:8128/a/"
    elsewhere = structs.replace(BEFORE, link="http://example.test:8127/a/")
    assert echo.address_of(elsewhere, "http://example.test:8128/a/") == "http://example.test:8128/a/"


LEFT = entry(PATH, fingerprints={**prints(PATH), "parent": fingerprint(3), "status": fingerprint("publish")})


def followed(sent: set[str], held: Entry = LEFT, /, **echoed: Any) -> frozenset[str]:  # noqa: ANN401 - any value
    """Name what can have followed from a write of these fields, by an echo with these others in it."""
    return field_comparison.possible_effects(held, record(PATH, **echoed), sent)


LOST = structs.replace(LEFT, fingerprints={**LEFT.fingerprints, "parent": UNSURE})
NUMBERED = structs.replace(LEFT, slug="about-2", changed_by_service={"slug": fingerprint("about-2")})


@pytest.mark.parametrize(
    ("sent", "held", "slug", "ours"),
    [
        ({"parent"}, LEFT, "about-2", True),
        ({"status"}, LEFT, "about-2", True),
        *(({"parent"}, LEFT, other, False) for other in ("us", "about-us", "about-", "2", "-2", "abou-2")),
        ({"parent"}, LEFT, "about-2-b", False),
        # A write of the text gives no number, and a slug that was sent does not follow from the write.
        ({"title", "content"}, LEFT, "about-2", False),
        ({"slug", "parent"}, LEFT, "about-2", False),
        # A write that was never answered may have been carried out.
        (set(), LOST, "about-2", True),
        ({"parent"}, NUMBERED, "about-2-2", True),
        ({"parent"}, NUMBERED, "about-3", True),
        ({"parent"}, NUMBERED, "about-x-3", False),
        ({"parent"}, structs.replace(LEFT, slug="release-2"), "release-3", False),
        # A long slug is cut to make room for its number.
        ({"parent"}, structs.replace(LEFT, slug="a" * 200), "a" * 198 + "-2", True),
        ({"parent"}, structs.replace(LEFT, slug="a" * 200), "a" * 190 + "b" * 8 + "-2", False),
        ({"status"}, structs.replace(LEFT, slug="about__trashed"), "about-2", True),
    ],
)
def test_a_slug_that_only_got_a_number_follows_from_a_write_that_may_take_another_place(
    sent: set[str], held: Entry, slug: str, *, ours: bool
) -> None:
    assert followed(sent, held, slug=slug) == ({"slug"} if ours else set())


@pytest.mark.parametrize(("sent", "ours"), [("status", True), ("title", True), ("content", False)])
def test_a_slug_that_was_left_to_the_service_is_made_from_the_title(sent: str, *, ours: bool) -> None:
    nameless = structs.replace(LEFT, slug="", fingerprints={**LEFT.fingerprints, "slug": fingerprint("")})
    assert bool(followed({sent}, nameless, slug="any-name")) is ours


@pytest.mark.parametrize(
    ("sent", "status", "password", "ours"),
    [
        ("status", "private", "", True),
        ("status", "publish", "", False),
        ("title", "private", "", False),
        ("status", "private", "theirs", False),
    ],
)
def test_a_private_record_loses_its_password(sent: str, status: str, password: str, *, ours: bool) -> None:
    locked = structs.replace(LEFT, fingerprints={**LEFT.fingerprints, "password": fingerprint("ours")})
    assert bool(followed({sent}, locked, status=status, password=password)) is ours


@pytest.mark.parametrize(("came", "ours"), [((1,), True), ((4, 5), False)])
def test_a_post_in_no_category_gets_the_default_one(came: tuple[int, ...], *, ours: bool) -> None:
    loose = structs.replace(LEFT, fingerprints={**LEFT.fingerprints, "categories": fingerprint(())})
    assert bool(followed({"title"}, loose, categories=came)) is ours
    assert not followed(set(), loose, categories=came), "and nothing follows from no write"
