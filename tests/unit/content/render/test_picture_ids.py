"""Image blocks get the ids of their pictures, in the form of the editor."""

from __future__ import annotations

import pytest

from pressync.content.render.editor_blocks import to_blocks
from pressync.content.render.picture_ids import with_ids

OVEN = "https://site.test/uploads/oven-1.png?a=1&b=2"
IDS = {OVEN: 31}
SRC = "https://site.test/uploads/oven-1.png?a=1&amp;b=2"


def image(number: int, size: str, address: str = SRC, more: str = "") -> str:
    """Write an image block as the editor does."""
    return (
        f'<!-- wp:image {{"id":{number},"sizeSlug":"{size}","linkDestination":"none"}} -->\n'
        f'<figure class="wp-block-image size-{size}"><img src="{address}" alt="The oven" '
        f'class="wp-image-{number}"/>{more}</figure>\n<!-- /wp:image -->'
    )


def test_a_picture_of_markdown_becomes_the_block_that_the_editor_writes() -> None:
    page = to_blocks(f'<p>One</p>\n<p><img src="{SRC}" alt="The oven" title="At six" /></p>\n')
    caption = '<figcaption class="wp-element-caption">At six</figcaption>'
    one = "<!-- wp:paragraph -->\n<p>One</p>\n<!-- /wp:paragraph -->\n\n"
    assert with_ids(page, IDS) == one + image(31, "full", more=caption)


def test_a_picture_that_pressync_did_not_upload_stays_as_it_is() -> None:
    page = to_blocks('<p><img src="https://other.test/oven.png" alt="The oven" /></p>')
    assert with_ids(page, IDS) == page


def test_a_block_of_the_author_gets_the_id_of_the_new_upload_and_keeps_the_rest() -> None:
    """A picture was replaced under its name, so the address is that of another upload."""
    kept = image(9, "medium", "https://site.test/uploads/other.png")
    gallery = '<!-- wp:gallery {"ids":[7,9],"linkTo":"none"} -->\n<figure class="wp-block-gallery">'
    end = "</figure>\n<!-- /wp:gallery -->"
    page = f'{kept}\n\n{gallery}{image(7, "large")}\n\n{kept}{end}\n\n<!-- wp:spacer {{"id":7}} /-->'
    assert with_ids(page, IDS) == page.replace('"ids":[7,9]', '"ids":[31,9]').replace(
        image(7, "large"), image(31, "large")
    )


MEDIA_TEXT = f'<!-- wp:media-text {{"mediaId":7}} -->\n<img src="{SRC}" class="wp-image-7 size-full"/>'
LISTED = f'<ul><li><img src="{SRC}" data-id="7" class="wp-image-7"/></li></ul>'


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (MEDIA_TEXT, MEDIA_TEXT.replace("7", "31")),
        (LISTED, LISTED.replace("7", "31")),
        (f'<img src="{SRC}" class="wp-image-31"/>', f'<img src="{SRC}" class="wp-image-31"/>'),
        ('<img class="wp-image-7"/> wp-image-7', '<img class="wp-image-7"/> wp-image-7'),
    ],
)
def test_every_form_of_an_id_is_known(page: str, expected: str) -> None:
    assert with_ids(page, IDS) == expected
    assert with_ids(expected, IDS) == expected, "a second time changes nothing"


def test_hostile_text_takes_linear_time() -> None:
    for text in ("<!-- wp:a {", "<img wp-image-7 ", "<!-- wp:a -->", f'<img src="{SRC}" class="wp-image-7">'):
        assert len(with_ids(text * 20_000, IDS)) >= len(text)
