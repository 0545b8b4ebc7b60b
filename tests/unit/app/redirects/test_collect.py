"""Redirects from old addresses to current ones, and the redirects that would do harm."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.support.builders import entry, manifest

from pressync.app.redirects.collect import Redirect, collect, public_address
from pressync.model.fingerprint import fingerprint

SITE = "https://site.test"


def test_a_former_address_leads_to_the_address_of_today() -> None:
    moved = entry("a.md", 1, link=f"{SITE}/new/", former=(f"{SITE}/old/",))
    assert collect(manifest(moved)).found == (Redirect(f"{SITE}/old/", f"{SITE}/new/"),)


LOCAL = "http://127.0.0.1:8127"
ON_THIS_MACHINE = "these addresses are on this machine; `--base URL` names the site's public address"


def test_the_public_address_stands_in_the_place_of_one_on_this_machine() -> None:
    page = entry(
        "a.md",
        1,
        link=f"{LOCAL}/new/",
        former=("http://localhost:8128/old/?p=1", f"{SITE}/older/"),
        aliases=("/alias/",),
    )
    redirects = collect(manifest(page), SITE)
    assert [(each.old, each.new) for each in redirects.found] == [
        (f"{SITE}/old/?p=1", f"{SITE}/new/"),
        (f"{SITE}/older/", f"{SITE}/new/"),
        (f"{SITE}/alias/", f"{SITE}/new/"),
    ]
    assert redirects.notes == ()
    assert collect(manifest(page)).notes == (("", ON_THIS_MACHINE),)
    assert collect(manifest(entry("a.md", 1, link=f"{LOCAL}/new/"))).notes == ()


def test_one_address_on_two_ports_is_redirected_once() -> None:
    page = entry("a.md", 1, link=f"{LOCAL}/new/", former=(f"{LOCAL}/old/", "http://[::1]:9/old/"))
    assert [each.old for each in collect(manifest(page), SITE).found] == [f"{SITE}/old/"]


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("https://site.test/wp-json", "https://site.test"),
        ("https://site.test/blog/wp-json/", "https://site.test/blog"),
        ("https://site.test/index.php?rest_route=/", "https://site.test"),
        ("https://site.test/blog/?rest_route=/", "https://site.test/blog"),
        ("https://site.test/blog", "https://site.test/blog"),
        ("http://127.0.0.1:8127/wp-json", None),
        (None, None),
    ],
)
def test_the_public_address_is_that_of_the_service_without_its_route(
    url: str | None, public: str | None
) -> None:
    assert public_address(url) == public


def test_an_alias_is_taken_from_the_root_of_the_site() -> None:
    page = entry("a.md", 1, link=f"{SITE}/team/anna/", aliases=("/people/anna/", "anna.html"))
    assert [each.old for each in collect(manifest(page)).found] == [
        f"{SITE}/people/anna/",
        f"{SITE}/anna.html",
    ]


def test_an_alias_may_be_a_whole_address_elsewhere() -> None:
    page = entry("a.md", 1, aliases=("https://old.test/a/",))
    assert collect(manifest(page)).found == (Redirect("https://old.test/a/", f"{SITE}/a/"),)


def test_what_is_somebody_elses_address_today_is_left_out_with_a_note() -> None:
    swapped = (
        entry("a.md", 1, link=f"{SITE}/two/", former=(f"{SITE}/one/",)),
        entry("b.md", 2, link=f"{SITE}/one/", former=(f"{SITE}/two/",)),
    )
    redirects = collect(manifest(*swapped))
    assert redirects.found == ()
    assert redirects.notes == (
        (f"{SITE}/one/", "left out, because it is the address of 'b.md' now"),
        (f"{SITE}/two/", "left out, because it is the address of 'a.md' now"),
    )


def test_a_living_address_is_known_however_it_is_written() -> None:
    living = entry("b.md", 2, link=f"{SITE}/caf%c3%a9/")
    for written in (
        "/café",
        "/caf%C3%A9/",
        f"{SITE.replace('https', 'http')}/café/",
        "https://SITE.test/café",
    ):
        redirects = collect(manifest(entry("a.md", 1, aliases=(written,)), living))
        assert redirects.found == (), written
        assert len(redirects.notes) == 1


def test_a_pages_own_address_as_its_alias_is_passed_over_in_silence() -> None:
    page = entry("a.md", 1, link=f"{SITE}/a/", aliases=("/a", "/a/"), former=(f"{SITE}/a",))
    assert collect(manifest(page)) == collect(manifest())


def test_a_record_without_an_address_of_its_own_has_nothing_to_lead_to() -> None:
    assert collect(manifest(entry("a.md", 1, link="", aliases=("/x/",)))).found == ()


def test_of_two_records_with_one_old_address_the_first_wins_and_the_other_is_noted() -> None:
    redirects = collect(manifest(entry("b.md", 2, aliases=("/x/",)), entry("a.md", 1, aliases=("/x/",))))
    assert redirects.found == (Redirect(f"{SITE}/x/", f"{SITE}/a/"),)
    assert redirects.notes == (
        (f"{SITE}/x/", f"left out for 'b.md', because it leads to '{SITE}/a/' already"),
    )


def test_no_redirect_leads_to_a_draft_and_the_published_record_gets_the_address() -> None:
    draft = replace(
        entry("a.md", 1, link=f"{SITE}/?p=1", aliases=("/x/", "/y/"), former=(f"{SITE}/a/",)),
        fingerprints={"status": fingerprint("draft")},
    )
    redirects = collect(manifest(draft, entry("b.md", 2, aliases=("/y/",))))
    assert redirects.found == (Redirect(f"{SITE}/y/", f"{SITE}/b/"),)
    why = "left out, because visitors do not see 'a.md'"
    assert redirects.notes == ((f"{SITE}/a/", why), (f"{SITE}/x/", why))


def test_an_old_address_that_is_said_twice_is_one_redirect() -> None:
    page = entry("a.md", 1, former=(f"{SITE}/x/",), aliases=("/x/", "/x"))
    redirects = collect(manifest(page))
    assert redirects.found == (Redirect(f"{SITE}/x/", f"{SITE}/a/"),)
    assert redirects.notes == ()


def test_what_is_no_address_makes_no_redirect() -> None:
    aliases = ("mailto:a@b.test", "//[", "javascript:alert(1)", "/\x1b[31m/")
    page = entry("a.md", 1, aliases=aliases, former=("", "gone"))
    assert collect(manifest(page)).found == ()


_addresses = st.sampled_from([f"{SITE}/{name}" for name in ("a/", "a", "b/", "b", "c/", "%61/")])


@given(st.lists(st.tuples(_addresses, st.lists(_addresses, max_size=3)), max_size=4))
def test_nobody_who_follows_a_redirect_is_sent_on(moves: list[tuple[str, list[str]]]) -> None:
    entries = (entry(f"{n}.md", n + 1, link=now, former=tuple(old)) for n, (now, old) in enumerate(moves))
    redirects = collect(manifest(*entries)).found
    old = [unquote(each.old).rstrip("/") for each in redirects]
    assert len(set(old)) == len(old)
    assert not set(old) & {unquote(now).rstrip("/") for now, _ in moves}
