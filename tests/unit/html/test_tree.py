"""HTML as people and editors write it, taken apart with every node in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pressync.html.tree import DEEPEST, Element, Raw, Text, TooDeepError, parse

if TYPE_CHECKING:
    from pressync.html.tree import Node


def shown(nodes: tuple[Node, ...]) -> list[object]:
    """Write a tree as plain lists."""
    return [
        [node.name, dict(node.attributes), *shown(node.children)] if isinstance(node, Element) else node.text
        for node in nodes
    ]


def test_elements_texts_and_comments_are_told_apart() -> None:
    assert shown(parse("<p class=a>1 &lt; 2<br/>x</p><!-- c -->")) == [
        ["p", {"class": "a"}, "1 < 2", ["br", {}], "x"],
        "<!-- c -->",
    ]


def test_what_nobody_closed_ends_where_a_browser_ends_it() -> None:
    assert shown(parse("<ul><li>1<li>2</ul><p>a<p>b<table><tr><td>x<td>y</table>")) == [
        ["ul", {}, ["li", {}, "1"], ["li", {}, "2"]],
        ["p", {}, "a"],
        ["p", {}, "b"],
        ["table", {}, ["tbody", {}, ["tr", {}, ["td", {}, "x"], ["td", {}, "y"]]]],
    ]


def test_an_end_that_nothing_opened_is_kept_as_it_is() -> None:
    assert shown(parse("<br></div>x")) == [["br", {}], "</div>", "x"]


def test_of_an_attribute_that_is_there_twice_the_first_counts() -> None:
    assert shown(parse('<a href="1" href="2" title>x</a>')) == [["a", {"href": "1", "title": ""}, "x"]]


def test_scripts_are_text() -> None:
    assert shown(parse("<script>if (a<b) f('<p>')</script>")) == [["script", {}, "if (a<b) f('<p>')"]]


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "é & ", "<br>", "<!-- x\n -->", "<b>", "</b>", "</i>", "\n", "<ul><li>"]
        )
    )
)
def test_every_node_knows_its_source_and_together_they_are_all_of_it(parts: list[str]) -> None:
    source = "".join(parts)
    nodes = parse(source)
    assert "".join(source[node.start : node.end] for node in nodes) == source
    for node in nodes:
        if isinstance(node, Raw):
            assert source[node.start : node.end] == node.text
        if isinstance(node, Text):
            assert source[node.start : node.end] == node.text


@pytest.mark.sweep
def test_what_is_nested_beyond_all_measure_is_refused() -> None:
    parse("<div>" * (DEEPEST - 2))
    with pytest.raises(TooDeepError):
        parse("<div>" * 100_000)


def test_an_address_with_parameters_keeps_what_only_begins_like_a_reference() -> None:
    [link] = parse('<a href="?a=1&copy=2&amp;lt=3&notit;&eacute;">x</a>')
    assert isinstance(link, Element)
    assert link.attributes["href"] == "?a=1&copy=2&lt=3&notit;é"
