"""Writes normalized HTML as Markdown. This reverses the renderer. Pure.

The caller renders the result again and compares, so this module may ignore attributes that Markdown cannot
express. It raises only for elements that Markdown has nothing similar for. The usual style of text escapes
what is nearly always markup, and is easy to read. The thorough style escapes everything that could be markup.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from pressync.html.normalize import HEADINGS, text_of
from pressync.html.player_blocks import is_player_form, provider_of
from pressync.html.tree import BLOCKS, VOID, Element, Node, Raw, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


# HTML blocks that begin with these may have blank lines.
_ENDS = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in ("pre", "textarea", "script", "style")}
_BEGIN = re.compile(rf"<({'|'.join(_ENDS)})\b", re.IGNORECASE)
_LANGUAGE = "language-"
_ALERT = re.compile(r"markdown-alert-(\w+)")
_RULES = {"": "---", "left": ":--", "center": ":-:", "right": "--:"}
# A file has at most this many bytes.
LONGEST = 8 * 1024 * 1024
# A pipe in a cell, escaped already or not.
_PIPE = re.compile(r"\\?\|")


def blocks(nodes: Iterable[Node], style: MarkdownStyle) -> str:
    """Write blocks with a blank line between two; text outside of an element is a paragraph.

    :raises InexpressibleError: Markdown cannot express one of them.
    """
    return "\n\n".join(_block(nodes, style) for nodes in _apart(nodes))


def raw(source: str) -> str:
    """Write HTML so that Markdown accepts it as it is, without blank lines: a blank line ends an HTML block.

    An HTML block that begins with an element like `pre` ends at its end tag, so it may have blank lines.
    """
    parts, last = [], 0
    for start, end in _verbatim(source):
        if not start:
            return source.strip()
        parts.append(_without_blank_lines(source[last:start]))
        parts.append(re.sub(r"(?<=\n)([ \t]*)\n", r"\1&#10;", source[start:end]))
        last = end
    return "".join([*parts, _without_blank_lines(source[last:])]).strip()


def _verbatim(source: str) -> Iterator[tuple[int, int]]:
    """Give the start and the end of each element that may have blank lines, if it has an end tag."""
    position, endless = 0, set[str]()
    while tag := _BEGIN.search(source, position):
        position, name = tag.end(), tag[1].lower()
        # If no end tag follows here, none follows later. So a text is searched once in vain for each name.
        end = None if name in endless else _ENDS[name].search(source, position)
        if end is None:
            endless.add(name)
        else:
            position = end.end()
            yield tag.start(), position


def _without_blank_lines(source: str) -> str:
    # Markdown would render text on the line after a comment, so the text moves to the line of the comment.
    joined = re.sub(r"(?<=-->)\n+(?=[^<\s])", "", source)
    return re.sub(r"\n[ \t]*(?=\n)", "", joined)


def _apart(nodes: Iterable[Node]) -> list[list[Node]]:
    """Group the nodes: each block alone, and all nodes between two blocks together."""
    groups: list[list[Node]] = []
    line = False
    for node in nodes:
        is_block = isinstance(node, Element) and node.name in BLOCKS
        if is_block or not line:
            groups.append([])
        groups[-1].append(node)
        line = not is_block
    return groups


def _block(nodes: Sequence[Node], style: MarkdownStyle) -> str:
    first = nodes[0]
    if not isinstance(first, Element) or first.name not in BLOCKS:
        return _paragraph(nodes, style)
    write = _WRITERS.get(first.name)
    if write is None:
        raise InexpressibleError(first.name)
    return write(first, style)


def _paragraph(nodes: Sequence[Node], style: MarkdownStyle) -> str:
    match nodes:
        case [Text(text=text)] if not style.thorough and provider_of(text):
            # An escape in an address would be a part of it.
            return text
    return lines_escaped(inline(nodes, style))


def _figure(figure: Element, style: MarkdownStyle) -> str:
    """Write a sound or a film as a link, and several pictures each on its line."""
    match figure.children:
        case (Element(name="audio" | "video") as player, *rest) if is_player_form(figure):
            caption = rest[0].children if rest and isinstance(rest[0], Element) else ()
            return f"[{inline(caption, style, one_line=True)}]({_target(player, 'src', style)})"
        case images if is_player_form(figure):
            return "\n".join(_node(image, style, one_line=True) for image in images)
    return _enclosed(figure, style)


def _heading(heading: Element, style: MarkdownStyle) -> str:
    text = inline(heading.children, style, one_line=True)
    # Markdown drops unescaped hashes at the end of a heading.
    escaped = re.sub(r"(?=#+$)", r"\\", text)
    return f"{'#' * int(heading.name[1])} {escaped}".rstrip()


def _box(box: Element, style: MarkdownStyle) -> str:
    """Write an alert, or HTML tags with Markdown between them."""
    kind = next((alert[1] for word in box.classes() if (alert := _ALERT.fullmatch(word))), None)
    if not kind or not box.children:
        return _enclosed(box, style)
    first = box.children[0]
    title = inline(first.children if isinstance(first, Element) else [first], style, one_line=True)
    named = "" if title == kind.title() else f" {title}"
    return _prefixed(f"[!{kind.upper()}]{named}\n{blocks(box.children[1:], style)}", "> ")


def _enclosed(node: Element, style: MarkdownStyle) -> str:
    """Write Markdown between the tags of an element that Markdown cannot express."""
    begins = tag(node, style)
    match node.children:
        case (Element(name="summary") as summary, *inside):
            begins += f"\n{_in_its_tags(summary, style)}"
        case inside:
            pass
    return "\n\n".join(filter(None, [begins, blocks(inside, style), f"</{node.name}>"]))


def _in_its_tags(node: Element, style: MarkdownStyle) -> str:
    return f"{tag(node, style)}{inline(node.children, style, one_line=True)}</{node.name}>"


def _list(node: Element, style: MarkdownStyle) -> str:
    items = node.elements
    loose = _is_loose(items)
    first = node.attributes.get("start", "1")
    # CommonMark reads at most nine digits.
    if not re.fullmatch("[0-9]{1,9}", first):
        raise InexpressibleError(node.name)
    texts = []
    for number, item in enumerate(items, int(first)):
        marker = f"{style.bullet} " if node.name == "ul" else f"{number}. "
        task, children = _task(item.children)
        content = task + _inside(children, style, loose=loose)
        texts.append(_prefixed(content, marker, " " * len(marker)))
    return ("\n\n" if loose else "\n").join(texts)


def _is_loose(items: Iterable[Element]) -> bool:
    """Whether the items contain paragraphs. Markdown then has blank lines between the items."""
    return any(isinstance(child, Element) and child.name == "p" for item in items for child in item.children)


def _inside(children: Iterable[Node], style: MarkdownStyle, *, loose: bool) -> str:
    """Write the content of an item; only a loose item has a blank line before the list in it."""
    return ("\n\n" if loose else "\n").join(_block(nodes, style) for nodes in _apart(children))


def _task(children: Sequence[Node]) -> tuple[str, Sequence[Node]]:
    """Give the Markdown of a task's box and the rest; the box begins the item or its first paragraph."""
    match children:
        case [Element(name="p") as paragraph, *rest]:
            task, inside = _task(paragraph.children)
            return task, [replace(paragraph, children=tuple(inside)), *rest]
        case [Element(name="input") as box, Text(text=text) as label, *rest]:
            task = "[x] " if "checked" in box.attributes else "[ ] "
            return task, [replace(label, text=text.lstrip()), *rest]
        case _:
            return "", children


