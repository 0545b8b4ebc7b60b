"""Converts a finished HTML body to blocks of the WordPress editor. Pure.

The editor reports a block as broken if its HTML is not exactly that of its `save` function
(WordPress/gutenberg, packages/block-library). Where versions differ, the form here is one that 6.1, 6.8 and
7.1 accept. So a piece becomes a block only if it is written as the Markdown renderer writes it. Everything
else goes unchanged into a block “Custom HTML”.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from html import unescape
from typing import TYPE_CHECKING, NamedTuple

from pressync.content.render.players import SCROLLING
from pressync.html import tokens
from pressync.html.player_blocks import provider_of
from pressync.html.shortcodes import BRACKET, elements_for_references, escape_shortcodes
from pressync.html.tokens import BLANKS, TEXT, Node, with_implied_tags

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


# Increase `basis.BLOCKS` when the code below makes other blocks of the same HTML.

# A delimiter of a block, or the rest of the text if it has no end. WordPress accepts any white space there.
_DELIMITER = re.compile(
    r"<!--\s+(?P<end>/)?wp:(?P<name>[a-z][a-z0-9_/-]*+)?+(?:.*?(?P<alone>/)?-->|.*+)", re.DOTALL
)

# Lists and quotes are blocks down to this depth. Deeper ones stay HTML.
_DEEPEST = 20

# A heading of this level is a block without attributes.
_USUAL_LEVEL = "2"

_BETWEEN_BLOCKS = "\n\n"

_HEADING = re.compile(r'<h([1-6])( id="[^"<>]+")?>')
_LIST = re.compile(r'<[ou]l( start="(0|[1-9][0-9]{0,8})")?>')
_CODE = re.compile(r'<code(?: class="(language-[\w.+#-]+)")?>', re.ASCII)
_CELL = re.compile(r'<(t[hd])(?: align="(left|center|right)")?>')
_IMAGE = re.compile(r'<img src="([^"<>]+)" alt="([^"<>]*)"(?: title="([^"<>]*[^"<>\s][^"<>]*)")? />')

# The paragraph of an address, as `players` writes it.
_SHOWN_AS_PLAYER = f"<p{SCROLLING}>"
# A sound or a film, as `players` writes it, or as `pull` leaves it.
_PLAYER = re.compile(
    r'<(audio|video) controls(?:="")? src="([^"<>]+)"></\1>(?:<figcaption>(.+)</figcaption>)?', re.DOTALL
)

# A formula with its TeX, as `formulas` writes it.
_FORMULA = re.compile(
    r'<math display="block"><semantics>(?:(?!</?math\b).)*'
    r'<annotation encoding="application/x-tex">(?P<tex>[^<]*)</annotation></semantics></math>',
    re.DOTALL,
)

_FORMULA_TAG = re.compile(r'<math data-latex="[^"<>]*">')
_FORMULA_IN_LINE = re.compile(r'<math( data-latex="[^"<>]*">(?:(?!</?math\b).)*)</math>', re.DOTALL)

# The class of a list whose items are paragraphs. The editor writes items as lines without paragraphs, and
# puts text that is typed at the end of a paragraph after it.
_LOOSE = "loose"

# What ends a part of a page, and what lists of posts show of it. A block theme links to the other parts of a
# page only if it has the block, and WordPress takes out the comments of these blocks alone where it cuts.
_CUT = re.compile("<!--(nextpage|more)-->")

_LISTS = frozenset({"ul", "ol"})
_TABLES = (("thead",), ("tbody",), ("thead", "tbody"))
# The elements that a line of text may contain.
_MARK = re.compile(
    r"""<(?:a|abbr|b|bdi|bdo|br|cite|code|data|del|dfn|em|i|img|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup
    |time|u|var|wbr)(?:[ ][a-z][a-z0-9-]*(?:="[^"<>]*")?)*(?:[ ]/)?>""",
    re.VERBOSE,
)
_ESCAPES = {
    "\\\\": r"\u005c",
    "--": r"\u002d\u002d",
    "<": r"\u003c",
    ">": r"\u003e",
    "&": r"\u0026",
    '\\"': r"\u0022",
}
_ESCAPED = re.compile("|".join(map(re.escape, _ESCAPES)))
_ATTRIBUTE = re.compile(r' ([a-z][a-z0-9-]*)(?:="[^"<>]*")?')

# Elements that are visible without text, and characters that the editor treats as empty.
_VISIBLE = frozenset({"br", "img"})
_INVISIBLE = f"{BLANKS}\ufeff"


