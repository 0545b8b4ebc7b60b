"""HTML as people, editors and strangers write it, taken apart with every node in its place."""

from __future__ import annotations

import html5lib
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pressync.html.contained import contained, link_to
from pressync.html.tree import DEEPEST, Element, Node, Raw, Text, TooDeepError, parse


def shown(nodes: tuple[Node, ...]) -> list[object]:
    return [
        [node.name, dict(node.attributes), *shown(node.children)] if isinstance(node, Element) else node.text
        for node in nodes
    ]


def test_odd_elements_and_attributes_are_read_as_a_browser_reads_them() -> None:
    assert shown(parse("<ul><li>1<li>2</ul><p>a<p>b<table><tr><td>x<td>y</table>")) == [
        ["ul", {}, ["li", {}, "1"], ["li", {}, "2"]],
        ["p", {}, "a"],
        ["p", {}, "b"],
        ["table", {}, ["tbody", {}, ["tr", {}, ["td", {}, "x"], ["td", {}, "y"]]]],
    ]
    assert shown(parse("<br></div>x")) == [["br", {}], "</div>", "x"]
    # Of an attribute that is there twice the first counts.
    assert shown(parse('<a href="1" href="2" title>x</a>')) == [["a", {"href": "1", "title": ""}, "x"]]
    [link] = parse('<a href="?a=1&copy=2&amp;lt=3&notit;&eacute;">x</a>')
    assert isinstance(link, Element)
    assert link.attributes["href"] == "?a=1&copy=2&lt=3&notit;é"


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


_FRAME = (
    '<!doctype html><main id="main"><div class="content">{}</div><p id="after">after</p></main>'
    "<footer>end</footer>"
)
_PIECES = st.sampled_from(
    """<div> </div> </main> <main> <p> </p> <b> </b> <i> <a> </a> <li> <ul> </ul> <table> </table> <tr>
    <td> </td> <select> </select> <option> <input> <svg> </svg> <math> </math> <title> </title> <style>
    </style> <script> </script> <textarea> </textarea> <noscript> </noscript> <!-- --> <!--> <![CDATA[ ]]>
    <?php <template>
    </template> <iframe> <plaintext> <body> </body> <html> <h1> <h2> </h1> <form> </form> <button> </button>
    <br/> <div/> <path/> <frameset> <caption> <col> <foreignObject> </foreignObject> <desc> </desc> <mi> text
    <p/title="</noscript></div></main>"> <p_title="</noscript></main>"> < > " ' </ <!
    <a/href="x"b="y">""".split()  # noqa: SIM905 - seventy quoted tags would be harder to read
).map(lambda piece: piece.replace("_", " "))


@given(st.lists(_PIECES, max_size=12).map("".join))
@example("<select><div><input></select></div></div></main>")
@example('<noscript><p title="</noscript></div></main>">')
@example("<title></div></main>")
@example("<table><div></table></div></div></main>")
@example("<svg><div></svg></div></div></main>")
@example("<!-- never closed")
def test_no_body_leaves_its_box(body: str) -> None:
    page = html5lib.parse(_FRAME.format(contained(body)), namespaceHTMLElements=False)
    (main,) = [each for each in page.find("body") if each.get("id") == "main"]
    content, after = main[0], main[-1]
    assert (content.get("class"), after.get("id"), after.text) == ("content", "after", "after")
    assert len(main) == 2
    assert page.find("body")[-1].tag == "footer"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            "<p>a <b>word</b> &amp; more<br></p>\n<img src='x'>",
            "<p>a <b>word</b> &amp; more<br></p>\n<img src='x'>",
        ),
        ("<ul><li>one<li>two</ul>", "<ul><li>one<li>two</ul>"),
        ("<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph -->", "<p>a</p>"),
        ("</div>x<b>y", "x<b>y</b>"),
        ("<style>p {}</style><p>a</p><script>alert(1)</script>", "<p>a</p>"),
        ("<noscript><img src=x></noscript>", "<img src=x>"),
        ("2 < 3", "2 &lt; 3"),
        ("<div/>a", "<div></div>a"),
        ("<meta http-equiv=refresh content=0><p>a</p>", "<p>a</p>"),
        (
            '<iframe src="https://player.example/e?a=1&amp;b=2"></iframe>',
            '<a class="embedded" href="https://player.example/e?a=1&amp;b=2">player.example</a>',
        ),
        ("<iframe srcdoc='<b>'></iframe>", ""),
    ],
)
def test_a_body_stays_as_it_is_but_for_unsafe_parts(written: str, shown: str) -> None:
    assert contained(written) == shown


def test_a_body_that_is_nested_deeply_is_closed_and_an_address_of_a_program_is_not_a_link() -> None:
    assert contained("<div>" * 5000).endswith("</div>")
    for address in ("javascript:alert(1)", "https://", "data:text/html,x", "page.html", ""):
        assert link_to(address) == ""
