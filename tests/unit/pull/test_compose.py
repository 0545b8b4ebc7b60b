"""Pieces of a page as Markdown: the first text that renders to the same page is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.hand import hand, placed

from pressync.html.pieces import cut
from pressync.html.tree import parse
from pressync.pull import bounded_diff
from pressync.pull.compose import MarkdownWriter, apply_changes, separator, without_orphans

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.pull.compose import NormalizedPiece


def writer(body: str = "", link: Callable[[str], str] = str) -> MarkdownWriter:
    """Make the writer for a body."""
    return MarkdownWriter(body, placed(body), hand(link))


def normalized_pieces(html: str, words: MarkdownWriter | None = None) -> list[NormalizedPiece]:
    """Give the pieces of a page."""
    return (words or writer()).normalize(cut(parse(html)), html)


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>a *b*</p>", "a \\*b\\*"),
        # The style with few escapes would make a link of it.
        ("<p>www.a.test</p>", "www\\.a.test"),
        ("<p>x<strong>!y!</strong>z</p>", "<p>x<strong>!y!</strong>z</p>"),
        ("<form></form>", "<form></form>"),
    ],
)
def test_the_plainest_markdown_that_renders_right_is_taken(html: str, markdown: str) -> None:
    assert writer().write(normalized_pieces(html)) == markdown


def test_links_in_html_become_paths_too() -> None:
    html = '<form><a class="x" href="https://site.test/a/">a</a></form>'
    words = writer(link=lambda address: address.replace("https://site.test/a/", "a.md"))
    assert words.write(normalized_pieces(html)) == html.replace("https://site.test/a/", "a.md")


def test_a_name_that_the_body_defines_as_a_link_is_escaped_where_it_is_none() -> None:
    words = writer("[ref]: /x\n")
    assert words.write(normalized_pieces("<p>[ref]</p>", words)) == "\\[ref\\]"
    assert writer().write(normalized_pieces("<p>[ref]</p>")) == "[ref]"
    words = writer("+ a\n+ b\n\n- c\n")
    assert words.write(normalized_pieces("<ul><li>d</li></ul>", words)) == "+ d"


def test_what_could_go_on_a_list_is_kept_apart_from_it() -> None:
    items, listing, text = normalized_pieces("<ul><li>a</li></ul><pre><code>b</code></pre><p>c</p>")
    assert separator(items, items) == separator(items, listing, indented=True) == "<!-- -->"
    assert (
        separator(items, listing)
        == separator(items, text)
        == separator(text, items)
        == separator(listing, listing)
        == ""
    )


def test_notes_that_nothing_names_are_left_out() -> None:
    (notes,) = normalized_pieces(
        '<section class="footnotes"><ol><li id="fn-a"><p>x</p></li><li id="fn-b">y</li></ol></section>'
    )
    assert notes.footnotes() == ["a", "b"]
    assert without_orphans(notes, {"b"}).footnotes() == ["b"]
    assert without_orphans(notes, set()).canonical == ""


def test_blank_lines_that_only_the_author_has_stay_around_an_edit() -> None:
    assert apply_changes(["a", "b", "c"], ["a", "B", "c"], ["a", "", "b", "", "c"]) == ["a", "", "B", "", "c"]


def test_an_edit_of_a_long_page_leaves_the_other_lines_and_takes_little_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounded_diff, "_MOST", 5000)
    base = [line for number in range(150) for line in (f"- Item {number}", "")]
    ours = [line.replace("- ", "* ") for line in base]
    theirs = [*base[:100], "- Edited", *base[101:]]
    assert apply_changes(base, theirs, ours) == [*ours[:100], "- Edited", *ours[101:]]
