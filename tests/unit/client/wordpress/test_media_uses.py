"""What on a site still uses a file, by the responses of WordPress."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.live.sites import open_at
from tests.support.embedded_wordpress import PASSWORD, USER
from tests.unit.client.wordpress.answered import answered, refused

from pressync.client.credentials import basic
from pressync.client.wordpress import media_uses
from pressync.model.errors import BadAnswer, Refused

if TYPE_CHECKING:
    from tests.support.embedded_wordpress import EmbeddedWordPress

    from pressync.client.port import HttpRequest, HttpResponse

    Row = dict[str, object]

OVEN = "https://site.test/wp-content/uploads/2026/11/oven.png"
FILES = {31: OVEN}
TYPES = {"post": {"rest_base": "posts"}, "wp_block": {"rest_base": "blocks", "rest_namespace": "wp/v2"}}
STYLES = "https://site.test/wp-json/wp/v2/global-styles/4"


class Site:
    """Answers reads by their route; everything else is not there."""

    def __init__(self, **lists: HttpResponse | list[Row]) -> None:
        self.asked: list[HttpRequest] = []
        self._lists: dict[str, HttpResponse | list[Row]] = {"media": [], "posts": [], "pages": []} | lists

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Take one request."""
        self.asked.append(request)
        found = self._lists.get(urlsplit(request.path).path.removeprefix("/wp/v2/"))
        if found is None:
            return refused(404, "rest_no_route")
        return answered(200, found) if isinstance(found, list) else found


def row(number: int, content: str = "", **members: object) -> dict[str, object]:
    return {"id": number, "status": "draft", "featured_media": 0, "content": {"raw": content}, **members}


def test_records_are_read_in_every_status_and_a_file_without_a_use_is_absent() -> None:
    site = Site(posts=[row(5, "<p>No picture, and 31 loaves</p>")])
    assert media_uses.uses(site, FILES) == {}
    (posts,) = (request for request in site.asked if request.path.startswith("/wp/v2/posts?"))
    query = parse_qs(urlsplit(posts.path).query)
    assert (query["context"], query["status"]) == (["edit"], ["any"])


@pytest.mark.parametrize(
    "content",
    [
        f'<img src="{OVEN}">',
        '<img src="/wp-content/uploads/2026/11/oven-300x200.png">',
        '<img src="https://cdn.test/wp-content/uploads/2026/11/Oven-scaled.png?x=1">',
        '{"url":"https:\\/\\/site.test\\/wp-content\\/uploads\\/2026\\/11\\/oven.png"}',
        '<!-- wp:image {"id":31,"sizeSlug":"large"} -->',
        '<!-- wp:cover {"dimRatio":50,"mediaId":31} -->',
        '<img class="wp-image-31">',
        '[gallery columns="2" ids="4, 31"]',
        '<!-- wp:gallery {"ids":["4","31"]} -->',
        '[caption id="attachment_31"]',
    ],
)
def test_a_text_uses_a_file_by_its_address_a_size_of_it_or_its_id(content: str) -> None:
    assert media_uses.uses(Site(posts=[row(5, content)]), FILES) == {31: "is in post 5"}


@pytest.mark.parametrize(
    "content",
    [
        '<img src="/wp-content/uploads/2026/11/oven-1.png">',
        '<img src="/wp-content/uploads/2026/10/oven.png">',
        '<!-- wp:image {"id":310,"width":31} -->',
        '<img class="wp-image-131" width="31">',
        "[gallery ids=3,1]",
    ],
)
def test_another_file_is_not_taken_for_it(content: str) -> None:
    assert media_uses.uses(Site(posts=[row(5, content)]), FILES) == {}


def test_a_file_is_used_as_featured_picture_by_what_it_is_attached_to_and_by_the_site_itself() -> None:
    assert media_uses.uses(Site(pages=[row(8, featured_media=31)]), FILES) == {
        31: "is the featured picture of page 8"
    }
    assert media_uses.uses(Site(media=[{"id": 31, "post": 9}]), FILES) == {31: "is attached to record 9"}
    logo = answered(200, {"site_logo": 31, "site_icon": None})
    assert media_uses.uses(Site(settings=logo), FILES) == {31: "is in the settings of the site"}
    widget: Row = {"id": "block-2", "instance": {"raw": {"content": f'<img src="{OVEN}">'}}}
    assert media_uses.uses(Site(settings=answered(200, {}), widgets=[widget]), FILES) == {
        31: "is in widget block-2"
    }


def wordpress(**lists: HttpResponse | list[Row]) -> Site:
    """Give a site that an administrator may read as a whole."""
    parts: dict[str, HttpResponse | list[Row]] = {"blocks": [], "widgets": [], "themes": []}
    return Site(types=answered(200, TYPES), **(parts | {"settings": answered(200, {})} | lists))


