"""The addresses that the documents answer, as far as files alone can tell."""

from __future__ import annotations

import pytest
from tests.support.builders import desired

from pressync.content.checks.addresses import Addresses
from pressync.model.interface import Kind

GUIDE, SETUP, POST = "content/pages/guide/index.md", "content/pages/guide/setup.md", "content/posts/hello.md"
DOCUMENTS = {
    GUIDE: desired(GUIDE, slug="guide", parent_path=None, aliases=("/old-guide/", "//[")),
    SETUP: desired(SETUP, slug="set-up", parent_path=GUIDE),
    POST: desired(POST, kind=Kind.POST, slug="hello", parent_path=None),
}


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/guide/",
        "/guide",
        "/Guide/Set-Up/",
        "/guide/index.html",
        "/old-guide",
        "/hello/",
        "/2024/01/31/hello/",
        "/news/hello",
        "/broken/",
        "/wp-content/uploads/a.pdf",
        "/category/news/",
        "/feed/",
        "/sitemap.xml",
    ],
)
def test_these_are_answered_or_may_be(address: str) -> None:
    assert Addresses(DOCUMENTS, ["content/pages/broken.md"], None).answer(address)


@pytest.mark.parametrize("address", ["/set-up/", "/guide/setup/", "/nowhere/", "/images/a.png", "/feedback/"])
def test_nothing_answers_these(address: str) -> None:
    assert not Addresses(DOCUMENTS, [], None).answer(address)


def test_a_site_below_a_path_begins_there() -> None:
    addresses = Addresses(DOCUMENTS, [], "https://example.org/blog/wp-json")
    assert addresses.of(SETUP) == "/blog/guide/set-up/"
    assert addresses.answer("/blog/guide/")
    assert not addresses.answer("/guide/"), "a page of this site would be below /blog/"
    assert addresses.answer("/shop/"), "another site may be there"


def test_a_post_and_a_page_in_a_cycle_have_no_address_that_files_tell() -> None:
    addresses = Addresses({**DOCUMENTS, "a.md": desired("a.md", slug="a", parent_path="a.md")}, [], None)
    assert addresses.of(POST) is None
    assert addresses.of("a.md") == "/a/"