def _code(listing: Element, _style: MarkdownStyle) -> str:
    match listing.children:
        case (Element(name="code") as code,) if all(isinstance(child, Text) for child in code.children):
            language = code.attributes.get("class", "").removeprefix(_LANGUAGE)
            language = f"{language} {code.attributes.get('data-meta', '')}".rstrip()
        case _:
            raise InexpressibleError(listing.name)
    text = text_of(code)
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=2))
    return "\n".join([f"{fence}{language}", *([text] if text else []), fence])


def _table(table: Element, style: MarkdownStyle) -> str:
    head, body = _rows(table, "thead"), _rows(table, "tbody")
    if len(head) != 1:
        raise InexpressibleError(table.name)
    rules = [_RULES.get(cell.attributes.get("align", ""), "---") for cell in head[0]]
    cells = [[inline(cell.children, style, one_line=True) for cell in row] for row in (*head, *body)]
    rows = [[_PIPE.sub(r"\\|", cell) for cell in row] for row in cells]
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], rules, *rows[1:]])


def _rows(table: Element, part: str) -> list[list[Element]]:
    sections = [child for child in table.elements if child.name == part]
    return [row.elements for section in sections for row in section.elements]


def _descriptions(node: Element, style: MarkdownStyle) -> str:
    parts = node.elements
    loose = _is_loose(parts)
    texts = []
    for number, part in enumerate(parts):
        if part.name == "dd":
            texts.append(_prefixed(_inside(part.children, style, loose=loose), ": ", "  "))
        else:
            apart = "\n" if number and not loose else ""
            texts.append(apart + inline(part.children, style, one_line=True))
    return ("\n\n" if loose else "\n").join(texts)


