"""An id of kramdown stays on its heading; classes and lists of contents are named and dropped."""

from __future__ import annotations

import pytest

from pressync.importers.item import Place
from pressync.importers.jekyll.kramdown import replaced


def kinds(text: str) -> list[tuple[str, int]]:
    """Give the kinds of what is not carried, with their lines."""
    return [(each.kind, each.place.line) for each in replaced(text, Place("a.md", 1))[1]]


@pytest.mark.parametrize(
    ("text", "made", "left"),
    [
        ("## Set up\n{: #install}\n", '## <a id="install"></a>Set up\n\n', []),
        ("## Set up {#install}\n", '## <a id="install"></a>Set up\n', []),
        ("## Set up\n{: #set-up .wide}\n", "## Set up\n\n", [("attribute list", 2)]),
        ("Text\n{: .notice}\n\nMore\n", "Text\n\n\nMore\n", [("attribute list", 2)]),
        ("> Quote\n> {: .big}\n", "> Quote\n\n", [("attribute list", 2)]),
        (
            "[a](b){: .button} and *c*{:.x}\n",
            "[a](b) and *c*\n",
            [("attribute list", 1), ("attribute list", 1)],
        ),
        ("* TOC\n{:toc}\n\nText\n", "\n\nText\n", [("table of contents", 2)]),
        ("```\n{: .kept}\n```\n`{: .kept}`\n", "```\n{: .kept}\n```\n`{: .kept}`\n", []),
    ],
)
def test_attributes(text: str, made: str, left: list[tuple[str, int]]) -> None:
    assert replaced(text, Place("a.md", 1))[0] == made
    assert kinds(text) == left
