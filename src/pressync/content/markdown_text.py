"""Reads a Markdown text without rendering it: its headings, half a merge in it, and what would cost too much.

Only the first heading is wanted, and it is nearly always at the top. So the text is searched, and not parsed
a second time.
"""

from __future__ import annotations

import html
import itertools
import re
from typing import TYPE_CHECKING

import msgspec

from pressync.model.errors import Code, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator


# A longer one is an underlined paragraph.
_LONGEST = 500

# Code and comments come first, so that a `# comment` inside them is not a heading. An underlined paragraph is
# at the start of the text or after a blank line. It does not begin like a list, a quote or a table.
_BLOCK = re.compile(
    r"""
      ^[ ]{0,3}(?P<fence>`{3,}|~{3,}).*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)
    | ^[ ]{0,3}<!--.*?(?:-->|\Z)
    | ^[ ]{0,3}<(?P<raw>pre|script|style)\b.*?(?:</(?P=raw)>|\Z)
    | ^[ ]{0,3}(?P<hashes>\#{1,6})(?P<atx>[ \t][^\n]*)?$
    | (?:\A|(?<=\n\n))
      (?P<paragraph>(?![ ]{4}|\t|[ ]{0,3}(?:[>|<#]|[-+*][ \t]|\d{1,9}[.)][ \t]))(?:[ \t]*[^\s][^\n]*\n){1,8}?)
      [ ]{0,3}(?P<underline>=+|-+)[ \t]*$
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
# Everything that may be a heading, also in code, in a list or in a quote. It takes linear time.
_MAYBE = re.compile(
    r"^(?:[^\n#]{0,1000}+#{1,6}+(?:[ \t]|$)|[^\n=-]{0,1000}+(?:=++|-++)[ \t]*$)", re.MULTILINE
)
_ATTRIBUTES = re.compile(r"\s*\{:?\s*[#.][^{}]*\}$")
_MARKUP = re.compile(
    r"""
      \\(?P<escaped>[!-/:-@\[-`{-~])
    | (?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)
    | !?\[(?P<link>(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*\])*)\]
      (?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])
    | <(?P<address>(?:https?|mailto):[^<>\s]+)>
    | (?P<tag></?[A-Za-z][^<>]*>|<!--.*?-->)
    | (?P<entity>&(?:\#\w{1,8}|\w{1,31});)
    | (?P<stars>\*{1,3}|~~)(?=\S)(?P<strong>.+?)(?<=\S)(?P=stars)
    | (?<!\w)(?P<lines>_{1,3})(?=\S)(?P<emphasis>.+?)(?<=\S)(?P=lines)(?!\w)
    """,
    re.VERBOSE,
)
# Behind the language of a fence: its title, and the numbers of the lines that it marks.
FENCE_TITLE = re.compile(r"\b(?:title|filename)=(?:\"([^\"]*)\"|'([^']*)'|([^\s\"']+))")
MARKED_LINES = re.compile(r"(?:hl_lines=\"|\{)([\d\s,-]{1,500})[\"}]")


class Heading(msgspec.Struct, frozen=True):
    """A heading: its level, its text without markup, and the offsets of its start and end."""

    level: int
    text: str
    start: int
    end: int


def first_heading(markdown: str, level: int = 0) -> Heading | None:
    """Find the first heading, with `#` or underlined; None if there is none, or it has no text.

    With a `level`, only headings of that level count.
    """
    for block in _BLOCK.finditer(markdown):
        if block["hashes"]:
            depth, text = len(block["hashes"]), (block["atx"] or "").strip()
            opened = text.rstrip("#")
            # Closing hashes stand after a blank.
            text = opened if not opened or opened[-1] in " \t" else text
        elif block["underline"]:
            depth, text = 1 if block["underline"][0] == "=" else 2, block["paragraph"]
        else:
            continue
        if level not in {0, depth}:
            continue
        text = _ATTRIBUTES.sub("", " ".join(text.split())) if len(text) <= _LONGEST else ""
        plain = " ".join(without_markup(text).split())
        return Heading(depth, plain, block.start(), block.end()) if plain else None
    return None


def title_of(name: str, body: str, *, is_note: bool, former: bool) -> tuple[Heading | None, str]:
    """Give the first heading, and the title of a document that names none, by the rule of now or then."""
    heading = first_heading(body)
    words = " ".join(name.replace("-", " ").split()) or name
    of_file = words[:1].upper() + words[1:]
    if former:
        return heading, heading.text if heading else of_file
    if is_note:
        # Obsidian shows the name as it is, and so do links to the note.
        return heading, name
    top = heading if heading is None or heading.level == 1 else first_heading(body, level=1)
    return heading, top.text if top else of_file


def without_markup(text: str) -> str:
    """Remove the inline Markdown from a short text: emphasis, code, links, HTML tags, escapes."""
    return _MARKUP.sub(_plain, text)


def _plain(match: re.Match[str]) -> str:
    if match["entity"]:
        return html.unescape(match["entity"])
    inner = match["link"] or match["strong"] or match["emphasis"]
    return without_markup(inner) if inner else match["escaped"] or match["code"] or match["address"] or ""


# Markdown reads Git's conflict markers as prose, and people leave one marker behind, mostly `|||||||`. So
# `<<<<<<<` and `|||||||` with a name behind them count alone; the others are Markdown outside of a conflict.
_OURS, _BASE, _THEIRS = (re.compile(rf"{re.escape(mark)}(?: |$)") for mark in ("<" * 7, "=" * 7, ">" * 7))
# Git writes what a side is behind its marker: a branch, a commit, "this file".
_LEFT = re.compile(r"(?:<{7}|\|{7}) \S")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def unresolved(path: str, text: str) -> Problem | None:
    """Name the line on which the first conflict of a text begins; None if there is none."""
    if not any(mark * 7 in text for mark in "<|"):
        return None
    fence, left = "", 0
    begun, between = 0, False
    for number, line in enumerate(text.split("\n"), start=1):
        # Inside of a conflict every line counts: the two sides may have opened different fences.
        if not begun:
            fence = _fence_after(fence, line)
        if not (fence or left) and _LEFT.match(line):
            left = number
        if not fence and _OURS.match(line):
            begun, between = number, False
        elif begun and _BASE.match(line):
            between = True
        elif between and _THEIRS.match(line):
            left = begun
            break
    if not left:
        return None
    problem = "a merge was not finished here: Git's conflict markers are in the text"
    todo = (
        "keep what is right, and delete the lines that begin with `<<<<<<<`, `|||||||`, `=======`, `>>>>>>>`"
    )
    return Problem(path, left, problem, todo, code=Code.MERGE_CONFLICT)


def _fence_after(fence: str, line: str) -> str:
    """Give the fence of the code block that is open after a line; "" if none is."""
    match = _FENCE.match(line)
    if not match:
        return fence
    mark = match[1]
    if not fence:
        # Backticks in the rest of the line make it inline code.
        return "" if mark[0] == "`" and "`" in line[match.end() :] else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not line[match.end() :].strip()
    return "" if closes else fence


# comrak writes all cells that a row of a table lacks (18 KB became 65 MB), and compares each nested quote,
# definition and heading with those before it. A text within these limits takes linear time and memory.
# Of 4,560 real documents, none has more than 217 headings, 1 level of quotes, 2 list marks on a line, 110
# definitions, 18 footnotes and 7,806 cells of tables.
MOST_HEADINGS = 5_000
DEEPEST = 100
MOST_DEFINITIONS = 5_000
MOST_FOOTNOTES = 10_000
MOST_CELLS = 100_000

# Deep nesting needs at least four columns for each level.
_WIDEST_INDENT = 4 * DEEPEST

_MARK = r"(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))"
# `re` skips to the next line break at once, but it would try `^` at each character.
_NESTED = re.compile(rf"\n(?:[ \t]*+{_MARK}){{{DEEPEST + 1}}}")
_INDENTED = re.compile(rf"\n(?:[ ]{{4}}|\t){{{_WIDEST_INDENT // 4 + 1}}}[ \t]*+{_MARK}")
# A sign that each one of a kind has, the pattern of one, how many a text may have, and its name.
_COUNTED = (
    ("\n", _MAYBE, MOST_HEADINGS, "heading number {}"),
    (":", re.compile(r"^[ \t>]*+:[ \t]", re.MULTILINE), MOST_DEFINITIONS, "definition number {}"),
    ("[^", re.compile(r"\[\^"), MOST_FOOTNOTES, "mark number {} of a footnote"),
)
# comrak makes pieces of text at each of these, and of each character between two of them. One costs 214 to
# 650 bytes with the HTML: five million `<` took 1.1 GB, and a million `_` between letters 540 MB. Within this
# limit a page takes at most 200 MB. Of 2 MiB of prose, they are 125 thousand.
_PIECES = '<>[]!&:w"\\.$^*_~`\n'
MOST_PIECES = 350_000
# comrak calls itself for each e-mail address of a line: 40,000 of them ended the process.
MOST_ADDRESSES = 1_000
# The characters of the row of dashes below a table's head, also in a quote or a list.
_DELIMITERS = " \t>*+-:|0123456789.)"


def excess(path: str, text: str) -> Problem | None:
    """Give the problem of the first line that exceeds a limit; None if no line does."""
    for place, problem, todo in _found(text):
        return Problem(path, 1 + text.count("\n", 0, place), problem, todo, code=Code.TOO_COMPLEX)
    return None


def _found(text: str) -> Iterator[tuple[int, str, str]]:
    lines = f"\n{text}"
    for sign, pattern, most, noun in _COUNTED:
        # Nearly every text has fewer signs. The search takes as long as rendering.
        places = pattern.finditer(text) if lines.count(sign) > most else iter(())
        if first_over := next(itertools.islice(places, most, None), None):
            problem = f"this is {noun.format(f'{most + 1:,}')}, one too many"
            yield first_over.start(), problem, "split the file"
    if len(text) > MOST_PIECES and sum(map(text.count, _PIECES)) > MOST_PIECES:
        yield 0, f"the text has more than {MOST_PIECES:,} signs that may be markup", "split the file"
    if (place := _crowded_line(text)) is not None:
        yield place, f"a line has more than {MOST_ADDRESSES:,} signs `@`", "break the line"
    is_marked = sum(map(text.count, ">-+*.)")) > DEEPEST
    nested = (_NESTED.search(lines) or _INDENTED.search(lines)) if is_marked else None
    if nested:
        yield nested.start(), f"quotes and lists are nested in more than {DEEPEST} levels", "nest less deeply"
    table = _overfull_table(text)
    if table is not None:
        problem = f"with this row the tables have more than {MOST_CELLS:,} cells (short rows are filled up)"
        yield table, problem, "split the table, or link to a file with the data"


def _crowded_line(text: str) -> int | None:
    """Give the offset of the line with too many e-mail addresses."""
    place = 0
    for line in text.split("\n") if text.count("@") > MOST_ADDRESSES else ():
        if line.count("@") > MOST_ADDRESSES:
            return place
        place += len(line) + 1
    return None


def _overfull_table(text: str) -> int | None:
    """Give the offset of the row that exceeds the limit of cells; each row counts as wide as its head."""
    pipes = text.count("|")
    if not pipes or (text.count("\n") + 1) * (pipes + 1) <= MOST_CELLS:
        # Nearly every text ends here.
        return None
    cells = columns = place = 0
    for line in text.split("\n"):
        if not line.strip(" \t>"):
            columns = 0
        elif "|" in line and "-" in line and not line.strip(_DELIMITERS):
            columns = max(columns, line.strip(" \t>").strip("|").count("|") + 1)
        cells += columns
        if cells > MOST_CELLS:
            return place
        place += len(line) + 1
    return None
