"""The tags that a browser adds and drops."""

from __future__ import annotations

import pytest

from pressync.html.implied_tags import with_implied_tags
from pressync.html.normalize import canonical, normalized
from pressync.html.tokens import parse
from pressync.html.tree import parse as parse_tree


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<table>\n<tr></tr>\n<tr></tr>\n</table>", "<table>\n<tbody><tr></tr>\n<tr></tr></tbody>\n</table>"),
        ("<TABLE><thead></thead><TR></TR></TABLE>", "<TABLE><thead></thead><tbody><TR></TR></tbody></TABLE>"),
        (
            "<table><tr><td><table><tr></tr></table></td></tr><!----><tr></tr></table>",
            "<table><tbody><tr><td><table><tbody><tr></tr></tbody></table></td></tr><!----><tr></tr></tbody>\
</table>",
        ),
        ('<p><img src="a"></img> text</BR></p>', '<p><img src="a"> text</BR></p>'),
        ("a</input >b", "ab"),
    ],
)
def test_a_section_of_a_table_is_added_and_the_end_of_a_void_element_is_dropped(
    source: str, written: str
) -> None:
    assert with_implied_tags(parse(source)) == written
    # A pull sees no difference between the two.
    one, other = (canonical(normalized(parse_tree(text))) for text in (source, written))
    assert one == other


@pytest.mark.parametrize(
    "source", ["<table><tbody><tr></tr></tbody></table>", "<table>\n</table>", "</div></br>"]
)
def test_other_html_stays_as_it_is(source: str) -> None:
    assert with_implied_tags(parse(source)) == source
