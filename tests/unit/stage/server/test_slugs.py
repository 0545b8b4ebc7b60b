"""Slugs, by the rules that WordPress follows."""

from __future__ import annotations

import re
from itertools import islice
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.stage.server import slugs


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Doc Page!", "doc-page"),
        ("café", "cafe"),
        ("cafe\u0301", "cafe"),
        ("Straße & Øl", "strasse-ol"),
        ("日本語", "%e6%97%a5%e6%9c%ac%e8%aa%9e"),
        ("a/b", "a-b"),
        ("a_b.c", "a_b-c"),
        ("  many   blanks  ", "many-blanks"),
        ("from — to", "from-to"),
        ("<em>Big</em> &amp; small", "big-small"),
        ("50% off", "50-off"),
        ("AC™", "actm"),
        ("हिन्दी", "%e0%a4%b9%e0%a4%bf%e0%a4%a8%e0%a5%8d%e0%a4%a6%e0%a5%80"),
        ("한글", "%ed%95%9c%ea%b8%80"),
        ("!?", ""),
        ("", ""),
    ],
)
def test_text_becomes_a_slug(text: str, slug: str) -> None:
    assert slugs.sanitise(text) == slug


def test_a_long_slug_is_cut_at_200_bytes_and_never_inside_a_letter() -> None:
    assert slugs.sanitise("a" * 300) == "a" * 200
    cut = slugs.sanitise("語" * 50)
    assert len(cut) == 198
    assert unquote(cut, errors="strict") == "語" * 22


@given(st.text())
def test_a_slug_has_only_letters_of_an_address_and_stays_as_it_is(text: str) -> None:
    slug = slugs.sanitise(text)
    assert re.fullmatch(r"([a-z0-9_-]|%[0-9a-f]{2}){0,200}", slug)
    assert len(slug) <= slugs.LIMIT
    assert slugs.sanitise(slug) == slug


def test_the_next_candidates_are_numbered_from_two() -> None:
    assert list(islice(slugs.candidates("dup"), 3)) == ["dup", "dup-2", "dup-3"]


def test_a_numbered_slug_stays_within_the_limit() -> None:
    second = list(islice(slugs.candidates("a" * 200), 2))[1]
    assert second == "a" * 198 + "-2"


def test_the_trash_marks_a_slug_and_takes_the_mark_off_again() -> None:
    assert slugs.trashed("about") == "about__trashed"
    assert slugs.restored("about__trashed") == "about"
    assert slugs.restored("about__trashed-2") == "about"


def test_a_slug_in_the_trash_keeps_its_mark_however_long_it_is() -> None:
    long = slugs.trashed("a" * 200)
    assert slugs.restored(list(islice(slugs.candidates(long), 3))[2]) == "a" * 200


def test_the_segment_of_an_address_leads_to_its_slug() -> None:
    assert slugs.from_address("日本語") == slugs.sanitise("日本語")
    assert slugs.from_address("About") == "about"
