"""Reads what other tools add to Markdown: lists of attributes, coloured boxes, titles in the text, and MDX.

Other tools' syntax in code is an example and stays as it is. A full parser of Markdown would not give the
lines back unchanged, so only the fences of code are followed. MDX is a program, and this does not run it:
only the components that Docusaurus itself brings have one meaning everywhere. All others are named.
"""

from __future__ import annotations

import html
import re
import textwrap
from typing import TYPE_CHECKING

import comrak

from pressync.content.documents import after_blank_lines
from pressync.content.markdown_text import first_heading, without_markup
from pressync.html.titles import heading_id
from pressync.importing.sources.item import Place, Remainder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_FENCE = re.compile(r"[ \t>]*(?P<item>(?:[-*+:]|\d{1,9}[.)])[ \t]+)?(?P<fence>`{3,}|~{3,})(?P<info>[^`\n]*)$")
# A fence this many columns further right does not end a block; one this many further left ends its list.
_FAR = 4


def lines(text: str) -> Iterator[tuple[str, bool]]:
    """Give each line, and whether it is code; a fence counts as code."""
    return ((line, bool(part)) for line, part in _parts(text))


_TEXT, _BEGINNING, _INSIDE, _RAW = range(4)
_MOST_OPEN = 20
_PRE = re.compile(r" {0,3}<pre[\s>]", re.IGNORECASE)


def _parts(text: str) -> Iterator[tuple[str, int]]:
    """Give each line, and whether it is text, begins a block of code or belongs to one, or to a raw `pre`."""
    fence, column, is_raw = "", 0, False
    for line in text.split("\n"):
        if is_raw or (not fence and _PRE.match(line)):
            is_raw = "</pre" not in line.lower()
            yield line, _RAW
            continue
        if fence and line.strip() and len(line) - len(line.lstrip(" \t>")) <= column - _FAR:
            fence = ""  # The list that holds the block ends here, and so does the block.
        found = _FENCE.match(line)
        if not fence:
            fence, column = (found["fence"], found.start("fence")) if found else ("", 0)
            yield line, _BEGINNING if found else _TEXT
            continue
        yield line, _INSIDE
        if found is None or found["item"] or found["info"].strip():
            continue
        own = found["fence"]
        if own[0] == fence[0] and len(own) >= len(fence) and found.start("fence") < column + _FAR:
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


def with_ended_fences(text: str) -> str:
    """Take the signs of a block of code that never ends for text, as PyMdown does."""
    if "```" not in text and "~~~" not in text:
        return text
    rows = text.split("\n")
    for _ in range(_MOST_OPEN):
        parts = [part for _, part in _parts("\n".join([*rows, ""]))]
        if parts[-1] not in {_BEGINNING, _INSIDE}:
            break
        at = max(number for number, part in enumerate(parts) if part == _BEGINNING)
        rows[at] = _LIKE_FENCE.sub(r"\1\\\2", rows[at])
    return "\n".join(rows)


_LIKE_FENCE = re.compile(r"([ \t>]*)([`~])(?=\2{2})")


def with_whole_pre(text: str) -> str:
    """Write a `pre` within other HTML without blank lines.

    CommonMark ends that HTML at a blank line, and would take the lines below it for Markdown. The lines that
    go stand below the element, so that all others keep their numbers.
    """
    if "<pre" not in text.lower():
        return text
    rows: list[str] = []
    is_within, gone = False, 0
    for row, part in _parts(text):
        if part == _RAW and _PRE.match(row):
            is_within = bool(rows and rows[-1].strip())
        if part != _RAW or not is_within:
            rows.append(row)
        elif not row.strip():
            rows[-1] += "&#10;"
            gone += 1
        else:
            rows.append(_LIKE_FENCE.sub(lambda sign: f"{sign[1]}&#{ord(sign[2])};", row))
            if "</pre" in row.lower():
                rows += [""] * gone
                gone = 0
    return "\n".join(rows)


_CODE_TITLE = re.compile(r"""[ \t]*\btitle=(?P<quote>["'])(?P<title>.*?)(?P=quote)""")
_MARKUP = re.compile(r"[\\`*_\[\]<>]")
# Docusaurus shows the lines with another colour, and leaves these comments out.
_COLOURED = re.compile(
    r"\s*(?://|#|--|%|<!--|/\*|\{/\*)\s*highlight-(?:next-line|start|end)\s*(?:-->|\*/\}?)?\s*"
)


def with_code_titles(text: str) -> str:
    """Write the title of a block of code as a line above it: Markdown shows no title."""
    if "title=" not in text and "highlight-" not in text:
        return text
    rows: list[str] = []
    for row, part in _parts(text):
        fence = _FENCE.match(row) if part == _BEGINNING else None
        title = _CODE_TITLE.search(row) if fence and not fence["item"] else None
        if fence and title:
            before = row[: fence.start("fence")]
            said = _MARKUP.sub(r"\\\g<0>", title["title"].strip())
            rows += [before.rstrip(), f"{before}**{said}**", before.rstrip()] if said else []
            rows.append(f"{row[: title.start()]}{row[title.end() :]}")
        elif part != _INSIDE or not _COLOURED.fullmatch(row):
            rows.append(row)
    return "\n".join(rows)


