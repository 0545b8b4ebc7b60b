"""The first heading of a text, without its markup."""

from __future__ import annotations

import pytest

from pressync.content.headings import Heading, first_heading


def title(markdown: str) -> str | None:
    heading = first_heading(markdown)
    return heading.text if heading else None


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("# Hello", "Hello"),
        ("## Hello ##\ntext", "Hello"),
        ("Text before.\n\n### C# and F#\n", "C# and F#"),
        ("Hello\nworld\n=====\n", "Hello world"),
        ("Hello\n---\n", "Hello"),
        ("# Set up {#setup}\n", "Set up"),
        ("# Set up {: .no_toc }\n", "Set up"),
    ],
)
def test_a_heading_is_marked_or_underlined(markdown: str, text: str) -> None:
    assert title(markdown) == text


@pytest.mark.parametrize(
    "markdown",
    [
        "```sh\n# a comment\n```\n# Yes",
        "~~~~\n# a comment\n~~~\n# a comment\n~~~~\n# Yes",
        "    # code\n\n# Yes",
        "<!-- # no\n\n# no -->\n# Yes",
        "<pre>\n# no\n</pre>\n# Yes",
        "- item\n---\n# Yes",
        "> quoted\n---\n\n# Yes",
        "#no blank\n\n# Yes",
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
        ("***both***", "both"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("[a *link*](x.md) and [b][ref] and ![pic](p(1).png)", "a link and b and pic"),
        ("`wp *list*` and ``a `b` c``", "wp *list* and a `b` c"),
        ("<https://example.org> <br/><b>x</b>", "https://example.org x"),
        (r"\*kept\* &amp; &#65;", "*kept* & A"),
        ("[not a link] (yet)", "[not a link] (yet)"),
    ],
)
def test_markup_becomes_text(markup: str, text: str) -> None:
    assert title(f"# {markup}") == text


def test_a_heading_tells_its_level_and_where_it_stands() -> None:
    assert first_heading("Before.\n\n## Here ##\nafter") == Heading(2, "Here", 9, 19)
    assert first_heading("Here\n===\nafter") == Heading(1, "Here", 0, 8)


def test_a_paragraph_that_somebody_underlined_is_no_title() -> None:
    assert first_heading("word " * 200 + "\n===\n") is None
