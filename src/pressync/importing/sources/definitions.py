"""Writes definitions of terms and of links so that CommonMark reads them as the other tools do.

Python-Markdown and kramdown take the last of two definitions of a link with one name, and CommonMark takes
the first. All of them read a term that is a comment, and paragraphs below the first one of a definition.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from pressync.importing.sources import html_blocks, markdown
from pressync.importing.sources.item import Remainder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pressync.importing.sources.item import Place

_LINK = re.compile(r" {0,3}\[(?P<label>[^\]\[\n^][^\]\[\n]{0,300})\]:[ \t]*(?P<to><[^<>\n]*>|\S+)")
_NOTE = re.compile(r" {0,3}\[\^[^\]\[\n]{1,300}\]:")
_LABEL = re.compile(
    r"(?P<code>`+)[^`\n]+(?P=code)|(?<![\]!\\])\[(?P<text>[^\]\[^]{1,300})\](?P<end>\[[^\]\[]{0,300}\])?(?![(:])"
)
_ALERT = re.compile(r"[ \t>]*> \[![A-Z]+\] ")
_SUMMARY = re.compile(r"([ \t>]*<summary>)(.{1,2000})(</summary>)")
_DETAIL = re.compile(r" {0,3}:[ \t]+(?=\S)")
_COMMENT = re.compile(r"[ ]{0,3}<!--(?:(?!-->).){0,2000}-->[ \t]*")
_FENCE = re.compile(r"[ \t]*(?:`{3}|~{3})")
_STEP = 4


def label_of(text: str) -> str:
    """Give a label of a link in the form in which labels are compared."""
    return " ".join(text.split()).casefold()


def with_last_links(text: str, *, after_texts: bool = False) -> str:
    """Leave out each definition of a link that a later one of the same name replaces.

    One right below a note is a definition, too, and with `after_texts` one right below any text.
    """
    if "]:" not in text:
        return text
    rows = [*markdown.lines(text)]
    found = {number: label for number, label, _ in _links(rows)}
    last = {label: number for number, label in found.items()}
    written: list[str] = []
    for number, (row, _) in enumerate(rows):
        if number in found and last[found[number]] != number:
            continue
        above = written[-1] if written and number in found and number - 1 not in found else ""
        written += [""] if above.strip() and (after_texts or _NOTE.match(above)) else []
        written.append(row)
    return "\n".join(written)


def _links(rows: Sequence[tuple[str, bool]]) -> Iterator[tuple[int, str, str]]:
    for number, (row, is_code) in enumerate(rows):
        link = None if is_code else _LINK.match(row)
        if link:
            yield number, label_of(link["label"]), link["to"].strip("<>")


def with_linked_titles(text: str) -> str:
    """Write the addresses of links into the titles of boxes: there, CommonMark knows no definitions."""
    if "> [!" not in text and "<summary>" not in text:
        return text
    rows = [*markdown.lines(text)]
    known = {label: to for _, label, to in _links(rows)}

    def linked(found: re.Match[str]) -> str:
        label = (found["end"] or "").strip("[]") or found["text"] or ""
        to = known.get(label_of(label))
        return found[0] if found["code"] or to is None else f"[{found['text']}]({to})"

    return "\n".join(row if is_code else _titled(row, linked) for row, is_code in rows)


def _titled(row: str, linked: Callable[[re.Match[str]], str]) -> str:
    if head := _ALERT.match(row):
        return f"{head[0]}{_LABEL.sub(linked, row[head.end() :])}"
    if summary := _SUMMARY.fullmatch(row):
        shown = html_blocks.line(_LABEL.sub(linked, html.unescape(summary[2])))
        return f"{summary[1]}{shown}{summary[3]}"
    return row


def apart(text: str) -> str:
    """Part a definition with several paragraphs from its term: else CommonMark joins their words."""
    if "\n:" not in text and "\n " not in text:
        return text
    rows = [*markdown.lines(text)]
    written: list[str] = []
    for number, (row, is_code) in enumerate(rows):
        above = rows[number - 1][0] if number else ""
        if not is_code and _DETAIL.match(row) and above.strip() and _has_more(rows, number):
            written.append("")
        written.append(row)
    return "\n".join(written)


def _has_more(rows: Sequence[tuple[str, bool]], start: int) -> bool:
    """Tell whether a definition has another paragraph, which is indented below a blank line."""
    is_below = False
    for row, is_code in rows[start + 1 :]:
        if row.strip() and not row.startswith((" ", "\t")):
            if not is_below or _DETAIL.match(row) is None:
                return False
        elif row.strip() and is_below and not is_code:
            return True
        is_below = is_below or not row.strip()
    return False


def without_terms(text: str, place: Place) -> tuple[str, tuple[Remainder, ...]]:
    """Write a definition whose term is a comment as the text that it is: readers saw no term.

    A program of the site may have made a term of the comment, so the account names it.
    """
    if "<!--" not in text:
        return text, ()
    rows, left = [*markdown.lines(text)], list[Remainder]()
    written: list[str] = []
    width = 0
    term = 0
    for number, (row, is_code) in enumerate(rows):
        detail = None if is_code else _DETAIL.match(row)
        if detail and term and _COMMENT.fullmatch(rows[term - 1][0]):
            width = _STEP
            left.append(
                Remainder("definition without a term", place.below(term - 1), rows[term - 1][0].strip())
            )
            written += ["", row[detail.end() :]]
        elif width and row.strip() and row[:width].strip():
            width = 0
            written.append(row)
        else:
            written.append(row[width:])
        term = number + 1 if row.strip() else term
    return "\n".join(written), tuple(left)
