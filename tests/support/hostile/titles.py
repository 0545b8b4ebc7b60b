"""Texts that want to be more than text: in a link, in a comment of GitHub, in PHP, in a commit's message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

# Each is a thing that some reader between the file and the reviewer acts on.
PIECES = (
    *("@everyone", "@octo/team", "fixes #1", "closes GH-2", "Resolves octo/repo#3", "https://evil.example/x"),
    *("www.evil.example", "![](https://evil.example/a.png)", "[a](javascript:alert(1))", "<!-- a", "-->"),
    *("</details>", "<img src=x onerror=alert(1)>", "| a | b |", "\\|", "`", "```", "~~~", "$x$", "||"),
    *(
        "<?php exit; ?>",
        "?>",
        "');",
        '"}]}',
        "\\u0000",
        "%22%7D",
        "#",
        "&amp;",
        "\u2028",
        "\u202e",
        "\x1b[2J",
    ),
    *(
        "::error::",
        "##[error]",
        "\n\n# Head",
        "\n- [x] done",
        "\n| --- |",
        "é",
        "\U0001d4b3",
        "Resolves-Note: 1",
    ),
    *("{{ 7*7 }}", "[gallery]", "<!-- wp:html -->", "</script>", "'", '"', "\\", "<b", "a" * 60),
)


def any_text(chance: random.Random) -> str:
    """Give a text of a few such pieces, with and without blanks between them."""
    pieces = chance.choices(PIECES, k=chance.randint(1, 8))
    return chance.choice(("", " ", "x")).join(pieces)


def any_texts(chance: random.Random, count: int) -> list[str]:
    """Give several such texts."""
    return [any_text(chance) for _ in range(count)]
