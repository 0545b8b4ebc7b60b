"""Writes the MDX of Docusaurus and Astro as Markdown and HTML: comments, imports, tabs and admonitions.

A component needs the program of the site. So a partial file is put in where it is used, and each other
component and expression stays as it is and is named with its line.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pressync.importing.sources import jsx_attributes
from pressync.importing.sources.item import Place, Remainder
from pressync.importing.sources.markdown import alert, lines, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_IMPORT = re.compile(
    r"import\s+(?:(?P<name>[A-Za-z_]\w{0,80})|\{[^}\n]{0,300}\})\s+from\s+"
    r"(?P<quote>['\"])(?P<path>[^'\"\n]{1,300})(?P=quote);?[ \t]*"
)
_USE = re.compile(r"[ \t]*<(?P<name>[A-Z]\w{0,80})(?P<props>[^<>\n]{0,300})/>[ \t]*")
_COMPONENT = re.compile(r"<(?P<name>[A-Z][\w.]{0,100})(?=[\s/>])")
_ADMONITION = re.compile(
    r"(?P<indent>[ \t]{0,20}):{3,}(?P<kind>[a-z]+)?[ \t]*"
    r"(?:\[(?P<label>[^\n]*)\]|(?P<title>[^\n{]*))?(?:\{[^}\n]*\})?[ \t]*"
)
_TAB = re.compile(r"[ \t]*<TabItem\b(?P<props>[^<>\n]{0,500})>[ \t]*")
_TABS = re.compile(r"[ \t]*</?(?:Tabs|TabItem)\b[^<>\n]{0,500}>[ \t]*")
_LABEL = re.compile(r"\b(?P<key>label|value)\s*=\s*(?:\{\s*)?['\"`](?P<text>[^'\"`]{0,200})['\"`]")
_COMMENT = re.compile(r"\{/\*(?:[^*]|\*(?!/)){0,500}\*/\}")
_OPENED, _CLOSED = re.compile(r"\{/\*(?:[^*]|\*(?!/))*\Z"), "*/}"
# Nobody writes a longer comment: one without an end is text.
_LONGEST_COMMENT = 200
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
_SPAN = re.compile(r"(?P<ticks>`+)(?!`)[^\n]{1,2000}?(?<!`)(?P=ticks)(?!`)")
_EXPRESSION = re.compile(r"(?<![\\$={])\{(?![#:%{])[^{}\n]{1,200}\}")
_DEEPEST = 5
_MOST_OPEN = 20


@dataclass(slots=True)
class MdxText:
    """The conversion of one page. `partial` gives the path and the text of a file that is imported."""

    file: str
    partial: Callable[[str, str], tuple[str, str] | None]
    remainders: list[Remainder] = field(default_factory=list)

    def text(self, text: str, line: int, file: str = "", depth: int = 0) -> str:
        """Convert a text that begins at `line` of a file, by default of the page itself."""
        place = Place(file or self.file, line)
        known: dict[str, str] = {}
        rows: list[str] = []
        for row, is_code, at in rows_of(_with_whole_imports(_without_long_comments(text)), place):
            is_plain = is_code or not _SIGNS.search(row) or len(row) > _WIDEST
            rows.append(row if is_plain else self._row(row, at, known, depth))
        return _with_parted_tags(_admonitions("\n".join(rows)))

    def _row(self, row: str, place: Place, known: dict[str, str], depth: int) -> str:
        imported = _IMPORT.fullmatch(row)
        if imported:
            if imported["name"]:
                known[imported["name"]] = imported["path"]
            return ""  # A component is named where it is used.
        if row.startswith("export ") and re.match(r"export (?:const|default|function|let|var)\b", row):
            self.remainders.append(Remainder("export", place, row[:200]))
            return row
        row = _PICTURE_NAMED.sub(partial(_from_import, known), row) if known else row
        row = outside_code(_HEADING_ID.sub(r"\1 {#\2}", row), _opened)
        used = _USE.fullmatch(row)
        if used and used["name"] in known and depth < _DEEPEST:
            found = self.partial(place.path, known[used["name"]])
            if found and "props." not in found[1]:
                path, inner = found
                return self.text(inner, 1, path, depth + 1).strip("\n")
        if tab := _TAB.fullmatch(row):
            labels = {found["key"]: found["text"] for found in _LABEL.finditer(tab["props"])}
            return f"\n**{labels.get('label') or labels.get('value') or 'Tab'}**\n"
        if _TABS.fullmatch(row):
            return ""
        self._name(row, place, known)
        return row

    def _name(self, row: str, place: Place, known: Mapping[str, str]) -> None:
        """Name what only the tool's own program can show: components, and expressions in a file of MDX."""
        bare = _SPAN.sub("", row)
        for name in dict.fromkeys(found["name"] for found in _COMPONENT.finditer(bare)):
            # A placeholder like `<NAME>` is text.
            if not name.isupper() or name in known:
                self.remainders.append(Remainder(f"component {name}", place, row.strip()[:200]))
        found = _EXPRESSION.findall(bare) if place.path.endswith(".mdx") else []
        found += jsx_attributes.expressions(bare)
        self.remainders += [Remainder("expression", place, written) for written in found]


