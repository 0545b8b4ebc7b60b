"""Finds text in the syntax of another tool, which a site would show as it is written.

A page that explains such a tool shows the same text in code, and only the renderer knows for certain what is
code. So the search reads the rendered HTML and not the Markdown. Each pattern is bounded, so that hostile
text takes linear time.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.emoji_code import EMOJI_CODE
from pressync.model.errors import Problem
from pressync.model.problem_codes import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.model.records import Document

# A document names at most this many places of one syntax.
_MOST = 100
# The line of a hit in raw HTML is searched in this many lines.
_NEAR = 50


@dataclass(frozen=True, slots=True)
class _Syntax:
    """A syntax: the first characters of its text, and what to tell people about it."""

    begins: tuple[str, ...]
    code: Code
    what: str
    todo: str


_IN_WORDS = "write what it stands for as Markdown or HTML"
_AS_ALERT = "write `> [!NOTE]`, and begin each line of its text with `> `"
# A text belongs to the first of these whose first characters it has.
_SYNTAXES = (
    _Syntax(
        ("{{<", "{{%"),
        Code.HUGO_SHORTCODE,
        "a Hugo shortcode (`{{< … >}}`) is shown as it is written",
        _IN_WORDS,
    ),
    _Syntax(
        ("{{", "{%", "%7B"),
        Code.TEMPLATE_TAG,
        "a template tag (`{{ … }}` or `{% … %}`, as in Jekyll or Zola) is shown as it is written",
        _IN_WORDS,
    ),
    _Syntax(
        ("{",),
        Code.ATTRIBUTE_LIST,
        "a list of attributes (`{#id}`, `{: .class}`, as in kramdown) is shown as it is written",
        'write the element as HTML, such as `<h2 id="name">`, or leave the list out',
    ),
    _Syntax(
        ("import", "export"),
        Code.MDX,
        "an `import` or `export` of MDX is shown as it is written",
        "leave it out",
    ),
    _Syntax(("<",), Code.MDX, "a component of MDX (`<Name />`) shows nothing on the site", _IN_WORDS),
    _Syntax(
        ("!!!", "???"),
        Code.MKDOCS_BLOCK,
        "an admonition of MkDocs (`!!! note`) is shown as it is written",
        _AS_ALERT,
    ),
    _Syntax(
        ("===",),
        Code.MKDOCS_BLOCK,
        'a content tab of MkDocs (`=== "Tab"`) is shown as it is written',
        "write a heading, and do not indent the text",
    ),
    _Syntax(
        (":::",),
        Code.DOCUSAURUS_ADMONITION,
        "an admonition of Docusaurus (`:::note`) is shown as it is written",
        _AS_ALERT,
    ),
    _Syntax(
        ("*[",),
        Code.KRAMDOWN,
        "an abbreviation of kramdown (`*[HTML]: …`) is shown as it is written",
        'write `<abbr title="…">` where the word stands, or leave it out',
    ),
    _Syntax(
        ("$$",),
        Code.KRAMDOWN,
        "a formula (`$$ … $$`) is shown as it is written, unless a plugin of the site reads it",
        "write it as MathML or as a picture",
    ),
    _Syntax(
        (":",),
        Code.KRAMDOWN,
        "an emoji code (`:heart:`) is shown as it is written",
        "write the character itself",
    ),
)
# A word, a quoted text or a call begins most tags; the HTML has quotes as `&quot;` or as they are.
_TAG = r"-?[ \n]?(?:[\w.(\"'\[]|&quot;)"
# These begin a line, or a paragraph.
_AT_LINE = (
    r"(?:import (?:[\w*{}, ]{1,200} from (?:['\"]|&quot;)|(?:['\"]|&quot;)[.@])"
    r"|export (?:const|default|function|let) "
    r"|(?:!!!|\?\?\?\+?) ?(?:[a-z\"]|&quot;)|===[!+]? (?:&quot;|\")|:{3,} ?[A-Za-z]"
    r"|\*\[[^\[\]<>\n]{1,200}\]:)"
)
# Code that follows at once leaves its place: `:ref:` in front of it is a role of another tool.
_PLACE = 'data-sourcepos="'
# Each alternative begins with a character, never with a group: `re` then skips nearly all text at once.
_ANY = re.compile(
    r"\{\{(?:&lt;|< |%)"
    rf"|\{{\{{{_TAG}[^{{}}]{{0,300}}\}}\}}|\{{(?<!\{{\{{)%{_TAG}[^%{{}}]{{0,300}}%\}}|%7B%7B(?:%20)?\w"
    r"|\{(?<!\{\{)(?::? ?[.#][A-Za-z]|: ?[a-z])[^{}<>\n]{0,200}\}"
    r"|<[A-Z][A-Za-z0-9]{0,80}[a-z][A-Za-z0-9.]{0,80}(?=[ \n/>])(?:[^<>]{0,2000}/>)?"
    rf"|\n{_AT_LINE}|>{_AT_LINE}|\$\$[^$<>]{{1,2000}}\$\$|{EMOJI_CODE}(?! {_PLACE})"
)
_CLOSING = re.compile(r"</([A-Z][\w.]*)>")
# Comments, code and scripts. Each alternative reads a character a fixed number of times.
_HIDDEN = re.compile(
    r"""<!--(?:-?>|.*?(?:-->|\Z))
      | <(?P<raw>pre|code|script|style|textarea)(?=[\s/>])(?P<place>[^<>]*>).*?(?:</(?P=raw)\s*>|\Z)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
