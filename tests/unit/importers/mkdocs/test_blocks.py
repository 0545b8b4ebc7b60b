"""The blocks that MkDocs adds to Markdown become Markdown."""

from __future__ import annotations

import textwrap

import pytest

from pressync.content.render.markdown import to_html
from pressync.importers.item import Place, Remainder
from pressync.importers.mkdocs.blocks import converted

HERE = Place("docs/a.md", 10)


def made(text: str) -> str:
    """Convert an indented text."""
    return converted(textwrap.dedent(text).strip("\n"), HERE)[0].strip("\n")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("!!! note\n    Text\nMore", "> [!NOTE]\n> Text\n\nMore"),
        ('!!! warning inline end "Mind it"\n\n    One\n\n    Two', "> [!WARNING] Mind it\n> One\n>\n> Two"),
        ('!!! tip ""\n    Text', "> [!TIP]\n> Text"),
        (
            '??? question "Why?"\n    Because',
            "<details>\n<summary>Why?</summary>\n\nBecause\n\n</details>",
        ),
        ("???+ info\n    Text", "<details open>\n<summary>Info</summary>\n\nText\n\n</details>"),
        (
            '=== "A"\n\n    ``` py\n    x\n    ```\n\n=== "B"\n\n    y',
            "**A**\n\n``` py\nx\n```\n\n**B**\n\ny",
        ),
        ("!!! note\n\n    !!! tip\n        Inner", "> [!NOTE]\n> > [!TIP]\n> > Inner"),
        ("- item\n\n    !!! note\n        Text", "- item\n\n    > [!NOTE]\n    > Text"),
        ("Title\n===\n", "Title\n==="),
        ("Very !!! much", "Very !!! much"),
        ("<!-- more -->", "<!--more-->"),
    ],
)
def test_a_block_is_converted_with_its_content(written: str, expected: str) -> None:
    assert converted(written, HERE)[0].strip("\n") == expected


def test_what_stands_in_code_stays() -> None:
    text = '``` md\n!!! note "A"\n    Text {.x}\n:material-check:\n```'
    assert converted(text, HERE) == (text, ())


def test_a_tab_with_code_shows_the_code() -> None:
    page = to_html(made('=== "C"\n\n    ``` c\n    int x;\n    ```\n'))
    assert "<strong>C</strong>" in page
    assert "int x;\n</code></pre>" in page


def test_only_what_mkdocs_understands_is_named_with_its_line() -> None:
    text = '[Go](a.md){ .md-button }\n\n!!! note\n    :material-check: ok\n\n--8<-- "b.md"\n`x{.y}`'
    body, left = converted(text, HERE)
    assert "[Go](a.md)\n" in body
    assert body.endswith("`x{.y}`")
    assert left == (
        Remainder("attribute list", Place("docs/a.md", 10), "{ .md-button }"),
        Remainder("icon", Place("docs/a.md", 13), ":material-check:"),
        Remainder("snippet", Place("docs/a.md", 15), '--8<-- "b.md"'),
    )


@pytest.mark.parametrize("written", ["#+x", "id=+x", 'id="+x"'])
def test_an_id_stays_the_target_of_links(written: str) -> None:
    body, left = converted(f"[`x`](#+x){{ {written} }} text", HERE)
    assert (body, left) == ('[`x`](#+x)<a id="+x"></a> text', ())


def test_blocks_that_nest_without_end_are_read_in_bounds() -> None:
    text = "\n".join(f"{'    ' * depth}!!! note" for depth in range(60))
    assert converted(text, HERE)[0].startswith("> [!NOTE]\n> > [!NOTE]")


def test_a_line_of_a_megabyte_stays() -> None:
    line = "![a](b){ .x }" * 80_000
    assert converted(line, HERE) == (line, ())
