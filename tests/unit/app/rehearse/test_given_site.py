"""What the manifest says and what was read of the site, as the rows of a stage."""

from __future__ import annotations

import pytest

from pressync.app.rehearse.given_site import home_of


@pytest.mark.parametrize(
    ("url", "home"),
    [
        ("https://example.org/wp-json", "https://example.org"),
        ("https://example.org/blog/wp-json", "https://example.org/blog"),
        ("https://example.org/blog/index.php?rest_route=/", "https://example.org/blog"),
        ("https://cms.example.org/api", "https://cms.example.org"),
    ],
)
def test_the_address_of_the_pages_is_that_of_the_interface_without_its_route(url: str, home: str) -> None:
    assert home_of(url) == home
