"""The embedded service as a stage, and its rendered pages."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from pressync.model.interface import Kind
from pressync.stage.rehearse.embedded_stage import EmbeddedStage, StoredPages
from pressync.stage.rehearse.live_site import LiveSite
from pressync.stage.server.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.unit.stage.rehearse.conftest import Embedded


def test_nobody_else_on_the_machine_may_write_to_a_stage(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    with embedded.workspace() as site:
        stage = EmbeddedStage(site)
        with stage.running(repository.root / ".git" / "stage", LiveSite()) as running:
            request = Request(f"{running.url}/wp/v2/pages", data=b"title=x", method="POST")  # noqa: S310 - loopback
            with pytest.raises(HTTPError, match="401"):
                urlopen(request, timeout=60)  # noqa: S310 - loopback
            with urlopen(running.address, timeout=60) as page:  # noqa: S310 - loopback
                assert page.status == 200


@pytest.fixture
def pages(tmp_path: Path) -> StoredPages:
    """Make a page below another one, a post, and a draft."""
    store = Store(tmp_path / "site.db", address="https://example.org", with_post=False)
    above = store.create(Kind.PAGE, {"title": "About", "slug": "about"})
    store.create(Kind.PAGE, {"title": "日本", "parent": int(str(above["id"])), "content": "<p>in</p>"})
    store.create(Kind.POST, {"title": "Hello", "slug": "hello"})
    store.create(Kind.PAGE, {"title": "Locked", "password": "x", "content": "<p>in</p>"})
    store.create(Kind.PAGE, {"title": "Soon", "slug": "soon", "status": "draft"})
    return StoredPages(store)


def test_each_public_record_is_a_page_at_its_address(pages: StoredPages) -> None:
    assert [page.address for page in pages.pages()] == [
        "https://example.org/about/",
        "https://example.org/about/%e6%97%a5%e6%9c%ac/",
        "https://example.org/blog/hello/",
        "https://example.org/locked/",
    ]
    page = pages.page_at("/about/%E6%97%A5%E6%9C%AC")
    assert page is not None
    assert page.html == "<p>in</p>"
    assert pages.page_at("/soon/") is None
    assert [page.html for page in pages.pages() if page.title == "Locked"] == [""]


@pytest.mark.parametrize(
    "path", ["/", "/about/", "/about", "/about/日本/", "/?page_id=1", "/blog/", "/feed.xml"]
)
def test_a_visitor_finds_records_and_what_the_site_makes_itself(pages: StoredPages, path: str) -> None:
    assert pages.has(path)


@pytest.mark.parametrize(
    "path", ["/soon/", "/nowhere/", "/?page_id=5", "/?p=99", "/wp-content/uploads/a.png"]
)
def test_a_visitor_finds_nothing_else(pages: StoredPages, path: str) -> None:
    assert not pages.has(path)
    assert pages.hidden(path) == (path in {"/soon/", "/?page_id=5"})


def test_a_page_has_the_links_that_wordpress_makes_of_a_text(tmp_path: Path) -> None:
    store = Store(tmp_path / "site.db", address="https://example.org", with_post=False)
    store.create(Kind.PAGE, {"title": "Film", "content": '[video src="/film.mp4"]'})
    (page,) = StoredPages(store).pages()
    assert 'src="/film.mp4"' in page.html
    assert "[video" not in page.html
