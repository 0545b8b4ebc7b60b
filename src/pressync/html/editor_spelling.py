"""Spells a text that the block editor has saved as `blocks = true` spells it. Pure.

A save writes every block anew, also those that nobody touched. A browser has read them before: `&quot;` comes
back as a quotation mark, `<br />` as `<br>`, and the editor of 7.1 repeats the id of a heading in its
comment. A fingerprint has no text to compare with, so the text of the site is spelled as it was sent.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

from pressync.html import tokens
from pressync.html.shortcodes import BRACKET, escape_shortcodes
from pressync.model.fingerprint import with_line_feeds

if TYPE_CHECKING:
    from pressync.html.tokens import Node
    from pressync.model.records import Record, Value

EMPTY_PARAGRAPH = "<!-- wp:paragraph -->\n<p></p>\n<!-- /wp:paragraph -->"
BETWEEN = "\n\n"

# The comment and the tag of a heading, as the editor of 7.1 saves them.
_HEADING = re.compile(
    r'<!-- wp:heading (\{[^<>]*\} )?-->\n<h([1-6])(?: id="([^"<>]*)")?( class="[^"<>]*")?( id="[^"<>]*")?>'
)
_ANCHOR = re.compile(r'(?<=\{)"anchor":("(?:[^"\\]|\\.)*+"),?|,"anchor":("(?:[^"\\]|\\.)*+")')
# A comment, a block of the author's HTML, a tag, or text.
_PART = re.compile(r"<!-- wp:html(?:\s[^<>]*)?-->.*?<!-- /wp:html -->|<!--.*?-->|<[^<>]*>|[^<]+", re.DOTALL)
_CODE, _CODE_END = "<!-- wp:code ", "<!-- /wp:code "
_IMAGE = re.compile(r"<(img\b[^<>]*[^<>/ ])>")
_FOOTNOTE = re.compile(r'(?<= data-footnote-ref)=""')
_LINK = re.compile(r'(?<= href=")[^"]*|(?<= src=")[^"]*')
# The editor escapes each bracket in code, and the address on its first line.
_BRACKET, _SLASHES = "&#91;", "&#47;&#47;"
_MARK = re.compile(r'<sup\b[^<>]*\bdata-fn="([^"<>]+)"[^<>]*>.{0,500}?</sup>', re.DOTALL)
_LIST = re.compile(r"\s*<!-- wp:footnotes(?:\s[^<>]*)?/-->")
_NAME = re.compile(r'\bhref="#fn-([^"<>]+)"')
_ID = re.compile(r'<li\b[^<>]*\bid="fn-([^"<>]+)"')


def spellings(record: Record, name: str) -> Iterator[Value]:
    """Give the values that may have been settled where a record has this field, the likeliest first.

    An earlier version settled a text with the line ends that it has on the site.
    """
    yield record.fields[name]
    if name == "content":
        yield from _contents(record)
    if name.startswith("acf.") and (field := record.kind.row.fields.get(name)):
        # A save in the browser turns a null into an empty text, and a group has all its members.
        yield field.meaning(record.fields[name])
    stored = record.raw.get(name)
    if stored is not None and with_line_feeds(stored) != stored:
        yield stored


def _contents(record: Record) -> Iterator[str]:
    content = str(record.fields["content"])
    if (whole := with_words(record.fields)) != content:
        yield whole
    if record.noted:
        # An earlier version pulled the anchors of notes into files.
        yield record.noted
    if content.endswith(EMPTY_PARAGRAPH):
        # It was the place of a note that is gone now.
        yield content.removesuffix(EMPTY_PARAGRAPH).removesuffix(BETWEEN)
    if "<!-- wp:" in content:
        yield as_sent(content)
    if "\n" in content:
        # The site had these line ends when an earlier version settled it.
        yield content.replace("\n", "\r\n")


def with_words(fields: Mapping[str, object]) -> str:
    """Give the content of a record, and below it the words of the editor's footnotes if it shows any."""
    content, words = str(fields["content"]), footnotes(fields)
    return f"{content}\n{words}" if words and " data-fn=" in content else content


def footnotes(fields: Mapping[str, object]) -> str:
    """Give the words of the editor's footnotes of a record as JSON, or ""."""
    meta = fields.get("meta")
    return str(meta.get("footnotes", "")) if isinstance(meta, Mapping) else ""


