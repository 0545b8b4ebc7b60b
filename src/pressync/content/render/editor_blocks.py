"""A finished HTML body -> the same body as blocks of the WordPress editor. Pure.

It must not know Markdown, templates or what is sent. What decided its shape: the editor calls a block
broken whose HTML is not what it would have written itself. So a piece becomes a block only if it is written
as the Markdown renderer writes it, and anything else goes, byte for byte, into a block “Custom HTML”.

What a block looks like is what `save` of the block in WordPress/gutenberg, packages/block-library, writes;
where versions differ it is what the editors of WordPress 6.1, 6.8 and 7.1 all take for their own.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pressync.content.render.block_markup import Foreign, expect, expect_line, filled, written
from pressync.html import tokens
from pressync.html.shortcodes import BRACKET, escape_shortcodes
from pressync.html.tokens import TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pressync.html.tokens import Node

# Whenever the code below makes other blocks of the same HTML, `recipe.BLOCKS` is raised.

# How the delimiter of any block begins; WordPress takes blanks and line breaks there as they come.
_DELIMITER = re.compile(r"<!--\s+/?wp:")

# Lists and quotes are blocks down to here; what is nested deeper is HTML.
_DEEPEST = 20

# A heading of this level is a block without attributes.
_USUAL_LEVEL = "2"

_BETWEEN_BLOCKS = "\n\n"

_HEADING = re.compile(r'<h([1-6])( id="[^"<>]+")?>')
_LIST = re.compile(r'<[ou]l( start="(0|[1-9][0-9]{0,8})")?>')
_CODE = re.compile(r'<code(?: class="(language-[\w.+#-]+)")?>', re.ASCII)
_CELL = re.compile(r'<(t[hd])(?: align="(left|center|right)")?>')
_IMAGE = re.compile(r'<img src="([^"<>]+)" alt="([^"<>]*)"(?: title="([^"<>]*[^"<>\s][^"<>]*)")? />')

# The class of a list whose items are paragraphs. The editor writes lines in items, and puts what is typed
# at the end of a paragraph behind it.
_LOOSE = "loose"

_LISTS = frozenset({"ul", "ol"})
_TABLES = (("thead",), ("tbody",), ("thead", "tbody"))


def to_blocks(html: str) -> str:
    """Give the blocks of an HTML body; without what they add, they are that HTML again.

    A shortcode in code is written so that it is shown and not run. A body that has block comments already
    stays as it is, and so does one that would be a single block of HTML: the dialect puts such a body into
    one by itself. Linear in the length of the body.
    """
    if _DELIMITER.search(html):
        return html
    blocks = list(_blocks(tokens.parse(escape_shortcodes(html)), depth=0))
    if not blocks or (len(blocks) == 1 and blocks[0].startswith("<!-- wp:html -->")):
        return html
    return _BETWEEN_BLOCKS.join(blocks)


def _blocks(nodes: Iterable[Node], *, depth: int) -> Iterator[str]:
    """Yield a block for each node that can be one, and blocks of HTML for what stands between them."""
    between: list[Node] = []
    for node in nodes:
        made = _block(node, depth)
        # Where only lines end, a block more or less changes nothing that is seen.
        if made is None and not (node.is_blank and "\n" in node.outer):
            between.append(node)
            continue
        yield from _html(between)
        between = []
        if made is not None:
            yield made
    yield from _html(between)


def _html(nodes: Sequence[Node]) -> Iterator[str]:
    html = tokens.span(nodes)
    if html:
        yield _delimited("html", html)


def _block(node: Node, depth: int) -> str | None:
    """Make the block of a node; None if it has to be HTML."""
    try:
        return _made(node, depth)
    except Foreign:
        return None


def _made(node: Node, depth: int) -> str:
    match node.name:
        case "p":
            made = _paragraph(node)
        case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
            made = _heading(node)
        case "ul" | "ol":
            made = _list(node, depth)
        case "blockquote":
            made = _quote(node, depth)
        case "pre":
            made = _code(node)
        case "table":
            made = _table(node)
        case "hr":
            made = _separator(node)
        case _:
            raise Foreign
    return made


def _paragraph(node: Node) -> str:
    """Make a paragraph, or a picture of one that holds nothing else."""
    expect(node, "<p>")
    if image := _IMAGE.fullmatch(node.inner):
        return _image(*image.groups(default=""))
    expect_line(node.children)
    return _delimited("paragraph", node.outer)


def _image(address: str, alternative: str, title: str) -> str:
    caption = f'<figcaption class="wp-element-caption">{title}</figcaption>' if title else ""
    image = f'<img src="{address}" alt="{alternative}"/>'
    return _delimited("image", f'<figure class="wp-block-image">{image}{caption}</figure>')


def _heading(node: Node) -> str:
    level, anchor = expect(node, _HEADING).groups(default="")
    expect_line(node.children)
    html = f'<h{level} class="wp-block-heading"{anchor}>{node.inner}</h{level}>'
    return _delimited("heading", html, {} if level == _USUAL_LEVEL else {"level": int(level)})


def _list(node: Node, depth: int) -> str:
    start, number = expect(node, _LIST).groups(default="")
    if depth > _DEEPEST:
        raise Foreign
    items = filled(node)
    is_loose = any(child.name == "p" for item in items for child in item.children)
    written_items = _BETWEEN_BLOCKS.join(_item(item, depth, is_loose=is_loose) for item in items)
    classes = f"wp-block-list {_LOOSE}" if is_loose else "wp-block-list"
    html = f'<{node.name}{start} class="{classes}">{written_items}</{node.name}>'
    attributes: dict[str, object] = {"ordered": True} if node.name == "ol" else {}
    attributes |= {"start": int(number)} if number else {}
    return _delimited("list", html, attributes | ({"className": _LOOSE} if is_loose else {}))


def _item(node: Node, depth: int, *, is_loose: bool) -> str:
    """Make an item of a line of text, which is a paragraph in a loose list, and of the lists below it."""
    expect(node, "<li>")
    below = [child for child in node.children if child.name in _LISTS]
    line = node.children[: node.children.index(below[0])] if below else node.children
    if written(node.children[len(line) :]) != below:
        raise Foreign
    if is_loose and (said := written(line)):
        expect(said[0], "<p>")
        if len(said) > 1:
            raise Foreign
        line = said[0].children
    expect_line(written(line))
    lists = _BETWEEN_BLOCKS.join(_list(child, depth + 1) for child in below)
    return _delimited("list-item", f"<li>{tokens.span(line)}{lists}</li>")


def _quote(node: Node, depth: int) -> str:
    expect(node, "<blockquote>")
    if depth > _DEEPEST:
        raise Foreign
    blocks = _BETWEEN_BLOCKS.join(_blocks(node.children, depth=depth + 1))
    return _delimited("quote", f'<blockquote class="wp-block-quote">{blocks}</blockquote>')


def _code(node: Node) -> str:
    """Make a block of code. Its language moves to the one element on which the editor keeps a class."""
    expect(node, "<pre>")
    if len(node.children) != 1:
        raise Foreign
    code = node.children[0]
    language = expect(code, _CODE)[1] or ""
    if any(child.name != TEXT for child in code.children):
        raise Foreign
    classes = f"wp-block-code {language}".rstrip()
    # The editor escapes all of them here, so that not even a shortcode of one letter is run.
    text = code.inner.replace("[", BRACKET)
    html = f'<pre class="{classes}"><code>{text}</code></pre>'
    return _delimited("code", html, {"className": language} if language else {})


def _table(node: Node) -> str:
    expect(node, "<table>")
    parts = filled(node)
    if tuple(part.name for part in parts) not in _TABLES:
        raise Foreign
    html = f'<figure class="wp-block-table"><table>{"".join(map(_rows, parts))}</table></figure>'
    # Without this word all columns are of one width, except in 6.1, which calls such a table broken.
    return _delimited("table", html, {"hasFixedLayout": False})


def _rows(part: Node) -> str:
    expect(part, f"<{part.name}>")
    return f"<{part.name}>{''.join(map(_row, filled(part)))}</{part.name}>"


def _row(row: Node) -> str:
    expect(row, "<tr>")
    return f"<tr>{''.join(map(_cell, filled(row)))}</tr>"


def _cell(cell: Node) -> str:
    name, side = expect(cell, _CELL).groups()
    expect_line(cell.children)
    opening = f'<{name} class="has-text-align-{side}" data-align="{side}">' if side else f"<{name}>"
    return f"{opening}{cell.inner}</{name}>"


def _separator(node: Node) -> str:
    expect(node, "<hr />")
    return _delimited("separator", '<hr class="wp-block-separator has-alpha-channel-opacity"/>')


def _delimited(name: str, html: str, attributes: Mapping[str, object] | None = None) -> str:
    """Put a block's HTML between its delimiters, spelled as WordPress itself writes them.

    6.8 and later parse content and write it anew, so any other spelling would come back bent. Of what
    `serialize_block_attributes` escapes, numbers, truths and the names of languages can hold `--` alone.
    """
    spelled = (
        json.dumps(attributes, separators=(",", ":")).replace("--", r"\u002d\u002d") if attributes else ""
    )
    return f"<!-- wp:{name} {spelled}{' ' if spelled else ''}-->\n{html}\n<!-- /wp:{name} -->"
