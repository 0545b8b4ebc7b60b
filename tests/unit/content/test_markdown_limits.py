"""Markdown that costs its renderer far more than its length is a problem, with its line."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.support import corpora
from tests.support.corpora import thinned

from pressync.content import markdown_limits
from pressync.content.documents import Defaults, read
from pressync.model.records import Source

# Of what a table of 18 KB took 1.2 GB of, a process of ours gets less than a half.
_MEMORY = 512 * 1024 * 1024
_RENDER = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({_MEMORY}, {_MEMORY}))
from pressync.content.render.markdown import to_html
print(len(to_html(sys.stdin.read())) > 0)
"""


def problems(text: str) -> list[str]:
    reading = read(
        Source("content/pages/a.md", "b" * 40), text.encode(), content="content", defaults=Defaults()
    )
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
    "table": (table(300, 300), table(300, 400), f"333: {CELLS}"),
    "table in a quote": (
        table(300, 300).replace("|\n", "|\n> "),
        "> " + table(300, 400).replace("|\n", "|\n> "),
        f"333: {CELLS}",
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
    "headings": ("# a\n" * 5000, "# a\n" * 5001, f"5001: this is heading number 5,001, {SPLIT}"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_beyond_a_limit_is_a_problem_with_its_line(shape: str) -> None:
    within, beyond, said = SHAPES[shape]
    assert problems(within) == []
    assert problems(beyond) == [f"content/pages/a.md:{said}"]


@pytest.mark.parametrize("shape", SHAPES)
def test_within_the_limits_little_memory_is_enough(shape: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RENDER],
        input=SHAPES[shape][0],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "True\n", done.stderr


def test_eighteen_kilobytes_that_cost_more_than_a_gigabyte_are_not_rendered() -> None:
    assert len(table(2250, 2250)) < 19_000
    assert problems(table(2250, 2250)) == [f"content/pages/a.md:46: {CELLS}"]


@pytest.mark.parametrize("text", ["\n" * 200_000, "|\n" * 99_000, "---\n\n" * 4999, "- a | b\n\n" * 60_000])
def test_a_long_text_is_not_a_table(text: str) -> None:
    assert markdown_limits.excess("a.md", text) is None


@pytest.mark.parametrize("name", ["hugo-docs", "etcd-website", "mkdocs-material", "rust-blog"])
def test_no_real_document_comes_near(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    tree = corpora.unpack(name, tmp_path_factory.mktemp("tree"))
    for file in thinned(tree.rglob("*.md"), 1):
        assert markdown_limits.excess(str(file), file.read_text(errors="replace")) is None
