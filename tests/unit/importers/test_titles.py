"""A page gets its title from front matter, its first heading, or its name."""

from __future__ import annotations

import pytest

from pressync.importers.titles import titled


@pytest.mark.parametrize(
    ("given", "body", "expected"),
    [
        ("A", "# B\n\nText", ("A", "# B\n\nText")),
        ("", "# B *x* {#b}\n\nText", ("B x", "Text")),
        ("", "Text\n\n# B\n", ("B", "Text\n\n# B\n")),
        ("", "## B\n", ("B", "## B\n")),
        ("", "Text", ("My page", "Text")),
    ],
)
def test_a_heading_that_becomes_the_title_leaves_the_text(
    given: str, body: str, expected: tuple[str, str]
) -> None:
    assert titled(given, body, "my-page") == expected


def test_where_a_tool_shows_only_the_heading_it_wins() -> None:
    assert titled("A", "# B\nText", "x", heading_wins=True) == ("B", "Text")
    assert titled("A", "Text\n# B", "x", heading_wins=True) == ("A", "Text\n# B")