class _Place(NamedTuple):
    """Where a node stands, in how many lists and quotes, and which forms become blocks there."""

    depth: int = 0
    embeds: bool = False
    galleries: bool = False

    @property
    def below(self) -> _Place:
        """The place in a list or quote that stands here."""
        return self._replace(depth=self.depth + 1)


def to_blocks(html: str, *, with_formulas: bool = True, embeds: bool = False, galleries: bool = False) -> str:
    """Give the blocks of an HTML body; without the added markup they are the same HTML.

    A shortcode in code is written so that WordPress shows it and does not run it. Blocks that the body has
    already stay as they are. A body in which these are not complete, or not at the top, stays as it is. So
    does a body that would be a single block of HTML, because the dialect adds such a block itself. The time
    is linear in the length of the body. Without `with_formulas`, a line with a formula is not a block. With
    `embeds` and `galleries`, addresses and players, and pictures on lines, become blocks of their own. A body
    with too much markup stays as it is.
    """
    if tokens.has_too_many(html):
        return html
    if not with_formulas and "<math" in html:
        page = _FORMULA_IN_LINE.sub(r"<no-math\1</no-math>", html)
        return to_blocks(page, embeds=embeds, galleries=galleries).replace("no-math", "math")
    place = _Place(0, embeds, galleries)
    own = _own_blocks(html)
    blocks, position = [], 0
    for start, end in [*own, (len(html), len(html))]:
        nodes = tokens.parse(escape_shortcodes(html[position:start]))
        if own and not all(node.sound for node in nodes):
            return html
        blocks += [*_blocks(nodes, place), *([html[start:end]] if end > start else [])]
        position = end
    if len(blocks) == len(own) or (len(blocks) == 1 and blocks[0].startswith("<!-- wp:html -->")):
        return html
    return _BETWEEN_BLOCKS.join(blocks)


def _own_blocks(html: str) -> list[tuple[int, int]]:
    """Give the start and end of each block that a text has; if one is not complete, of the whole text."""
    places: list[tuple[int, int]] = []
    opened: list[re.Match[str]] = []
    for mark in _DELIMITER.finditer(html):
        if not mark["name"] or not mark[0].endswith("-->"):
            return [(0, len(html))]
        if not mark["end"]:
            opened.append(mark)
        elif not opened or opened[-1]["name"] != mark["name"]:
            return [(0, len(html))]
        if mark["end"] or mark["alone"]:
            first = opened.pop()
            places += [] if opened else [(first.start(), mark.end())]
    return [(0, len(html))] if opened else places


def _blocks(nodes: Iterable[Node], place: _Place) -> Iterator[str]:
    """Yield a block for each node that can be one, and blocks of HTML for everything between them."""
    between: list[Node] = []
    for node in nodes:
        made: str | None = None
        with suppress(Foreign):
            made = _MAKERS[node.name](node, place) if node.name in _MAKERS else None
        # White space with a line break is not visible, so it does not need a block.
        if made is None and not (node.is_blank and "\n" in node.outer):
            between.append(node)
            continue
        yield from _html(between)
        between = []
        if made is not None:
            yield made
    yield from _html(between)


def _html(nodes: Sequence[Node]) -> Iterator[str]:
    html = with_implied_tags(nodes).strip(tokens.BLANKS) if nodes else ""
    if html:
        yield _delimited("html", elements_for_references(html))


def _paragraph(node: Node, place: _Place) -> str:
    """Make a paragraph; or an image, a gallery or an embed, if the paragraph contains nothing else."""
    if node.tag == _SHOWN_AS_PLAYER and place.embeds and node.sound:
        return _embed(node.inner)
    expect(node, "<p>")
    if formula := _FORMULA.fullmatch(node.inner):
        latex = unescape(formula["tex"])
        return _delimited("math", f'<div class="wp-block-math">{node.inner}</div>', {"latex": latex})
    if image := _IMAGE.fullmatch(node.inner):
        return _image(image)
    if place.embeds and provider_of(unescape(node.inner)):
        return _embed(node.inner)
    pictures = [_IMAGE.fullmatch(line) for line in node.inner.split("\n")] if place.galleries else []
    if len(pictures) > 1 and all(pictures):
        return _gallery(filter(None, pictures))
    expect_line(node.children)
    return _delimited("paragraph", elements_for_references(node.outer))


