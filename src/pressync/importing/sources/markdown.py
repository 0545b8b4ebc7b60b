"""Reads what other tools add to Markdown: lists of attributes, coloured boxes, and titles in the text.

Other tools' syntax in code is an example and stays as it is. A full parser of Markdown would not give the
lines back unchanged, so only the fences of code are followed.
"""

from __future__ import annotations

import html
import re
import textwrap
from typing import TYPE_CHECKING

from pressync.content.front_matter.split import after_blank_lines
from pressync.content.markdown_text import first_heading
from pressync.importing.sources.item import Remainder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.importing.sources.item import Place


_FENCE = re.compile(r"[ \t>]*(?P<item>(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$")
# A fence this many columns further right does not end a block; one this many further left ends its list.
_FAR = 4


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Give each line, and whether it is code; a fence counts as code."""
    fence, column = "", 0
    for line in text.split("\n"):
        if fence and line.strip() and _indentation(line) <= column - _FAR:
            fence = ""  # The list that holds the block ends here, and so does the block.
        found = _FENCE.match(line)
        if not fence:
            fence, column = (found["fence"], found.start("fence")) if found else ("", 0)
            yield line, bool(found)
            continue
        yield line, True
        if found and _ends(found, fence, column):
            fence = ""


def rows_of(text: str, place: Place) -> Iterator[tuple[str, bool, Place]]:
    """Give each line, whether it is code, and its place; `place` is that of the first one."""
    for number, (line, is_code) in enumerate(lines(text)):
        yield line, is_code, place.below(number)


def fenced(code: str, language: str) -> str:
    """Write a block of code."""
    fence = "`" * max(3, most_ticks(code) + 1)
    return f"{fence}{language}\n{code}\n{fence}"


def most_ticks(code: str) -> int:
    """Count the backquotes of the longest run of them."""
    return max((len(run) for run in re.findall("`+", code)), default=0)


def details(summary: str, text: str, *, is_open: bool) -> str:
    """Write a text that readers open."""
    summary = html.escape(summary, quote=False)
    return f"<details{' open' * is_open}>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" \t>"))


def _ends(found: re.Match[str], fence: str, column: int) -> bool:
    own = found["fence"]
    is_bare = not found["item"] and not found["info"].strip()
    return is_bare and own[0] == fence[0] and len(own) >= len(fence) and found.start("fence") < column + _FAR


_HEADING = re.compile(
    r"( {0,3}#{1,6}[ \t]+)(.*?)[ \t]*\{:?[ \t]*([#.][^{}<>\n]{0,200}|[\w-]+=[^{}<>\n]{0,200})\}[ \t]*#*$"
)
_ID = re.compile(r"""#([^\s.#=]+)|(?<!\S)id=(["']?)([^\s"'{}]+)\2(?!\S)""")


def of_headings(text: str, place: Place) -> tuple[str, tuple[Remainder, ...]]:
    """Convert the lists of attributes of all headings; `place` is the place of the text's first line."""
    if "{" not in text:
        return text, ()
    rows: list[str] = []
    remainders: list[Remainder] = []
    for line, is_code, at in rows_of(text, place):
        found = None if is_code else _HEADING.match(line)
        if not found:
            rows.append(line)
            continue
        name = _ID.search(found[3])
        rows.append(f"{found[1]}{_anchor(name[1] or name[3], found[2]) if name else ''}{found[2]}")
        if found[3].strip() != (name[0] if name else ""):
            remainders.append(Remainder("attribute list", at, f"{{{found[3]}}}"))
    return "\n".join(rows), tuple(remainders)


def _anchor(name: str, heading: str) -> str:
    is_own = name == "-".join(re.sub(r"[^\w\s-]", "", heading.lower()).split())
    return "" if is_own else f'<a id="{name}"></a>'


def joined(*parts: Sequence[Remainder]) -> tuple[Remainder, ...]:
    """Join remainders in the order of their lines."""
    return tuple(sorted((each for part in parts for each in part), key=lambda each: each.place.line))


_KINDS = {
    "NOTE": ("note", "info", "primary", "secondary", "seealso", "todo", "abstract", "summary", "tldr"),
    "TIP": ("tip", "hint", "success", "check", "done"),
    "IMPORTANT": ("important", "question", "help", "faq"),
    "WARNING": ("warning", "attention"),
    "CAUTION": ("caution", "danger", "error", "failure", "fail", "missing", "bug"),
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words}


def alert(word: str, title: str, text: str) -> str:
    """Write an alert as a quote: `word` is the other tool's kind, and `title` its own title, if it has one.

    The text is Markdown; its common indentation is taken away.
    """
    kind = _KIND_OF.get(word.lower(), "NOTE")
    said = " ".join(title.split()) or ("" if word.lower() in {kind.lower(), ""} else word.capitalize())
    head = f"[!{kind}]" if said.upper() in {"", kind} else f"[!{kind}] {said}"
    rows = textwrap.dedent(text.expandtabs(4)).strip("\n").split("\n")
    return "\n".join([f"> {head}", *(f"> {row}".rstrip() for row in rows)])


def titled(given: str, body: str, name: str, *, heading_wins: bool = False) -> tuple[str, str]:
    """Give the title and the body; with `heading_wins` the heading at the top counts before `given`."""
    heading = first_heading(body) if heading_wins or not given else None
    if heading and heading.text and heading.level == 1 and not body[: heading.start].strip():
        return heading.text, body[after_blank_lines(body, heading.end) :]
    if given:
        return given, body
    words = " ".join(name.replace("-", " ").replace("_", " ").split())
    return (heading.text if heading and heading.text else words[:1].upper() + words[1:]), body
