"""Slugs in WordPress's own spelling."""

from __future__ import annotations

import pytest

from pressync.server.wordpress import slugs


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Doc Page!", "doc-page"),
        ("Café Straße Æ", "cafe-strase-ae"),
        ("日本", "%e6%97%a5%e6%9c%ac"),
        ("a/b a_b.c", "a-b-a_b-c"),
        ("A &amp; B 100%", "a-b-100"),
        ("<b>x</b> \u2013 y", "x-y"),
        ("%E6%97%A5", "%e6%97%a5"),
        ("👩", "%f0%9f%91%a9"),
        ("…", ""),
    ],
)
def test_a_text_becomes_a_slug(text: str, slug: str) -> None:
    assert slugs.sanitise(text) == slug
    assert slugs.sanitise(slug) == slug


def test_a_slug_is_cut_between_letters() -> None:
    assert len(slugs.sanitise("日" * 100)) == 198
    assert slugs.free("x" * 200, {"x" * 200}.__contains__) == f"{'x' * 198}-2"
    assert slugs.cut("%e6%97%a5" * 3, 20) == "%e6%97%a5" * 2


def test_the_first_free_number_is_taken() -> None:
    assert slugs.free("a", {"a", "a-2"}.__contains__) == "a-3"
    assert slugs.trashed(slugs.trashed("a")) == "a__trashed"


@pytest.mark.parametrize(
    ("structure", "numbered"),
    [
        ("/%postname%/", ["7", "12", "31", "2024"]),
        ("/%year%/%postname%/", ["7", "12"]),
        ("/%year%/%monthnum%/%postname%/", ["7", "12", "31"]),
        ("/blog/%postname%/", []),
        ("/%post_id%/", []),
        ("", []),
    ],
)
def test_a_number_gets_another_one_where_it_would_be_the_address_of_a_date(
    structure: str, numbered: list[str]
) -> None:
    reserved, numbers = slugs.dates(structure), ("7", "12", "31", "2024")
    found = [text for text in numbers if slugs.free(text, lambda _: False, reserved=reserved) != text]
    assert found == numbered