def _footnotes(node: Element, style: MarkdownStyle) -> str:
    texts = [(item.attributes["name"], blocks(item.children, style)) for item in node.elements]
    return "\n\n".join(_prefixed(text, f"[^{name}]: ", "    ") for name, text in texts)


def _prefixed(text: str, first: str, others: str | None = None) -> str:
    lines = text.split("\n")
    if len(text) + len(lines) * len(first) > LONGEST:
        # A listing of a million lines in a hundred quotes would have a hundred million marks.
        raise InexpressibleError("text")
    prefixes = [first, *[first if others is None else others] * (len(lines) - 1)]
    return "\n".join(
        prefix + line if line else prefix.rstrip() for prefix, line in zip(prefixes, lines, strict=True)
    )


_WRITERS: Mapping[str, Callable[[Element, MarkdownStyle], str]] = {
    **dict.fromkeys(HEADINGS, _heading),
    "p": lambda paragraph, style: _paragraph(paragraph.children, style),
    "hr": lambda _rule, _style: "---",
    "blockquote": lambda quote, style: _prefixed(blocks(quote.children, style), "> "),
    "div": _box,
    **dict.fromkeys(("details", "section", "article", "aside", "center"), _enclosed),
    "figure": _figure,
    **dict.fromkeys(("summary", "figcaption"), _in_its_tags),
    "ul": _list,
    "ol": _list,
    "pre": _code,
    "table": _table,
    "dl": _descriptions,
    "footnotes": _footnotes,
}


_USUAL = re.compile(
    r"""
      \\(?=[!-/:-@\[-`{-~\n]|$)
    | [`*]
    | (?<!\w)_ | _(?!\w)
    | <(?=[A-Za-z/!?])
    | &(?=\#\w{1,8};|\w{1,31};)
    | ~(?=~)
    | \[(?=\^|[ xX]\])
    | (?<=\])[(\[:]
    """,
    re.VERBOSE,
)
# Two `%` begin a comment in Obsidian.
_THOROUGH = re.compile(r"[\\`*_\[\]<>&~|!:@#$]|(?<=w)\.|%(?=%)")
# At the start of a line, these begin another block.
_LEADING = re.compile(
    r"^(?:(\d{1,9})(?=[.)](?:\s|$))|(?=\#{1,6}(?:\s|$)|>|[-+](?:\s|$)|:\s|=+\s*$|-+\s*$|-[-\s]+$|~~~|\|))",
    re.MULTILINE,
)
_BARE = re.compile(r"(?:https?://|mailto:)[^\s<>]+")
_MARKS: Mapping[str, str] = {"strong": "**", "em": "*", "del": "~~"}


class InexpressibleError(ValueError):
    """Markdown cannot express this HTML."""


@dataclass(frozen=True, slots=True)
class MarkdownStyle:
    """How to write Markdown; `link` gives the address to write for an address of the site."""

    link: Callable[[str], str]
    bullet: str = "-"
    thorough: bool = False


def inline(nodes: Iterable[Node], style: MarkdownStyle, *, one_line: bool = False) -> str:
    """Write normalized text; with `one_line` without line breaks, as headings and cells need it.

    :raises InexpressibleError: it contains a block.
    """
    text = "".join(_node(node, style, one_line=one_line) for node in nodes)
    return text.replace("\n", " ") if one_line else text


