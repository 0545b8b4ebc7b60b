"""What the editor moved, put back where the renderer has it."""

from __future__ import annotations

import pytest

from pressync.html.block_comments import as_rendered, keys
from pressync.html.normalize import canonical, normalized
from pressync.html.tree import parse


def plain(html: str, *, captions: bool = True) -> str:
    """Give what elements read once the editor's ways are undone."""
    return canonical(normalized(as_rendered(node, captions=captions) for node in parse(html)))


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


def test_a_persons_caption_is_more_than_a_title() -> None:
    html = '<figure><img src="a"/><figcaption>T</figcaption></figure>'
    assert plain(html, captions=False) == reads(html) != plain(html)


def test_a_class_that_is_understood_is_no_attribute_to_keep_a_block_for() -> None:
    assert list(keys("list", {"ordered": True, "className": "loose"})) == ["ordered"]
    assert list(keys("code", {"className": "language-c"})) == []
    assert list(keys("paragraph", {"className": "loose"})) == ["className"]
