"""Keeps the ids of headings to which something links, where the renderer gives a heading another id.

Each tool makes ids of the words of headings in its own way: Hexo keeps capitals, and Python-Markdown has one
hyphen where GitHub has two. A link to such an id would show the top of the page. So the id stands as an
element in the heading. A heading without a link keeps no second id, because nobody would see why it is there.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.content.render.markdown import with_places

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pressync.config.settings import MarkdownForms


# A link with a fragment, in Markdown or in HTML. Each part is bounded.
_LINKED = re.compile(
    r"""(?:\]\([ ]?<?|\]:[ \t]*<?|\bhref[ ]?=[ ]?["']?)[^\s"'<>()#]{0,1000}\#([^\s"'<>()]{1,500})"""
)
_HEADING = re.compile(
    r'<h(?P<level>[1-6]) id="(?P<id>[^"]*)" data-sourcepos="(?P<line>\d+):(?P<column>\d+)-[^"]*">'
    r"(?P<words>.*?)</h(?P=level)>",
    re.DOTALL,
)
# Hugo can give the terms of definitions ids as well. They are numbered with those of the headings.
TERMS = " terms"
_TERM = re.compile(
    r'<(?P<level>dt)(?P<id>) data-sourcepos="(?P<line>\d+):(?P<column>\d+)-[^"]*">(?P<words>.*?)</dt>',
    re.DOTALL,
)
_TAG = re.compile(r"<[^<>]*>")
_MARK = re.compile(r"#{1,6}[ \t]+")
_OF_HEXO = re.compile(r"""[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:"'<>,.?/]+""")


def _hexo(words: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFD", words) if not unicodedata.combining(c))
    return _OF_HEXO.sub("-", plain).strip("-")


def _python_markdown(words: str) -> str:
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def _kramdown(words: str) -> str:
    plain = re.sub(r"[^a-zA-Z0-9 -]", "", re.sub(r"\A[^a-zA-Z]+", "", words))
    return plain.replace(" ", "-").lower() or "section"


def github(words: str) -> str:
    """Make the id of a heading as GitHub does; Hugo and Docusaurus follow it."""
    kept = (c for c in words.strip() if c in "-_ " or c.isdecimal() or unicodedata.category(c)[0] == "L")
    return "".join(kept).replace(" ", "-").lower() or "heading"


def _hugo_ascii(words: str) -> str:
    return github("".join(c for c in unicodedata.normalize("NFD", words) if c.isascii()))


def _blackfriday(words: str) -> str:
    parts = "".join(c if unicodedata.category(c)[0] in "LN" else " " for c in words).split()
    return "-".join(parts).lower() or "heading"


# How a tool makes an id of words, and the sign before the number of an id that it has made already.
_WAYS: Mapping[str, tuple[Callable[[str], str], str]] = {
    "hexo": (_hexo, "-"),
    "python-markdown": (_python_markdown, "_"),
    "kramdown": (_kramdown, "-"),
    "github": (github, "-"),
    "github-ascii": (_hugo_ascii, "-"),
    "blackfriday": (_blackfriday, "-"),
}


def linked_ids(text: str) -> Iterator[str]:
    """Give the fragments of the links of a text."""
    return (unquote(html.unescape(found)) for found in _LINKED.findall(text)) if "#" in text else iter(())


# An id that somebody gave an element.
_GIVEN = re.compile(r"""<[a-z][^<>]{0,1000}?\s(?:id|name)[ ]?=[ ]?["']?([^\s"'<>]{1,500})""", re.IGNORECASE)
_PLACED = re.compile(r' data-sourcepos="[^"]*"')


def without_taken_ids(text: str, forms: MarkdownForms) -> tuple[str, tuple[str, ...]]:
    """Give a text in which an element has the id that it has, and the names of the headings that stay HTML.

    A heading of Markdown gets an id of its words. As HTML, a heading has none.
    """
    given = {html.unescape(each) for each in _GIVEN.findall(text)}
    if not given:
        return text, ()
    rows, kept = text.split("\n"), []
    for heading in _HEADING.finditer(with_places(text, forms)):
        line, level = int(heading["line"]) - 1, heading["level"]
        # Of several headings with these words, each one could have the id without a number.
        ids = {heading["id"], github(html.unescape(_TAG.sub("", heading["words"])))}
        if not ids.isdisjoint(given) and _MARK.match(rows[line]) and not _GIVEN.search(rows[line]):
            rows[line] = f"<h{level}>{_PLACED.sub('', heading['words'])}</h{level}>"
            kept.append(f"h{level}")
    return "\n".join(rows), tuple(kept)


def with_ids(text: str, way: str, linked: Collection[str], forms: MarkdownForms) -> str:
    """Give a text of Markdown whose headings have the ids of the `way` of a tool that are `linked`.

    A way with `TERMS` at its end is also that of the terms of definitions.
    """
    way, has_terms = way.removesuffix(TERMS), way.endswith(TERMS)
    if way not in _WAYS or not linked:
        return text
    make, sign = _WAYS[way]
    seen: Counter[str] = Counter()
    rows, shown = text.split("\n"), with_places(text, forms)
    terms = _TERM.finditer(shown) if has_terms else ()
    for heading in sorted((*_HEADING.finditer(shown), *terms), key=lambda found: found.start()):
        bare = make(html.unescape(_TAG.sub("", heading["words"])).strip())
        own = f"{bare}{sign}{seen[bare]}" if seen[bare] else bare
        seen[bare] += 1
        if own != heading["id"] and own in linked:
            line, column = int(heading["line"]) - 1, int(heading["column"]) - 1
            mark = _MARK.match(rows[line], column)
            at = mark.end() if mark else column
            rows[line] = f'{rows[line][:at]}<a id="{html.escape(own)}"></a>{rows[line][at:]}'
    return "\n".join(rows)
