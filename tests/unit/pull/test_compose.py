"""Pieces of a page in words: the first wording that reads right is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.hand import hand, placed

from pressync.html.pieces import cut
from pressync.html.tree import parse
from pressync.pull.compose import MarkdownWriter, apart, without_orphans

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.pull.compose import NormalizedPiece


def wording(body: str = "", link: Callable[[str], str] = str) -> MarkdownWriter:
    """Give the words of a body."""
    return MarkdownWriter(body, placed(body), hand(link))


def sides(html: str, words: MarkdownWriter | None = None) -> list[NormalizedPiece]:
    """Give the pieces of a page."""
    return (words or wording()).sides(cut(parse(html)), html)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>a *b*</p>", "a \\*b\\*"),
        # The usual voice would make a link of it.
        ("<p>www.a.test</p>", "www\\.a.test"),
        ("<p>x<strong>!y!</strong>z</p>", "<p>x<strong>!y!</strong>z</p>"),
        ("<form></form>", "<form></form>"),
    ],
)
def test_the_plainest_wording_that_reads_right_is_taken(html: str, markdown: str) -> None:
    assert wording().of(sides(html)) == markdown


def test_links_in_html_become_paths_too() -> None:
    html = '<form><a class="x" href="https://site.test/a/">a</a></form>'
    words = wording(link=lambda address: address.replace("https://site.test/a/", "a.md"))
    assert words.of(sides(html)) == html.replace("https://site.test/a/", "a.md")


def test_a_name_that_the_body_defines_as_a_link_is_escaped_where_it_is_none() -> None:
    words = wording("[ref]: /x\n")
    assert words.of(sides("<p>[ref]</p>", words)) == "\\[ref\\]"
    assert wording().of(sides("<p>[ref]</p>")) == "[ref]"


def test_lists_have_the_marker_that_the_body_has_most() -> None:
    words = wording("+ a\n+ b\n\n- c\n")
    assert words.of(sides("<ul><li>d</li></ul>", words)) == "+ d"


def test_what_could_go_on_a_list_is_kept_apart_from_it() -> None:
    items, listing, text = sides("<ul><li>a</li></ul><pre><code>b</code></pre><p>c</p>")
    assert apart(items, items) == apart(items, listing, indented=True) == "<!-- -->"
    assert apart(items, listing) == apart(items, text) == apart(text, items) == apart(listing, listing) == ""


def test_notes_that_nothing_names_are_left_out() -> None:
    (notes,) = sides(
        '<section class="footnotes"><ol><li id="fn-a"><p>x</p></li><li id="fn-b">y</li></ol></section>'
    )
    assert notes.footnotes() == ["a", "b"]
    assert without_orphans(notes, {"b"}).footnotes() == ["b"]
    assert without_orphans(notes, set()).reads == ""
