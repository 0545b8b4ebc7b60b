"""Addresses of the site, as a document would write them."""

from __future__ import annotations

import pytest

from pressync.pull.links import link_writer

PLACES = {
    "https://site.test/about/": "content/pages/about.md",
    "https://site.test/team/anna/": "content/pages/team/anna.md",
    "https://site.test/?page_id=12": "content/pages/a b (1).md",
    "https://site.test/files/x.png": "content/pages/team/x.png",
}


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("https://site.test/about/", "../about.md"),
        ("https://site.test/about/#team", "../about.md#team"),
        ("https://site.test/about/?a=1#team", "../about.md?a=1#team"),
        ("https://site.test/?page_id=12", "../a%20b%20%281%29.md"),
        ("https://site.test/?page_id=12&a=1", "../a%20b%20%281%29.md?a=1"),
        ("https://site.test/files/x.png", "x.png"),
        ("https://site.test/team/anna/", "anna.md"),
    ],
)
def test_an_address_that_the_service_gave_becomes_a_path(address: str, link: str) -> None:
    assert link_writer("content/pages/team/anna.md", PLACES)(address) == link


@pytest.mark.parametrize(
    "address",
    [
        "https://site.test/about",
        "https://other.test/about/",
        "/about/",
        "#team",
        "https://site.test/team/anna/#a",
        "",
    ],
)
def test_any_other_address_stays(address: str) -> None:
    assert link_writer("content/pages/team/anna.md", PLACES)(address) == address
