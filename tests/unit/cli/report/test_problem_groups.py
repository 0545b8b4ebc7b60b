"""Equal problems of many files are one problem."""

from __future__ import annotations

from dataclasses import replace

from pressync.cli.report.problem_groups import groups, merged
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

LAYOUT = Problem("a.md", 3, "its layout is `post`", "add that template", code=Code.MISSING_LAYOUT)


def test_thousands_of_equal_problems_are_one_with_the_first_places_and_a_count() -> None:
    (alike,) = groups(replace(LAYOUT, path=f"p{number}.md") for number in range(4053))
    assert str(merged(alike)) == (
        "p0.md:3: its layout is `post`; add that template; also p1.md:3, p2.md:3 and 4050 more"
    )


def test_another_text_severity_or_code_stays_apart_in_the_order_of_the_first() -> None:
    others = [
        replace(LAYOUT, what="its layout is `page`"),
        replace(LAYOUT, warning=True),
        replace(LAYOUT, code=Code.TEMPLATE),
    ]
    assert groups([*others, LAYOUT, replace(others[0], line=9)]) == [
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
    assert groups(gone) == [[gone[0]], [gone[1]]]
    assert groups(gone, similar=True) == [gone]


def test_problems_with_one_text_for_the_group_are_equal_and_one_alone_says_which_it_is() -> None:
    links = [
        replace(LAYOUT, what=f"links to `/img/{n}.png`", alike="links to files in `/img/`") for n in "aab"
    ]
    (alike,) = groups(links)
    assert merged(alike).what == "links to files in `/img/`"
    assert merged(alike[:2]).what == "links to `/img/a.png`"


def test_one_alone_stays_as_it_is_and_a_file_without_a_line_is_named_by_its_path() -> None:
    assert merged([LAYOUT]) == LAYOUT
    assert merged([replace(LAYOUT, todo=""), replace(LAYOUT, path="b.md", line=0)]).todo == "also b.md"
