"""Equal reasons and problems are one line with a count; so are new records that nobody sees."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from tests.support.builders import blocked, create, entry, plan, prints, update

from pressync.cli.report import documents, html, markdown, text, words
from pressync.cli.report.text import status
from pressync.config.keys import EMBEDDED
from pressync.model.changes import Outcome, Result
from pressync.model.errors import Code, Problem
from pressync.model.interface import Kind
from pressync.model.outcomes import RunResult, Standing
from pressync.model.reason import NO_REASON, Reason, ReasonCode
from pressync.model.visibility import Visibility
from pressync.plan import reasons

if TYPE_CHECKING:
    from pressync.model.changes import Blocked, Update


def _refused(path: str, sentence: str, **facts: str) -> Blocked:
    return blocked(path, Reason(ReasonCode.NO_PARENT, facts, sentence))


def test_reasons_of_one_code_are_one_group_however_they_are_worded() -> None:
    changes = [
        _refused("a.md", "its parent is missing", parent="p.md"),
        _refused("b.md", "p.md has no record"),
    ]
    assert len(words.change_rows(changes)) == 2
    changes[1] = replace(changes[1], why=replace(changes[1].why, facts={"parent": "p.md"}))
    assert [row.paths for row in words.change_rows(changes)] == [[each.path for each in changes]]
    outcomes = [Outcome.because(change, Result.BLOCKED, change.why) for change in changes]
    assert [row.paths for row in words.outcome_rows(outcomes)] == [[each.path for each in changes]]
    assert len({words.same_reason(c.why, c.path) for c in changes}) == 1
    other = replace(changes[0], why=replace(changes[0].why, code=ReasonCode.PARENT_DELETED))
    assert len(words.change_rows([changes[0], other])) == 2


def test_a_number_the_own_path_and_a_fact_of_one_record_part_nothing_and_another_fact_does() -> None:
    def broken(path: str, line: int, file: str, what: str = "no number") -> Blocked:
        return blocked(path, reasons.broken(Problem(file, line, what, code=Code.VALUE), path))

    own = [broken("a.md", 3, "a.md"), broken("b.md", 9, "b.md")]
    template = [broken("c.md", 3, "wide.html"), broken("d.md", 3, "wide.html")]
    other = broken("e.md", 3, "e.md", "no date")
    assert [len(row.paths) for row in words.change_rows([*own, *template, other])] == [
        len(own),
        len(template),
        1,
    ]


def test_the_commands_of_a_group_are_for_all_its_paths() -> None:
    paths = ("content/pages/a.md", "content/pages/b c.md")
    edited = [(path, str(reasons.conflict(("content",), path, read=True))) for path in paths]
    assert words.group_sentence(edited) == (
        "content changed on the site since the last sync; take the change into the file "
        "(`pressync pull content/pages/a.md 'content/pages/b c.md'`), or "
        "`pressync sync --overwrite content/pages/a.md 'content/pages/b c.md'` to send the repository's "
        "values"
    )
    made = [(path, str(reasons.forgotten(entry(path, 7 + n)))) for n, path in enumerate(paths)]
    assert (
        "`pressync adopt content/pages/a.md 7 && pressync adopt 'content/pages/b c.md' 8`, or "
        "`pressync forget content/pages/a.md 'content/pages/b c.md'` to create a new one"
    ) in words.group_sentence(made)


def test_a_long_group_has_the_command_of_the_first_and_says_how_to_list_all() -> None:
    paths = [f"content/pages/p{n}.md" for n in range(9)]
    shown = words.group_sentence([(p, str(reasons.conflict(("content",), p, read=True))) for p in paths])
    assert "`pressync sync --overwrite content/pages/p0.md`" in shown
    assert shown.endswith(
        "; also content/pages/p1.md, content/pages/p2.md and 6 more; `pressync status` has the commands "
        "for all paths"
    )


SLUG = "slug: sent '{0}', the service made it '{0}-2'"


def test_messages_that_differ_in_values_and_numbers_are_one_line_with_a_count_and_the_first_places() -> None:
    said = [(f"content/pages/p{number}.md", SLUG.format(f"p{number}")) for number in range(2998)]
    (alike,) = words.grouped_messages(said)
    assert words.group_line(alike) == (
        "content/pages/p0.md: slug: sent 'p0', the service made it 'p0-2'; "
        "also content/pages/p1.md, content/pages/p2.md and 2995 more"
    )
    assert words.group_line(alike[:1]) == "content/pages/p0.md: slug: sent 'p0', the service made it 'p0-2'"
    said = [
        ("a.md", SLUG.format("Don't")),
        ("b.md", "content: the service changed it (812 characters sent, 799 came back)"),
        ("c.md", SLUG.format("c")),
        ("d.md", "content: the service changed it (9 characters sent, 7 came back)"),
        ("e.md", "password: the service made it another one than was sent"),
    ]
    assert [[path for path, _ in group] for group in words.grouped_messages(said)] == [
        ["a.md", "c.md"],
        ["b.md", "d.md"],
        ["e.md"],
    ]


LAYOUT = Problem("a.md", 3, "its layout is `post`", "add that template", code=Code.MISSING_LAYOUT)


def test_equal_problems_are_one_with_the_first_places_and_a_count() -> None:
    (alike,) = words.grouped_problems(LAYOUT._replace(path=f"p{number}.md") for number in range(4053))
    assert str(words.merged_problem(alike)) == (
        "p0.md:3: its layout is `post`; add that template; also p1.md:3, p2.md:3 and 4050 more"
    )
    assert words.merged_problem([LAYOUT]) == LAYOUT
    without = [LAYOUT._replace(todo=""), LAYOUT._replace(path="b.md", line=0)]
    assert words.merged_problem(without).todo == "also b.md"


def test_another_text_severity_or_code_stays_apart_in_the_order_of_the_first() -> None:
    others = [
        LAYOUT._replace(what="its layout is `page`"),
        LAYOUT._replace(warning=True),
        LAYOUT._replace(code=Code.TEMPLATE),
    ]
    assert words.grouped_problems([*others, LAYOUT, others[0]._replace(line=9)]) == [
        [others[0], others[0]._replace(line=9)],
        [others[1]],
        [others[2]],
        [LAYOUT],
    ]


def test_similar_problems_may_differ_in_an_id_and_in_their_own_path() -> None:
    gone = [
        Problem(path, 0, f"page {number} is gone", f"adopt {path} {number}", code=Code.MANIFEST)
        for path, number in (("a.md", 7), ("b.md", 12))
    ]
    assert words.grouped_problems(gone) == [[gone[0]], [gone[1]]]
    assert words.grouped_problems(gone, similar=True) == [gone]


def test_problems_with_one_text_for_the_group_are_equal_and_one_alone_says_which_it_is() -> None:
    links = [
        LAYOUT._replace(what=f"links to `/img/{n}.png`", alike="links to files in `/img/`") for n in "aab"
    ]
    (alike,) = words.grouped_problems(links)
    assert words.merged_problem(alike).what == "links to files in `/img/`"
    assert words.merged_problem(alike[:2]).what == "links to `/img/a.png`"


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
    post = replace(change, kind=Kind.POST)
    assert words.plan_notes(plan(post))[0].startswith("1 record will get a new address: afterwards, ")
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
    shown = json.loads(documents.status("x", rows))["records"]
    seen = "https://site.test/?page_id=97&preview=true"
    assert [(row["status"], row["date"], row["preview"]) for row in shown] == [
        ("draft", None, seen),
        ("future", LATER, seen),
        ("publish", None, None),
    ]
    _heads, first, second, third = (line.split() for line in status(rows).splitlines()[:4])
    assert "draft" in first
    assert first[-1] == seen
    assert second[-2:] == [seen, LATER]
    assert third[-1] == "https://site.test/c/"


def test_an_adopted_record_at_the_address_of_its_document_gets_no_new_address() -> None:
    path = "content/pages/a.md"
    change = update(path, "slug", "title", old=entry(path, fingerprints={}))
    assert words.plan_notes(plan(change)) == []
    other = update(path, "slug", old=entry(path, fingerprints={}), slug="b")
    assert "1 record will get a new address" in words.plan_notes(plan(other))[0]
