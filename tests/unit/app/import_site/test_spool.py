"""Values come back from the spool in their order, as often as somebody asks."""

from __future__ import annotations

from pressync.app.import_site.spool import Spool
from pressync.importers.item import Item, Place
from pressync.model.interface import Kind


def test_items_come_back_with_their_bodies() -> None:
    items = [Item(str(n), Kind.PAGE, Place("a", n), body="text " * n, tags=("x",)) for n in range(3)]
    with Spool(Item) as spool:
        for item in items:
            spool.add(item)
        assert list(spool.values()) == items
        assert list(spool.values()) == items
