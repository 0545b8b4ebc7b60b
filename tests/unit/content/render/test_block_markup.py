"""The Markdown renderer's own markup is recognised, and other markup is not."""

from __future__ import annotations

import re

import pytest

from pressync.content.render.block_markup import Foreign, expect, expect_line, filled, written
from pressync.html.tokens import parse


@pytest.mark.parametrize(
    "line",
    [
        "",
        "text",
        "a <em>b <strong>c</strong></em><br />\nd",
        '<a href="x" title="t">x</a> <a href="y">y</a>',
        '<img src="x" alt="" />',
        '<sup class="footnote-ref"><a href="#fn-1" id="fnref-1" data-footnote-ref>1</a></sup>',
        '<span style="color: red">x</span>',
        "\u00a0",
    ],
)
def test_text_with_plain_marks_is_a_line(line: str) -> None:
    expect_line(parse(line))


@pytest.mark.parametrize(
    "line",
    [
        "<div>x</div>",
        "<b>x",
        "<b><i>x</b></i>",
        "<B>x</B>",
        "<a href=x>y</a>",
        "<a href='x'>y</a>",
        '<a href="x" href="y">z</a>',
        '<a href="x"><b><a href="y">z</a></b></a>',
        "<i/>x",
        "a < b",
        "a <!-- b --> c",
        '<input type="checkbox" disabled="" /> x',
    ],
)
def test_anything_that_a_browser_might_read_in_another_way_is_foreign(line: str) -> None:
    with pytest.raises(Foreign):
        expect_line(parse(line))


@pytest.mark.parametrize("line", ["<em></em>", "<b> </b>", "<wbr />", "\ufeff"])
def test_marks_around_nothing_are_foreign_because_the_editor_drops_them(line: str) -> None:
    with pytest.raises(Foreign):
        expect_line(parse(line))


def test_a_tag_is_expected_as_text_or_as_a_pattern() -> None:
    (heading,) = parse('<h2 id="x">a</h2>')

    assert expect(heading, re.compile('<h2 id="(.*)">'))[1] == "x"
    with pytest.raises(Foreign):
        expect(heading, "<h2>")


def test_an_element_without_its_end_is_not_the_expected_one() -> None:
    (paragraph,) = parse("<p>a")

    with pytest.raises(Foreign):
        expect(paragraph, "<p>")


def test_blanks_between_elements_are_left_out_and_nothing_but_blanks_is_foreign() -> None:
    table, empty = parse("<ul>\n<li>a</li> <li>b</li>\n</ul><ul>\n</ul>")

    assert [node.outer for node in filled(table)] == ["<li>a</li>", "<li>b</li>"]
    assert written(empty.children) == []
    with pytest.raises(Foreign):
        filled(empty)
