"""Columns that stay aligned in every script, and lines that end where the terminal ends."""

from __future__ import annotations

import pytest

from pressync.cli.report.layout import BOLD, fitted, paint, table, width, wrapped

SENTENCE = "content/a.md:3: the picture is missing; add it, or run `pressync check --strict a.md` first"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        *(("about.md", 8), ("日本語.md", 9), ("é", 1), ("e\u0301", 1), ("👍", 2), ("", 0)),
        ("\x1b[32m+\x1b[0m a.md", 6),
    ],
)
def test_a_text_is_as_wide_as_a_terminal_shows_it(text: str, columns: int) -> None:
    assert width(text) == columns


def test_columns_are_aligned_whatever_the_script() -> None:
    assert table([("new", "日本語.md", "x"), ("changed", "about.md"), ("new", "a.md", "y")]) == [
        "new      日本語.md  x",
        "changed  about.md",
        "new      a.md       y",
    ]
    assert table([]) == []
    long = "a" * 200
    first, second = table([(long, "x"), ("b", "y")])
    assert first == f"{long}  x"
    assert len(second) < 70


def test_a_pipe_gets_one_line_and_an_address_stays_whole() -> None:
    assert wrapped(SENTENCE, None, 4) == SENTENCE
    assert wrapped("ok       lock:  free", 20, 4) == "ok       lock:  free"
    assert wrapped("one two three four", 12, 23) == "one two\n    three\n    four"
    address = f"https://site.test/{'a' * 90}/"
    assert wrapped(f"new  {address} end", 40, 4) == f"new\n    {address}\n    end"
    # An open quotation of a stranger costs no time.
    assert wrapped("`a " * 20_000, 80, 4).count("\n") > 100


@pytest.mark.parametrize("columns", [80, 60, 44])
def test_a_long_line_goes_on_below_indented_and_a_command_stays_whole(columns: int) -> None:
    first, *others = wrapped(SENTENCE, columns, 4).split("\n")
    assert others
    assert all(line.startswith("    ") and width(line) <= columns for line in others)
    assert " ".join([first, *map(str.strip, others)]) == SENTENCE
    assert any("`pressync check --strict a.md`" in line for line in others)


def test_colour_is_for_those_who_want_it() -> None:
    assert paint("x", BOLD, colour=True) == "\x1b[1mx\x1b[0m"
    assert paint("x", BOLD, colour=False) == "x"
    assert paint("", BOLD, colour=True) == ""


def test_a_report_goes_on_below_its_paths_but_a_diff_keeps_its_lines() -> None:
    change = f"  + a.md  page  {'because ' * 12}".rstrip()
    edit = f"      | +{'word ' * 30}"
    report = f"{change}\n{edit}\nPlan.\n"
    assert fitted(report, None) == report
    first, second, *others = fitted(report, 60).split("\n")
    assert (width(first) <= 60, second.startswith("    because")) == (True, True)
    assert others[-3:] == [edit, "Plan.", ""]