def as_sent(content: str) -> str:
    """Spell a saved content as it was sent; a content that no editor saved may come out otherwise."""
    parts: list[str] = []
    is_code = False
    saved = _HEADING.sub(_heading, content)
    for match in _PART.finditer(saved):
        part = match[0]
        if part.startswith("<!--"):
            is_code = part.startswith(_CODE) or (is_code and not part.startswith(_CODE_END))
        elif part.startswith("<"):
            # A `<br>` within a line is the author's.
            if part == "<br>" and saved.startswith("\n", match.end()):
                part = "<br />"
            part = _FOOTNOTE.sub("", _IMAGE.sub(r"<\1 />", part))
            part = _LINK.sub(lambda link: link[0].replace("'", "&#x27;"), part)
        else:
            part = part.replace('"', "&quot;").replace("&nbsp;", "\xa0")
            if is_code:
                plain = part.replace(_BRACKET, "[").replace(_SLASHES, "//")
                escaped = escape_shortcodes(f"<code>{plain}</code>")
                part = escaped.removeprefix("<code>").removesuffix("</code>").replace("[", BRACKET)
        parts.append(part)
    return "".join(parts)


def _heading(match: re.Match[str]) -> str:
    """Leave out the anchor that only repeats the id, and write the id behind the class."""
    attributes, level, first, classes, last = match.groups(default="")
    name = f' id="{first}"' if first else last
    anchor = _ANCHOR.search(attributes)
    text = ""
    with suppress(ValueError):
        text = str(json.loads(anchor[1] or anchor[2])) if anchor else ""
    if anchor and f' id="{html.escape(text)}"' == name.replace("'", "&#x27;"):
        attributes = attributes[: anchor.start()] + attributes[anchor.end() :]
    written = "" if attributes == "{} " else attributes
    return f"<!-- wp:heading {written}-->\n<h{level}{classes}{name}>"


# The editor keeps a mark in the text, an empty block at the place of the list, and the words in a field of
# the record. So a text alone has a number that leads nowhere. Markdown has the words in the text, and it
# numbers its footnotes by the order of their first marks.
def with_footnotes(content: str, footnotes: str) -> str:
    """Put the words of the editor's footnotes, which are JSON, into a content; other marks stay."""
    words = _words(footnotes)
    used = [mark for mark in dict.fromkeys(_MARK.findall(content)) if mark in words]
    if not used:
        return content
    nodes = (node for node in tokens.parse(content) if node.name == "section")
    section = next((node for node in nodes if 'class="footnotes"' in node.tag), None)
    items = dict(_items([section])) if section else {}
    free = (str(number) for number in count(1) if str(number) not in items)
    names = dict(zip(used, free, strict=False))
    items |= {name: f'<li id="fn-{name}">\n<p>{words[mark]}</p>\n</li>' for mark, name in names.items()}
    before, after = (content[: section.start], content[section.end :]) if section else (content, "")
    marked = [_LIST.sub("", _MARK.sub(lambda mark: _mark(mark, names), text)) for text in (before, after)]
    order = dict.fromkeys(name for name in _NAME.findall("".join(marked)) if name in items)
    listed = "\n".join(items[name] for name in (*order, *(name for name in items if name not in order)))
    made = f'<section class="footnotes" data-footnotes>\n<ol>\n{listed}\n</ol>\n</section>'
    return made.join(marked) if section else f"{marked[0]}\n{made}\n"


def _words(footnotes: str) -> Mapping[str, str]:
    """Read the words of each footnote by its id; nothing if they cannot be read."""
    try:
        rows = json.loads(footnotes) if footnotes else []
    except (ValueError, RecursionError):
        return {}
    notes = [note for note in rows if isinstance(note, dict)] if isinstance(rows, list) else []
    words = [(note.get("id"), note.get("content")) for note in notes]
    return {name: text for name, text in words if isinstance(name, str) and isinstance(text, str)}


def _mark(match: re.Match[str], names: Mapping[str, str]) -> str:
    name = names.get(match[1])
    if name is None:
        return match[0]
    link = f'<a href="#fn-{name}" id="fnref-{name}" data-footnote-ref>{name}</a>'
    return f'<sup class="footnote-ref">{link}</sup>'


def _items(nodes: Iterable[Node]) -> Iterator[tuple[str, str]]:
    """Give the name and the HTML of each footnote in a list."""
    for node in nodes:
        name = _ID.match(node.tag) if node.name == "li" else None
        if name:
            yield name[1], node.outer
        elif node.name in {"section", "ol"}:
            yield from _items(node.children)
