"""The paragraphs that WordPress makes of a text of the classic editor.

`classic_bodies.json` holds texts and, beside each, the bytes that `wpautop` of WordPress 6.8 and 7.1 gave.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.html.paragraphs import paragraphs

BODIES: list[list[str]] = json.loads(Path(__file__).with_name("classic_bodies.json").read_text("utf-8"))
# Each of these begins something that an expression looks for, and never ends it.
OPENINGS = (
    *("<", "<!--", "<![CDATA[", "<pre", "<pre></pre>", "<div", "<div ", "<p>", "<p><li ", "<li\nx", "</p>"),
    *('<p><blockquote "', "<object </object>", "<param </object>", "<audio <source", "<video", " <track "),
    *(" <option", "<figcaption", "<style<script<svg<math", "<script>\n</script>", "<br ", "<br />", "a\n\n"),
    *("\n", " ", "\n ", "<br />\n", "[audio<source>"),
)


def test_blank_lines_end_paragraphs_and_line_ends_are_breaks() -> None:
    assert paragraphs("One\nline\n\n<em>Two</em>") == "<p>One<br />\nline</p>\n<p><em>Two</em></p>\n"


@pytest.mark.parametrize(("text", "shown"), BODIES)
def test_a_classic_body_becomes_what_wordpress_makes_of_it(text: str, shown: str) -> None:
    assert paragraphs(text) == shown


@given(
    st.lists(st.sampled_from(["<p>", "</p>", "word", "<em>a</em>", "\n\n", "<br>", "<ul><li>a</li></ul>"]))
)
def test_no_word_is_lost(parts: list[str]) -> None:
    text = " ".join(parts)
    assert paragraphs(text).count("word") == text.count("word")


@pytest.mark.parametrize("opening", OPENINGS)
def test_a_hostile_text_takes_no_more_than_its_length(opening: str) -> None:
    # Were it quadratic, it would not come back.
    assert paragraphs("a" + opening * (100_000 // len(opening))).startswith(("<p>a", "a"))
