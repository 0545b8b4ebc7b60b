"""Our grammar of HTML beside html5lib's, which is the browsers': both see the same tree in the same text.

The texts are made the way people and editors write: properly nested, with end tags left out where HTML allows
it, comments, character references in all spellings, and attributes with and without quotes.
"""

from __future__ import annotations

import html5lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pressync.html.tree import Element, Text, parse

# An end tag may be left out before these, or at the end of the parent.
_P_ENDS = ("div", "ul", "ol", "dl", "blockquote", "h2", "pre", "table", "hr", "figure", "p")
_LETTERS = st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co"])
_WORDS = st.text(_LETTERS, min_size=1, max_size=6)
_REFERENCES = st.sampled_from(
    [
        "&amp;",
        "&lt;",
        "&#60;",
        "&#x3c;",
        "&nbsp;",
        "&copy",
        "&copy;",
        "&notin;",
        "&notit;",
        "&eacute;",
        "&no;",
        "&",
    ]
)
_TEXTS = st.lists(
    _WORDS.map(lambda word: word.replace("<", "&lt;")) | _REFERENCES, min_size=1, max_size=4
).map("".join)
_QUERIES = st.lists(
    st.sampled_from(["?a=1", "&copy=2", "&lt=3", "&amp;b", "&reg", "é", "x", " ", "&notit;", "'"])
)


@st.composite
def tags(draw: st.DrawFn, name: str) -> str:
    """Write an opening tag, with attributes in any of the three styles."""
    bare, single, double = draw(st.booleans()), draw(st.booleans()), draw(_QUERIES)
    attributes = (" hidden" if bare else "") + (" class='a \"b\"'" if single else "")
    attributes += f' href="{"".join(double)}"' if double else ""
    return f"<{draw(st.sampled_from([name, name.upper()]))}{attributes}{draw(st.sampled_from(['', ' ']))}>"


@st.composite
def inlines(draw: st.DrawFn, depth: int = 2) -> str:
    """Write text, inline elements and comments."""
    parts = []
    for kind in draw(
        st.lists(st.sampled_from(["text", "em", "strong", "code", "span", "br", "img", "<!--"]), max_size=3)
    ):
        if kind == "text":
            parts.append(draw(_TEXTS))
        elif kind == "<!--":
            parts.append(f"<!--{draw(st.sampled_from(['', ' wp:more ', 'a <b> c']))}-->")
        elif kind in {"br", "img"}:
            parts.append(draw(tags(kind)))
        elif depth:
            parts.append(f"{draw(tags(kind))}{draw(inlines(depth - 1))}</{kind}>")
    return "".join(parts)


@st.composite
def blocks(draw: st.DrawFn, depth: int = 2) -> str:
    """Write block elements, some of them without an end tag."""
    names = draw(
        st.lists(
            st.sampled_from(["p", "div", "ul", "dl", "table", "blockquote", "h2", "hr", "script"]), max_size=3
        )
    )
    parts = []
    for number, name in enumerate(names):
        follower = names[number + 1] if number + 1 < len(names) else ""
        open_ended = draw(st.booleans()) and (not follower or follower in _P_ENDS)
        parts.append(_block(draw, name, depth, open_ended=open_ended))
    return "".join(parts)


def _block(draw: st.DrawFn, name: str, depth: int, *, open_ended: bool) -> str:
    tag = draw(tags(name))
    if name == "hr":
        return tag
    if name == "script":
        return "<script>if (a<b && c) f('<p>&amp;')</script>"
    if name == "p":
        return tag + draw(inlines()) + ("" if open_ended else "</p>")
    if name == "h2" or not depth:
        return f"{tag}{draw(inlines()) if name != 'table' and name not in {'ul', 'dl'} else ''}</{name}>"
    if name in {"ul", "dl", "table"}:
        return f"{tag}{''.join(_items(draw, name, depth))}</{name}>"
    return f"{tag}{draw(blocks(depth - 1))}</{name}>"


def _items(draw: st.DrawFn, name: str, depth: int) -> list[str]:
    kinds = {"ul": ["li"], "dl": ["dt", "dd"], "table": ["tr"]}[name]
    found = []
    for kind in draw(st.lists(st.sampled_from(kinds), max_size=3)):
        if kind == "tr":
            cells = draw(st.lists(st.sampled_from(["td", "th"]), max_size=2))
            inside = "".join(f"<{cell}>{draw(inlines())}{draw(_end(cell))}" for cell in cells)
        elif kind == "dt":
            inside = draw(inlines())
        else:
            inside = draw(inlines()) + draw(blocks(depth - 1))
        found.append(f"{draw(tags(kind))}{inside}{draw(_end(kind))}")
    return found


def _end(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from(["", f"</{name}>", f"</{name.upper()} >"])


def ours(text: str) -> list[object]:
    """Give our tree as plain lists."""
    return _joined([_ours(node) for node in parse(text)])


def _ours(node: object) -> object:
    if isinstance(node, Element):
        return [node.name, dict(node.attributes), *_joined([_ours(child) for child in node.children])]
    return node.text if isinstance(node, Text) else ("comment", str(getattr(node, "text", ""))[4:-3])


def browsers(text: str) -> list[object]:
    """Give html5lib's tree as plain lists."""
    return _joined(_browsers(html5lib.parseFragment(text, treebuilder="dom")))


def _browsers(parent: object) -> list[object]:
    found: list[object] = []
    for node in getattr(parent, "childNodes", ()):
        if node.nodeName == "#text":
            found.append(node.data)
        elif node.nodeName == "#comment":
            found.append(("comment", node.data))
        else:
            attributes = {name: str(value) for name, value in node.attributes.items()}
            found.append([node.nodeName, attributes, *_joined(_browsers(node))])
    return found


def _joined(nodes: list[object]) -> list[object]:
    """Put neighbouring texts together."""
    found: list[object] = []
    for node in nodes:
        if isinstance(node, str) and found and isinstance(found[-1], str):
            found[-1] += node
        else:
            found.append(node)
    return found


@settings(max_examples=150)
@given(text=blocks())
@pytest.mark.sweep
def test_both_see_the_same_tree(text: str) -> None:
    assert ours(text) == browsers(text)


@given(text=_TEXTS)
def test_both_read_the_same_text(text: str) -> None:
    assert ours(f"<p>{text}</p>") == browsers(f"<p>{text}</p>")


@pytest.mark.parametrize(
    "value",
    ["?a=1&copy=2", "?lt=1&lt=2", "&copy", "&copy;", "&copyx", "&notit;", "&#38;&#x26;", "a&b", "&amp=1"],
)
def test_both_read_the_same_attribute(value: str) -> None:
    assert ours(f'<a href="{value}">x</a>') == browsers(f'<a href="{value}">x</a>')
