"""Finds text in the syntax of another tool, which readers would see as it is written. Pure.

It is searched in the rendered HTML, because only the renderer knows for certain what is code. Each row of the
table is one syntax. Each pattern is bounded, so that hostile text takes linear time, and begins with a
character and never with a group, so that `re` skips nearly all text at once.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pressync.model.errors import Code, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.model.records import Document

# A document names at most this many places of one syntax.
_MOST = 100
# An emoji code such as `:heart:` turns into a picture by plugins of other tools. WordPress turns a few of
# them into pictures too, so these are left out.
_OF_WORDPRESS = (
    "mrgreen|neutral|twisted|arrow|shock|smile|cool|evil|grin|idea|oops|razz|roll|wink|cry|eek|lol|mad|sad"
)
EMOJI_CODE = rf":(?<![\w:/.]:)(?!(?:{_OF_WORDPRESS}):)(?:[a-z][a-z0-9_+-]{{1,40}}|[+-]1):(?![\w/:`])"
# The line of a hit in raw HTML is searched in this many lines.
_NEAR = 50
# A character that Unicode reserves. It stands before the language of a fence that only another tool reads.
_FENCE_MARK = "\ufdd2"
_PLACE = 'data-sourcepos="'


class Syntax(NamedTuple):
    """One syntax: its pattern, its code, its name for people, and what to do about it.

    With `^`, it begins a line or a paragraph. A text without its `sign` does not have it.
    """

    pattern: str
    code: Code
    name: str
    todo: str
    shown: str = "is shown as it is written"
    sign: str = ""

    @property
    def alternatives(self) -> str:
        """Its pattern with the character before it."""
        begins = self.pattern.removeprefix("^")
        return self.pattern if begins == self.pattern else rf"\n(?:{begins})|>(?:{begins})"


_IN_WORDS = "write what it stands for as Markdown or HTML"
_AS_ALERT = "write `> [!NOTE]`, and begin each line of its text with `> `"
_LEAVE_OUT = "leave it out"
_TAGS, _AS_KEY = "a tag in the text (`#tag`, as in Obsidian)", "name it below `tags` in the front matter"
_REMARK, _AS_REMARK = "a comment (`%% … %%`, as in Obsidian)", "write `<!-- … -->`, or leave it out"
_FORMULA, _AS_MATH = (
    "a formula in TeX (`$x^2$`, `$$ … $$`, `\\begin{…}`)",
    "set `math = true` below `[markdown]`",
)
_OF_PLUGIN = "is shown as it is written, unless a plugin of the site reads it"
# The forms of Obsidian, which its dialect reads by these patterns.
# WordPress shows `[[gallery]]` as `[gallery]`, and TOML begins a table of a list in the same way.
WIKILINK = (
    r"\[\[(?![\s\d.,;-]{1,200}\]|(?:audio|caption|embed|gallery|playlist|video)\b)[^\s\[\]<>'&][^\[\]<>\n]{0,200}\]\]"
    r"(?!(?:[ ]#[^\n]{0,200})?\n\s{0,40}(?:\[|[\w.-]{1,60} = ))"
)
EMBED = rf"!{WIKILINK}"
COMMENT = r"%%(?!%)[^%<>\n]{1,500}%%"
_COLOUR = r"(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})(?![\w/-])"
_ONE_TAG = rf"(?!{_COLOUR})(?=[\w/-]{{0,100}}[^\W\d])\w[\w-]*+(?:/[\w-]++)*+(?![\w;/#])"
HASHTAG = rf"#(?<![^\s>(]#)(?<!\{{ #){_ONE_TAG}"
# Code that follows at once leaves its place: `:ref:` in front of it is a role of another tool.
_TAG = r"-?[ \n]?(?:[\w.(\"'\[]|&quot;)"
# The text of a formula has a sign of TeX, or is one letter, and no letter or digit follows the last dollar:
# `$5 and $6` is money.
_SIGN_OF_TEX = r"(?=[A-Za-z]\$|[^$]{0,300}(?:\\[A-Za-z,{]|[\^=+]|_[\w{]|&lt;))"
_TEX = r"(?:[^$<>\n\\]|\\[^\n]|</?em[^<>]{0,60}>){0,300}?"
DOLLARS = rf"\$(?<![\w$\\]\$)(?![\s$]){_SIGN_OF_TEX}{_TEX}(?<!\s)\$(?![\w$])"
# Of the rows of a table that match at a place, the first one counts. These may be in an attribute, too.
IN_TAGS = (
    Syntax(r"\{\{(?:&lt;|< |%)", Code.HUGO_SHORTCODE, "a Hugo shortcode (`{{< … >}}`)", _IN_WORDS),
    Syntax(
        rf"\{{\{{{_TAG}[^{{}}]{{0,300}}\}}\}}|\{{(?<!\{{\{{)%{_TAG}[^%{{}}]{{0,300}}%\}}|%7B%7B(?:%20)?\w"
        r"|\{(?<!\{\{)# [^{}<>\n]{1,300} #\}",
        Code.TEMPLATE_TAG,
        "a template tag (`{{ … }}` or `{% … %}`, as in Jekyll or Zola)",
        _IN_WORDS,
    ),
    Syntax(
        r"\{(?<!\{\{)(?::? ?[.#][A-Za-z]|:{1,2} ?[a-z])[^{}<>\n]{0,200}\}"
        r"|\{(?<=/>\{)[a-z][\w-]{0,40}=[^{}<>\n]{1,200}\}",
        Code.ATTRIBUTE_LIST,
        "a list of attributes (`{#id}`, `{: .class}`, as in kramdown)",
        'write the element as HTML, such as `<h2 id="name">`, or leave the list out',
    ),
    Syntax(
        r"^import (?:[\w*{}, ]{1,200} from (?:['\"]|&quot;)|(?:['\"]|&quot;)[.@])"
        r"|export (?:const|default|function|let) ",
        Code.MDX,
        "an `import` or `export` of MDX",
        _LEAVE_OUT,
    ),
    Syntax(r"\{/\*[^{}<>]{0,1000}\*/\}", Code.MDX, "a comment of MDX (`{/* … */}`)", _LEAVE_OUT),
    Syntax(
        r"<[A-Z][A-Za-z0-9]{0,80}[a-z][A-Za-z0-9.]{0,80}(?=[ \n/>])(?:[^<>]{0,2000}/>)?",
        Code.MDX,
        "a component of MDX (`<Name />`)",
        _IN_WORDS,
        "shows nothing on the site",
    ),
    Syntax(
        r"^(?:!!!|\?\?\?\+?) ?(?:[a-z\"]|&quot;)",
        Code.MKDOCS_BLOCK,
        "an admonition of MkDocs (`!!! note`)",
        _AS_ALERT,
    ),
    Syntax(
        r"^===[!+]? (?:&quot;|\")",
        Code.MKDOCS_BLOCK,
        'a content tab of MkDocs (`=== "Tab"`)',
        "write a heading, and do not indent the text",
    ),
    Syntax(
        r"^:{3,} ?[A-Za-z{]|::[a-z][a-z-]{1,40}[\[{]",
        Code.DOCUSAURUS_ADMONITION,
        "a directive of Docusaurus, Astro or MkDocs (`:::note`)",
        _AS_ALERT,
    ),
    Syntax(
        r"^\*\[[^\[\]<>\n]{1,200}\]:",
        Code.KRAMDOWN,
        "an abbreviation of kramdown (`*[HTML]: …`)",
        'write `<abbr title="…">` where the word stands, or leave it out',
    ),
    Syntax(
        rf"{EMOJI_CODE}(?! {_PLACE})",
        Code.KRAMDOWN,
        "an emoji code (`:heart:`)",
        "write the character itself",
    ),
)
# The file must have these as the page shows them: the author may have escaped them.
IN_TEXT = (
    Syntax(
        rf"\$\$(?!')[^$<>]{{1,2000}}\$\$|{DOLLARS}", Code.FORMULA, _FORMULA, _AS_MATH, _OF_PLUGIN, sign="$"
    ),
    Syntax(r"\\begin\{[a-z]{1,20}\*?\}", Code.FORMULA, _FORMULA, _AS_MATH, _OF_PLUGIN, sign=r"\begin"),
    Syntax(
        rf"{_FENCE_MARK}(?:math|katex)\b",
        Code.FORMULA,
        "a formula in a fence (`math`)",
        _AS_MATH,
        "is shown as code, not as a formula",
        sign=_FENCE_MARK,
    ),
    Syntax(
        rf"{_FENCE_MARK}[a-z]",
        Code.DIAGRAM,
        "a diagram in a fence (`mermaid`, `plantuml` and others)",
        "set `mermaid` below `[markdown]`, or show a picture of it",
        "is shown as code, not as a picture",
        sign=_FENCE_MARK,
    ),
    Syntax(
        r"^\[\[?_?(?:TOC|toc)_?\]\]?(?![\[(])",
        Code.TYPED_MARKUP,
        "a mark for a table of contents (`[TOC]`)",
        _LEAVE_OUT,
    ),
    Syntax(
        EMBED,
        Code.EMBED,
        "an embed (`![[file]]`, as in Obsidian)",
        "write a Markdown picture or link with the path of its file",
        sign="![[",
    ),
    Syntax(
        WIKILINK,
        Code.WIKILINK,
        "a wikilink (`[[page]]`, as in Obsidian)",
        "write a Markdown link to the path of its file",
        sign="[[",
    ),
    Syntax(COMMENT, Code.PERCENT_COMMENT, _REMARK, _AS_REMARK, sign="%%"),
    Syntax(r"^%%(?!\w)(?=[ \n<]|\Z)", Code.PERCENT_COMMENT, _REMARK, _AS_REMARK),
    Syntax(
        r"^\[!\w[\w-]{0,40}\]|[+-](?<=<p class=\"markdown-alert-title\">[+-])",
        Code.CALLOUT,
        "a callout that is not an alert (`> [!abstract]`, `> [!note]-`)",
        "write `> [!NOTE]` with NOTE, TIP, IMPORTANT, WARNING or CAUTION",
    ),
    Syntax(
        r"\[(?:[^\[\]<>@\n]{0,80}[ ])?-?@[A-Za-z_][\w:.#$%+?~-]{1,80}(?:[,;: ][^\[\]<>\n]{0,200})?\](?!\()",
        Code.CITATION,
        "a citation of Pandoc (`[@key]`)",
        "write the source as a footnote or as a link",
        sign="@",
    ),
    Syntax(
        r"^:[A-Z][A-Z_]{1,40}:(?=[ \n<])|#\+[A-Za-z_]{2,30}(?::|(?=[ \n<]))",
        Code.ORG_DRAWER,
        "a drawer or a keyword of Org (`:PROPERTIES:`, `#+TITLE:`)",
        "leave it out, or write it as front matter",
    ),
    Syntax(
        rf"^(?:[Tt]ags: )?(?:#{_ONE_TAG}[ ,]{{0,3}}){{1,50}}(?=\n|</(?:p|li|td)>|\Z)",
        Code.HASHTAG,
        _TAGS,
        _AS_KEY,
    ),
    # A channel of a chat is written in the same way, so this row needs another sign of Obsidian in the file.
    Syntax(HASHTAG, Code.HASHTAG, _TAGS, _AS_KEY),
    Syntax(
        r"==(?<![\w=]==)(?![\s=])[^=<>\n]{1,300}(?<!\s)==(?![\w=])",
        Code.TYPED_MARKUP,
        "a highlight (`==words==`)",
        "write `<mark>words</mark>`",
        sign="==",
    ),
    Syntax(
        r"\{\+\+[^{}<>\n]{1,300}\+\+\}|\{--[^{}<>\n]{1,300}--\}|\{~~[^{}<>\n]{1,300}~~\}|\{(?:&gt;){2}[^{}<>\n]{1,300}(?:&lt;){2}\}",
        Code.TYPED_MARKUP,
        "a mark of an editor (`{++words++}`, as in CriticMarkup)",
        "accept or reject the change in the file",
        sign="{",
    ),
    Syntax(
        r"\*\*(?<![\w*/.]\*\*)(?![\s*/.])[^*<>\n]{1,300}\*\*(?![*/])|\*\*(?<![\w*/.]\*\*)[^\s*<>/.][^*<>\n]{0,300}\*\*(?![\w*/])",
        Code.TYPED_MARKUP,
        "bold text that is not closed (`** words**`)",
        "remove the blanks inside of the stars, or put blanks around them",
        sign="**",
    ),
    Syntax(
        r"\[(?<![\w\])]\[)[^\[\]<>\n]{1,200}\](?:\((?=[^()<>\n]{0,300}[./#])[^()<>\n]{1,300}\)|\[[^\[\]<>\n]{1,100}\])",
        Code.TYPED_MARKUP,
        "a link that is not one (`[text](a b.md)`, `[text][missing]`, or below an HTML tag)",
        "write `<a b.md>`, define the name, or put a blank line below the tag",
        sign="]",
    ),
    Syntax(
        r"\[\^[\w.:-]{1,60}\](?![+*?{)(])",
        Code.TYPED_MARKUP,
        "a footnote without its text (`[^1]`)",
        "write the text: `[^1]: …`",
        sign="[^",
    ),
    Syntax(
        r"\^\[(?=[A-Za-z])[^\[\]<>\n]{1,300}\](?![+*?{)(])",
        Code.TYPED_MARKUP,
        "a footnote in the text (`^[words]`, as in Obsidian and Pandoc)",
        "write `[^1]`, and its text below: `[^1]: …`",
        sign="^[",
    ),
    Syntax(
        r"\|[ ]?:?-{3,}:?[ ]?(?:\||(?=[\n<]))",
        Code.TYPED_MARKUP,
        "a table that is not one (`|---|`)",
        "give the row of dashes as many cells as the head, and put a blank line before the table",
        sign="---",
    ),
    Syntax(
        r"`(?<![\w`]`)[^`<>\n]{1,200}`(?![\w`])|```",
        Code.TYPED_MARKUP,
        "code between backticks inside of an HTML block",
        "write `<code>`, or put a blank line after the tag",
        sign="`",
    ),
    Syntax(
        r"&lt;(?:/?(?:a|b|br|div|em|h[1-6]|hr|i|iframe|img|li|ol|p|span|strong|table|td|th|tr|ul|video)(?=[\s/]|&gt;)"
        r"|!--)",
        Code.TYPED_MARKUP,
        'an HTML tag that is not one (`<img alt="a"b">`)',
        "correct its quotes and its end",
        sign="&lt;",
    ),
    Syntax(
        r"^\#{2,6}[A-Za-z](?=[^\n#]{1,200})",
        Code.TYPED_MARKUP,
        "a heading without a blank (`##Words`)",
        "put a blank after the hashes",
    ),
)
# Languages of fences that another tool draws, or computes.
_DRAWN = (
    "mermaid|plantuml|puml|graphviz|ditaa|goat|wavedrom|vega-lite|vega|nomnoml|blockdiag|seqdiag|svgbob|markmap"
    "|pikchr|bytefield|excalidraw|structurizr|kroki|d2|geojson|topojson|stl|math|katex"
)


# These are compiled on first use, for few texts need them.
@cache
def _compiled(row: Syntax) -> re.Pattern[str]:
    return re.compile(row.alternatives)


@cache
def _any_tag() -> re.Pattern[str]:
    return re.compile("|".join(row.alternatives for row in IN_TAGS))


@cache
def _tag_or_text() -> re.Pattern[str]:
    # A tag is passed over as a whole.
    return re.compile("|".join([r"<[^<>]*+(?=>)", *(row.alternatives for row in IN_TEXT)]))


# One after the other, these take a quarter of the time that all of them take as one.
_LOOSE = next(row for row in IN_TEXT if row.pattern == HASHTAG)
_WITH_SIGNS = [row for row in IN_TEXT if row.pattern[0] != "^" and row is not _LOOSE]
_OF_OBSIDIAN = frozenset({Code.WIKILINK, Code.EMBED, Code.PERCENT_COMMENT, Code.CALLOUT})
_CLOSING = re.compile(r"</([A-Z][\w.]*)>")
# Comments, code and scripts. Each alternative reads a character a fixed number of times.
_HIDDEN = re.compile(
    rf"""<(?=[!pcmst])(?:
        !--(?:-?>|.*?(?:-->|\Z))
      | (?P<raw>pre|code|math|script|style|textarea)(?=[\s/>])(?P<place>[^<>]*>)
        (?:<code[ ]class="language-(?P<drawn>{_DRAWN})"[^<>]*>)?.*?(?:</(?P=raw)\s*>|\Z)
    )""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
