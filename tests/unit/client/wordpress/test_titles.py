"""A title is text, and WordPress considers it HTML: visitors see the text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pressync.client.wordpress.titles import escape, unescape


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("The <script> element", "The &lt;script> element"),
        ("Vec<T> & Option<T>", "Vec&lt;T> & Option&lt;T>"),
        ("&amp; is an entity", "&amp;amp; is an entity"),
        ("&#8212; and &#x2014;", "&amp;#8212; and &amp;#x2014;"),
        ("R&D; a < b && c > d <3", "R&amp;D; a < b && c > d <3"),
        ("<!-- a --> </b> <?php", "&lt;!-- a --> &lt;/b> &lt;?php"),
        ('AT&T "says" \\n it\'s &copy 2026', 'AT&T "says" \\n it\'s &copy 2026'),
    ],
)
def test_what_would_be_a_tag_or_an_entity_is_escaped_and_nothing_else(text: str, sent: str) -> None:
    assert escape(text) == sent


@given(st.text(alphabet="&<>#xamplt;123é ", max_size=30))
@example("&notit; &#0; &#x110000; &;")
def test_every_title_comes_back_as_it_was_written(text: str) -> None:
    assert unescape(escape(text)) == text


def test_a_title_that_somebody_else_wrote_is_read_as_it_is_shown() -> None:
    assert (
        unescape("Bread &amp; butter &#8212; &lt;fresh&gt; &nosuch;") == "Bread & butter — <fresh> &nosuch;"
    )
