"""A part of a source is named by addresses, and each of them has everything below it."""

from __future__ import annotations

import pytest

from pressync.app.import_site.part import Part
from pressync.importers.item import Item, Place
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind


def page(address: str) -> Item:
    return Item("1", Kind.PAGE, Place("https://example.org/x/"), address=address)


@pytest.mark.parametrize(
    ("under", "address", "has"),
    [
        ("/docs/", "/docs/install/", True),
        ("docs", "/docs/", True),
        ("/docs", "/docs2/", False),
        ("/docs/", "/blog/docs/", False),
        ("https://example.org/Docs/", "/docs/a", True),
        ("/мир/", "/%d0%bc%d0%b8%d1%80/a/", True),
        ("/", "/?p=12", True),
        ("/?p=1", "/?p=1", True),
        ("/?p=1", "/?p=12", False),
        ("/docs/", "", False),
    ],
)
def test_an_address_has_everything_below_it_in_each_spelling(under: str, address: str, *, has: bool) -> None:
    assert (Part((under,)).refusal(page(address), address) is None) is has


def test_what_is_left_out_says_why_and_that_somebody_wants_it() -> None:
    part = Part(("/docs/", "/blog/"), ("/docs/old/",))
    refused = [part.refusal(page(address), address) for address in ("/about/", "/docs/old/a/", "", "/docs/")]
    assert [each and (each.kind, each.why, each.is_wanted) for each in refused] == [
        ("outside of --under", "its address is not below /docs/ or /blog/", True),
        ("below --without", "it is below /docs/old/", True),
        ("outside of --under", "it has no address yet", True),
        None,
    ]


def test_a_part_that_has_nothing_is_refused_with_the_parts_that_there_are() -> None:
    with pytest.raises(ConfigError, match="no page or post has an address below /doc/") as told:
        Part(("/doc/",)).check(["/docs/", "/docs/a/", "/about/", ""])
    assert told.value.todo == "name one of those that there are: /docs/ (2), /about/ (1)"
    with pytest.raises(ConfigError) as told:
        Part(("/doc/",)).check([])
    assert told.value.todo == "import the whole source"
    Part().check([])
    with pytest.raises(ConfigError, match="--without: it leaves out every page and post below /docs/"):
        Part(("/docs/",), ("/docs/",)).check(["/docs/", "/docs/a/", "/about/"])


@pytest.mark.parametrize(("flag", "part"), [("--under", Part(("",))), ("--without", Part((), (" ",)))])
def test_an_empty_address_is_not_the_whole_site(flag: str, part: Part) -> None:
    with pytest.raises(ConfigError, match=f"{flag}: the address is empty"):
        part.check(["/docs/"])