# The sign of a comment, and tags with the line of their text.
_SIGN = re.compile(rf"<(?:[^<>]*?{_PLACE}(?P<line>\d+))?[^<>]*>|%%")
# Nearly all text has none of these. Each begins with one character, to which `re` skips at once.
_LINES = r"\n {0,3}(?:!!!|\?\?\?|===|:::?|\*\[|import |export )"
_LINES_OF_TEXT = re.compile(r"\n[ >]{0,9}(?:\[\[?_?toc|%%|\[!\w|:[A-Z]|#{1,6}[^\s#]|tags: #)", re.IGNORECASE)
_SIGNS = tuple(map(re.compile, (r"\{[{%:#. /]", r"<[A-Z]", _LINES, EMOJI_CODE, r"\)\{[a-z]")))


def problems(document: Document, page: str, placed: Callable[[], str]) -> Iterator[Problem]:
    """Warn of each line of a document with the syntax of another tool; `page` and `placed` as in `hits`."""
    for syntax, line in hits(document.body, page, placed):
        number, problem = document.body_line + line - 1, f"{syntax.name} {syntax.shown}"
        yield Problem(document.path, number, problem, syntax.todo, warning=True, code=syntax.code)


def hits(body: str, page: str, placed: Callable[[], str]) -> Iterator[tuple[Syntax, int]]:
    """Give each line of a body that shows the syntax of another tool, and that syntax.

    `page` is its HTML. `placed` renders it with the source lines of each block; few texts need that.
    """
    visible = _visible(page)
    lines = f"\n{body}"
    rows = (row for row in _WITH_SIGNS if row.sign in visible)
    has_text = _LINES_OF_TEXT.search(lines) or any(_compiled(row).search(visible) for row in rows)
    if not has_text:
        has_sign = any(sign.search(lines) for sign in _SIGNS)
        if not has_sign or not _any_tag().search(visible):
            return
    typed = body.split("\n")
    for syntax, places in _places(_visible(placed())).items():
        numbers = {_line(typed, line, text, syntax) for line, text in places.items()}
        yield from ((syntax, line) for line in sorted(numbers - {0})[:_MOST])


