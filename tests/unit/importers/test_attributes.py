"""Lists of attributes after headings become what Markdown has."""

from __future__ import annotations

import pytest

from pressync.content.render.markdown import to_html
from pressync.importers.attributes import joined, of_headings
from pressync.importers.item import Place, Remainder

HERE = Place("a.md", 10)


@pytest.mark.parametrize(
    ("written", "made"),
    [
        ("## Set up {#set-up}", "## Set up"),
        ("## Set up {#install}", '## <a id="install"></a>Set up'),
        ("## Set up {: #install }", '## <a id="install"></a>Set up'),
        ("## Path <small>1</small> { id=path }", '## <a id="path"></a>Path <small>1</small>'),
        ('## 4.9.1 <small>a</small> { id="4.9.1" }', '## <a id="4.9.1"></a>4.9.1 <small>a</small>'),
        ("## Set up {id='set-up'}", "## Set up"),
        ("# A `{x}` b", "# A `{x}` b"),
        ("Text {#no}", "Text {#no}"),
    ],
)
def test_the_target_of_links_stays(written: str, made: str) -> None:
    assert of_headings(written, HERE) == (made, ())


def test_a_page_can_link_to_the_id_of_a_heading() -> None:
    text, _ = of_headings("## Set up {#install}\n", HERE)
    assert 'id="install"' in to_html(text)


def test_a_class_is_named_with_its_line() -> None:
    text, left = of_headings("a\n\n## Set up {#install .wide}\n", HERE)
    assert text == 'a\n\n## <a id="install"></a>Set up\n'
    assert left == (Remainder("attribute list", Place("a.md", 12), "{#install .wide}"),)


def test_a_heading_in_code_stays() -> None:
    text = "```md\n## Set up {#install}\n```"
    assert of_headings(text, HERE) == (text, ())


def test_remainders_are_joined_in_the_order_of_their_lines() -> None:
    first, second = Remainder("a", Place("x", 1)), Remainder("b", Place("x", 2))
    assert joined([second], [first]) == (first, second)
