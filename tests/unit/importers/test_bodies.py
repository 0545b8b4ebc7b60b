"""Bodies in HTML become Markdown, and each piece that Markdown cannot express stays HTML and is named."""

from __future__ import annotations

from pressync.content.render.markdown import to_html
from pressync.importers.bodies import as_html, as_markdown
from pressync.importers.item import Form

GALLERY = """\
<!-- wp:gallery {"linkTo":"none"} -->
<figure class="wp-block-gallery"><!-- wp:image {"id":5} -->
<figure class="wp-block-image"><img src="/a.png" alt=""/></figure>
<!-- /wp:image --></figure>
<!-- /wp:gallery -->"""


def test_blocks_with_nothing_to_lose_become_markdown() -> None:
    text = (
        '<!-- wp:heading -->\n<h2 class="wp-block-heading">Setup</h2>\n<!-- /wp:heading -->\n\n'
        "<!-- wp:paragraph -->\n<p>Hi <b>you</b></p>\n<!-- /wp:paragraph -->"
    )
    assert as_markdown(as_html(text, Form.BLOCKS)).text == "## Setup\n\nHi **you**\n"


def test_a_text_of_the_classic_editor_gets_its_paragraphs() -> None:
    assert as_markdown(as_html("One\ntwo\n\nThree", Form.BLOCKS)).text == "One\\\ntwo\n\nThree\n"


def test_the_mark_of_an_excerpt_stays_a_mark() -> None:
    body = as_markdown(as_html("One\n\n<!--more-->\n\nTwo", Form.BLOCKS))
    assert (body.text, body.kept) == ("One\n\n<!--more-->\n\nTwo\n", ())


def test_a_gallery_stays_html_with_its_comments_and_is_named() -> None:
    body = as_markdown(
        as_html(f"<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph -->\n{GALLERY}", Form.BLOCKS)
    )
    assert body.kept == ("block gallery",)
    assert body.text == f"a\n\n{GALLERY}\n"


def test_two_lists_do_not_run_together() -> None:
    body = as_markdown("<ul><li>a</li></ul><ul><li>b</li></ul>")
    assert to_html(body.text).count("<ul>") == 2


def test_html_that_is_nested_too_deeply_stays_as_it_is() -> None:
    deep = "<div>" * 500 + "x" + "</div>" * 500
    assert as_markdown(deep) == as_markdown(deep).__class__(f"{deep}\n", ("body",))


def test_an_empty_body_is_empty() -> None:
    assert as_markdown("").text == ""
