"""An id of kramdown stays on its heading; classes and lists of contents are named and dropped."""

from __future__ import annotations

import pytest

from pressync.importers.item import Place
from pressync.importers.jekyll.kramdown import replaced, verbatim


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


def test_what_markdown_has_no_form_for_is_named_with_its_line() -> None:
    text = (
        "*[HTML]: Hyper Text\n*[TT]: time\n\nI :heart: it :+1:.\n\n$$\nx^2\n$$\n\nAnd $$y$$.\n\n"
        "`:tada:` and\n\n```\n$$z$$\n```\n"
    )
    kinds = [
        ("abbreviation", 1, "*[HTML]:"),
        ("abbreviation", 2, "*[TT]:"),
        ("emoji code", 4, ":heart:"),
        ("emoji code", 4, ":+1:"),
        ("formula", 6, "$$\nx^2\n$$"),
        ("formula", 10, "$$y$$"),
    ]
    found = verbatim(text, Place("a.md", 1), has_emoji=True)
    assert [(each.kind, each.place.line, each.text) for each in found] == kinds
    without = verbatim(text, Place("a.md", 1), has_emoji=False)
    assert {each.kind for each in without} == {"abbreviation", "formula"}


@pytest.mark.parametrize(
    "text",
    ["a $$ b\n\nc $$ d", "at 10:20:30 :wink:", "std::move::x", "*[a](b)*: c", ":ref:`x`", "http://a:b:c/"],
)
def test_other_signs_are_not_named(text: str) -> None:
    assert verbatim(text, Place("a.md", 1), has_emoji=True) == ()
