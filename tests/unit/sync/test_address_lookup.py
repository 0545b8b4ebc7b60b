"""Records at the addresses of creates: how many requests a look-up takes, and which records count."""

from __future__ import annotations

from dataclasses import replace

from tests.support.memory_service import MemoryService

from pressync.model.changes import Create
from pressync.model.fingerprint import fingerprint
from pressync.model.interface import Kind
from pressync.model.reason import NO_REASON
from pressync.model.records import Desired
from pressync.sync.occupied_addresses import AT_ONCE, AddressOccupant, parents_first, records_at


def create(path: str, parent: str | None = None, *, below: int = 0) -> Create:
    """Plan a page of this path, below another document or below a page of the site."""
    slug = path.rpartition("/")[2]
    fingerprints = {"parent": fingerprint(below)} if below else {}
    desired = Desired(path, "", Kind.PAGE, slug, slug, fingerprints, parent, "")
    return Create(path, Kind.PAGE, (), NO_REASON, desired)


def nobody(_kind: Kind, _number: int) -> None:
    """Hold no record."""


def test_many_addresses_are_asked_for_at_once() -> None:
    service = MemoryService()
    assert records_at(service, [create(f"p{n}") for n in range(200)], nobody) == {}
    assert service.asked_addresses == [AT_ONCE, AT_ONCE, 20]


def test_children_of_a_page_that_is_not_there_need_no_question() -> None:
    service = MemoryService()
    parents = [create(f"p{n}") for n in range(AT_ONCE)]
    children = [create(f"p{n}/c{n}", f"p{n}") for n in range(AT_ONCE)]
    below = [create(f"p{n}/c{n}/d{n}", f"p{n}/c{n}") for n in range(AT_ONCE)]
    assert records_at(service, [*below, *children, *parents], nobody) == {}
    assert service.asked_addresses == [AT_ONCE]


def test_a_page_below_another_parent_is_at_another_address() -> None:
    service = MemoryService()
    service.hold(7, slug="team", parent=3)
    assert records_at(service, [create("team")], nobody) == {}
    found = records_at(service, [create("team", below=3)], nobody)
    assert [record.id for record in found["team"].here] == [7]


def test_below_a_page_that_is_there_its_children_are_looked_for() -> None:
    service = MemoryService()
    service.hold(3, slug="about")
    service.hold(7, slug="team", parent=3)
    service.hold(8, slug="team", parent=4)
    found = records_at(service, [create("about/team", "about"), create("about")], nobody)
    assert {path: [r.id for r in at.here] for path, at in found.items()} == {"about": [3], "about/team": [7]}


def test_what_a_document_holds_already_is_not_found() -> None:
    service = MemoryService()
    service.hold(3, slug="about")
    assert (
        records_at(service, [create("about")], lambda _kind, number: "other.md" if number == 3 else None)
        == {}
    )


def test_a_page_at_its_own_address_is_not_the_number_of_another() -> None:
    service = MemoryService()
    service.hold(3, slug="about")
    service.hold(4, slug="about-2")
    found = records_at(service, [create("about"), create("about-2")], nobody)
    assert [record.id for record in found["about"].numbered] == []
    assert [record.id for record in records_at(service, [create("about")], nobody)["about"].numbered] == [4]


def test_what_is_in_the_trash_is_at_the_address_but_is_not_live() -> None:
    service = MemoryService()
    service.hold(3, slug="about__trashed", status="trash")
    found = records_at(service, [create("about"), create("about/team", "about")], nobody)
    assert [record.id for record in found["about"].here] == [3]
    assert found["about"].live == ()
    assert found.keys() == {"about"}
    assert AddressOccupant().live == ()


def test_parents_come_first_and_a_circle_is_no_trap() -> None:
    wanted = {path: create(path, parent).desired for path, parent in (("a", "b"), ("b", None), ("c", "a"))}
    assert parents_first(wanted) == ["b", "a", "c"]
    wanted["b"] = replace(wanted["b"], parent_path="c")
    assert sorted(parents_first(wanted)) == ["a", "b", "c"]
