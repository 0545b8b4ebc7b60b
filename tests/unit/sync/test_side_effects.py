"""Fields that a service changes because of another write, and fields that somebody edited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.support.builders import entry, prints, record

from pressync.model.fingerprint import UNSURE, fingerprint
from pressync.sync import echo

if TYPE_CHECKING:
    from pressync.model.records import Entry

PATH = "content/pages/about.md"
HELD = entry(PATH, fingerprints={**prints(PATH), "parent": fingerprint(3), "status": fingerprint("publish")})


def followed(sent: set[str], held: Entry = HELD, /, **echoed: Any) -> frozenset[str]:  # noqa: ANN401 - any value
    """Name what can have followed from a write of these fields, by an echo with these others in it."""
    return echo.possible_effects(held, record(PATH, **echoed), sent)


@pytest.mark.parametrize("sent", ["parent", "status"])
def test_a_slug_that_is_taken_at_the_new_place_gets_a_number(sent: str) -> None:
    assert followed({sent}, slug="about-2") == {"slug"}


@pytest.mark.parametrize("slug", ["us", "about-us", "about-", "2", "-2", "abou-2", "about-2-b"])
def test_a_slug_that_is_not_the_same_with_a_number_is_somebodys(slug: str) -> None:
    assert not followed({"parent"}, slug=slug)


def test_a_slug_gets_no_number_from_a_write_of_the_text() -> None:
    assert not followed({"title", "content"}, slug="about-2")


def test_a_slug_that_was_sent_is_not_a_field_that_follows() -> None:
    assert not followed({"slug", "parent"}, slug="about-2")


def test_a_write_that_was_never_answered_may_have_been_carried_out() -> None:
    lost = replace(HELD, fingerprints={**HELD.fingerprints, "parent": UNSURE})
    assert followed(set(), lost, slug="about-2") == {"slug"}


@pytest.mark.parametrize(("slug", "ours"), [("about-2-2", True), ("about-3", True), ("about-x-3", False)])
def test_a_number_is_followed_by_a_number(slug: str, *, ours: bool) -> None:
    numbered = replace(HELD, slug="about-2", changed_by_service={"slug": fingerprint("about-2")})
    assert bool(followed({"parent"}, numbered, slug=slug)) is ours


def test_a_slug_that_ends_in_a_number_of_its_own_is_not_counted_on() -> None:
    named = replace(HELD, slug="release-2")
    assert not followed({"parent"}, named, slug="release-3")


def test_a_long_slug_is_cut_to_make_room_for_its_number() -> None:
    long = replace(HELD, slug="a" * 200)
    assert followed({"parent"}, long, slug="a" * 198 + "-2") == {"slug"}
    assert not followed({"parent"}, long, slug="a" * 190 + "b" * 8 + "-2")


def test_a_slug_that_comes_out_of_the_trash_gets_a_number() -> None:
    trashed = replace(HELD, slug="about__trashed")
    assert followed({"status"}, trashed, slug="about-2") == {"slug"}


@pytest.mark.parametrize(("sent", "ours"), [("status", True), ("title", True), ("content", False)])
def test_a_slug_that_was_left_to_the_service_is_made_from_the_title(sent: str, *, ours: bool) -> None:
    nameless = replace(HELD, slug="", fingerprints={**HELD.fingerprints, "slug": fingerprint("")})
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
    locked = replace(HELD, fingerprints={**HELD.fingerprints, "password": fingerprint("ours")})
    assert bool(followed({sent}, locked, status=status, password=password)) is ours


@pytest.mark.parametrize(("came", "ours"), [((1,), True), ((4, 5), False)])
def test_a_post_in_no_category_gets_the_default_one(came: tuple[int, ...], *, ours: bool) -> None:
    loose = replace(HELD, fingerprints={**HELD.fingerprints, "categories": fingerprint(())})
    assert bool(followed({"title"}, loose, categories=came)) is ours
    assert not followed(set(), loose, categories=came), "and nothing follows from no write"
