"""The tables of records: a row for each, each reason once, and the numbers last."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.builders import TARGET, entry, manifest, why
from tests.support.plan_samples import STANDINGS, hostile_standings

from pressync.cli.report import tables
from pressync.cli.report.layout import width
from pressync.cli.report.tables import status
from pressync.model.interface import Kind
from pressync.model.outcomes import Standing
from pressync.model.records import Medium, Name, UnconfirmedCreate


def test_a_status_line_by_line() -> None:
    assert status(STANDINGS) == (
        "up to date  page 7  content/pages/about.md  2024-01-31T12:00:00  https://site.test/about/\n"
        "conflict    page 9  content/pages/team.md   2024-01-31T12:00:00  https://site.test/team/\n"
        "blocked     post    content/posts/hello.md\n"
        "\n"
        "content/pages/team.md: title changed on the site\n"
        "content/posts/hello.md: the service cannot create a post\n"
        "1 blocked, 1 in conflict, 1 up to date.\n"
    )


def test_notes_of_editors_are_counted_at_their_record_and_below_all() -> None:
    first, second = (replace(each, notes=count) for each, count in zip(STANDINGS[:2], (2, 1), strict=True))
    rows = status([first, second]).splitlines()
    assert rows[0].endswith("  2 notes")
    assert rows[1].endswith("  1 note")
    assert rows[-1] == "1 in conflict, 1 up to date; 3 notes of editors."


def test_a_status_of_nothing() -> None:
    assert status([]) == "No documents and no records; `pressync plan` says where documents have to be.\n"


def test_a_reason_of_many_records_is_told_once_with_their_number() -> None:
    posts = [
        Standing(f"p{number}.md", Kind.POST, None, "blocked", why(f"then `pressync adopt p{number}.md ID`"))
        for number in range(558)
    ]
    *rows, blank, reason, counts = status(posts).splitlines()
    assert (len(rows), blank) == (558, "")
    assert reason == "p0.md and 557 more: then `pressync adopt p0.md ID`"
    assert counts == "558 blocked."


def test_the_numbers_name_what_a_sync_would_do() -> None:
    states = ["in_step"] * 2 + ["new", "new", "changed", "deleted", "in_doubt"]
    standings = [Standing(f"{number}.md", Kind.PAGE, None, state) for number, state in enumerate(states)]
    assert status(standings).endswith("\n2 to create, 1 changed, 1 to delete, 1 unconfirmed, 2 up to date.\n")


@pytest.mark.parametrize("columns", [80, 40])
def test_a_row_that_is_wider_than_the_terminal_goes_on_below(columns: int) -> None:
    lines = status(STANDINGS, columns=columns).splitlines()
    assert max(map(width, lines)) <= columns
    assert lines[0].startswith("up to date  page 7")
    assert lines[1].startswith("            ")


def test_colour_marks_the_state_and_the_numbers() -> None:
    shown = status(STANDINGS, colour=True)
    assert shown.startswith("\x1b[32mup to date\x1b[0m  page 7  ")
    assert "\n\x1b[31mblocked\x1b[0m     post    content/posts/hello.md\n" in shown
    assert shown.endswith("\x1b[1m1 blocked, 1 in conflict, 1 up to date.\x1b[0m\n")


def test_whatever_comes_from_outside_stays_in_its_row_and_does_nothing() -> None:
    shown = status(hostile_standings())
    assert len(shown.splitlines()) == len(hostile_standings()) + 3
    assert all(character == "\n" or character.isprintable() for character in shown)
    assert "##[" not in shown
    assert not [line for line in shown.splitlines() if line.strip().startswith("::")]


def test_every_noun_has_its_lines_and_the_numbers_come_last() -> None:
    known = replace(
        manifest(entry("b.md", 2), entry("a/long.md", 1)),
        names={Name("tags", "News"): 4},
        media={"b1": Medium("b1", "x.jpg", 31, "https://site.test/x.jpg")},
        unconfirmed=(UnconfirmedCreate("c.md", Kind.POST, "c", "2024-01-31T12:00:00+00:00", "c", {}),),
    )
    assert tables.manifest(known) == (
        "page 1  a/long.md  2024-01-31T12:00:00  https://site.test/long/\n"
        "page 2  b.md       2024-01-31T12:00:00  https://site.test/b/\n"
        "\n"
        "tags 4  News\n"
        "\n"
        "media 31  x.jpg  https://site.test/x.jpg\n"
        "\n"
        "post  c.md  2024-01-31T12:00:00+00:00\n"
        "\n"
        f"2 records, 1 names, 1 files, 1 unconfirmed on {TARGET}.\n"
    )


def test_an_empty_manifest_is_no_record() -> None:
    assert tables.manifest(manifest()) == f"0 records on {TARGET}.\n"


def test_what_the_site_said_cannot_write_to_the_terminal() -> None:
    assert "\x1b" not in tables.manifest(manifest(entry("a.md", 1, link="\x1b[31m")))
