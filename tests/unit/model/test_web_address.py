"""Every text has an answer: an address from outside never ends the program."""

from __future__ import annotations

import pytest

from pressync.model.web_address import from_root, joined, origin_of, path_of, split

NONE = [
    "//[",
    "http://[",
    "http://]/",
    "http://[::1",
    "http://[x]/",
    "//a:x/",
    "http://a:99999/",
    "http://a:-1/",
]
NONE += ["http://\u2100.example/", "http://a\uff03@b/"]
WHOLE = "https://anna@example.org:8443/blog/?p=1#top"


@pytest.mark.parametrize("text", NONE)
def test_a_text_that_is_not_an_address_has_no_parts(text: str) -> None:
    assert (split(text), from_root(text)) == (None, None)
    assert (path_of(text), origin_of(text)) == ("", "")
    assert joined("https://example.org/", text) is None
    assert joined(text, "//[") is None


@pytest.mark.parametrize(
    "text", ["", "a", "\0", "\ud800", "?", "#", "mailto:a@b", "C:\\x", "/\t[", "a:b:c", "//"]
)
def test_any_other_text_has_parts_of_which_each_can_be_read(text: str) -> None:
    parts = split(text)
    assert parts is not None
    assert (parts.hostname, parts.port) == (None, None)
    assert joined("https://example.org/", text) is not None


def test_an_address_is_taken_apart() -> None:
    parts = split(WHOLE)
    assert parts
    assert (parts.scheme, parts.hostname, parts.port, parts.path) == ("https", "example.org", 8443, "/blog/")
    assert (path_of(WHOLE), origin_of(WHOLE)) == ("/blog/", "https://anna@example.org:8443")
    assert (from_root(WHOLE), from_root("https://example.org"), from_root("?a=b")) == (
        "/blog/?p=1",
        "/",
        "/?a=b",
    )
    assert (origin_of("/about/"), path_of("/about/?x")) == ("", "/about/")
    assert joined(WHOLE, "../a/b") == "https://anna@example.org:8443/a/b"