def _embed(text: str) -> str:
    wrapper = f'<div class="wp-block-embed__wrapper">\n{text}\n</div>'
    return _delimited("embed", f'<figure class="wp-block-embed">{wrapper}</figure>', {"url": unescape(text)})


def _image(image: re.Match[str]) -> str:
    address, alternative, title = image.groups(default="")
    picture = f'<img src="{address}" alt="{alternative}"/>'
    return _delimited("image", f'<figure class="wp-block-image">{picture}{_caption(title)}</figure>')


def _gallery(images: Iterable[re.Match[str]]) -> str:
    classes = "wp-block-gallery has-nested-images columns-default is-cropped"
    inside = _BETWEEN_BLOCKS.join(map(_image, images))
    # The editor writes this attribute as soon as it opens a gallery.
    return _delimited("gallery", f'<figure class="{classes}">{inside}</figure>', {"linkTo": "none"})


def _caption(text: str) -> str:
    return f'<figcaption class="wp-element-caption">{text}</figcaption>' if text else ""


def _player(node: Node, place: _Place) -> str:
    """Make the block of a sound or a film. The text of its link is the caption."""
    expect(node, "<figure>")
    player = _PLAYER.fullmatch(node.inner) if place.embeds else None
    if not player:
        raise Foreign
    element, address, caption = player.groups(default="")
    if caption:
        expect_line(node.children[1].children)
    html = f'<{element} controls src="{address}"></{element}>{_caption(elements_for_references(caption))}'
    return _delimited(element, f'<figure class="wp-block-{element}">{html}</figure>')


def _heading(node: Node, _place: _Place) -> str:
    level, anchor = expect(node, _HEADING).groups(default="")
    expect_line(node.children)
    html = f'<h{level} class="wp-block-heading"{anchor}>{elements_for_references(node.inner)}</h{level}>'
    return _delimited("heading", html, {} if level == _USUAL_LEVEL else {"level": int(level)})


def _list(node: Node, place: _Place) -> str:
    start, number = expect(node, _LIST).groups(default="")
    if place.depth > _DEEPEST:
        raise Foreign
    items = filled(node)
    is_loose = any(child.name == "p" for item in items for child in item.children)
    written_items = _BETWEEN_BLOCKS.join(_item(item, place, is_loose=is_loose) for item in items)
    classes = f"wp-block-list {_LOOSE}" if is_loose else "wp-block-list"
    html = f'<{node.name}{start} class="{classes}">{written_items}</{node.name}>'
    attributes: dict[str, object] = {"ordered": True} if node.name == "ol" else {}
    attributes |= {"start": int(number)} if number else {}
    return _delimited("list", html, attributes | ({"className": _LOOSE} if is_loose else {}))


def _item(node: Node, place: _Place, *, is_loose: bool) -> str:
    """Make an item: a line of text (a paragraph in a loose list) and the lists below it."""
    expect(node, "<li>")
    below = [child for child in node.children if child.name in _LISTS]
    line = node.children[: node.children.index(below[0])] if below else node.children
    if written(node.children[len(line) :]) != below:
        raise Foreign
    if is_loose and (paragraphs := written(line)):
        expect(paragraphs[0], "<p>")
        if len(paragraphs) > 1:
            raise Foreign
        line = paragraphs[0].children
    expect_line(written(line))
    lists = _BETWEEN_BLOCKS.join(_list(child, place.below) for child in below)
    return _delimited("list-item", f"<li>{elements_for_references(tokens.span(line))}{lists}</li>")


def _quote(node: Node, place: _Place) -> str:
    expect(node, "<blockquote>")
    if place.depth > _DEEPEST:
        raise Foreign
    blocks = _BETWEEN_BLOCKS.join(_blocks(node.children, place.below))
    return _delimited("quote", f'<blockquote class="wp-block-quote">{blocks}</blockquote>')


def _code(node: Node, _place: _Place) -> str:
    """Make a code block. Its language moves to the only element on which the editor keeps a class."""
    expect(node, "<pre>")
    if len(node.children) != 1:
        raise Foreign
    code = node.children[0]
    language = expect(code, _CODE)[1] or ""
    if any(child.name != TEXT for child in code.children):
        raise Foreign
    classes = f"wp-block-code {language}".rstrip()
    # The editor escapes all brackets here, so that no shortcode runs, not even one of a single letter.
    text = code.inner.replace("[", BRACKET)
    html = f'<pre class="{classes}"><code>{text}</code></pre>'
    return _delimited("code", html, {"className": language} if language else {})


