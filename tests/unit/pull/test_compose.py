"""Pieces of a page as Markdown: the first text that renders to the same page is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.hand import hand, placed

from pressync.html.pieces import cut
from pressync.html.tree import parse
from pressync.pull.compose import MarkdownWriter, NormalizedPiece

if TYPE_CHECKING:
    from collections.abc import Callable


def writer(body: str = "", link: Callable[[str], str] = str) -> MarkdownWriter:
    return MarkdownWriter(body, placed(body), hand(link))


def normalized_pieces(html: str, words: MarkdownWriter | None = None) -> list[NormalizedPiece]:
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


def test_a_name_that_the_body_defines_as_a_link_is_escaped_where_it_is_none() -> None:
    words = writer("[ref]: /x\n")
    assert words.write(normalized_pieces("<p>[ref]</p>", words)) == "\\[ref\\]"
    assert writer().write(normalized_pieces("<p>[ref]</p>")) == "[ref]"
    words = writer("+ a\n+ b\n\n- c\n")
    assert words.write(normalized_pieces("<ul><li>d</li></ul>", words)) == "+ d"
