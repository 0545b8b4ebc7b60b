"""The state that a request sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.site_settings import change_permalinks

from pressync.server.database import read_settings
from pressync.server.wordpress.roles import VISITOR
from pressync.server.wordpress.session import Session

if TYPE_CHECKING:
    from tests.unit.server.wordpress.conftest import Stage

    from pressync.server.store import Store


def test_links_begin_with_the_address_of_the_site(store: Store) -> None:
    with store.database.reading() as db:
        session = Session(db, read_settings(db), store.now(), VISITOR, store.database.uploads)

    assert session.base == "http://127.0.0.1:8127/wp-json"


def test_with_plain_permalinks_every_address_is_a_query(store: Store, stage: Stage) -> None:
    change_permalinks(store, "")
    page = stage.make(title="Über uns")
    post, category = stage.make("posts", title="x"), stage.make("categories", name="News")
    tag, file = stage.make("tags", name="Vec<T>"), stage.upload("a.png").value

    site = "http://127.0.0.1:8127"
    assert page["link"] == page["permalink_template"] == f"{site}/?page_id={page['id']}"
    assert post["link"] == f"{site}/?p={post['id']}"
    assert (category["link"], tag["link"]) == (f"{site}/?cat={category['id']}", f"{site}/?tag=vec")
    assert file["link"] == f"{site}/?attachment_id={file['id']}"
    assert file["source_url"].startswith(f"{site}/wp-content/uploads/")
    me = stage.ask("GET", "/wp/v2/users/me").value
    assert me["link"] == f"{site}/?author=1"
    own = page["_links"]["self"][0]["href"]
    assert own == f"{site}/index.php?rest_route=/wp/v2/pages/{page['id']}"
    stage.make(title="y")
    links = stage.ask("GET", "/wp/v2/pages?per_page=1").headers["Link"]
    assert links == f'<{site}/index.php?rest_route=/wp/v2/pages&page=2&per_page=1>; rel="next"'
