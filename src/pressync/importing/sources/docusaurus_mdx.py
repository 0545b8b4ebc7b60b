"""Turns what MDX and Docusaurus add to Markdown into Markdown: admonitions, tabs, partial files and comments.

MDX is a program, and this does not run it. Only the components that Docusaurus itself brings have one
meaning everywhere. All others stay as they are and are named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pressync.importing.sources import markdown
from pressync.importing.sources.item import Place, Remainder
from pressync.importing.sources.markdown import alert

if TYPE_CHECKING:
    from collections.abc import Callable


_IMPORT = re.compile(
    r"import\s+(?:(?P<name>[A-Za-z_]\w{0,80})|\{[^}\n]{0,300}\})\s+from\s+"
    r"(?P<quote>['\"])(?P<path>[^'\"\n]{1,300})(?P=quote);?[ \t]*"
)
_USE = re.compile(r"[ \t]*<(?P<name>[A-Z]\w{0,80})(?P<props>[^<>\n]{0,300})/>[ \t]*")
_COMPONENT = re.compile(r"<(?P<name>[A-Z][\w.]{0,100})(?=[\s/>])")
_FENCE = re.compile(
    r"(?P<indent>[ \t]{0,20}):{3,}(?P<kind>[a-z]+)?[ \t]*"
    r"(?:\[(?P<label>[^\n]*)\]|(?P<title>[^\n{]*))?(?:\{[^}\n]*\})?[ \t]*"
)
_TAB = re.compile(r"[ \t]*<TabItem\b(?P<props>[^<>\n]{0,500})>[ \t]*")
_TABS = re.compile(r"[ \t]*</?(?:Tabs|TabItem)\b[^<>\n]{0,500}>[ \t]*")
_LABEL = re.compile(r"\b(?P<key>label|value)\s*=\s*(?:\{\s*)?['\"`](?P<text>[^'\"`]{0,200})['\"`]")
_COMMENT = re.compile(r"\{/\*(?:[^*]|\*(?!/)){0,500}\*/\}")
_TRUNCATE = re.compile(r"<!--\s*truncate\s*-->|\{/\*\s*truncate\s*\*/\}")
_HEADING_ID = re.compile(r"^( {0,3}#{1,6}[^\n]{0,1000}?)[ \t]*\{/\*[ \t]*#([\w.-]{1,200})[ \t]*\*/\}[ \t]*$")
_SOURCE = re.compile(
    r"(?P<key>src|href)=\{(?:require|useBaseUrl)"
    r"\(\s*['\"](?P<path>[^'\"\n]{1,500})['\"]\s*\)(?:\.default)?\s*\}"
)
_CLASS = re.compile(r"(<[a-z][^<>\n]{0,500}?\s)className=")
# Most rows have none of these.
_SIGNS = re.compile(r"[<{@]|^(?:import|export)\s|pathname:")
_WIDEST = 20_000  # Nobody writes such a row.
_CODE = re.compile(r"`[^`\n]{0,1000}`")
_DEEPEST = 5
_MOST_OPEN = 20


@dataclass(slots=True)
class Converting:
    """The conversion of one page. `partial` gives the text of a file that is imported, None for another."""

    file: str
    partial: Callable[[str, str], str | None]
    remainders: list[Remainder] = field(default_factory=list)

    def text(self, text: str, line: int, file: str = "", depth: int = 0) -> str:
        """Convert a text that begins at `line` of a file, by default of the page itself."""
        place = Place(file or self.file, line)
        text = _TRUNCATE.sub("<!--more-->", text)
        known: dict[str, str] = {}
        rows: list[str] = []
        for row, is_code, at in markdown.rows_of(text, place):
            is_plain = is_code or not _SIGNS.search(row) or len(row) > _WIDEST
            rows.append(row if is_plain else self._row(row, at, known, depth))
        return _admonitions("\n".join(rows))

    def _row(self, row: str, place: Place, known: dict[str, str], depth: int) -> str:
        imported = _IMPORT.fullmatch(row)
        if imported:
            if imported["name"]:
                known[imported["name"]] = imported["path"]
            return ""  # A component is named where it is used.
        if row.startswith("export ") and re.match(r"export (?:const|default|function|let|var)\b", row):
            self.remainders.append(Remainder("export", place, row[:200]))
            return row
        row = _HEADING_ID.sub(r"\1 {#\2}", row)
        row = _COMMENT.sub("", row)
        row = _SOURCE.sub(lambda found: f'{found["key"]}="{found["path"]}"', row)
        row = _CLASS.sub(r"\1class=", row).replace("pathname:///", "/")
        used = _USE.fullmatch(row)
        if used and used["name"] in known and depth < _DEEPEST:
            inner = self.partial(place.path, known[used["name"]])
            if inner is not None and "props." not in inner:
                return self.text(inner, 1, known[used["name"]], depth + 1).strip("\n")
        if tab := _TAB.fullmatch(row):
            labels = {found["key"]: found["text"] for found in _LABEL.finditer(tab["props"])}
            return f"\n**{labels.get('label') or labels.get('value') or 'Tab'}**\n"
        if _TABS.fullmatch(row):
            return ""
        for name in dict.fromkeys(found["name"] for found in _COMPONENT.finditer(_CODE.sub("", row))):
            if name.isupper() and name not in known:
                continue  # A placeholder like `<NAME>` is text.
            self.remainders.append(Remainder(f"component {name}", place, row.strip()[:200]))
        return row


def _admonitions(text: str) -> str:
    """Write each `:::note` as an alert; one with more colons may hold others."""
    if ":::" not in text:
        return text
    stack: list[tuple[re.Match[str] | None, list[str]]] = [(None, [])]
    for row, is_code in markdown.lines(text):
        found = None if is_code else _FENCE.fullmatch(row)
        if found and found["kind"] and len(stack) <= _MOST_OPEN:
            stack.append((found, []))
        elif found and not found["kind"] and not (found["title"] or "").strip() and len(stack) > 1:
            opened, rows = stack.pop()
            if opened:
                stack[-1][1].extend(_alert(opened, rows))
        else:
            stack[-1][1].append(row)
    while len(stack) > 1:  # It is never closed, so it is text.
        opened, rows = stack.pop()
        stack[-1][1].extend([opened[0] if opened else "", *rows])
    return "\n".join(stack[0][1])


def _alert(opened: re.Match[str], rows: list[str]) -> list[str]:
    title = (opened["label"] or opened["title"] or "").strip()
    made = alert(opened["kind"], title, "\n".join(rows)).split("\n")
    return [*(f"{opened['indent']}{row}" for row in made), ""]