def open_comment(document: Document, page: str, placed: Callable[[], str]) -> Iterator[Problem]:
    """Refuse a note in whose HTML a `%%` is left. Its comment has no end, and may be private."""
    if "%%" not in document.body or "%%" not in _visible(page):
        return
    rows, line = document.body.split("\n"), 1
    row = next(syntax for syntax in IN_TEXT if syntax.code is Code.PERCENT_COMMENT)
    for sign in _SIGN.finditer(_visible(placed())):
        line = int(sign["line"] or line)
        if sign[0] == "%%" and (number := _line(rows, line, "%%", row)):
            problem, todo = "a comment (`%%`) has no end, so readers would see it", "add `%%` where it ends"
            number += document.body_line - 1
            yield Problem(document.path, number, problem, todo, code=Code.PERCENT_COMMENT)
            return


def _visible(page: str) -> str:
    """Give the HTML without comments and code; of a fence that another tool draws, its language stays."""

    def rest(hidden: re.Match[str]) -> str:
        drawn = f"{_FENCE_MARK}{hidden['drawn'].lower()}" if hidden["drawn"] else ""
        return (hidden["place"] or "") + drawn

    return _HIDDEN.sub(rest, page)


def _places(visible: str) -> dict[Syntax, dict[int, str]]:
    """Find each syntax: the lines at which it may begin, with the text of the first hit there."""
    by_syntax: dict[Syntax, dict[int, str]] = {}
    # A component closes itself, or its closing tag follows; `<Name>` alone may be a word of the text.
    closed = set(_CLOSING.findall(visible))
    for rows, pattern in ((IN_TAGS, _any_tag()), (IN_TEXT, _tag_or_text())):
        line, counted = 1, 0
        for match in pattern.finditer(visible):
            text = html.unescape(match[0].lstrip("\n>"))
            is_open = not text.endswith("/>") and text[1:] not in closed
            if match[0][0] == "<" and (rows is IN_TEXT or is_open):
                continue
            # The line is that of the last tag with a place, and of the line breaks since.
            place = visible.rfind(_PLACE, counted, match.start() + 1)
            if place >= 0:
                counted = place + len(_PLACE)
                line = int(visible[counted : visible.index(":", counted)])
            end = match.end() - len(match[0].lstrip("\n"))
            line += visible.count("\n", counted, end)
            counted = end
            syntax = next(row for row in rows if _compiled(row).match(visible, match.start()))
            places = by_syntax.setdefault(syntax, {})
            if len(places) < 2 * _MOST:
                places.setdefault(line, text[:40])
    if not any(syntax.code in _OF_OBSIDIAN for syntax in by_syntax):
        by_syntax.pop(_LOOSE, None)
    return by_syntax


def _line(rows: list[str], line: int, text: str, syntax: Syntax) -> int:
    """Find the line of a text at or below a line; raw HTML has no line of its own.

    Give 0 if the file has the text only in another form: the author has escaped it.
    """
    near = range(line, min(line + _NEAR, len(rows)) + 1)
    first = re.split(r"(?!\A)[\n<]", text)[0]
    if syntax in IN_TAGS or first[0] == _FENCE_MARK:
        return next((number for number in near if first in rows[number - 1]), line)
    typed = re.compile(rf"(?<!\\){re.escape(first)}")
    # The title of an alert has the line of its box, which is the one before.
    return next((number for number in (*near, line - 1) if typed.search(rows[number - 1])), 0)
