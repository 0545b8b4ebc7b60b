"""Each address of the old site is kept, redirected to where it ends, hidden, or lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.builders import entry, manifest

from pressync.app.old_addresses import OldAddress
from pressync.app.redirects.against import Fate, against, counts, together, without_effect
from pressync.app.redirects.collect import Redirect, collect
from pressync.model.errors import ConfigError
from pressync.model.fingerprint import fingerprint

if TYPE_CHECKING:
    from pressync.app.redirects.against import CheckedAddress

SITE = "https://site.test"
ABOUT = entry("content/pages/about.md", 1, link=f"{SITE}/about/", aliases=("/us/",))
DRAFT = replace(
    entry("content/pages/later.md", 2, link=f"{SITE}/later/", aliases=("/soon/",)),
    fingerprints={"status": fingerprint("private")},
)
KNOWN = manifest(ABOUT, DRAFT)


def checked(*olds: OldAddress) -> list[CheckedAddress]:
    """Check addresses against one public page and one private page."""
    return against(olds, KNOWN, collect(KNOWN))


def fates(*addresses: str) -> list[tuple[Fate, str]]:
    """Give what became of addresses that no table says more of."""
    return [(each.fate, each.to) for each in checked(*(OldAddress(address, "x:1") for address in addresses))]


def test_an_address_is_kept_on_any_host_and_however_it_is_written() -> None:
    kept = (Fate.KEPT, f"{SITE}/about/")
    assert fates("/about/", "http://old.test/about", f"{SITE}/%61bout/") == [kept] * 3


def test_a_former_address_and_an_alias_are_redirected_and_all_others_are_lost() -> None:
    assert fates("/us/", "/nowhere/", "/about/?page=2") == [
        (Fate.REDIRECTED, f"{SITE}/about/"),
        (Fate.LOST, ""),
        (Fate.LOST, ""),
    ]


def test_no_address_of_a_record_that_visitors_do_not_see_is_counted_as_saved_or_redirected() -> None:
    found = checked(
        OldAddress("/later/", "x:1"),
        OldAddress("/soon/", "x:2"),
        OldAddress("/blog/later.html", "x:3", DRAFT.path),
        OldAddress("/2023/later.html", "x:4", "", "/soon/"),
        OldAddress("/2022/later.html", "x:5", "", "/later/"),
    )
    assert {(each.fate, each.to) for each in found} == {(Fate.HIDDEN, "")}
    redirects = together(collect(KNOWN), found)
    assert [each.new for each in redirects] == [f"{SITE}/about/"]


def test_a_person_may_choose_another_target_for_the_address_of_a_hidden_record() -> None:
    (each,) = checked(OldAddress("/soon/", "x:1", DRAFT.path, "/about/"))
    assert (each.fate, each.to) == (Fate.REDIRECTED, f"{SITE}/about/")


def test_the_file_of_a_table_gives_the_address_of_today() -> None:
    (each,) = checked(OldAddress("/blog/about.html", "x:1", ABOUT.path))
    assert (each.fate, each.to) == (Fate.REDIRECTED, f"{SITE}/about/")


def test_a_chain_leads_to_its_end_at_once() -> None:
    found = checked(OldAddress("/1/", "x:1", "", "/2/"), OldAddress("/2/", "x:2", "", "/us/"))
    assert [each.to for each in found] == [f"{SITE}/about/"] * 2


def test_a_person_may_say_that_the_site_has_an_address_or_name_another_site() -> None:
    found = checked(
        OldAddress("/category/news/", "x:1", "", "/category/news/"),
        OldAddress("/shop/", "x:2", "", "https://shop.test/"),
    )
    assert [(each.fate, each.to) for each in found] == [
        (Fate.KEPT, f"{SITE}/category/news/"),
        (Fate.REDIRECTED, "https://shop.test/"),
    ]
    assert counts(found) == {"kept": 1, "redirected": 1, "hidden": 0, "lost": 0}


def test_a_circle_is_refused_with_its_place() -> None:
    with pytest.raises(ConfigError) as caught:
        checked(OldAddress("/1/", "x:1", "", "/2/"), OldAddress("/2/", "x:2", "", "/1/"))
    assert str(caught.value) == (
        "x:1: the redirects lead in a circle: /1/ -> /2/ -> /1/; correct the column `to`"
    )


def test_the_rules_have_the_host_where_they_will_stand_and_each_old_address_once() -> None:
    redirects = collect(KNOWN)
    olds = [
        OldAddress("https://old.test/us/", "x:1"),
        OldAddress("https://old.test/a.html", "x:2", ABOUT.path),
    ]
    assert together(redirects, against(olds, KNOWN, redirects)) == (
        Redirect(f"{SITE}/a.html", f"{SITE}/about/"),
        Redirect(f"{SITE}/us/", f"{SITE}/about/"),
    )


def test_the_rules_lead_where_a_person_chose_and_leave_out_what_the_site_has() -> None:
    redirects = collect(KNOWN)
    elsewhere = [OldAddress("/us/", "x:1", "", "/shop/")]
    kept = [OldAddress("/us/", "x:1", "", "/us/")]
    assert together(redirects, []) == (Redirect(f"{SITE}/us/", f"{SITE}/about/"),)
    assert together(redirects, checked(*elsewhere)) == (Redirect(f"{SITE}/us/", f"{SITE}/shop/"),)
    assert together(redirects, checked(*kept)) == ()


def test_a_choice_for_the_address_of_a_page_is_named_because_it_has_no_effect() -> None:
    olds = [
        OldAddress("/about/", "x:1", "", "/us/"),
        OldAddress("/about", "x:2", "", f"{SITE}/about/"),
        OldAddress("/us/", "x:3", "", "/shop/"),
    ]
    assert [place for place, _ in without_effect(olds, checked(*olds))] == [f"{SITE}/about/"]


def test_a_record_whose_address_is_not_one_gets_no_rule_and_stops_nothing() -> None:
    odd = entry("content/pages/a.md", 3, link="http://[")
    for known in (manifest(odd, ABOUT), manifest(ABOUT, replace(odd, path="content/pages/z.md"))):
        olds = [
            OldAddress("/us/", "x:1"),
            OldAddress("/old/", "x:2", odd.path),
            OldAddress("/z/", "x:3", "content/pages/z.md"),
        ]
        redirects = collect(known)
        found = together(redirects, against(olds, known, redirects))
        assert {each.new for each in found} == {f"{SITE}/about/"}
