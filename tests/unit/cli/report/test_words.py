"""The reports say which new records nobody sees, where an editor sees them, and that addresses change."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import create, entry, plan, prints, update

from pressync.cli.report import documents, html, markdown, text, words
from pressync.cli.report.text import status
from pressync.config.keys import EMBEDDED
from pressync.model.changes import Outcome, Result
from pressync.model.outcomes import RunResult, Standing
from pressync.model.reason import NO_REASON
from pressync.model.visibility import Visibility

if TYPE_CHECKING:
    from pressync.model.changes import Update

LATER = "2999-01-01T00:00:00"


def draft(name: str, status: str = "draft", **changes: str) -> Outcome:
    """Make the outcome of the create of a record that visitors do not see."""
    path, number = f"content/pages/{name}.md", ord(name)
    made = create(path, fingerprints=prints(path, status=status), **changes)
    known = entry(path, number, link=f"https://site.test/?page_id={number}")
    known = structs.replace(known, fingerprints=prints(path, status=status))
    return Outcome(made, Result.DONE, "", known)


DRAFTS = [draft(name) for name in "abcde"]
SCHEDULED = draft("f", "future", date=LATER)


def run(*outcomes: Outcome) -> RunResult:
    """Make the run that ended so."""
    return RunResult(plan(*(each.change for each in outcomes)), outcomes)


def moved(was: str = "publish") -> Update:
    """Make the update that gives a record another slug."""
    path = "content/pages/a.md"
    return update(path, "slug", old=entry(path, fingerprints=prints(path, status=was)), slug="b")


@pytest.mark.parametrize("write", [text.plan, markdown.plan, html.plan])
def test_each_format_of_a_plan_has_the_status_and_counts_what_nobody_will_see(write: object) -> None:
    assert callable(write)
    shown = write(plan(DRAFTS[0].change, SCHEDULED.change, create("content/pages/g.md")))
    assert "Visitors do not see 2 new records" in shown
    assert all(word in shown for word in ("draft", "future", "publish", f"visible from {LATER}"))


def test_a_run_names_the_first_previews_and_counts_the_others() -> None:
    assert text.run(run(*DRAFTS)).splitlines()[:-1] == [
        "Visitors do not see 5 new records (draft). Log in to see them:",
        "  content/pages/a.md: https://site.test/?page_id=97&preview=true",
        "  content/pages/b.md: https://site.test/?page_id=98&preview=true",
        "  content/pages/c.md: https://site.test/?page_id=99&preview=true",
        "  … and 2 more, which `pressync status` has",
    ]
    ended = run(DRAFTS[0])
    here = replace(ended, plan=replace(ended.plan, target=EMBEDDED))
    assert text.run(here).startswith("Visitors do not see 1 new record (draft). Look at it here:\n")
    outcome = DRAFTS[0]
    assert outcome.entry
    plain = replace(outcome, entry=structs.replace(outcome.entry, link="https://site.test/a/"))
    assert words.run_notes([plain]) == ["Visitors do not see 1 new record (draft)."]


def test_a_move_names_the_command_for_redirects_where_somebody_misses_the_old_address() -> None:
    change = moved()
    assert words.plan_notes(plan(change)) == [
        (
            "1 record will get a new address, with all pages below it: afterwards, `pressync redirects` "
            "prints the old and the new address of each."
        )
    ]
    there = structs.replace(change.entry, link="https://site.test/b/")
    assert words.run_notes([Outcome(change, Result.DONE, "", there)] * 2) == [
        (
            "2 records got new addresses, with all pages below them: `pressync redirects` prints the old and "
            "the new address of each."
        )
    ]
    draft, path = moved("draft"), "content/pages/a.md"
    for nothing in (draft, update(path, "slug", "status")):
        assert words.plan_notes(plan(nothing)) == []
    assert words.plan_notes(plan(update(path, "parent"))) != []
    for ended in (
        Outcome(draft, Result.DONE, "", structs.replace(draft.entry, link="https://site.test/b/")),
        Outcome(change, Result.DONE, "", change.entry),
        Outcome(change, Result.FAILED, "403"),
    ):
        assert words.run_notes([ended]) == []


def test_a_run_counts_the_records_of_its_plan_and_not_the_pages_below_them() -> None:
    def done(change: Update, before: str, after: str) -> Outcome:
        old, new = (
            structs.replace(change.entry, link=f"https://site.test{link}") for link in (before, after)
        )
        return Outcome(replace(change, entry=old), Result.DONE, "", new)

    renamed = moved()
    child, other = replace(moved(), fields=("content",)), replace(moved(), fields=("date",))
    outcomes = [
        done(renamed, "/docs/", "/manual/"),
        done(child, "/docs/a/", "/manual/a/"),
        done(child, "/docs/a/b/c/", "/manual/a/b/c/"),
        done(renamed, "/docs/d/", "/manual/e/"),
        done(other, "/docsy/", "/2026/docsy/"),
    ]
    assert words.run_notes(outcomes)[0].startswith("3 records got new addresses, with all pages below them")
    assert words.run_notes(outcomes[:3])[0].startswith("1 record got a new address, with all pages below it")
    assert words.plan_notes(plan(renamed, child))[0].startswith("1 record will get a new address, with all")


@pytest.mark.parametrize(
    ("fields", "below"), [(("front_page",), ""), (("front_page", "slug"), ", with all pages below it")]
)
def test_the_pages_below_a_front_page_keep_their_addresses(fields: tuple[str, ...], below: str) -> None:
    change = replace(moved(), fields=fields)
    there = structs.replace(change.entry, link="https://site.test/")
    (line,) = words.run_notes([Outcome(change, Result.DONE, "", there)])
    assert line.startswith(f"1 record got a new address{below}: ")


def test_status_shows_the_status_the_preview_and_the_date() -> None:
    hidden = DRAFTS[0].entry
    assert hidden
    rows = [
        Standing("a.md", hidden.kind, hidden, "in_step", NO_REASON, Visibility("draft")),
        Standing("b.md", hidden.kind, hidden, "in_step", NO_REASON, Visibility("future", LATER)),
        Standing("c.md", hidden.kind, entry("c.md"), "in_step", NO_REASON, Visibility("publish")),
    ]
    shown = json.loads(json.dumps(documents.status_document("x", rows)))["records"]
    seen = "https://site.test/?page_id=97&preview=true"
    assert [(row["status"], row["date"], row["preview"]) for row in shown] == [
        ("draft", None, seen),
        ("future", LATER, seen),
        ("publish", None, None),
    ]
    first, second, third = (line.split() for line in status(rows).splitlines()[:3])
    assert "draft" in first
    assert first[-1] == seen
    assert second[-4:] == [seen, "visible", "from", LATER]
    assert third[-1] == "https://site.test/c/"


def test_an_adopted_record_at_the_address_of_its_document_gets_no_new_address() -> None:
    path = "content/pages/a.md"
    change = update(path, "slug", "title", old=entry(path, fingerprints={}))
    assert words.plan_notes(plan(change)) == []
    other = update(path, "slug", old=entry(path, fingerprints={}), slug="b")
    assert "1 record will get a new address" in words.plan_notes(plan(other))[0]
