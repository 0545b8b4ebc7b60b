"""The four counts of an account add up to the items of the source."""

from __future__ import annotations

from pressync.app.import_site.account import Account, Carried, ImportedFile
from pressync.importers.item import Item, LeftOut, Place
from pressync.model.interface import Kind

ITEM = Item("1", Kind.PAGE, Place("a.xml", 3))


def test_what_is_left_out_counts_as_an_item() -> None:
    account = Account("a.xml")
    account.files += [ImportedFile(ITEM, "a.md", way) for way in (Carried.AS_MARKDOWN, Carried.AS_HTML)]
    assert account.is_complete
    account.leave_out(LeftOut("draft", Place("a.xml", 9), "no"))
    assert account.items == sum(account.counts.values()) == 3
    assert account.kinds == {(Carried.LEFT_OUT, "draft"): ["a.xml:9"]}
    assert not account.is_complete


def test_a_part_left_verbatim_is_not_complete() -> None:
    account = Account("a.xml", [ImportedFile(ITEM, "a.md", Carried.VERBATIM)])
    assert not account.is_complete
