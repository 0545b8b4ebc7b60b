"""Blocks of HTML that is `alike` -> Markdown: the way back of what the renderer makes. Pure.

It must not know files or the renderer. What decided its shape: whoever asks renders the answer again and
compares, so attributes that Markdown has no word for are no matter here. Only what it cannot even come
near raises; both times the HTML is kept, which Markdown takes as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pressync.html.inline import InexpressibleError, inline, lines_escaped, tag
from pressync.html.normalize import HEADINGS, text_of
from pressync.html.tree import BLOCKS, Element, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pressync.html.inline import MarkdownStyle
    from pressync.html.tree import Node

_VERBATIM = re.compile(r"<(pre|textarea|script|style)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_LANGUAGE = "language-"
_ALERT = re.compile(r"markdown-alert-(\w+)")
_RULES = {"": "---", "left": ":--", "center": ":-:", "right": "--:"}
# A pipe in a cell, escaped already or not.
_PIPE = re.compile(r"\\?\|")


def blocks(nodes: Iterable[Node], voice: MarkdownStyle) -> str:
    """Write blocks, a blank line between two; text without an element of its own is a paragraph.

    :raises InexpressibleError: there is something that Markdown has no word for.
    """
    return "\n\n".join(_block(nodes, voice) for nodes in _apart(nodes))


def raw(source: str) -> str:
    """Write HTML so that Markdown takes it as it is: a blank line would end it.

    Only what begins with one of the elements that hold their blanks is ended by its end tag alone.
    """
    if _VERBATIM.match(source):
        return source.strip()
    said, last = [], 0
    for found in _VERBATIM.finditer(source):
        said.append(_without_blank_lines(source[last : found.start()]))
        said.append(re.sub(r"(?<=\n)([ \t]*)\n", r"\1&#10;", found[0]))
        last = found.end()
    return "".join([*said, _without_blank_lines(source[last:])]).strip()


def _without_blank_lines(source: str) -> str:
    # Text that follows a comment on a line of its own would be Markdown: it moves up to the comment.
    joined = re.sub(r"(?<=-->)\n+(?=[^<\s])", "", source)
    return re.sub(r"\n[ \t]*(?=\n)", "", joined)


def _apart(nodes: Iterable[Node]) -> list[list[Node]]:
    """Put each block by itself, and what stands between two blocks together."""
    found: list[list[Node]] = []
    line = False
    for node in nodes:
        is_block = isinstance(node, Element) and node.name in BLOCKS
        if is_block or not line:
            found.append([])
        found[-1].append(node)
        line = not is_block
    return found


def _block(nodes: Sequence[Node], voice: MarkdownStyle) -> str:
    first = nodes[0]
    if not isinstance(first, Element) or first.name not in BLOCKS:
        return _paragraph(nodes, voice)
    write = _WRITERS.get(first.name)
    if write is None:
        raise InexpressibleError(first.name)
    return write(first, voice)


def _paragraph(nodes: Iterable[Node], voice: MarkdownStyle) -> str:
    return lines_escaped(inline(nodes, voice))


def _heading(heading: Element, voice: MarkdownStyle) -> str:
    text = inline(heading.children, voice, one_line=True)
    # Hashes at its end would close the heading.
    open_ended = re.sub(r"(?=#+$)", r"\\", text)
    return f"{'#' * int(heading.name[1])} {open_ended}".rstrip()


def _quote(quote: Element, voice: MarkdownStyle) -> str:
    return _prefixed(blocks(quote.children, voice), "> ")


def _box(box: Element, voice: MarkdownStyle) -> str:
    """Write an alert, or a box that is HTML with Markdown in it."""
    kind = next((found[1] for each in box.classes() if (found := _ALERT.fullmatch(each))), None)
    if not kind or not box.children:
        return _enclosed(box, voice)
    title = text_of(box.children[0])
    named = "" if title == kind.title() else f" {title}"
    return _prefixed(f"[!{kind.upper()}]{named}\n{blocks(box.children[1:], voice)}", "> ")


def _enclosed(node: Element, voice: MarkdownStyle) -> str:
    """Write Markdown between the tags of an element that Markdown has no word for."""
    begins = tag(node, voice)
    match node.children:
        case (Element(name="summary") as summary, *inside):
            begins += f"\n{_in_its_tags(summary, voice)}"
        case inside:
            pass
    return "\n\n".join(filter(None, [begins, blocks(inside, voice), f"</{node.name}>"]))


def _in_its_tags(node: Element, voice: MarkdownStyle) -> str:
    return f"{tag(node, voice)}{inline(node.children, voice, one_line=True)}</{node.name}>"


def _list(node: Element, voice: MarkdownStyle) -> str:
    items = [item for item in node.children if isinstance(item, Element)]
    loose = _is_loose(items)
    first = node.attributes.get("start", "1")
    if not first.isdecimal():
        raise InexpressibleError(node.name)
    said = []
    for number, item in enumerate(items, int(first)):
        marker = f"{voice.bullet} " if node.name == "ul" else f"{number}. "
        task, children = _task(item.children)
        content = task + _inside(children, voice, loose=loose)
        said.append(_prefixed(content, marker, " " * len(marker)))
    return ("\n\n" if loose else "\n").join(said)


def _is_loose(items: Iterable[Element]) -> bool:
    """Whether the items hold paragraphs: to Markdown, that is blank lines between them."""
    return any(isinstance(child, Element) and child.name == "p" for item in items for child in item.children)


def _inside(children: Iterable[Node], voice: MarkdownStyle, *, loose: bool) -> str:
    """Write what an item holds; one whose text is no paragraph has no blank line before its list either."""
    return ("\n\n" if loose else "\n").join(_block(nodes, voice) for nodes in _apart(children))


def _task(children: Sequence[Node]) -> tuple[str, Sequence[Node]]:
    """Take the box off a task; it stands at the head of the item or of its first paragraph."""
    match children:
        case [Element(name="p") as paragraph, *rest]:
            task, inside = _task(paragraph.children)
            return task, [replace(paragraph, children=tuple(inside)), *rest]
        case [Element(name="input") as box, Text(text=text) as label, *rest]:
            task = "[x] " if "checked" in box.attributes else "[ ] "
            return task, [replace(label, text=text.lstrip()), *rest]
        case _:
            return "", children


def _code(listing: Element, _voice: MarkdownStyle) -> str:
    match listing.children:
        case (Element(name="code") as code,) if all(isinstance(child, Text) for child in code.children):
            language = code.attributes.get("class", "").removeprefix(_LANGUAGE)
        case _:
            raise InexpressibleError(listing.name)
    text = text_of(code)
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=2))
    return "\n".join([f"{fence}{language}", *([text] if text else []), fence])


def _table(table: Element, voice: MarkdownStyle) -> str:
    head, body = _rows(table, "thead"), _rows(table, "tbody")
    if len(head) != 1:
        raise InexpressibleError(table.name)
    rules = [_RULES.get(cell.attributes.get("align", ""), "---") for cell in head[0]]
    cells = [[inline(cell.children, voice, one_line=True) for cell in row] for row in (*head, *body)]
    rows = [[_PIPE.sub(r"\\|", cell) for cell in row] for row in cells]
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], rules, *rows[1:]])


def _rows(table: Element, part: str) -> list[list[Element]]:
    return [
        [cell for cell in row.children if isinstance(cell, Element)]
        for section in table.children
        if isinstance(section, Element) and section.name == part
        for row in section.children
        if isinstance(row, Element)
    ]


def _descriptions(node: Element, voice: MarkdownStyle) -> str:
    parts = [part for part in node.children if isinstance(part, Element)]
    loose = _is_loose(parts)
    said = []
    for number, part in enumerate(parts):
        if part.name == "dd":
            said.append(_prefixed(_inside(part.children, voice, loose=loose), ": ", "  "))
        else:
            apart = "\n" if number and not loose else ""
            said.append(apart + inline(part.children, voice, one_line=True))
    return ("\n\n" if loose else "\n").join(said)


def _footnotes(node: Element, voice: MarkdownStyle) -> str:
    items = [item for item in node.children if isinstance(item, Element)]
    texts = [(item.attributes["name"], blocks(item.children, voice)) for item in items]
    return "\n\n".join(_prefixed(text, f"[^{name}]: ", "    ") for name, text in texts)


def _prefixed(said: str, first: str, others: str | None = None) -> str:
    lines = said.split("\n")
    prefixes = [first, *[first if others is None else others] * (len(lines) - 1)]
    return "\n".join(
        prefix + line if line else prefix.rstrip() for prefix, line in zip(prefixes, lines, strict=True)
    )


_WRITERS: Mapping[str, Callable[[Element, MarkdownStyle], str]] = {
    **dict.fromkeys(HEADINGS, _heading),
    "p": lambda paragraph, voice: _paragraph(paragraph.children, voice),
    "hr": lambda _rule, _voice: "---",
    "blockquote": _quote,
    "div": _box,
    **dict.fromkeys(("details", "section", "article", "aside", "center", "figure"), _enclosed),
    **dict.fromkeys(("summary", "figcaption"), _in_its_tags),
    "ul": _list,
    "ol": _list,
    "pre": _code,
    "table": _table,
    "dl": _descriptions,
    "footnotes": _footnotes,
}
