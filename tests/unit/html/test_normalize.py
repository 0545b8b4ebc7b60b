"""What reads alike is the same text, and what does not is not."""

from __future__ import annotations

import pytest

from pressync.html.normalize import anchor, canonical, normalized
from pressync.html.tree import parse


def reads(html: str, made: frozenset[str] = frozenset()) -> str:
    return canonical(normalized(parse(html), made))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>a\n  b</p>", "<p>a b</p>\n\n"),
        ("<p>a<br />\nb</p>", "<p>a<br>b</p>"),
        ("<p><b>a</b> <i>b</i> <s>c</s></p>", "<p><strong>a</strong> <em>b</em> <del>c</del></p>"),
        ("<p>a <strong>b </strong>c</p>", "<p>a <strong>b</strong> c</p>"),
        ("<p>a<strong></strong></p>", "<p>a</p>"),
        ('<a href="x" title="y">z</a>', "<a title=y href=x>z</a>"),
        ("<ul><li>a</li><li>b</li></ul>", '<ul class="wp-block-list">\n<li>a</li>\n\n<li>b</li></ul>'),
        ("<pre><code>a\n  b\n</code></pre>", '<pre class="wp-block-code"><code>a<br>  b</code></pre>'),
        ("<p>&quot;x&quot; &#233;</p>", '<p>"x" é</p>'),
        (
            '<p><img src="a" alt=""></p>',
            '<figure class="wp-block-image size-large"><img src="a" alt="" class="wp-image-7"/></figure>',
        ),
        (
            "<table><tr><td>x</td></tr></table>",
            (
                '<figure class="wp-block-table"><table class="has-fixed-layout"><tr><td>x</td></tr></table>'
                "</figure>"
            ),
        ),
        ('<td align="center">x</td>', '<td class="has-text-align-center" data-align="center">x</td>'),
        ('<h2 id="our-team">Our team</h2>', '<h2 class="wp-block-heading">Our team</h2>'),
    ],
)
def test_what_no_reader_can_tell_apart_is_the_same(one: str, other: str) -> None:
    assert reads(one) == reads(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>a b</p>", "<p>ab</p>"),
        ("<p>a</p>", "<div>a</div>"),
        ("<p>a</p>", '<p class="lead">a</p>'),
        ("<pre>a  b</pre>", "<pre>a b</pre>"),
        ('<a href="x">z</a>', '<a href="y">z</a>'),
        ("<p>a</p>", "<p>a<!-- note --></p>"),
        ('<h2 id="x">Our team</h2>', "<h2>Our team</h2>"),
        ("<p>a<br>b</p>", "<p>a b</p>"),
        ("<p><em>a</em></p>", "<p><strong>a</strong></p>"),
    ],
)
def test_what_a_reader_or_a_browser_can_tell_apart_is_not(one: str, other: str) -> None:
    assert reads(one) != reads(other)


def test_the_id_that_a_heading_had_from_the_renderer_is_none() -> None:
    assert reads('<h2 id="team-1">Everybody</h2>', frozenset({"team-1"})) == reads("<h2>Everybody</h2>")
    assert reads('<h2 id="any" data-sourcepos="1:1-1:2">x</h2>') == reads("<h2>x</h2>")


def test_footnotes_have_names_and_no_numbers() -> None:
    html = '<sup class="footnote-ref"><a href="#fn-a" id="fnref-a" data-footnote-ref>{}</a></sup>'
    assert reads(html.format(1)) == reads(html.format(7)) == '<footnote name="a"></footnote>'


def test_an_anchor_is_what_the_renderer_makes_of_a_heading() -> None:
    assert anchor("Who we are, in 2 words!") == "who-we-are-in-2-words"
