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
from pressync.state.journal_lines import Done, Intent, Removed, Resolved, Withdrawn, by_path, recover

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.model.records import Entry
    from pressync.state.journal_lines import Action, Ledger, Line

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


MADE = entry("new.md", 14)
LATER = structs.replace(NEW, time="2025")
CREATES = intent(1, "create", "new.md")
TOLD = structs.replace(CREATES, told=True)


@pytest.mark.parametrize(
    ("lines", "entries"),
    [
        ([CREATES, Done(1, (MADE,))], [ABOUT, TEAM, MADE]),
        ([CREATES, Withdrawn(1, "refused")], [ABOUT, TEAM]),
        ([intent(1, "delete", "about.md", 12), Removed(1, "about.md", Kind.PAGE, 12)], [TEAM]),
        # A renamed record is under its new name alone, and names can be swapped in one line.
        (
            [intent(1, "update", "contact.md", 12), Done(1, (entry("contact.md", 12),))],
            [entry("contact.md", 12), TEAM],
        ),
        (
            [Done(0, (entry("team.md", 12), entry("about.md", 13)))],
            [entry("team.md", 12), entry("about.md", 13)],
        ),
        # An unconfirmed update of a record that is forgotten is forgotten with it.
        ([intent(1, "update", "about.md", 12), Removed(0, "about.md", Kind.PAGE, 12)], [TEAM]),
    ],
)
def test_a_call_with_an_outcome_leaves_nothing_open(lines: list[Line], entries: list[Entry]) -> None:
    ledger = after(*lines)
    assert ledger.entries == {each.path: each for each in entries}
    assert (ledger.unconfirmed, ledger.open) == ((), ())


LOST = intent(1, "update", "about.md", 12)
SETTLED = Done(2, (ABOUT,))
UNSURE_TITLE = {"title": "?new,t1", "content": "c1"}


@pytest.mark.parametrize(
    ("lines", "fingerprints"),
    [
        ([intent(1, "update", "about.md", 12, "title slug")], {**UNSURE_TITLE, "slug": UNSURE}),
        ([intent(1, "delete", "about.md", 12)], {"title": "?t1", "content": "?c1"}),
        # The record is found under another name.
        ([intent(1, "update", "contact.md", 12, "content")], {"title": "t1", "content": "?c1,new"}),
        # A later response settles the same fields and no others, and an earlier one settles nothing.
        ([LOST, intent(2, "update", "about.md", 12), SETTLED], ABOUT.fingerprints),
        ([LOST, intent(2, "update", "about.md", 12, "title slug"), SETTLED], ABOUT.fingerprints),
        ([LOST, intent(2, "update", "about.md", 12, "slug"), SETTLED], UNSURE_TITLE),
        ([LOST, intent(2, "update", "about.md", 12), Done(1, (ABOUT,))], UNSURE_TITLE),
        # Nor does an entry without a call.
        ([LOST, Done(0, (ABOUT,))], UNSURE_TITLE),
    ],
)
def test_a_call_without_outcome_leaves_doubt(lines: list[Line], fingerprints: dict[str, str]) -> None:
    ledger = after(*lines)
    assert ledger.entries["about.md"].fingerprints == fingerprints
    assert ledger.entries["team.md"] == TEAM
    assert ledger.open == ()


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


@pytest.mark.parametrize(
    ("lines", "known", "unconfirmed"),
    [
        ([CREATES], manifest(ABOUT), (NEW,)),
        ([CREATES, Done(0, (MADE,))], manifest(ABOUT), (NEW,)),
        # The manifest names it, with or without the journal.
        ([], unconfirmed_in(NEW), (NEW,)),
        ([CREATES], unconfirmed_in(NEW), (NEW,)),
        ([TOLD], unconfirmed_in(NEW), (NEW,)),
        # It was settled elsewhere if a manifest has doubted it; otherwise it may be a second record.
        ([TOLD], manifest(MADE), ()),
        ([CREATES], manifest(MADE), (NEW,)),
        # An older manifest does not take it away.
        ([TOLD], manifest(), (NEW,)),
    ],
)
def test_a_create_without_an_outcome_is_unconfirmed(
    lines: list[Line], known: Manifest, unconfirmed: tuple[UnconfirmedCreate, ...]
) -> None:
    ledger = after(*lines, known=known)
    assert ledger.unconfirmed == unconfirmed
    assert ledger.next_number == (2 if lines else 1)


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
def test_an_end_in_the_journal_is_one_whichever_manifest_was_saved(end: Line, saved: Manifest) -> None:
    ledger = after(intent(1, "create", "new.md"), end, known=saved)
    assert (ledger.unconfirmed, ledger.open) == ((), ())


def test_resolving_settles_the_unconfirmed_creates_that_it_names_and_no_other() -> None:
    ledger = after(Resolved((NEW,), MADE), known=unconfirmed_in(NEW, LATER))
    assert (ledger.unconfirmed, ledger.entries) == ((LATER,), {"new.md": MADE})


def test_a_manifest_that_never_goes_back_takes_it_away() -> None:
    assert recover(manifest(), [TOLD], goes_back=False).unconfirmed == ()
    assert recover(manifest(), [CREATES], goes_back=False).unconfirmed == (NEW,)


def test_of_two_unconfirmed_creates_for_one_path_what_both_were_sent_with_counts() -> None:
    first = structs.replace(NEW, fingerprints={"title": "same", "content": "one"})
    second = structs.replace(NEW, time="2025", fingerprints={"title": "same", "content": "two"})
    assert by_path([second, first]) == {"new.md": structs.replace(second, fingerprints={"title": "same"})}
