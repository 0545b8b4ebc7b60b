"""Items come back from the spool in their order, with their bodies."""

from __future__ import annotations

from pressync.app.import_site.spool import Spool
from pressync.importers.item import Item, Place
from pressync.model.interface import Kind


def test_the_bodies_are_in_the_file_and_the_rest_is_in_memory() -> None:
    items = [Item(str(n), Kind.PAGE, Place("a", n), body="text " * n, tags=("x",)) for n in range(3)]
    with Spool() as spool:
        for item in items:
            spool.add(item)
        assert [(stub.key, stub.body) for stub in spool.stubs] == [("0", ""), ("1", ""), ("2", "")]
        assert list(spool.items()) == items
        assert list(spool.items()) == items
