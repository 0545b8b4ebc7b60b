"""Escapes shortcodes and addresses in code, so that WordPress leaves them alone, and keeps the others. Pure.

WordPress expands shortcodes and addresses on lines of their own everywhere, also in code. So one character of
each becomes a character reference with a leading zero (`&#091;`), like those of WordPress's filter for users
who may not write all HTML. So it survives that filter, and our renderer never writes it itself. Outside of
code a shortcode is meant to run, and needs its quotes as the author wrote them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pressync.html import tokens
from pressync.html.tokens import RAW

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BRACKET, SLASH = "&#091;", "&#047;"

_MARKUP = re.compile(r"(<!---?>|<!--|-->|<[^<>]*>)")
# The part of it that decides what is in code: most of a text is other elements, and they cost time.
_LIMITS = re.compile(
    rf"(<!---?>|<!--|</?(?:code|pre|{RAW.pattern})(?=[\s/>])[^<>]*>|<[^<>]*+>(?<=-->)|-->)", re.IGNORECASE
)
_ELEMENT = re.compile(r"<(/?)([a-z][^\s/<>]*)", re.IGNORECASE)
_COMMENT, _COMMENT_END = "<!--", "-->"
_CODE = frozenset({"code", "pre"})

# The start of a shortcode. One letter in brackets is far more often an index (`a[i]`), so it does not count.
_SHORTCODE = re.compile(r"\[(?=/?[A-Za-z_][\w:.-])")
# An address that follows a space or markup, and one on a line of its own. WordPress replaces the latter by a
# player.
_ADDRESS = re.compile(r"://(?:(?<=[\s>]http://)|(?<=[\s>]https://))", re.IGNORECASE)
_LONE_ADDRESS = re.compile(r'^([^\S\n]*https?:/)/(?=[^\s<>"]+[^\S\n]*$)', re.MULTILINE | re.IGNORECASE)
# A shortcode with a quoted value, in the text of HTML. The name is any that WordPress accepts. Prose in
# brackets does not have an attribute, so its quotes stay as they are.
_QUOTE = "&quot;"
_QUOTED = re.compile(
    rf"""\[ [^\s\[\]<>&/=]++ (?=\s) (?= [^\[\]<>]*? \s [\w-]++ \s*+ = \s*+ (?: {_QUOTE} | ' ) )
        [^\[\]<>]*+ \]""",
    re.VERBOSE,
)
# A shortcode around an address. Markdown makes a link of the address and the end of the shortcode.
_LINKED = re.compile(
    r"(\[(?P<name>[^\s\[\]<>&/=]++)(?:\s[^\[\]<>]*+)?+\])<a [^<>]*+>([^<>\[\]]++\[/(?P=name)\])</a>"
)
_REFERENCE = re.compile(f"{BRACKET}|{SLASH}")
# Unicode reserves these characters. They mark an element until it is known whether it is in code.
_MARKS = {"[": "\ufdd0", "/": "\ufdd1"}
_CHARACTERS = {BRACKET: "[", SLASH: "/", _MARKS["["]: "[", _MARKS["/"]: "/"}
_ELEMENT_ESCAPE = re.compile(r"<span>([\[/])</span>")
_MARK = re.compile("[\ufdd0\ufdd1]")
_ESCAPE = re.compile(f"{_REFERENCE.pattern}|{_MARK.pattern}")


def escape_shortcodes(html: str) -> str:
    """Escape the code in this HTML so that WordPress leaves it alone. Linear in its length."""
    if not _SHORTCODE.search(html) and not _ADDRESS.search(html):
        # Nearly every text ends here. To find its code takes as long as to render it twice.
        return html
    return _with_code(html, lambda code: _LONE_ADDRESS.sub(rf"\1{SLASH}", _SHORTCODE.sub(BRACKET, code)))


def elements_for_references(html: str) -> str:
    """Write each escape in code as an element around the character, as blocks need it.

    The block editor saves a reference as its character, except in the block Code. It keeps an element.
    """
    return _with_code(
        html, lambda code: _REFERENCE.sub(lambda match: f"<span>{_CHARACTERS[match[0]]}</span>", code)
    )


def unescape_shortcodes(html: str) -> str:
    """Remove both kinds of escapes in code. Outside of code, somebody else wrote such a thing."""
    marked = _ELEMENT_ESCAPE.sub(lambda match: _MARKS[match[1]], html)
    unescaped = _with_code(marked, lambda code: _ESCAPE.sub(lambda match: _CHARACTERS[match[0]], code))
    return _MARK.sub(lambda match: f"<span>{_CHARACTERS[match[0]]}</span>", unescaped)


def as_written(html: str) -> str:
    """Write each shortcode outside of code as the author wrote it; `&lt;` and `&amp;` stay. Linear."""
    html = _LINKED.sub(r"\1\3", html)
    if not _QUOTED.search(html):
        return html
    written = (
        (start, end, _QUOTED.sub(lambda match: match[0].replace(_QUOTE, '"'), html[start:end]))
        for start, end in texts(html)
    )
    return tokens.edited(html, written)


def texts(html: str) -> Iterator[tuple[int, int]]:
    """Give the start and the end of each text that is neither code nor the content of a script."""
    waiting = [*reversed(tokens.parse(html))]
    while waiting:
        node = waiting.pop()
        if node.name == tokens.TEXT:
            yield node.start, node.end
        elif node.name not in _CODE and not RAW.fullmatch(node.name):
            waiting += reversed(node.children)


def _with_code(html: str, write: Callable[[str], str]) -> str:
    """Replace each text inside `code` and `pre`, except in comments and in elements like `script`."""
    parts = _LIMITS.split(html)  # text and the markup that matters here in turns, text first
    code_element = hidden_by = ""  # the open `code` or `pre`; the open comment or `script` and the like
    for number, part in enumerate(parts):
        if number % 2 == 0:
            if code_element and not hidden_by:
                texts = _MARKUP.split(part)  # text and markup in turns, text first
                texts[::2] = map(write, texts[::2])
                parts[number] = "".join(texts)
            continue
        tag = _ELEMENT.match(part)
        is_end, name = (bool(tag[1]), tag[2].lower()) if tag else (False, "")
        if hidden_by == _COMMENT:
            hidden_by = "" if part.endswith(_COMMENT_END) else _COMMENT
        elif hidden_by:
            hidden_by = "" if is_end and name == hidden_by else hidden_by
        elif part == _COMMENT or (RAW.fullmatch(name) and not is_end):
            hidden_by = name or _COMMENT
        elif name in _CODE and not code_element and not is_end:
            code_element = name
        elif is_end and name == code_element:
            code_element = ""
    return "".join(parts)
