"""Where a page is cut, and which of an editor's blocks are more than their element."""

from __future__ import annotations

import itertools

import pytest

from pressync.html import pieces as html_pieces
from pressync.html.normalize import canonical, normalized
from pressync.html.pieces import Forms, as_rendered, cut
from pressync.html.tree import parse


def pieces(html: str) -> list[tuple[str, bool]]:
    """Give what each piece reads, and whether it stays as it is."""
    return [(canonical(normalized(piece.nodes)), piece.opaque) for piece in cut(parse(html))]


def test_every_element_with_lines_of_its_own_is_a_piece_and_text_between_them_a_paragraph() -> None:
    assert pieces("<h2>a</h2>\n<p>b</p>\nsome <b>text</b>\n<hr>") == [
        *(("<h2>a</h2>", False), ("<p>b</p>", False)),
        *(("<p>some <strong>text</strong></p>", False), ("<hr>", False)),
    ]
    item = "<!-- wp:list-item -->\n<li>{}</li>\n<!-- /wp:list-item -->"
    html = f"<ol>{item.format(1)}\n\n{item.format(2)}</ol>"
    html = f'<!-- wp:list {{"ordered":true}} -->\n{html}\n<!-- /wp:list -->'
    assert pieces(html) == [("<ol><li>1</li><li>2</li></ol>", False)]


@pytest.mark.parametrize(
    "html",
    [
        "<!-- wp:paragraph -->\n<p>a</p>\n<!-- /wp:paragraph -->",
        "<!-- wp:html -->\n<p>a</p>\n<!-- /wp:html -->",
        "<p>a</p><!-- -->",
    ],
)
def test_a_comment_that_says_no_more_than_its_element_is_dropped(html: str) -> None:
    assert pieces(html) == [("<p>a</p>", False)]


@pytest.mark.parametrize(
    "html",
    [
        '<!-- wp:paragraph {"align":"center"} -->\n<p>a</p>\n<!-- /wp:paragraph -->',
        '<!-- wp:latest-posts {"postsToShow":3} /-->',
        "<!-- wp:group -->\n<div><!-- wp:group --><div></div><!-- /wp:group --></div>\n<!-- /wp:group -->",
        "<!-- wp:quote --><blockquote><!-- wp:my/plugin /--></blockquote><!-- /wp:quote -->",
        "<!-- wp:paragraph {not json} --><p>a</p><!-- /wp:paragraph -->",
        '<!-- wp:paragraph {"a":' + "[" * 20_000 + "]" * 20_000 + "} --><p>a</p><!-- /wp:paragraph -->",
    ],
    ids=lambda html: html[:30],
)
def test_a_block_that_says_more_is_one_piece_and_stays_as_it_is(html: str) -> None:
    (piece,) = cut(parse(f"<p>before</p>\n{html}\n<p>behind</p>"))[1:-1]
    assert piece.opaque
    assert f"<p>before</p>\n{html}\n<p>behind</p>"[piece.start : piece.end] == html


def test_thousands_of_blocks_are_each_looked_at_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = html_pieces._mark  # noqa: SLF001 - the test counts its calls
    looks = itertools.count()
    monkeypatch.setattr(html_pieces, "_mark", lambda node: mark(node) if next(looks) >= 0 else None)
    assert len(pieces("<!-- wp:paragraph --><p>a</p>" * 500)) == 1000
    assert next(looks) < 10 * 1000
    html = "<!-- wp:html -->"
    assert len(pieces(html * 5000 + "<p>a</p>" + html.replace("wp", "/wp") * 5000)) == 1
    assert next(looks) < 20 * 10_000


def test_a_block_ends_at_its_own_comment_and_not_at_that_of_a_block_in_it() -> None:
    inner = "<!-- wp:group --><div>a</div><!-- /wp:group -->"
    assert len(pieces(f"<!-- wp:group -->{inner}<!-- /wp:group --><!-- /wp:group --><p>b</p>")) == 3


def plain(html: str, *, captions: bool = True) -> str:
    """Give what elements read once the editor's ways are undone."""
    return canonical(normalized(as_rendered(node, Forms(captions)) for node in parse(html)))


def reads(html: str) -> str:
    return canonical(normalized(parse(html)))


@pytest.mark.parametrize(
    ("editors", "renderers"),
    [
        (
            '<ul class="wp-block-list loose"><li>a <b>b</b><ul><li>c</li></ul></li></ul>',
            "<ul><li><p>a <b>b</b></p><ul><li>c</li></ul></li></ul>",
        ),
        (
            '<pre class="wp-block-code language-js"><code>x</code></pre>',
            '<pre><code class="language-js">x\n</code></pre>',
        ),
        (
            '<figure class="wp-block-image"><img src="a" alt="b"/><figcaption>T</figcaption></figure>',
            '<p><img src="a" alt="b" title="T" /></p>',
        ),
    ],
)
def test_each_of_the_editors_ways_is_undone(editors: str, renderers: str) -> None:
    assert plain(editors) == reads(renderers)


@pytest.mark.parametrize(
    "html",
    [
        '<ul class="loose-ends"><li>a</li></ul>',
        '<pre class="wp-block-code"><code>x</code></pre>',
        '<figure><img src="a"/><figcaption><b>T</b></figcaption></figure>',
        "<p>text</p>",
    ],
)
def test_what_is_nobodys_way_stays(html: str) -> None:
    assert plain(html) == reads(html)
    caption = '<figure><img src="a"/><figcaption>T</figcaption></figure>'
    assert plain(caption, captions=False) == reads(caption) != plain(caption), "more than a title"
