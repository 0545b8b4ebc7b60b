"""Finds the first heading of a Markdown text: the title of a document that names none.

Only one heading is wanted, and it is nearly always at the top. So the text is searched, and not parsed a
second time.
"""

from __future__ import annotations

import html
import itertools
import re
from dataclasses import dataclass

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
    | !?\[(?P<link>(?:[^\[\]\\]|\\.)*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])
    | <(?P<address>(?:https?|mailto):[^<>\s]+)>
    | (?P<tag></?[A-Za-z][^<>]*>|<!--.*?-->)
    | (?P<entity>&(?:\#\w{1,8}|\w{1,31});)
    | (?P<stars>\*{1,3}|~~)(?=\S)(?P<strong>.+?)(?<=\S)(?P=stars)
    | (?<!\w)(?P<lines>_{1,3})(?=\S)(?P<emphasis>.+?)(?<=\S)(?P=lines)(?!\w)
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level, its text without markup, and the offsets of its start and end."""

    level: int
    text: str
    start: int
    end: int


def nth_heading(markdown: str, number: int) -> int | None:
    """Give the offset of the line that may be heading `number`, from 1; None if there are fewer."""
    if markdown.count("\n") + 1 < number:
        # A line has at most one heading. Nearly every text ends here; the search takes as long as rendering.
        return None
    found = next(itertools.islice(_MAYBE.finditer(markdown), number - 1, None), None)
    return found.start() if found else None


def first_heading(markdown: str) -> Heading | None:
    """Find the first heading, with `#` or underlined; None if there is none, or it has no text."""
    for found in _BLOCK.finditer(markdown):
        if found["hashes"]:
            level, text = len(found["hashes"]), _without_closing_hashes(found["atx"] or "")
        elif found["underline"]:
            level, text = 1 if found["underline"][0] == "=" else 2, found["paragraph"]
        else:
            continue
        text = _ATTRIBUTES.sub("", " ".join(text.split())) if len(text) <= _LONGEST else ""
        plain = " ".join(without_markup(text).split())
        return Heading(level, plain, found.start(), found.end()) if plain else None
    return None


def without_markup(text: str) -> str:
    """Remove the inline Markdown from a short text: emphasis, code, links, HTML tags, escapes."""
    return _MARKUP.sub(_plain, text)


def _plain(found: re.Match[str]) -> str:
    if found["entity"]:
        return html.unescape(found["entity"])
    inner = found["link"] or found["strong"] or found["emphasis"]
    return without_markup(inner) if inner else found["escaped"] or found["code"] or found["address"] or ""


def _without_closing_hashes(text: str) -> str:
    text = text.strip()
    opened = text.rstrip("#")
    return opened if not opened or opened[-1] in " \t" else text