def _table(node: Node, _place: _Place) -> str:
    expect(node, "<table>")
    parts = filled(node)
    if tuple(part.name for part in parts) not in _TABLES:
        raise Foreign
    written_parts = ""
    for part in parts:
        expect(part, f"<{part.name}>")
        rows = filled(part)
        for row in rows:
            expect(row, "<tr>")
        inside = "".join(f"<tr>{''.join(map(_cell, filled(row)))}</tr>" for row in rows)
        written_parts += f"<{part.name}>{inside}</{part.name}>"
    html = f'<figure class="wp-block-table"><table>{written_parts}</table></figure>'
    # Without this attribute, all columns have the same width. The editor of 6.1 calls such a table broken
    # instead.
    return _delimited("table", html, {"hasFixedLayout": False})


def _cell(cell: Node) -> str:
    name, side = expect(cell, _CELL).groups()
    expect_line(cell.children)
    opening = f'<{name} class="has-text-align-{side}" data-align="{side}">' if side else f"<{name}>"
    return f"{opening}{elements_for_references(cell.inner)}</{name}>"


def _separator(node: Node, _place: _Place) -> str:
    expect(node, "<hr />")
    return _delimited("separator", '<hr class="wp-block-separator has-alpha-channel-opacity"/>')


def _cut(node: Node, place: _Place) -> str:
    """Make the end of a part of the page, or of what lists show of it; it may not stand in another block."""
    match = _CUT.fullmatch(node.outer)
    if match is None or place.depth:
        raise Foreign
    return _delimited(match[1], node.outer)


_MAKERS: Mapping[str, Callable[[Node, _Place], str]] = {
    tokens.COMMENT: _cut,
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _heading),
    **dict.fromkeys(_LISTS, _list),
    "blockquote": _quote,
    "figure": _player,
    "hr": _separator,
    "p": _paragraph,
    "pre": _code,
    "table": _table,
}


def _delimited(name: str, html: str, attributes: Mapping[str, object] | None = None) -> str:
    """Put a block's HTML between its delimiters, exactly as WordPress writes them.

    WordPress 6.8 and later parse content and write it again, so any other spelling would come back changed.
    `serialize_block_attributes` of 7.1 escapes these strings; 6.8 leaves the backslash.
    """
    spelled = json.dumps(attributes, separators=(",", ":"), ensure_ascii=False) + " " if attributes else ""
    spelled = _ESCAPED.sub(lambda match: _ESCAPES[match[0]], spelled)
    return f"<!-- wp:{name} {spelled}-->\n{html}\n<!-- /wp:{name} -->"


# The HTML of an author or a template can be anything, and browsers repair it in their own ways. Markup that
# the functions below accept, character by character, needs no repair.
class Foreign(Exception):  # noqa: N818 - it is not an error
    """Markup that the renderer does not write."""


def expect(node: Node, tag: str | re.Pattern[str]) -> re.Match[str]:
    """Match the opening tag of a well-formed element; raise `Foreign` if it does not match."""
    match = re.fullmatch(tag, node.tag)
    if not match or not node.sound:
        raise Foreign
    return match


def expect_line(nodes: Iterable[Node]) -> None:
    """Check that nodes are text with plain inline elements, as in a paragraph; raise `Foreign` if not.

    A link in a link is not plain, a repeated attribute is not, and inline elements without text are not: the
    editor drops these. An empty line is accepted.
    """
    waiting = [(node, False) for node in nodes]
    is_visible = not waiting
    while waiting:
        node, is_linked = waiting.pop()
        if node.name == TEXT:
            is_visible = is_visible or bool(node.outer.strip(_INVISIBLE))
            continue
        if node.name == "math":
            expect(node, _FORMULA_TAG)
            is_visible = True
            continue
        attributes = _ATTRIBUTE.findall(expect(node, _MARK)[0])
        is_link = node.name == "a"
        if len(attributes) != len(set(attributes)) or (is_link and is_linked):
            raise Foreign
        is_visible = is_visible or node.name in _VISIBLE
        waiting += [(child, is_link or is_linked) for child in node.children]
    if not is_visible:
        raise Foreign


def written(nodes: Iterable[Node]) -> list[Node]:
    """Give the nodes without the white space between them."""
    return [node for node in nodes if not node.is_blank]


def filled(node: Node) -> list[Node]:
    """Give the children of an element without white space; raise `Foreign` if there are none."""
    if not (children := written(node.children)):
        raise Foreign
    return children
