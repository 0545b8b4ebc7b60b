"""A text that pages of several records repeat belongs to the theme, and a list of records is not a theme."""

from __future__ import annotations

import pytest

from pressync.stage.compare.page_text import fragment_text, page_text
from pressync.stage.compare.repetitions import Repetitions

FIRST = "<p>The first words of page {} are these.</p>"
REST = "<p>All other words of page {} are these.</p>"
THEME = "<p>Share this page with all of your friends.</p>"
LOST, SHARE = (hash(fragment_text(text).words) for text in (FIRST.format(3), THEME))


def repetitions(*lists: str, sidebar: str = "") -> Repetitions:
    """Read four pages, of which the import lost the first words of the third, and lists of them."""
    found = Repetitions()
    for number in range(1, 5):
        text = f"{FIRST}{REST}".format(number, number)
        old = page_text(f"<main>{text}{THEME}{sidebar}</main>")
        new = fragment_text(REST.format(3) if number == 3 else text)
        assert old is not None
        assert found.add(f"/{number}/", old, new) == number - 1
    for number, text in enumerate(lists):
        old = page_text(f"<main>{text}</main>")
        assert old is not None
        found.add(f"/list-{number}/", old, fragment_text("<p>Welcome</p>"))
    found.count()
    return found


SENTENCE = "The first words of page 3 are these."
FIRSTS = "".join(FIRST.format(number) for number in range(1, 5))


@pytest.mark.parametrize("lists", [(), (FIRSTS,), (FIRSTS, FIRSTS + THEME)])
def test_a_list_of_records_does_not_hide_that_a_text_is_lost(lists: tuple[str, ...]) -> None:
    found = repetitions(*lists)
    assert not found.is_repeated(LOST, 2, SENTENCE)
    assert found.is_repeated(SHARE, 2, SENTENCE)
    for number, _ in enumerate(lists, 4):
        assert found.is_repeated(LOST, number, SENTENCE), "the list has the text of another page"


def test_few_words_that_a_list_repeats_are_of_the_theme() -> None:
    for found in (repetitions(FIRSTS), repetitions()):
        listed = page_text(f"<main>{FIRSTS}</main>")
        assert listed is not None
        found.pass_by(listed)
        assert found.is_repeated(LOST, 2, "4 min read")
        assert not found.is_repeated(LOST, 2, SENTENCE)


def test_a_page_that_quotes_another_one_is_not_a_list() -> None:
    assert repetitions(FIRST.format(3)).is_repeated(LOST, 2, SENTENCE)


def test_a_theme_may_repeat_texts_of_records_on_every_page() -> None:
    assert repetitions(sidebar=FIRSTS).is_repeated(LOST, 2, SENTENCE)


def test_a_second_address_of_a_record_repeats_nothing() -> None:
    found, old = Repetitions(), page_text(f"<main>{FIRST}{THEME}</main>".format(3))
    assert old is not None
    assert [found.add("/3/", old, fragment_text("")) for _ in range(2)] == [0, 0]
    found.count()
    assert not found.is_repeated(LOST, 0, SENTENCE)