def test_every_type_is_read() -> None:
    site = wordpress(blocks=[row(7, f'<img src="{OVEN}">')])
    assert media_uses.uses(site, FILES) == {31: "is in wp_block 7"}


@pytest.mark.parametrize(
    "members",
    [
        {"meta": {"hero": 31}},
        {"meta": {"gallery": ["30", "31"]}},
        {"meta": {"pictures": "29,31"}},
        {"acf": {"head": {"picture": 31}}},
        {"meta": {"hero": OVEN}},
    ],
)
def test_a_field_that_the_interface_shows_uses_a_file(members: Row) -> None:
    assert media_uses.uses(Site(posts=[row(5) | members]), FILES) == {31: "is in post 5"}
    assert media_uses.uses(Site(posts=[row(5, meta={"price": 31.5, "year": 310})]), FILES) == {}


def test_a_link_to_the_page_of_a_file_uses_it() -> None:
    media: list[Row] = [{"id": 31, "post": None, "link": "https://site.test/old-oven-9e9a/"}]
    for text in ('<a href="https://site.test/old-oven-9e9a/">', '<a href="/Old-oven-9e9a">'):
        assert media_uses.uses(Site(media=media, posts=[row(5, text)]), FILES) == {31: "is in post 5"}
    for text in ('<a href="https://site.test/old-oven-9e9a-2/">', '<a href="/shop/old-oven-9e9a/">'):
        assert media_uses.uses(Site(media=media, posts=[row(5, text)]), FILES) == {}


def test_the_styles_of_the_site_use_their_background_picture() -> None:
    themes: list[Row] = [{"_links": {"wp:user-global-styles": [{"href": STYLES}]}}]
    background = {"background": {"backgroundImage": {"url": OVEN, "id": 31}}}
    styles: dict[str, HttpResponse] = {"global-styles/4": answered(200, {"styles": background})}
    site = wordpress(themes=themes, **styles)
    assert media_uses.uses(site, FILES) == {31: "is in the styles of the site"}


@pytest.mark.parametrize(
    ("closed", "right"),
    [
        ("settings", "may not read the settings of the site .it lacks the right manage_options"),
        ("widgets", "may not read the widgets of the site .it lacks the right edit_theme_options"),
        ("themes", "may not read the styles of the site .it lacks the right edit_theme_options"),
    ],
)
def test_a_part_of_the_site_that_this_user_may_not_read_gives_no_answer(closed: str, right: str) -> None:
    for refusal in (refused(403, "rest_forbidden"), refused(404, "rest_no_route")):
        with pytest.raises(BadAnswer, match=right):
            media_uses.uses(wordpress(**{closed: refusal}), FILES)


def test_the_embedded_service_tells_what_uses_a_file(site: EmbeddedWordPress) -> None:
    number = site.post("posts", title="Old oven", content=f'<img src="{OVEN}">', status="draft")
    with closing(open_at(site.url, basic(USER, PASSWORD))) as service:
        assert media_uses.uses(service.transport.send, FILES) == {31: f"is in post {number}"}
        assert media_uses.uses(service.transport.send, {32: OVEN.replace("oven", "mill")}) == {}


def test_a_type_that_this_user_may_not_edit_gives_no_answer() -> None:
    class Editor(Site):
        def __call__(self, request: HttpRequest) -> HttpResponse:
            is_all = request.path.endswith("types?context=view")
            template = {"wp_template": {"rest_base": "templates"}}
            return answered(200, TYPES | template) if is_all else super().__call__(request)

    with pytest.raises(BadAnswer, match="may not edit the records of these types: wp_template"):
        media_uses.uses(Editor(types=answered(200, TYPES)), FILES)


def test_a_site_whose_records_cannot_all_be_read_gives_no_answer() -> None:
    partly = answered(200, [row(5)], x_wp_total="3")
    with pytest.raises(BadAnswer, match="this user may read 1 of the 3 records of type “post”"):
        media_uses.uses(Site(posts=partly), FILES)
    with pytest.raises(BadAnswer, match="more than 100,000 records"):
        media_uses.uses(Site(posts=answered(200, [], x_wp_total="100001")), FILES)
    with pytest.raises(Refused):
        media_uses.uses(Site(posts=refused(403, "rest_forbidden_status")), FILES)


def test_a_file_is_gone_only_if_the_site_says_so() -> None:
    hidden = refused(401, "rest_forbidden")
    gone = refused(404, "rest_post_invalid_id")
    lists: dict[str, HttpResponse] = {"media/7": hidden, "media/8": gone, "media/9": answered(200, {})}
    site = Site(**lists)
    assert media_uses.lost(site, [7, 8, 9]) == {8}
