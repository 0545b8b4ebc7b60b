"""HTML taken apart into places of its own text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.share import part

from pressync.html.normalize import canonical, normalized
from pressync.html.tokens import Node, parse, span, with_implied_tags
from pressync.html.tree import parse as parse_tree


def outline(html: str) -> list[object]:
    """Draw the tree: the name of a node, with `?` if it is not sound, and what is in it."""
    return [drawn(node) for node in parse(html)]


def drawn(node: Node) -> object:
    name = node.name if node.sound else f"{node.name}?"
    return [name, *map(drawn, node.children)] if node.children else name


@pytest.mark.parametrize(
    ("html", "tree"),
    [
        ("", []),
        ("<p>a <b>b</b></p>\n", [["p", "#text", ["b", "#text"]], "#text"]),
        ("<p>a<br>b<img src=x><hr/></p>", [["p", "#text", "br", "#text", "img", "hr"]]),
        ("<a title='</a>' href=\"<b>\" download>x</a>", [["a", "#text"]]),
        ("<!-- <p> --><p></p>", ["#comment", "p"]),
        ("<!--><p></p>-->", ["#comment", "p", "#text"]),
        ("<script>if (a<b) '</p>'</script >", [["script", "#text"]]),
        ("<textarea><p></TEXTAREA>", [["textarea", "#text"]]),
    ],
)
def test_elements_texts_and_comments_are_told_apart(html: str, tree: list[object]) -> None:
    assert outline(html) == tree


def test_a_node_gives_itself_its_inside_and_its_tag_as_they_are_written() -> None:
    (node,) = parse('<A  HREF="x" >a <b>c</b></A >')
    assert node.outer == '<A  HREF="x" >a <b>c</b></A >'
    assert node.tag == '<A  HREF="x" >'
    assert node.inner == "a <b>c</b>"
    # A span has no blanks around it.
    assert span(parse("\n<b>a</b> \n<i>c</i>\n")) == "<b>a</b> \n<i>c</i>"
    assert (span(parse("\u00a0a ")), span(())) == ("\u00a0a", "")


@given(st.text("<>!-/ \"'=abp", max_size=60))
def test_the_nodes_cover_every_character_once(html: str) -> None:
    assert "".join(node.outer for node in parse(html)) == html
    assert_inside(parse(html))


def assert_inside(nodes: tuple[Node, ...]) -> None:
    """Hold that what is inside of each element is covered by its children."""
    for node in nodes:
        if node.children:
            assert "".join(child.outer for child in node.children) == node.inner
            assert_inside(node.children)


@pytest.mark.parametrize(
    "hostile",
    part(
        ["<!--", "<", "<div>", '<a b="', "</b>", "<a b='\"", "<a ", "<script>", "<a b=c ", "<a" + " b" * 50],
        3,
    ),
)
def test_hostile_input_costs_no_more_than_its_length(hostile: str) -> None:
    # Were any of these quadratic, it would take many minutes.
    count = 100_000 // len(hostile)
    assert sum(node.end - node.start for node in parse(hostile * count)) == len(hostile) * count
    assert len(parse("<a>" * 5_000 + "</b>" * 5_000)) == 1


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<table>\n<tr></tr>\n<tr></tr>\n</table>", "<table>\n<tbody><tr></tr>\n<tr></tr></tbody>\n</table>"),
        ("<TABLE><thead></thead><TR></TR></TABLE>", "<TABLE><thead></thead><tbody><TR></TR></tbody></TABLE>"),
        (
            "<table><tr><td><table><tr></tr></table></td></tr><!----><tr></tr></table>",
            "<table><tbody><tr><td><table><tbody><tr></tr></tbody></table></td></tr><!----><tr></tr></tbody>\
</table>",
        ),
        ('<p><img src="a"></img> text</BR></p>', '<p><img src="a"> text</BR></p>'),
        ("a</input >b", "ab"),
        *((other, other) for other in ("<table>\n</table>", "</div></br>")),
    ],
)
def test_implied_tags_are_added_and_ends_of_void_elements_dropped(source: str, written: str) -> None:
    assert with_implied_tags(parse(source)) == written
    # A pull sees no difference between the two.
    one, other = (canonical(normalized(parse_tree(text))) for text in (source, written))
    assert one == other