def lines_escaped(text: str) -> str:
    """Escape characters that would begin another block at the start of a line."""
    return _LEADING.sub(lambda match: f"{match[1]}\\" if match[1] else "\\", text)


def tag(node: Element, style: MarkdownStyle) -> str:
    """Write a start tag."""
    written = []
    for name, value in node.attributes.items():
        target = style.link(value) if (node.name, name) in {("a", "href"), ("img", "src")} else value
        written.append(f' {name}="{html.escape(target)}"')
    return f"<{node.name}{''.join(written)}{' /' if node.name in VOID else ''}>"


def _node(node: Node, style: MarkdownStyle, *, one_line: bool) -> str:
    match node:
        case Text(text=text):
            return (_THOROUGH if style.thorough else _USUAL).sub(lambda mark: f"\\{mark[0]}", text)
        case Raw(text=text):
            return text
        case Element(name=name) if name in BLOCKS:
            raise InexpressibleError(name)
        case Element(name="br", attributes=attributes) if not attributes and not one_line:
            return "\\\n"
        case Element(name="code", attributes=attributes, children=(Text(text=text),)) if not attributes:
            return _code_span(text)
    writer = _INLINE.get(node.name)
    if writer and node.attributes.keys() <= writer.attributes:
        return writer.write(node, style, inline(node.children, style, one_line=one_line))
    inside = inline(node.children, style, one_line=one_line)
    return tag(node, style) + (inside + f"</{node.name}>" if node.name not in VOID else "")


def _link(node: Element, style: MarkdownStyle, inside: str) -> str:
    target = node.attributes.get("href", "")
    bare = _BARE.fullmatch(target) and style.link(target) == target
    if bare and "title" not in node.attributes and text_of(node) == target.removeprefix("mailto:"):
        return f"<{text_of(node)}>"
    return f"[{inside}]({_target(node, 'href', style)})"


def _image(node: Element, style: MarkdownStyle, _inside: str) -> str:
    alt = re.sub(r"([\\`*_\[\]<&])", r"\\\1", node.attributes.get("alt", ""))
    return f"![{alt}]({_target(node, 'src', style)})"


class _Writer(NamedTuple):
    """Writes one kind of element if it has only these attributes."""

    attributes: frozenset[str]
    write: Callable[[Element, MarkdownStyle, str], str]


_INLINE: Mapping[str, _Writer] = {
    **dict.fromkeys(
        _MARKS,
        _Writer(frozenset(), lambda node, _style, inside: f"{_MARKS[node.name]}{inside}{_MARKS[node.name]}"),
    ),
    "a": _Writer(frozenset({"href", "title"}), _link),
    "img": _Writer(frozenset({"src", "alt", "title"}), _image),
    "formula": _Writer(frozenset({"style"}), lambda node, _style, _inside: _formula(node)),
    "footnote": _Writer(frozenset({"name"}), lambda node, _style, _inside: f"[^{node.attributes['name']}]"),
}


def _formula(node: Element) -> str:
    """Write the TeX between dollars."""
    mark = "$" if node.attributes["style"] == "inline" else "$$"
    return f"{mark}{text_of(node)}{mark}"


def _target(node: Element, name: str, style: MarkdownStyle) -> str:
    address = style.link(node.attributes.get(name, ""))
    if re.search(r"[\s()<>\\]", address) or not address:
        address = "<" + re.sub(r"([<>\\])", r"\\\1", address.replace("\n", "%0A")) + ">"
    else:
        address = re.sub(r"&(?=#?\w+;)", r"\\&", address)
    title = node.attributes.get("title")
    if title is None:
        return address
    return f'{address} "' + re.sub(r'(["\\])', r"\\\1", title) + '"'


def _code_span(text: str) -> str:
    """Write inline code between a number of backticks that does not occur in it."""
    runs = {len(run) for run in re.findall(r"`+", text)}
    fence = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    # Markdown removes one blank at each end, unless the text has nothing but blanks.
    has_end = not {text[:1], text[-1:]}.isdisjoint(("`", " "))
    pad = " " if has_end and text.strip() else ""
    return f"{fence}{pad}{text}{pad}{fence}"