# Nearly all text has none of these. Each begins with one character, to which `re` skips at once.
_LINES = r"\n {0,3}(?:!!!|\?\?\?|===|:::|\*\[|import |export )"
_SIGNS = tuple(map(re.compile, (r"\{[{%:#. ]", r"<[A-Z]", _LINES, r"\$\$", EMOJI_CODE)))


def find(document: Document, page: str, placed: Callable[[], str]) -> Iterator[Problem]:
    """Warn of each line of a document with the syntax of another tool.

    `page` is its HTML. `placed` renders it with the source lines of each block; few documents need that.
    """
    lines = f"\n{document.body}"
    if not (any(sign.search(lines) for sign in _SIGNS) and _ANY.search(_HIDDEN.sub("", page))):
        return
    rows = document.body.split("\n")
    for syntax, places in _places(placed()).items():
        for line in sorted({_line(rows, line, text) for line, text in places.items()}):
            number = document.body_line + line - 1
            yield Problem(document.path, number, syntax.what, syntax.todo, warning=True, code=syntax.code)


def _places(placed: str) -> dict[_Syntax, dict[int, str]]:
    """Find each syntax: the lines at which it may begin, with the text of the first hit there."""
    found: dict[_Syntax, dict[int, str]] = {}
    # A component closes itself, or its closing tag follows; `<Name>` alone may be a word of the text.
    closed = set(_CLOSING.findall(placed))
    visible = _HIDDEN.sub(r"\g<place>", placed)
    line, counted = 1, 0
    for match in _ANY.finditer(visible):
        text = html.unescape(match[0].lstrip("\n>"))
        if text[0] == "<" and not text.endswith("/>") and text[1:] not in closed:
            continue
        # The line is that of the last tag with a place, and of the line breaks since.
        place = visible.rfind(_PLACE, counted, match.start())
        if place >= 0:
            counted = place + len(_PLACE)
            line = int(visible[counted : visible.index(":", counted)])
        end = match.end() - len(match[0].lstrip("\n"))
        line += visible.count("\n", counted, end)
        counted = end
        syntax = next(each for each in _SYNTAXES if text.startswith(each.begins))
        places = found.setdefault(syntax, {})
        if len(places) < _MOST:
            places.setdefault(line, text[:40])
    return found


def _line(rows: list[str], line: int, text: str) -> int:
    """Find the line of a text at or below a line; raw HTML has no line of its own."""
    near = range(line, min(line + _NEAR, len(rows)) + 1)
    first = text.partition("\n")[0]
    return next((number for number in near if first in rows[number - 1]), line)
