"""Equal warnings about many files are one line."""

from __future__ import annotations

from pressync.cli.report.warning_groups import groups, line, others

SLUG = "slug: sent '{0}', the service made it '{0}-2'"


def test_warnings_that_differ_in_values_and_numbers_are_one_line_with_a_count_and_the_first_places() -> None:
    said = [(f"content/pages/p{number}.md", SLUG.format(f"p{number}")) for number in range(2998)]
    (alike,) = groups(said)
    assert line(alike) == (
        "content/pages/p0.md: slug: sent 'p0', the service made it 'p0-2'; "
        "also content/pages/p1.md, content/pages/p2.md and 2995 more"
    )


def test_an_apostrophe_in_a_value_does_not_part_what_is_alike() -> None:
    said = [
        ("a.md", "title: sent 'Don't', the service made it 'Dont'"),
        ("b.md", "title: sent 'B', the service made it 'b'"),
    ]
    assert len(groups(said)) == 1


def test_other_fields_and_other_words_stay_apart_in_the_order_of_their_first() -> None:
    said = [
        ("a.md", SLUG.format("a")),
        ("b.md", "content: the service changed it (812 characters sent, 799 came back)"),
        ("c.md", SLUG.format("c")),
        ("d.md", "content: the service changed it (9 characters sent, 7 came back)"),
        ("e.md", "password: the service made it another one than was sent"),
    ]
    assert [[path for path, _ in group] for group in groups(said)] == [
        ["a.md", "c.md"],
        ["b.md", "d.md"],
        ["e.md"],
    ]


def test_one_alone_names_nobody_else() -> None:
    assert line([("a.md", "why")]) == "a.md: why"
    assert others([]) == ""
    assert others(["b.md"]) == "; also b.md"


def test_what_comes_from_outside_stays_on_its_line() -> None:
    shown = line([("a\n.md", "x\x1b[2J"), ("b\n.md", "y")])
    assert shown.isprintable()
