"""Equal reasons, messages and problems are one line with a count; those that say more stay apart."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.builders import blocked, entry

from pressync.cli.report import words
from pressync.model.changes import Outcome, Result
from pressync.model.errors import Code, Problem
from pressync.model.reason import Reason, ReasonCode
from pressync.plan import reasons

if TYPE_CHECKING:
    from pressync.model.changes import Blocked


def _refused(path: str, sentence: str, **facts: str) -> Blocked:
    return blocked(path, Reason(ReasonCode.NO_PARENT, facts, sentence))


def test_reasons_of_one_code_are_one_group_however_they_are_worded() -> None:
    changes = [
        _refused("a.md", "its parent is missing", parent="p.md"),
        _refused("b.md", "p.md has no record"),
    ]
    assert len(words.grouped_changes(changes)) == 2
    changes[1] = replace(changes[1], why=replace(changes[1].why, facts={"parent": "p.md"}))
    assert words.grouped_changes(changes) == [changes]
    outcomes = [Outcome.because(change, Result.BLOCKED, change.why) for change in changes]
    assert words.grouped_outcomes(outcomes) == [outcomes]
    assert len({words.same_reason(c.why, c.path) for c in changes}) == 1
    other = replace(changes[0], why=replace(changes[0].why, code=ReasonCode.PARENT_DELETED))
    assert words.grouped_changes([changes[0], other]) == [changes[:1], [other]]


def test_a_number_the_own_path_and_a_fact_of_one_record_part_nothing_and_another_fact_does() -> None:
    def broken(path: str, line: int, file: str, what: str = "no number") -> Blocked:
        return blocked(path, reasons.broken(Problem(file, line, what, code=Code.VALUE), path))

    own = [broken("a.md", 3, "a.md"), broken("b.md", 9, "b.md")]
    template = [broken("c.md", 3, "wide.html"), broken("d.md", 3, "wide.html")]
    other = broken("e.md", 3, "e.md", "no date")
    assert words.grouped_changes([*own, *template, other]) == [own, template, [other]]


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
        "; also content/pages/p1.md, content/pages/p2.md and 6 more; `pressync status` lists all paths, "
        "with their ids"
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
    (alike,) = words.grouped_problems(replace(LAYOUT, path=f"p{number}.md") for number in range(4053))
    assert str(words.merged_problem(alike)) == (
        "p0.md:3: its layout is `post`; add that template; also p1.md:3, p2.md:3 and 4050 more"
    )
    assert words.merged_problem([LAYOUT]) == LAYOUT
    without = [replace(LAYOUT, todo=""), replace(LAYOUT, path="b.md", line=0)]
    assert words.merged_problem(without).todo == "also b.md"


def test_another_text_severity_or_code_stays_apart_in_the_order_of_the_first() -> None:
    others = [
        replace(LAYOUT, what="its layout is `page`"),
        replace(LAYOUT, warning=True),
        replace(LAYOUT, code=Code.TEMPLATE),
    ]
    assert words.grouped_problems([*others, LAYOUT, replace(others[0], line=9)]) == [
        [others[0], replace(others[0], line=9)],
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
        replace(LAYOUT, what=f"links to `/img/{n}.png`", alike="links to files in `/img/`") for n in "aab"
    ]
    (alike,) = words.grouped_problems(links)
    assert words.merged_problem(alike).what == "links to files in `/img/`"
    assert words.merged_problem(alike[:2]).what == "links to `/img/a.png`"
