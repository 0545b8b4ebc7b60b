"""Where a link may lead: an address for browsers, and nothing that runs."""

from __future__ import annotations

import pytest

from pressync.content.render.link_targets import UNKNOWN, nothing, safe


@pytest.mark.parametrize("link", ["https://example.org/about/", "http://127.0.0.1:8127/?p=1"])
def test_an_address_of_the_web_is_led_to(link: str) -> None:
    assert safe(link) == link


@pytest.mark.parametrize(
    "link",
    ["javascript:alert(1)", "data:text/html,x", " https://a.test/", "//a.test/", "/about/", "https:", ""],
)
def test_what_a_strange_manifest_calls_an_address_is_one_that_is_not_known(link: str) -> None:
    assert safe(link) is UNKNOWN


def test_a_site_that_takes_no_files_takes_no_picture_either() -> None:
    assert not nothing("content/pages/photo.jpg")