# A code of one letter, such as `:x:`, is one too; another word between colons stays.
_EMOJI = re.compile(
    r"(?P<code>`+)[^`\n]*(?P=code)|<[^<>\n]*>|\]\([^()\s]*\)|:(?<![\w:/.]:)[a-z0-9_+-]{1,40}:(?![\w/:`])"
)

_PERSON = re.compile(r":(man|woman)_(?:in_)?(\w{1,40}):")


def with_emoji(text: str) -> str:
    """Write the characters for the codes of emoji, such as `:tada:`, outside of code."""
    if ":" not in text:
        return text
    options = comrak.ExtensionOptions()
    options.shortcodes = True

    def shown(code: str) -> str:
        return re.sub(r"<[^<>]*>", "", comrak.render_markdown(code, options)).strip()

    def replaced(found: re.Match[str]) -> str:
        if not found[0].startswith(":"):
            return found[0]
        # Twitter's names begin with the person, as in `:man_raising_hand:`, and GitHub's end with it.
        other = _PERSON.sub(r":\2_\1:", found[0])
        return next(
            (made for made in map(shown, (found[0], other)) if made not in {found[0], other}), found[0]
        )

    return "\n".join(row if is_code else _EMOJI.sub(replaced, row) for row, is_code in lines(text))


def details(summary: str, text: str, *, is_open: bool) -> str:
    """Write a text that readers open."""
    summary = html.escape(summary, quote=False)
    return f"<details{' open' * is_open}>\n<summary>{summary}</summary>\n\n{text}\n\n</details>"


_TAGGED_DEFINITION = re.compile(r" {0,3}\[[^\]\n]{1,500}\]:.{0,2000}?\{[{%]")


def with_definitions(text: str) -> str:
    """Part each definition of a link that has a tag in it from the next line.

    A tag has blanks, so Markdown takes the line for text, and would take the definitions below it for text.
    """
    if "]:" not in text or ("{{" not in text and "{%" not in text):
        return text
    found = ((row, not is_code and _TAGGED_DEFINITION.match(row)) for row, is_code in lines(text))
    return "\n".join(f"{row}\n" if is_tagged else row for row, is_tagged in found)


_HEADING = re.compile(
    r"( {0,3}#{1,6}[ \t]+)(.*?)[ \t]*"
    r"\{:?[ \t]*([#.][^{}<>\n]{0,200}|(?:[\w-]+=|data-)[^{}<>\n]{0,200})\}[ \t]*#*$"
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
        own = (name[1] or name[3]) if name else ""
        anchor = f'<a id="{own}"></a>' if own and own != heading_id(without_markup(found[2])) else ""
        rows.append(f"{found[1]}{anchor}{found[2]}")
        if found[3].strip() != (name[0] if name else ""):
            remainders.append(Remainder("attribute list", at, f"{{{found[3]}}}"))
    return "\n".join(rows), tuple(remainders)


_ATTRIBUTES = re.compile(r"[ \t>]*\{[ \t]*(?:[.#][\w-]|[\w-]{1,60}=)[^{}\n]{0,500}\}[ \t]*")


def without_attributes(text: str, place: Place) -> tuple[str, tuple[Remainder, ...]]:
    """Leave out each list of attributes that has a line of its own below a block, and name it."""
    rows: list[str] = []
    left: list[Remainder] = []
    for row, is_code, at in rows_of(text, place):
        if not is_code and rows and rows[-1].strip() and _ATTRIBUTES.fullmatch(row):
            left.append(Remainder("attribute list", at, row.strip()))
            rows.append("")
        else:
            rows.append(row)
    return "\n".join(rows), tuple(left)


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
    return "\n".join([f"> {head}", *(f"> {row}" if row.strip() else ">" for row in rows)])


# A picture, with its link if it has one.
_TITLE_PICTURE = re.compile(
    r"\[!\[[^\[\]\n]{0,500}\]\([^()\n]{1,1000}\)\]\([^()\n]{1,1000}\)"
    r"|!\[[^\[\]\n]{0,500}\]\([^()\n]{1,1000}\)|<img\b[^<>\n]{1,1000}>"
)


def titled(
    given: str, body: str, name: str, *, heading_wins: bool = False, is_once: bool = False
) -> tuple[str, str]:
    """Give the title and the body; with `heading_wins` the heading at the top counts before `given`.

    With `is_once`, a heading at the top that repeats the title is left out. Its pictures stay in the body.
    """
    heading = first_heading(body) if heading_wins or is_once or not given else None
    if heading and is_once and not heading_wins and heading.text != given:
        heading = None
    if heading and heading.text and heading.level == 1 and not body[: heading.start].strip():
        top, rest = body[heading.start : heading.end], body[after_blank_lines(body, heading.end) :]
        pictures = " ".join(each[0] for each in _TITLE_PICTURE.finditer(top))
        bare = first_heading(_TITLE_PICTURE.sub("", top)) if pictures else None
        return bare.text if bare else heading.text, f"{pictures}\n\n{rest}" if pictures else rest
    if given:
        return given, body
    words = " ".join(name.replace("-", " ").replace("_", " ").split())
    return (heading.text if heading and heading.text else words[:1].upper() + words[1:]), body
