"""Quotes, dashes and signs as in print; each example is what WordPress 6.8 shows."""
# ruff: noqa: E501, RUF001 - the signs of print are the subject

from __future__ import annotations

import pytest

from pressync.server.contained_html import contained
from pressync.server.typography import in_print


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("it's a 'quoted' word and \"double quoted\" one.", "it’s a ‘quoted’ word and “double quoted” one."),
        ("the '90s and '99' or 'twas 'em", "the ’90s and ’99’ or ’twas ’em"),
        ("wait... a -- b--c --- d - e a-b 2x4 and 10x20.5 1x, 0x7f", "wait… a — b–c — d – e a-b 2×4 and 10×20.5 1x, 0x7f"),
        ("(\"in brackets\") ['x'] -'y'", "(“in brackets”) [‘x’] -‘y’"),
        ("6' 2\" tall", "6′ 2″ tall"),
        ("rock 'n' roll and dogs' tails", "rock ‘n’ roll and dogs’ tails"),
        ("\"Hello,\" she said, \"it's 'fine'.\"", "“Hello,” she said, “it’s ‘fine’.”"),
        ("foo (tm) ``old'' quotes", "foo ™ “old” quotes"),
        ('"1,000" and \'5\'', "“1,000” and ‘5’"),
        ("&quot;kept&quot; &lt;'x'&gt; &nbsp;'y'&nbsp;", "&quot;kept&quot; &lt;‘x’&gt; &nbsp;‘y’&nbsp;"),
        ("xn--abc x--y", "xn--abc x–y"),
        ("don't-can't \"un\"-said", "don’t-can’t “un”-said"),
        ("plain", "plain"),
    ],
)  # fmt: skip
def test_a_text_is_shown_as_in_print(written: str, shown: str) -> None:
    assert in_print(written) == shown


def test_code_stays_as_it_is() -> None:
    html = "<p>it's <code>it's <b>--</b></code> it's</p><pre>it's</pre>'x'"
    assert contained(html, typographic=True) == (
        "<p>it’s <code>it's <b>--</b></code> it’s</p><pre>it's</pre>‘x’"
    )
    assert contained(html) == html


@pytest.mark.parametrize("text", ["'", '"', "-", "1x1", "'1", "1,", "&nbsp;'", "(tm) "])
def test_a_hostile_text_costs_no_more_than_its_length(text: str) -> None:
    assert in_print(text * 20_000)
