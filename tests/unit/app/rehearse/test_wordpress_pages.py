"""The pages of a WordPress, by its interface; the embedded service answers here as WordPress does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pressync.app.rehearse.wordpress_pages import WordPressPages

if TYPE_CHECKING:
    from pressync.server.server import RunningService


@pytest.fixture
def pages(site_service: RunningService) -> WordPressPages:
    """Make a page below another one, a post, and a draft."""
    store = site_service.store
    above = store.create_page({"title": "About", "slug": "about", "content": "<p id=we>We</p>"})
    store.create_page({"title": "日本", "parent": int(str(above["id"])), "content": "<p>in</p>"})
    store.add_post({"title": "Hello", "slug": "hello"})
    store.create_page({"title": "Soon", "slug": "soon", "status": "draft"})
    site = site_service.site
    return WordPressPages.of(site_service.url, None, home=site, stage=site)


def test_each_public_record_is_a_page_at_its_address(pages: WordPressPages) -> None:
    assert [page.address.removeprefix(pages.address) for page in pages.pages()] == [
        *("/about/", "/about/%e6%97%a5%e6%9c%ac/", "/blog/hello/"),
    ]
    page = pages.page_at("/about")
    assert page is not None
    assert "<p id=we>We</p>" in page.html
    assert pages.page_at("/soon/") is None


@pytest.mark.parametrize("path", ["/", "/about/", "/about/日本", "/?page_id=1", "/blog/"])
def test_a_visitor_finds_records_and_what_the_site_makes_itself(pages: WordPressPages, path: str) -> None:
    assert pages.has(path)


@pytest.mark.parametrize("path", ["/soon/", "/nowhere/", "/wp-content/uploads/a.png"])
def test_a_visitor_finds_nothing_else(pages: WordPressPages, path: str) -> None:
    assert not pages.has(path)
    assert pages.hidden(path) == (path == "/soon/")
