"""Headings, half merges and costly pieces are found in the text, before it is rendered."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.share import part
from tests.support.terminal import Terminal

from pressync.config.settings import load
from pressync.content import markdown_text
from pressync.content.documents import DocumentReader
from pressync.content.markdown_text import Heading, first_heading, unresolved
from pressync.model.records import Source

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository


def title(markdown: str) -> str | None:
    heading = first_heading(markdown)
    return heading.text if heading else None


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("## Hello ##\ntext", "Hello"),
        ("Text before.\n\n### C# and F#\n", "C# and F#"),
        ("Hello\nworld\n=====\n", "Hello world"),
        ("# Set up {#setup}\n", "Set up"),
    ],
)
def test_a_heading_is_marked_or_underlined(markdown: str, text: str) -> None:
    assert title(markdown) == text


@pytest.mark.parametrize(
    "markdown",
    [
        "```sh\n# a comment\n```\n# Yes",
        "~~~~\n# a comment\n~~~\n# a comment\n~~~~\n# Yes",
        "<!-- # no\n\n# no -->\n# Yes",
        "- item\n---\n# Yes",
        "| a |\n---\n\n# Yes",
    ],
)
def test_code_comments_lists_quotes_and_tables_hold_no_heading(markdown: str) -> None:
    assert title(markdown) == "Yes"


@pytest.mark.parametrize(
    "markdown", ["", "Text.\n", "```\n# never closed\n", "# \n", "# ![](picture.png)\n", "\n---\n"]
)
def test_there_may_be_none(markdown: str) -> None:
    assert first_heading(markdown) is None


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("**Bold** and *it*, __B__ and _i_, ~~gone~~", "Bold and it, B and i, gone"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("[a *link*](x.md) and [b][ref] and ![pic](p(1).png)", "a link and b and pic"),
        ("`wp *list*` and ``a `b` c``", "wp *list* and a `b` c"),
        ("<https://example.org> <br/><b>x</b>", "https://example.org x"),
        (r"\*kept\* &amp; &#65;", "*kept* & A"),
        ("css [![NPM](http://a/b.svg)](https://n/p) [![Built](x.svg?a=b)](y)", "css NPM Built"),
        ("a [see [this]](x) and [b [c](d", "a see [this] and [b [c](d"),
    ],
)
def test_markup_becomes_text(markup: str, text: str) -> None:
    assert title(f"# {markup}") == text


def test_a_heading_tells_its_level_and_where_it_stands() -> None:
    assert first_heading("Before.\n\n## Here ##\nafter") == Heading(2, "Here", 9, 19)
    assert first_heading("Here\n===\nafter") == Heading(1, "Here", 0, 8)
    assert first_heading("word " * 200 + "\n===\n") is None


CONFLICT = "# Opening hours\n\n<<<<<<< HEAD\nNine to five.\n=======\nTen to six.\n>>>>>>> winter\n"


def test_the_line_on_which_a_conflict_begins_is_named() -> None:
    problem = unresolved("content/pages/hours.md", CONFLICT)
    assert str(problem) == (
        "content/pages/hours.md:3: a merge was not finished here: Git's conflict markers are in the text; "
        "keep what is right, and delete the lines that begin with `<<<<<<<`, `|||||||`, `=======`, `>>>>>>>`"
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\n<<<<<<< HEAD\ntitle: A\n=======\ntitle: B\n>>>>>>> b\n---\nText.\n",
        "<<<<<<< HEAD\nOurs.\n||||||| 4f1c2a9\nBefore.\n=======\nTheirs.\n>>>>>>> b\n",
        "Text.\n<<<<<<<\nOurs.\n=======\nTheirs.\n>>>>>>>",
        "<<<<<<< HEAD\n```\ncode\n=======\n~~~\ncode\n>>>>>>> b\n```\n",
        "```\ncode\n```\n<<<<<<< HEAD\nOurs.\n=======\n>>>>>>> b\n",
        "Ours.\n||||||| last synced\nBefore.\n",
        "<<<<<<< this file\nOurs.\n=======\nTheirs.\n",
        "<<<<<<< HEAD\nNine.\n>>>>>>> b\n",
        ">>>>>>> a\n=======\n<<<<<<< b\n",
    ],
    ids=[
        *("front matter", "three sides", "without names", "each side opens a fence", "behind a code block"),
        *("the base is left", "the end is gone", "the middle is gone", "another order"),
    ],
)
def test_every_shape_of_a_conflict_is_found(text: str) -> None:
    assert unresolved("a.md", text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "```text\n" + CONFLICT + "```\n",
        "~~~~\n```\n" + CONFLICT + "~~~~\n",
        "    <<<<<<< HEAD\n    Nine.\n    =======\n    Ten.\n    >>>>>>> b\n",
        "\\<<<<<<< HEAD\n\nNine.\n\n=======\n\n>>>>>>> b\n",
        "A title\n=======\n\n>>>>>>> a deep quote\n",
        "<<<<<<<< eight\n========\n>>>>>>>> eight\n",
    ],
    ids=["code", "code in code", "indented", "escaped", "Markdown", "eight"],
)
def test_a_text_about_conflicts_is_text(text: str) -> None:
    assert unresolved("a.md", text) is None


@pytest.mark.parametrize("command", [["check"], ["plan"], ["sync", "--yes"], ["check", "--staged"]])
def test_half_a_merge_ends_every_command_at_once(repository: SampleRepository, command: list[str]) -> None:
    repository.commit({"content/pages/hours.md": CONFLICT})
    ended = Terminal(repository, {"PRESSYNC_URL": "http://127.0.0.1:9/wp-json"}).run(*command, exits=2)
    assert "content/pages/hours.md:3: a merge was not finished here" in ended.output


# Of what a table of 18 KB took 1.2 GB of, a process of ours gets less than a half.
_MEMORY = 384 * 1024 * 1024
_RENDER = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({_MEMORY}, {_MEMORY}))
from pressync.content.render.markdown import to_html
print(len(to_html(sys.stdin.read())) > 0)
"""


