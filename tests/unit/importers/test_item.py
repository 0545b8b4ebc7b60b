"""An item survives its way through a file, because an import keeps the items there between its two passes."""

from __future__ import annotations

import msgspec

from pressync.importers.item import Form, Item, Place, Remainder
from pressync.model.interface import Kind


def test_a_place_is_written_as_compilers_write_it() -> None:
    assert [str(Place("a.xml", 3)), str(Place("a.xml"))] == ["a.xml:3", "a.xml"]


def test_an_item_can_be_written_to_a_file_and_read_again() -> None:
    place = Place("export.xml", 12)
    item = Item(
        "7",
        Kind.POST,
        place,
        aliases=("/old/",),
        fields={"sticky": True},
        form=Form.BLOCKS,
        remainders=(Remainder("shortcode figure", place, "[figure]"),),
    )
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(item), type=Item) == item
