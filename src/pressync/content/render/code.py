"""Colours the code of fences with spans, and shows their titles and marked lines. Pure.

A stock site has none of our CSS, so each span has an inline style. It is spelled as the filter of WordPress
for authors (kses) writes it: without the blank, and without the semicolon at its end. 6.1, 6.8 and 7.1 then
keep it as it is. The text of the code never changes, so `html.normalize` finds the fence again.
"""

from __future__ import annotations

import html
import re
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

from pygments.lexers import get_lexer_by_name
from pygments.styles import get_style_by_name
from pygments.token import Token
from pygments.util import ClassNotFound

from pressync.content.markdown_text import FENCE_TITLE, MARKED_LINES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pygments.lexer import Lexer
    from pygments.style import StyleMeta
    from pygments.token import _TokenType

# The lexers of Java and C++ take quadratic time: 8,000 line breaks took 11 s on a busy machine (Pygments
# 2.21.0). So code of more characters or lines stays as it is, and a page has a budget of the squares of its
# lengths. Seconds must not decide: a laptop and a workflow would send different bytes.
MOST_LINES = 1_000
_LONGEST, _MOST = 8_000, 200_000_000
# `benchmarks/lexers.py` tries all lexers. These take more time than Java's, so their code may have fewer
# characters: autohotkey took 18 s for 4,000 line breaks, and LilyPond 12 s for 1,000 letters.
_LONGEST_OF = {
    **dict.fromkeys(("AutoIt", "Devicetree", "Fantom", "Janet", "Kal", "Maple", "PostScript"), 4_000),
    **dict.fromkeys(("Soong", "Zeek"), 4_000),
    **dict.fromkeys(("Easytrieve", "X++"), 1_000),
    **dict.fromkeys(("LilyPond", "Systemd"), 500),
    # It calls itself for each pair of braces, and 500 of them are more than Python allows.
    "RobotFramework": 500,
    "autohotkey": 1_000,
    # It does not end with code whose last line has no end and breaks off, such as `!`.
    "Typographic Number Theory": 0,
}
_CODE = re.compile(
    r"""<pre(?P<place>[^<>]*)><code(?:[ ]class="language-(?P<language>[^" ]+)")?
    (?P<meta>[ ]data-meta="(?P<info>[^"]*)")?>(?P<text>[^<]*)</code></pre>""",
    re.VERBOSE,
)
# The same, also with colours; the place is the line in the source.
_ANY_CODE = re.compile(
    r"""<pre[^<>]*[ ]data-sourcepos="(?P<line>\d+):[^<>]*><code[ ]class="language-(?P<language>[^" ]+)"[^<>]*>
    (?P<text>(?:[^<]++|<(?!/code>))*+)</code></pre>""",
    re.VERBOSE,
)
_TAG = re.compile("<[^<>]*>")
USUAL = "#000000"
_RANGE = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?")


def highlighted(page: str, style_name: str, *, previous: bool = False) -> str:
    """Colour each fence of a page whose language Pygments knows; `style_name` is one of its styles.

    With `previous`, the frame has the colours that the version before wrote.
    """
    style, left = get_style_by_name(style_name), _MOST
    usual = style.style_for_token(Token)["color"]
    # A dark style needs its background. A style without a colour means black, and a dark theme means white.
    colour = "" if previous else USUAL
    colour = f"#{usual}" if usual else colour
    frame = f"background-color: {style.background_color}{f';color: {colour}' if colour else ''}"

    def coloured(match: re.Match[str]) -> str:
        nonlocal left
        text, info = html.unescape(match["text"]), html.unescape(match["info"] or "")
        lexer = _lexer((match["language"] or "").lower())
        cost = _cost(text, lexer)
        is_short = cost is not None and cost <= left
        left -= cost if cost and is_short else 0
        pieces = list(_tokens(text, lexer, style)) if lexer and is_short else [("", text)]
        marked = _marked_lines(info)
        if not info and pieces == [("", text)]:
            return match[0]
        language = f' class="language-{match["language"]}"' if match["language"] else ""
        code = f"<code{language}{match['meta'] or ''}>{_written(pieces, marked, style)}</code>"
        listing = f'<pre{match["place"]} style="{frame}">{code}</pre>'
        if not (title := FENCE_TITLE.search(info)):
            return listing
        words = html.escape(title[1] or title[2] or title[3] or "")
        return f'<figure class="code-title"><figcaption>{words}</figcaption>{listing}</figure>'

    return _CODE.sub(coloured, page)


