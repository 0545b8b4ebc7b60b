"""The state that a request sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.server.database import read_settings
from pressync.server.wordpress.roles import VISITOR
from pressync.server.wordpress.session import Session

if TYPE_CHECKING:
    from pressync.server.store import Store


def test_links_begin_with_the_address_of_the_site(store: Store) -> None:
    with store.database.reading() as db:
        session = Session(db, read_settings(db), store.now(), VISITOR, store.database.uploads)

    assert session.base == "http://127.0.0.1:8127/wp-json"
