"""A code block without its closing fence is told of where it begins."""

from __future__ import annotations

import pytest

from pressync.content.checks.code_fences import find
from pressync.content.render.markdown import with_places
from pressync.model.interface import Kind
from pressync.model.records import Document


def found(markdown: str) -> list[tuple[int, str]]:
    """Give the line and the message of each warning about a text."""
    page = Document("a.md", "", Kind.PAGE, {}, markdown, 1)
    return [(each.line, each.what) for each in find(page, lambda: with_places(markdown))]


def test_the_rest_of_the_page_is_code() -> None:
    (told,) = found("A text.\n\n```js\ncode\n\n# A heading\n\nA text.\n")
    assert told == (3, "this code block has no end: the rest of the page is code")


def test_the_end_that_is_missing_may_be_taken_from_the_next_block() -> None:
    (told,) = found("```js\ncode\n\nA text.\n\n```python\ncode\n```\n")
    assert told == (1, "this code block has no end before the next one, in line 6")


@pytest.mark.parametrize(
    "markdown",
    [
        "```js\ncode\n```\n\n~~~\n```\n~~~\n",
        "````md\n```js\ncode\n```\n````\n",
        "- item\n\n  ```js\n  code\n  ```\n\n  text\n",
        "1. ```\n   code\n   ```\n",
        "> ```\n> code\n> ```\n\ntext\n",
        "> ```\n> the quote ends the block\n\ntext\n",
        '``` title="tabs"\n=== "C"\n\n    ``` c\n    code\n    ```\n```\n',
        "Text with ```inline``` code.\n",
        "```inline``` at the start\n\ntext\n",
        "    ```\n    shown as code\n\ntext\n",
        "<!--\n```\n-->\n\ntext\n",
    ],
)
def test_code_with_an_end_is_not_told_of(markdown: str) -> None:
    assert found(markdown) == []


@pytest.mark.parametrize("piece", ["```js\n", "- ", "> ", "```", "~~~\n```a\n"])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    markdown = piece * (300_000 // len(piece))
    page = Document("a.md", "", Kind.PAGE, {}, markdown, 1)
    # The HTML of a renderer would have one such block; the search for its end reads each row once.
    rows = markdown.count("\n") + 1
    list(find(page, lambda: f'<pre data-sourcepos="1:1-{rows}:1">'))