def longest(lexer: Lexer) -> int:
    """Give the most characters that a lexer gets."""
    return _LONGEST_OF.get(lexer.name, _LONGEST)


def _cost(text: str, lexer: Lexer | None) -> int | None:
    """Give what the colours of a code cost at most; None if it is too long for its lexer."""
    if lexer is None:
        return 0
    most = longest(lexer)
    if len(text) > most or text.count("\n") > MOST_LINES:
        return None
    return (len(text) * _LONGEST // most) ** 2 if text else 0


def too_long(page: str) -> Iterator[int]:
    """Give the first line of each fence that stays without colours, in HTML with the lines of its blocks."""
    left = _MOST
    for fence in _ANY_CODE.finditer(page):
        text = html.unescape(_TAG.sub("", fence["text"]))
        cost = _cost(text, _lexer(fence["language"].lower()))
        if cost is None or cost > left:
            yield int(fence["line"])
        else:
            left -= cost


def _marked_lines(info: str) -> frozenset[int]:
    """Give the numbers of the marked lines: of `{1,3-4}` these are 1, 3 and 4."""
    match = MARKED_LINES.search(info)
    ranges = _RANGE.findall(match[1]) if match else []
    lines = (range(int(first), min(int(last or first), int(first) + _LONGEST) + 1) for first, last in ranges)
    return frozenset(line for numbers in lines for line in numbers)


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False) if language else None
    except ClassNotFound:
        return None


def _tokens(text: str, lexer: Lexer, style: StyleMeta) -> Iterator[tuple[str, str]]:
    """Give the pieces of a code with their inline styles, "" for none; joined, they are the code."""
    pieces = [(_inline(style, kind), value) for kind, value in lexer.get_tokens(text)]
    if "".join(value for _, value in pieces) != text:
        yield "", text
        return
    for look, run in groupby(pieces, key=lambda piece: piece[0]):
        yield look, "".join(value for _, value in run)


@cache
def _inline(style: StyleMeta, kind: _TokenType) -> str:
    while not style.styles_token(kind):
        # A plain value of YAML is such a kind. A style has the kinds above it.
        kind = kind.parent
    look, usual = style.style_for_token(kind), style.style_for_token(Token)["color"]
    declarations = {
        f"color: #{look['color']}": look["color"] not in {None, "", usual},
        "font-weight: bold": look["bold"],
        "font-style: italic": look["italic"],
        "text-decoration: underline": look["underline"],
        f"background-color: #{look['bgcolor']}": look["bgcolor"],
    }
    return ";".join(declaration for declaration, has_it in declarations.items() if has_it)


def _written(pieces: list[tuple[str, str]], marked: frozenset[int], style: StyleMeta) -> str:
    """Write the pieces, and a mark around each marked line; a span ends with its line."""
    lines = [""]
    for look, value in pieces:
        for number, part in enumerate(value.split("\n")):
            lines += [""] if number else []
            # The renderer escapes these four, and no apostrophe.
            text = html.escape(part, quote=False).replace('"', "&quot;")
            lines[-1] += f'<span style="{look}">{text}</span>' if look and part.strip() else text
    begin = f'<mark style="background-color: {style.highlight_color};color: inherit">'
    for number, line in enumerate(lines):
        if number + 1 in marked and line:
            lines[number] = f"{begin}{line}</mark>"
    return "\n".join(lines)
