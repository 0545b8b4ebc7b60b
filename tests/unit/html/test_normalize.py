"""What reads alike is the same text; the spelling of the editor of WordPress 7.1, and ours."""

from __future__ import annotations

import json

import pytest

from pressync.content.render.editor_blocks import to_blocks
from pressync.content.render.markdown import to_html
from pressync.html.editor_spelling import as_sent, spellings, with_footnotes
from pressync.html.normalize import canonical, normalized
from pressync.html.tree import parse
from pressync.model.interface import Kind
from pressync.model.records import Record


def reads(html: str, made: frozenset[str] = frozenset()) -> str:
    return canonical(normalized(parse(html), made))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>a\n  b</p>", "<p>a b</p>\n\n"),
        ("<p><b>a</b> <i>b</i> <s>c</s></p>", "<p><strong>a</strong> <em>b</em> <del>c</del></p>"),
        ('<a href="x" title="y">z</a>', "<a title=y href=x>z</a>"),
        ("<ul><li>a</li><li>b</li></ul>", '<ul class="wp-block-list">\n<li>a</li>\n\n<li>b</li></ul>'),
        ("<pre><code>a\n  b\n</code></pre>", '<pre class="wp-block-code"><code>a<br>  b</code></pre>'),
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
    # The id that a heading had from the renderer is none, and footnotes have names and no numbers.
    assert reads('<h2 id="team-1">Everybody</h2>', frozenset({"team-1"})) == reads("<h2>Everybody</h2>")
    assert reads('<h2 id="any" data-sourcepos="1:1-1:2">x</h2>') == reads("<h2>x</h2>")
    mark = '<sup class="footnote-ref"><a href="#fn-a" id="fnref-a" data-footnote-ref>{}</a></sup>'
    assert reads(mark.format(1)) == reads(mark.format(7)) == '<footnote name="a"></footnote>'


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>a b</p>", "<p>ab</p>"),
        ("<p>a</p>", '<p class="lead">a</p>'),
        ("<pre>a  b</pre>", "<pre>a b</pre>"),
        ('<a href="x">z</a>', '<a href="y">z</a>'),
        ("<p>a</p>", "<p>a<!-- note --></p>"),
        ('<h2 id="x">Our team</h2>', "<h2>Our team</h2>"),
    ],
)
def test_what_a_reader_or_a_browser_can_tell_apart_is_not(one: str, other: str) -> None:
    assert reads(one) != reads(other)


HEADING = "<!-- wp:heading {} -->\n{}\n<!-- /wp:heading -->"
CODE = '<!-- wp:code {}-->\n<pre class="{}"><code>{}\n</code></pre>\n<!-- /wp:code -->'
QUOTED = "<!-- wp:paragraph -->\n<p>{}</p>\n<!-- /wp:paragraph -->"
FIRST, SECOND = "3f2a-1", "9c01-2"
WORDS = json.dumps([{"id": FIRST, "content": "The <em>first</em>."}, {"id": SECOND, "content": "More."}])
LIST = "\n\n<!-- wp:footnotes /-->"


@pytest.mark.parametrize(
    ("markdown", "saved"),
    [
        (
            "## It's one & *two*",
            HEADING.format(
                r'{"anchor":"its-one\u002d\u002dtwo"}',
                '<h2 id="its-one--two" class="wp-block-heading">It\'s one &amp; <em>two</em></h2>',
            ),
        ),
        (
            "### Three",
            HEADING.format(
                '{"level":3,"anchor":"three"}', '<h3 id="three" class="wp-block-heading">Three</h3>'
            ),
        ),
        ('"q" \u00a0 end', QUOTED.format('"q" &nbsp; end')),
        ("hard\\\nbreak and<br>theirs", QUOTED.format("hard<br>\nbreak and<br>theirs")),
        (
            'in ![a "q"](https://a.test/it\'s.png) line',
            QUOTED.format('in <img src="https://a.test/it\'s.png" alt="a &quot;q&quot;"> line'),
        ),
        (
            '```py\na[0] = [x] "q"\nhttps://a.test/x\n```',
            CODE.format(
                '{"className":"language-py"} ',
                "wp-block-code language-py",
                'a&#91;0] = &#91;x] "q"\nhttps://a.test/x',
            ),
        ),
        ("```\nhttps://a.test/x\n```", CODE.format("", "wp-block-code", "https:&#47;&#47;a.test/x")),
    ],
)
def test_a_save_is_spelled_as_it_was_sent(markdown: str, saved: str) -> None:
    sent = to_blocks(to_html(markdown))
    assert saved != sent
    assert as_sent(saved) == sent
    assert sent in spellings(Record(Kind.PAGE, 1, "", "", "", "", {"content": saved}), "content")


@pytest.mark.parametrize(
    "saved",
    [
        # An anchor that somebody chose, an edit of a word, and HTML of the author.
        HEADING.format('{"anchor":"other"}', '<h2 class="wp-block-heading" id="a">A</h2>'),
        QUOTED.format("another word"),
        '<!-- wp:html -->\n<p title="x">"q"<br>\n</p>\n<!-- /wp:html -->',
    ],
)
def test_an_edit_stays_an_edit(saved: str) -> None:
    assert as_sent(saved) == saved


def mark(number: str) -> str:
    return f'<sup data-fn="{number}" class="fn"><a href="#{number}" id="{number}-link">1</a></sup>'


def reference(name: str) -> str:
    link = f'<a href="#fn-{name}" id="fnref-{name}" data-footnote-ref>{name}</a>'
    return f'<sup class="footnote-ref">{link}</sup>'


def item(name: str, words: str) -> str:
    return f'<li id="fn-{name}">\n<p>{words}</p>\n</li>'


def section(*items: str) -> str:
    listed = "\n".join(items)
    return f'<section class="footnotes" data-footnotes>\n<ol>\n{listed}\n</ol>\n</section>'


def test_the_words_of_footnotes_come_to_the_end_and_join_those_of_the_text() -> None:
    text = f"<p>Two{mark(SECOND)} and one{mark(FIRST)} and two{mark(SECOND)}</p>{LIST}"
    assert with_footnotes(text, WORDS) == (
        f"<p>Two{reference('1')} and one{reference('2')} and two{reference('1')}</p>\n"
        + section(item("1", "More."), item("2", "The <em>first</em>."))
        + "\n"
    )
    own = item("1", "Ours.")
    text = f"<p>New{mark(FIRST)} and ours{reference('1')}</p>\n{section(own)}\n<p>Below</p>{LIST}"
    assert with_footnotes(text, WORDS) == (
        f"<p>New{reference('2')} and ours{reference('1')}</p>\n"
        f"{section(item('2', 'The <em>first</em>.'), own)}\n<p>Below</p>"
    )


@pytest.mark.parametrize("words", ["", "[", "{}", "[1]", '[{"id":1}]', '[{"id":"other","content":"x"}]'])
def test_a_mark_without_words_stays_as_it_is(words: str) -> None:
    text = f"<p>One{mark(FIRST)}</p>{LIST}"
    assert with_footnotes(text, words) == text