# A picture that is imported by a name: a page that is one is a component.
_PICTURE_NAMED = re.compile(r"(?P<key>\ssrc|\shref)=\{(?P<name>[A-Za-z_]\w{0,80})(?:\.src)?\}")
_PROGRAMS = (".md", ".mdx", ".js", ".jsx", ".ts", ".tsx", ".astro", ".vue", ".json")


def _from_import(known: Mapping[str, str], found: re.Match[str]) -> str:
    """Give an attribute with the file that has its name, if it is not a program."""
    path = known.get(found["name"], "")
    is_file = "." in posixpath.basename(path) and not path.lower().endswith(_PROGRAMS)
    return f'{found["key"]}="{path}"' if is_file else found[0]


_LONG_IMPORT = re.compile(
    r"""^import[ \t]+[\w{][^'";]{0,1000}?\bfrom\s+(?P<quote>['"])[^'"\n]{1,300}(?P=quote);?[ \t]*$""",
    re.MULTILINE,
)


def _with_whole_imports(text: str) -> str:
    """Write each import over several lines in one; empty lines below it keep the numbers of lines."""
    if "import" not in text:
        return text
    codes = [is_code for _, is_code in lines(text)]

    def whole(found: re.Match[str]) -> str:
        if "\n" not in found[0] or "\n\n" in found[0] or codes[text.count("\n", 0, found.start())]:
            return found[0]
        return " ".join(found[0].split()) + "\n" * found[0].count("\n")

    return _LONG_IMPORT.sub(whole, text)


# MDX reads Markdown right below a tag, and CommonMark only below a blank line. A row further right may be
# in a list, which blank lines would change.
_OPEN_TAG = re.compile(
    r"<(?:div|center|details|section|article|aside|figure|blockquote)\b[^<>]{0,500}(?<!/)>[ \t]*"
)
_TAGGED = re.compile(r"</?[a-z][^\n]{0,2000}>[ \t]*")
_MARKED = re.compile(r" {0,3}(?:#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|`{3}|~{3}|>|!\[|\|)")
_WORDS = re.compile(r" {0,3}[^\s<]")


def _with_parted_tags(text: str) -> str:
    """Put a blank line between a tag and the Markdown below it."""
    if "<" not in text:
        return text
    made: list[str] = []
    above = ""
    for row, is_code in lines(text):
        is_opened = bool(_OPEN_TAG.fullmatch(above))
        if above and (_MARKED.match(row) or (is_opened and _WORDS.match(row))):
            made.append("")
        made.append(row)
        above = row if not is_code and _TAGGED.fullmatch(row) else ""
    return "\n".join(made)


def outside_code(row: str, change: Callable[[str], str]) -> str:
    """Change the parts of a row that do not stand between backticks."""
    if "`" not in row:
        return change(row)
    made, at = [], 0
    for code in _SPAN.finditer(row):
        made += [change(row[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*made, change(row[at:])])


def _opened(text: str) -> str:
    """Write a text in MDX that has a meaning elsewhere as Markdown or HTML, and leave comments out."""
    text = _COMMENT.sub("", _TRUNCATE.sub("<!--more-->", text))
    text = jsx_attributes.as_html(_SOURCE.sub(lambda found: f'{found["key"]}="{found["path"]}"', text))
    return _CLASS.sub(r"\1class=", text).replace("pathname:///", "/")


def _without_long_comments(text: str) -> str:
    """Take comments over several lines out; their lines stay empty, so that numbers of lines count."""
    if "{/*" not in text:
        return text
    rows, number = text.split("\n"), 0
    is_code = [code for _, code in lines(text)]
    while number < len(rows):
        opened = None if is_code[number] else _OPENED.search(_SPAN.sub("", rows[number]))
        further = rows[number + 1 : number + _LONGEST_COMMENT]
        end = next((at for at, row in enumerate(further, number + 1) if opened and _CLOSED in row), number)
        if end > number:
            rows[number] = rows[number][: rows[number].rindex("{/*")]
            rows[number + 1 : end] = [""] * (end - number - 1)
            rows[end] = rows[end].partition(_CLOSED)[2]
        number = max(end, number + 1)
    return "\n".join(rows)


def _admonitions(text: str) -> str:
    """Write each `:::note` as an alert; one with more colons may hold others."""
    if ":::" not in text:
        return text
    stack: list[tuple[re.Match[str] | None, list[str]]] = [(None, [])]
    for row, is_code in lines(text):
        found = None if is_code else _ADMONITION.fullmatch(row)
        if found and found["kind"] and len(stack) <= _MOST_OPEN:
            stack.append((found, []))
        elif found and not found["kind"] and not (found["title"] or "").strip() and len(stack) > 1:
            opened, rows = stack.pop()
            if opened:
                title = (opened["label"] or opened["title"] or "").strip()
                made = alert(opened["kind"], title, "\n".join(rows)).split("\n")
                stack[-1][1].extend([*(f"{opened['indent']}{row}" for row in made), ""])
        else:
            stack[-1][1].append(row)
    while len(stack) > 1:  # It is never closed, so it is text.
        opened, rows = stack.pop()
        stack[-1][1].extend([opened[0] if opened else "", *rows])
    return "\n".join(stack[0][1])
