"""A record is found by the slug that was sent, also if the site stored another."""

from __future__ import annotations

import pytest

from pressync.client.wordpress.slugs import spellings


@pytest.mark.parametrize(
    ("slug", "stored"),
    [
        ("über-straße", ("uber-strase", "ueber-strasse")),
        ("Café", ("cafe",)),
        ("rødgrød-på-æg", ("rodgrod-pa-aeg", "roedgroed-paa-aeg")),
        ("cafe\u0301", ("cafe",)),
        ("łódź", ("lodz",)),
        *((plain, ()) for plain in ("about", "rust-1.90.0", "日本", "чай", "が")),
    ],
)
def test_accents_are_looked_for_as_they_were_sent_and_as_they_may_be_stored(
    slug: str, stored: tuple[str, ...]
) -> None:
    assert spellings(slug) == (slug, *stored)
