"""Opens the HTML in which kramdown and Python-Markdown read Markdown, by its attribute `markdown`.

CommonMark reads Markdown in HTML behind a blank line alone, and never in a paragraph of HTML. So the content
of a block gets blank lines around it, and that of a paragraph is rendered. Other HTML of theirs ends at its
last tag, and that of CommonMark ends at a blank line, so it has none. The two tools also read a line
that has only a tag such as `<img>` as text, where CommonMark takes it and the lines below it for HTML.
"""

from __future__ import annotations

import re
import unicodedata
from functools import partial
from typing import TYPE_CHECKING

from pressync.content.render.markdown import to_html
from pressync.importing.sources import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 12
# With more blanks, a line is code.
_INDENTS = ("", " ", "  ", "   ")
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-z][a-z0-9]{0,20})\b(?P<attributes>[^<>]{0,2000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\smarkdown(?:\s*=\s*(?P<quote>["']?)(?P<value>\w*)(?P=quote))?(?=[\s/]|\Z)""")
_CODE = re.compile(r"(?<!`)(`{1,9})(?!`)[^\n]{1,2000}?(?<!`)\1(?!`)")
# These elements have one text, and those of the second row stand in a text.
_TEXTS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "th", "summary", "legend", "caption"})
_INLINE = frozenset(
    {"a", "abbr", "b", "big", "cite", "code", "del", "dfn", "em", "font", "i", "img", "ins", "kbd"}
    | {"mark", "q", "small", "span", "strong", "sub", "sup", "u"}
)
_ALONE = re.compile(r" {0,3}</?(?P<name>[a-z][a-z0-9]{0,20})\b[^<>]{0,2000}>[ \t]*", re.IGNORECASE)
_PARAGRAPH = re.compile(r"<p>(?P<text>.*)</p>\n?", re.DOTALL)


def opened(text: str) -> str:
    """Write a text so that CommonMark reads Markdown where the two tools read it."""
    if "*" in text:
        text = "\n".join(row if is_code else _marked(row) for row, is_code in markdown.lines(text))
    if "<" not in text:
        return text
    text = markdown.with_whole_pre(text)
    text = _with_comments(text) if "<!--" in text else text
    text = _apart(text)
    return _joined(_opened(text, 0) if "markdown" in text else text)


# The content of these is not text, or its lines count.
_KEPT = frozenset({"pre", "script", "style", "textarea"})
# Elements in which Markdown is read, tags of Liquid, and code, whose lines count.
_READ = re.compile(r"\smarkdown\b|\{%|<(?:pre|script|style|textarea)\b", re.IGNORECASE)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")


def whole(text: str) -> str:
    """Take the blank lines out of each block of HTML in which nothing is Markdown.

    It reads a text as its author wrote it: later it has HTML around Markdown. The lines that go stand below
    the block, so that all others keep their numbers.
    """
    if "</" not in text:
        return text
    parts: list[str] = []
    at = 0
    for start, end in _elements(text):
        inner = text[start.end() : end.start()]
        is_kept = start["name"].lower() in _KEPT or not _is_block(text, start)
        if start.start() < at or is_kept or not _BLANK_LINES.search(inner):
            continue
        if not (_ATTRIBUTE.search(start["attributes"]) or _READ.search(inner)):
            plain = _BLANK_LINES.sub("\n", inner)
            parts += [text[at : start.end()], plain, end[0], "\n" * (inner.count("\n") - plain.count("\n"))]
            at = end.end()
    return "".join([*parts, text[at:]])


_TEXT_BELOW = re.compile(r"[ \t]*\n(?= {0,3}[^\s<])")


def _apart(text: str) -> str:
    """Write a blank line below each block of HTML, which CommonMark ends there and nowhere else."""
    parts: list[str] = []
    at = 0
    for start, end in _elements(text):
        if start.start() >= at and _is_block(text, start):
            below = "\n" if _TEXT_BELOW.match(text, end.end()) else ""
            parts += [text[at : end.end()], below]
            at = end.end()
    return "".join([*parts, text[at:]])


def _is_block(text: str, tag: re.Match[str]) -> bool:
    before = text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()]
    return tag["name"].lower() not in _INLINE and before in _INDENTS


# Where a mark is beside a sign inside and a letter outside, CommonMark does not take it for the end of strong
# text, as in a text of Chinese.
_STRONG = re.compile(r"`[^`\n]*`|(?<![*\\])\*\*(?=[^\s*])(?P<text>[^*\n]{1,1000}?)(?<=[^\s*\\])\*\*(?!\*)")


def _marked(row: str) -> str:
    return _STRONG.sub(partial(_strong, row), row) if "**" in row else row


def _strong(row: str, found: re.Match[str]) -> str:
    text = found["text"]
    if not text:
        return found[0]
    before, after = row[: found.start()][-1:], row[found.end() :][:1]
    is_open = _is_sign(text[0]) and before.isalnum()
    is_closed = _is_sign(text[-1]) and after.isalnum()
    return f"<strong>{text}</strong>" if is_open or is_closed else found[0]


def _is_sign(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def _opened(text: str, depth: int) -> str:
    parts: list[str] = []
    at = 0
    for start, end in _elements(text):
        if start.start() < at or depth > _DEEPEST:
            continue
        attribute = _ATTRIBUTE.search(start["attributes"])
        value = (attribute["value"] or "1") if attribute else "0"
        if attribute is None or value == "0":
            continue
        name = start["name"].lower()
        bare = f"<{start['name']}{_ATTRIBUTE.sub('', start['attributes'], count=1)}>"
        inner = text[start.end() : end.start()]
        parts += [text[at : start.start()], bare]
        at = end.end()
        if value == "span" or (value == "1" and name in _TEXTS):
            parts += [line(inner), end[0], "\n" * (name in _TEXTS and text[at : at + 2] != "\n\n")]
        elif name in _INLINE:
            parts += [inner, end[0]]
        else:
            body = _opened(inner, depth + 1).strip("\n")
            parts += [f"\n\n{body}\n\n", end[0], "\n" * (text[at : at + 2] != "\n\n")]
    return "".join([*parts, text[at:]])


def _elements(text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Give the first and the last tag of each element outside of code, in the order of the first ones."""
    open_tags: dict[str, list[re.Match[str]]] = {}
    pairs = []
    for tag in _TAG.finditer(without_code(text)):
        name = tag["name"].lower()
        if not tag["end"]:
            open_tags.setdefault(name, []).append(tag)
        elif open_tags.get(name):
            pairs.append((open_tags[name].pop(), tag))
    return iter(sorted(pairs, key=lambda pair: pair[0].start()))


def without_code(text: str) -> str:
    """Give a text of the same length in which code is blank."""
    rows = (" " * len(row) if is_code else row for row, is_code in markdown.lines(text))
    return _CODE.sub(lambda code: " " * len(code[0]), "\n".join(rows))


def line(inner: str) -> str:
    """Render a line of text; one that would be more than a paragraph stays."""
    text = " ".join(inner.split())
    # A sign of a list or a heading is text here, so the line begins with a character that is taken away.
    shown = _PARAGRAPH.fullmatch(to_html(f"\u2063{text}"))
    return shown["text"].replace("\u2063", "", 1) if shown and "<p>" not in shown["text"] else inner


# A block of HTML that a comment begins ends with the line, so that a text in the line would be HTML, too.
_COMMENT = re.compile(r"( {0,3}<!--(?:(?!-->).){0,2000}-->)[ \t]*(?=[^\s<])")


def _with_comments(text: str) -> str:
    rows: list[str] = []
    for row, is_code in markdown.lines(text):
        found = None if is_code else _COMMENT.match(row)
        if found and rows and rows[-1].strip():
            rows[-1] = f"{rows[-1]} {row.strip()}"
        elif found:
            rows += [found[1], "", row[found.end() :]]
        else:
            rows.append(row)
    return "\n".join(rows)


def _joined(text: str) -> str:
    """Join each line that has only a tag of a text with the line below it."""
    rows: list[str] = []
    is_inside = False
    for row, is_code in markdown.lines(text):
        alone = None if is_code else _ALONE.fullmatch(row)
        above = rows[-1] if rows else ""
        if is_inside and row.strip() and not is_code:
            rows[-1] = f"{above.rstrip()} {row.strip()}"
            is_inside = bool(alone and alone["name"].lower() in _INLINE)
            continue
        rows.append(row)
        # Below a text, CommonMark reads it as text, too.
        is_inside = bool(alone and alone["name"].lower() in _INLINE and not above.strip())
    return "\n".join(rows)
