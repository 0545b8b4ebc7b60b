"""What other tools read otherwise than CommonMark is written so that readers see the same."""

from __future__ import annotations

import pytest

from pressync.content.render.markdown import to_html, with_alert_titles
from pressync.importing.sources import definitions, pipe_tables, pymdown
from pressync.importing.sources.html_blocks import opened
from pressync.importing.sources.hugo_pages import with_dollars
from pressync.importing.sources.item import Place
from pressync.importing.sources.markdown import with_emoji, without_attributes

HERE = Place("a.md", 1)


# What PyMdown 11 makes of each line, without its classes.
@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("==a b== and x == y == z", "<mark>a b</mark> and x == y == z"),
        ("^^in^^ A^T^A", "<ins>in</ins> A<sup>T</sup>A"),
        ("H~2~O ~~gone~~", "H<sub>2</sub>O <del>gone</del>"),
        ("(c) 1/2 --> +/- 11/2", "© ½ → ± 11/2"),
        ("++ctrl+slash++ c++", "<kbd>Ctrl</kbd>+<kbd>/</kbd> c++"),
        ("`==a==` `` (c) ` `` [b](==c==)", '<code>==a==</code> <code>(c) `</code> <a href="==c==">b</a>'),
    ],
)
def test_the_inline_forms_of_pymdown_become_what_they_show(written: str, shown: str) -> None:
    extensions = [f"pymdownx.{name}" for name in ("mark", "caret", "tilde", "smartsymbols", "keys")]
    assert to_html(pymdown.with_forms(written, extensions)) == f"<p>{shown}</p>\n"


def test_a_form_of_an_extension_that_is_off_stays() -> None:
    assert pymdown.with_forms("==a== (c)", ["pymdownx.caret"]) == "==a== (c)"


@pytest.mark.parametrize(
    ("written", "cells"),
    [
        ("| a | b\n|---\n| c | d", ["a", "b", "c", "d"]),
        ("a | b\nc | d", ["", "", "a", "b", "c", "d"]),
        ("|---|---|\n| a | b |", ["", "", "a", "b"]),
        ("| a |\n|---|\n| b |\n|---|\n| c |", ["a", "b", "c"]),
        ("| a | b |\n|---|---|\n| `x|y` | d |", ["a", "b", "<code>x|y</code>", "d"]),
        ("| a | b |\n|---|---|\n| {{ x | size }} | d |", ["a", "b", "{{ x | size }}", "d"]),
        ("| a |\n|---|\n| b |\n{% endnotice %}", ["a", "b"]),
    ],
)
def test_a_table_of_kramdown_has_its_cells(written: str, cells: list[str]) -> None:
    shown = to_html(pipe_tables.of_kramdown(written))
    rows = [row.partition(">")[2] for row in shown.split("\n") if row.startswith(("<td", "<th>", "<th "))]
    assert [row.rpartition("</t")[0] for row in rows] == cells


@pytest.mark.parametrize(
    "written",
    ["| a | b |\n|---|---|\n| c | d |", "text\na | b", "```\na | b\n```", "    a | b", "a `x|y` b"],
)
def test_a_text_that_both_read_alike_stays(written: str) -> None:
    assert pipe_tables.of_kramdown(written) == written


def test_a_head_that_is_too_short_gets_empty_cells_as_in_hugo() -> None:
    shown = to_html(pipe_tables.with_wide_heads("a|b\n:-|:-|:-\nc|d|e"))
    assert shown.count("<th") == 3 + 1  # one of them is `thead`


def test_the_last_definition_of_a_link_counts() -> None:
    text = "[a] [b]\n\n[a]: /one\n[b]: /two\n\n```\n[a]: /code\n```\n\n[A]: /three\n"
    shown = to_html(definitions.with_last_links(text))
    assert '<a href="/three">a</a> <a href="/two">b</a>' in shown
    assert "[a]: /code" in shown


def test_the_title_of_a_box_has_its_links() -> None:
    text = "> [!NOTE] See [a b]\n> x\n\n<summary>[c][a b] `d`</summary>\n\n[a b]: /to\n"
    shown = with_alert_titles(to_html(definitions.with_linked_titles(text)))
    assert 'See <a href="/to">a b</a></p>' in shown
    assert '<summary><a href="/to">c</a> <code>d</code></summary>' in shown


def test_the_paragraphs_of_a_definition_keep_their_words_apart() -> None:
    text = "a\n: one\n\n  two\n\nb\n: three\n"
    shown = to_html(definitions.apart(text))
    assert "<p>one</p>\n<p>two</p>" in shown
    assert "<dd>three</dd>" in shown


def test_a_definition_without_a_term_is_its_text_and_is_named() -> None:
    text = "<!-- md:option a -->\n\n:   Text\n\n    ``` yaml\n    a: 1\n    ```\n\nmore\n\n:   x\n"
    made, left = definitions.without_terms(text, HERE)
    assert made == "<!-- md:option a -->\n\nText\n\n``` yaml\na: 1\n```\n\nmore\n\n:   x\n".replace(
        "Text", "\nText"
    )
    assert [(each.kind, each.place.line) for each in left] == [("definition without a term", 1)]


def test_a_text_behind_a_comment_is_read_as_text() -> None:
    assert "<p>See <em>it</em></p>" in to_html(opened("<!-- c --> See *it*\n"))
    assert "<p>one <!-- c --> <em>two</em></p>" in to_html(opened("one\n<!-- c --> *two*\n"))


def test_a_formula_keeps_its_backslashes() -> None:
    assert with_dollars("a \\(x\\:y\\) `\\(c\\)`\n\n\\[\nz\n\\]") == "a $x\\:y$ `\\(c\\)`\n\n$$\nz\n$$"


def test_a_line_of_attributes_is_left_out_and_named() -> None:
    made, left = without_attributes("# a\n\ntext\n{.wide #x}\n\n{.alone}\n", HERE)
    assert made == "# a\n\ntext\n\n\n{.alone}\n"
    assert [each.place.line for each in left] == [4]


def test_the_names_of_emoji_of_twitter_are_read() -> None:
    assert with_emoji(":man_raising_hand: :woman_in_lotus_position: :no_such:") == "🙋‍♂️ 🧘‍♀️ :no_such:"