def problems(text: str) -> list[str]:
    reader = DocumentReader(load(None, where="", environ={}))
    reading = reader.read(Source("content/pages/a.md", "b" * 40), text.encode())
    return [str(problem) for problem in reading.problems]


def table(columns: int, rows: int) -> str:
    return "|a" * columns + "|\n" + "|-" * columns + "|\n" + "|a|\n" * rows


NESTED = "quotes and lists are nested in more than 100 levels; nest less deeply"
SPLIT = "one too many; split the file"
CELLS = (
    "with this row the tables have more than 100,000 cells (short rows are filled up); "
    "split the table, or link to a file with the data"
)

# A text within a limit, a text beyond it, and the message for that.
SHAPES = {
    "table": (table(300, 300), table(300, 400), f"335: {CELLS}"),
    "table in a quote": (
        table(300, 300).replace("|\n", "|\n> "),
        "> " + table(300, 400).replace("|\n", "|\n> "),
        f"335: {CELLS}",
    ),
    "quotes": (">" * 100 + " a", "a\n\n" + ">" * 101 + " a", f"3: {NESTED}"),
    "lists": ("- " * 100 + "a", "- " * 101 + "a", f"1: {NESTED}"),
    "both": ("> 1. " * 50 + "a", "> 1. " * 51 + "a", f"1: {NESTED}"),
    "stairs": (
        "".join(" " * 2 * n + "- a\n" for n in range(100)),
        "".join(" " * 2 * n + "- a\n" for n in range(300)),
        f"203: {NESTED}",
    ),
    "definitions": (
        "a\n\n: b\n\n" * 5000,
        "a\n\n: b\n\n" * 5001,
        f"20003: this is definition number 5,001, {SPLIT}",
    ),
    "footnotes": (
        "[^1]" * 9999 + "\n\n[^1]: a\n",
        "[^1]" * 10_001 + "\n\n[^1]: a\n",
        f"1: this is mark number 10,001 of a footnote, {SPLIT}",
    ),
    "signs": (
        "<" * 350_000,
        "<" * 350_001,
        "1: the text has more than 350,000 signs that may be markup; split the file",
    ),
    "emphasis": (
        "_a" * 350_000,
        "_a" * 350_001,
        "1: the text has more than 350,000 signs that may be markup; split the file",
    ),
    "addresses": (
        "a@b.c " * 1000,
        "a\n" + "a@b.c " * 1001,
        "2: a line has more than 1,000 signs `@`; break the line",
    ),
    "headings": ("# a\n" * 5000, "# a\n" * 5001, f"5001: this is heading number 5,001, {SPLIT}"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_beyond_a_limit_is_a_problem_with_its_line(shape: str) -> None:
    within, beyond, said = SHAPES[shape]
    assert problems(within) == []
    assert problems(beyond) == [f"content/pages/a.md:{said}"]


@pytest.mark.sweep
@pytest.mark.parametrize("shape", part(SHAPES, 4))
def test_within_the_limits_little_memory_is_enough(shape: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RENDER], input=SHAPES[shape][0], capture_output=True, text=True, check=False
    )
    assert done.stdout == "True\n", done.stderr


def test_eighteen_kilobytes_that_cost_more_than_a_gigabyte_are_not_rendered() -> None:
    assert len(table(2250, 2250)) < 19_000
    assert problems(table(2250, 2250)) == [f"content/pages/a.md:46: {CELLS}"]


@pytest.mark.parametrize("text", ["\n" * 200_000, "|\n" * 99_000, "---\n\n" * 4999, "- a | b\n\n" * 60_000])
def test_a_long_text_is_not_a_table(text: str) -> None:
    assert markdown_text.excess("a.md", text) is None
