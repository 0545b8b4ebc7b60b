"""The sections of the guide that explain a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pressync.app import guide

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("said", ["lock-held", "lock_held", "LockHeld", "lock held"])
def test_a_name_is_found_however_its_words_are_joined(said: str) -> None:
    found = guide.find(said)
    assert found is not None
    assert (found.name, found.page, found.part) == (
        "lock-held",
        "troubleshooting.md",
        "A limit stopped the sync",
    )


@pytest.mark.parametrize(
    ("said", "name"),
    [("unconfirmed", "in_doubt"), ("orphans", "orphaned-record"), ("401", "refused"), ("403", "refused")],
)
def test_a_word_of_the_guide_or_of_doctor_leads_to_the_section_that_explains_it(said: str, name: str) -> None:
    found = guide.find(said)
    assert found is not None
    assert found.name == name


def test_a_name_without_a_section_is_not_found() -> None:
    assert guide.find("no-such-thing") is None
    assert guide.find("") is None


def test_a_section_ends_where_the_next_one_begins() -> None:
    assert "###" not in guide.sections()["too_many_deletes"].text
    assert "## " not in guide.sections()["dead-address"].text


def test_a_paragraph_is_a_line_and_a_message_is_indented() -> None:
    message, text = guide.Section("a", "b.md", "", "```text\nit is wrong\n```\n\nOne\nline.").paragraphs
    assert (message, text) == ("    it is wrong", "One line.")


def test_links_are_words_in_the_text_and_places_after_it() -> None:
    section = guide.Section(
        "a", "b.md", "", "See [it](c.md#d), [it](c.md#d), [below](#e) and [them](https://example.org)."
    )
    assert section.paragraphs == ("See it, it, below and them.",)
    assert section.further == ("c.md#d", "b.md#e")


def test_the_wheel_has_the_pages_that_are_read() -> None:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for page in guide.PAGES:
        assert f'"content/pages/{page}" = "pressync/guide/{page}"' in settings
