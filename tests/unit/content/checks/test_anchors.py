"""The fragment of a link is compared with the ids of the page."""

from __future__ import annotations

import pytest

from pressync.content.checks.anchors import ids_of, is_dead, todo

PAGE = (
    '<h1 id="a-title">A</h1> <a name="old"></a> <p class="x" ID=\'b\'>id="text"</p>'
    '<h2 data-x=1 id=plain>x</h2> &lt;p id=&quot;no&quot;&gt; <p id="a&amp;b">'
)


def test_ids_and_names_are_read_however_they_are_written() -> None:
    assert ids_of(PAGE) == {"a-title", "old", "b", "plain", "a&b", ""}


def test_the_footnotes_of_the_block_editor_have_places_that_wordpress_makes() -> None:
    note = (
        '<sup data-fn="1f-2e" class="fn"><a id="1f-2e-link" href="#1f-2e">1</a></sup><!-- wp:footnotes /-->'
    )
    assert not is_dead("1f-2e", ids_of(note))


def test_a_link_to_the_title_shows_the_top_of_the_page() -> None:
    assert not is_dead("whats-new-in-20", ids_of("", "What's new in 2.0"))


@pytest.mark.parametrize(
    "fragment", ["a-title", "old", "a&b", "a%2Dtitle", "", "top", "comments", "/route", "a=1"]
)
def test_these_lead_somewhere_or_cannot_be_known(fragment: str) -> None:
    assert not is_dead(fragment, ids_of(PAGE))


@pytest.mark.parametrize("fragment", ["A-Title", "new", "text", "no"])
def test_these_are_dead(fragment: str) -> None:
    assert is_dead(fragment, ids_of(PAGE))


def test_the_nearest_id_is_proposed_and_otherwise_how_to_make_one() -> None:
    assert todo("a-titel", {"a-title", "b"}) == "did you mean `#a-title`?"
    assert '<a id="ü x"></a>' in todo("%C3%BC%20x", {"a-title"})


def test_ids_that_cannot_be_read_or_are_too_many_are_not_proposed() -> None:
    assert "did you mean" not in todo("heart", {"heart\u200b"})
    assert "did you mean" not in todo("a1x", {f"a{number}" for number in range(1000)})
    assert "did you mean" not in todo("a" * 10_000, {"a" * 9_999})
