"""What the lines of a journal make of a manifest."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from tests.support import builders
from tests.support.builders import TARGET, manifest

from pressync.model.fingerprint import UNSURE
from pressync.model.interface import Kind
from pressync.model.records import Manifest, UnconfirmedCreate
from pressync.state.journal_lines import Done, Intent, Removed, Resolved, Withdrawn
from pressync.state.replay import by_path, recover

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.model.records import Entry
    from pressync.state.journal_lines import Action, Line
    from pressync.state.replay import Ledger

# Two fields are enough here, and short digests can be read.
entry = partial(builders.entry, fingerprints={"title": "t1", "content": "c1"}, commit="c" * 40)
ABOUT = entry("about.md", 12)
TEAM = entry("team.md", 13)
# What is unconfirmed while `intent(1, "create", "new.md")` is open.
NEW = UnconfirmedCreate("new.md", Kind.PAGE, "slug", "2024", "commit", {"title": "new"})


def intent(number: int, action: Action, path: str, id_: int | None = None, fields: str = "title") -> Intent:
    fingerprints = dict.fromkeys(fields.split(), "new") if action != "delete" else {}
    return Intent(number, action, path, Kind.PAGE, id_, "slug", fingerprints, "commit", "blob", "2024")


def after(*lines: Line, known: Manifest | None = None) -> Ledger:
    return recover(manifest(ABOUT, TEAM) if known is None else known, lines)


def test_a_create_that_was_settled_is_an_entry() -> None:
    made = entry("new.md", 14)
    ledger = after(intent(1, "create", "new.md"), Done(1, (made,)))
    assert ledger.entries["new.md"] == made
    assert ledger.unconfirmed == ()


def test_a_create_without_an_outcome_is_unconfirmed() -> None:
    ledger = after(intent(1, "create", "new.md"))
    assert ledger.unconfirmed == (NEW,)
    assert "new.md" not in ledger.entries
    assert ledger.next_number == 2


def test_a_create_that_was_certainly_not_carried_out_is_forgotten() -> None:
    ledger = after(intent(1, "create", "new.md"), Withdrawn(1, "refused"))
    assert (ledger.unconfirmed, ledger.open) == ((), ())


def test_an_update_without_an_outcome_leaves_its_fields_unsure() -> None:
    ledger = after(intent(1, "update", "about.md", 12, "title slug"))
    assert ledger.entries["about.md"].fingerprints == {"title": "?new,t1", "content": "c1", "slug": UNSURE}
    assert ledger.entries["team.md"] == TEAM
    assert ledger.open == ()


def test_a_delete_without_an_outcome_leaves_every_field_unsure() -> None:
    ledger = after(intent(1, "delete", "about.md", 12))
    assert ledger.entries["about.md"].fingerprints == {"title": "?t1", "content": "?c1"}


def test_a_record_that_was_deleted_is_no_entry() -> None:
    ledger = after(intent(1, "delete", "about.md", 12), Removed(1, "about.md", Kind.PAGE, 12))
    assert ledger.entries == {"team.md": TEAM}


def test_a_renamed_record_is_under_its_new_name_alone() -> None:
    moved = entry("contact.md", 12)
    ledger = after(intent(1, "update", "contact.md", 12), Done(1, (moved,)))
    assert ledger.entries == {"contact.md": moved, "team.md": TEAM}


def test_an_unconfirmed_update_finds_its_record_under_another_name() -> None:
    ledger = after(intent(1, "update", "contact.md", 12, "content"))
    assert ledger.entries["about.md"].fingerprints == {"title": "t1", "content": "?c1,new"}


def test_names_can_be_swapped_in_one_line() -> None:
    swapped = (entry("team.md", 12), entry("about.md", 13))
    assert after(Done(0, swapped)).entries == {each.path: each for each in swapped}


def test_a_later_response_to_the_same_fields_settles_an_unconfirmed_update() -> None:
    lost, again = intent(1, "update", "about.md", 12), intent(2, "update", "about.md", 12, "title slug")
    assert after(lost, again, Done(2, (ABOUT,))).entries["about.md"] == ABOUT


def test_a_later_response_to_other_fields_settles_nothing_of_it() -> None:
    lost, other = intent(1, "update", "about.md", 12), intent(2, "update", "about.md", 12, "slug")
    assert after(lost, other, Done(2, (ABOUT,))).entries["about.md"].fingerprints["title"] == "?new,t1"


def test_an_earlier_response_settles_nothing_of_a_later_update() -> None:
    first, second = intent(1, "update", "about.md", 12), intent(2, "update", "about.md", 12)
    assert after(first, second, Done(1, (ABOUT,))).entries["about.md"].fingerprints["title"] == "?new,t1"


def test_an_entry_without_a_call_settles_no_doubt() -> None:
    ledger = after(
        intent(1, "update", "about.md", 12),
        intent(2, "create", "new.md"),
        Done(0, (ABOUT, entry("new.md", 9))),
    )
    assert ledger.entries["about.md"].fingerprints["title"] == "?new,t1"
    assert ledger.unconfirmed == (NEW,)


def test_an_unconfirmed_update_of_a_forgotten_record_is_forgotten_with_it() -> None:
    ledger = after(intent(1, "update", "about.md", 12), Removed(0, "about.md", Kind.PAGE, 12))
    assert (dict(ledger.entries), ledger.open) == ({"team.md": TEAM}, ())


def test_entries_can_be_walked_while_they_change() -> None:
    ledger = after()
    entries = ledger.entries
    for walk in (entries, entries.keys(), entries.values(), entries.items()):
        for number, _ in enumerate(walk, 100):
            ledger.take(Done(0, (entry(f"{number}.md", number),)))
    assert entries["100.md"].id == 100
    assert len(entries) == 2 + len([path for path in entries if path[0] == "1"])


_NAMES = ["a.md", "b.md", "c.md"]
_IDS = st.integers(1, 3)


@st.composite
def _runs(draw: st.DrawFn) -> list[Line]:
    """Draw the lines of calls in any order, settled, withdrawn or open, with entries put in between."""
    lines: list[Line] = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        path, id_ = draw(st.sampled_from(_NAMES)), draw(_IDS)
        action: Action = draw(st.sampled_from(("create", "update", "delete")))
        fields = draw(st.sampled_from(("title", "content", "title content")))
        lines.append(intent(number, action, path, None if action == "create" else id_, fields))
        match draw(st.sampled_from(("done", "removed", "withdrawn", "open", "put"))):
            case "done":
                lines.append(Done(number, (entry(path, id_, modified=str(number)),)))
            case "removed":
                lines.append(Removed(number, path, Kind.PAGE, id_))
            case "withdrawn":
                lines.append(Withdrawn(number, "no"))
            case "put":
                lines.append(Done(0, (entry(path, id_, modified=str(number)),)))
    return lines


@given(_runs())
def test_recovering_twice_ends_in_the_same(lines: Sequence[Line]) -> None:
    once = after(*lines)
    saved = Manifest(TARGET, dict(once.entries))
    again = after(*lines, known=saved)
    assert again.entries == once.entries
    assert again.open == once.open


@given(_runs(), st.integers(0, 20))
def test_no_record_is_ever_under_two_names(lines: Sequence[Line], cut: int) -> None:
    entries = after(*lines[:cut]).entries
    assert len({each.id for each in entries.values()}) == len(entries)
    assert all(path == each.path for path, each in entries.items())


def unconfirmed_in(*unconfirmed: UnconfirmedCreate, entries: tuple[Entry, ...] = ()) -> Manifest:
    return replace(manifest(*entries), unconfirmed=unconfirmed)


def told(number: int = 1) -> Intent:
    return structs.replace(intent(number, "create", "new.md"), told=True)


def test_a_create_that_the_manifest_names_is_unconfirmed_without_a_journal() -> None:
    assert after(known=unconfirmed_in(NEW)).unconfirmed == (NEW,)


def test_what_manifest_and_journal_doubt_is_one_doubt() -> None:
    assert after(intent(1, "create", "new.md"), known=unconfirmed_in(NEW)).unconfirmed == (NEW,)
    assert after(told(), known=unconfirmed_in(NEW)).unconfirmed == (NEW,)


@pytest.mark.parametrize(
    "end",
    [
        Done(1, (entry("new.md", 14),)),
        Withdrawn(1, "refused"),
        Resolved((NEW,), entry("new.md", 14)),
        Resolved((NEW,)),
    ],
)
@pytest.mark.parametrize("saved", [manifest(), unconfirmed_in(NEW), manifest(entry("new.md", 14))])
def test_an_end_in_the_journal_is_one_whichever_manifest_was_saved_before_it(
    end: Line, saved: Manifest
) -> None:
    ledger = after(intent(1, "create", "new.md"), end, known=saved)
    assert (ledger.unconfirmed, ledger.open) == ((), ())


def test_resolving_settles_the_unconfirmed_creates_that_it_names_and_no_other() -> None:
    later = structs.replace(NEW, time="2025")
    ledger = after(Resolved((NEW,), entry("new.md", 14)), known=unconfirmed_in(NEW, later))
    assert ledger.unconfirmed == (later,)
    assert ledger.entries == {"new.md": entry("new.md", 14)}


def test_what_the_manifest_doubted_and_has_a_record_for_now_was_settled_elsewhere() -> None:
    assert after(told(), known=manifest(entry("new.md", 14))).unconfirmed == ()


def test_what_no_manifest_has_doubted_yet_may_be_a_second_record() -> None:
    ledger = after(intent(1, "create", "new.md"), known=manifest(entry("new.md", 14)))
    assert ledger.unconfirmed == (NEW,)


def test_an_older_manifest_does_not_take_an_unconfirmed_create_away() -> None:
    assert after(told(), known=manifest()).unconfirmed == (NEW,)


def test_a_manifest_that_never_goes_back_takes_it_away() -> None:
    assert recover(manifest(), [told()], goes_back=False).unconfirmed == ()
    assert recover(manifest(), [intent(1, "create", "new.md")], goes_back=False).unconfirmed == (NEW,)


def test_of_two_unconfirmed_creates_for_one_path_what_both_were_sent_with_counts() -> None:
    first = structs.replace(NEW, fingerprints={"title": "same", "content": "one"})
    second = structs.replace(NEW, time="2025", fingerprints={"title": "same", "content": "two"})
    assert by_path([second, first]) == {"new.md": structs.replace(second, fingerprints={"title": "same"})}
