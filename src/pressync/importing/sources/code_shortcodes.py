"""Makes code of the shortcodes that show code: `[sourcecode language="python"]` and those like it. Pure.

Plugins for code read the text between the two shortcodes before WordPress makes paragraphs of it. So
nothing else may read it as HTML or Markdown: its indentation, its `<` and its stars are the code.
"""

from __future__ import annotations

import html
import re

_LANGUAGES = (
    "actionscript|applescript|as3|bash|c|cfm|clj|clojure|coldfusion|cpp|csharp|css|delphi|diff|erlang|fsharp|go|groovy"
    "|haskell|html|java|javafx|javascript|jscript|js|json|latex|matlab|objc|pascal|patch|perl|php|plain|powershell|ps"
    "|python|py|r|rails|ruby|rb|scala|shell|sql|swift|tex|vb|vbnet|xhtml|xml|xslt|yaml|yml"
)
_NAMES = rf"code|sourcecode|source|syntax|highlight|cce?s?|crayon|{_LANGUAGES}"
# A shortcode for code, or the limits of an element for code, in which a shortcode is an example.
_MARK = re.compile(
    r"<(?P<end>/?)(?:pre|code)\b[^<>]*>"
    rf"|(?<!\[)\[(?P<name>{_NAMES})(?P<rest>\s[^\[\]\n]{{0,500}})?\](?!\()",
    re.IGNORECASE,
)
_LANGUAGE = re.compile(
    r"""(?<![\w-])(?:language|lang|l|type)\s{0,9}=\s{0,9}["']?([\w+#-]{1,40})""", re.IGNORECASE
)
_IS_LANGUAGE = re.compile(rf"(?:{_LANGUAGES})", re.IGNORECASE)
_NO_LANGUAGE = frozenset({"plain", "text"})
# The block of the editor that has a shortcode, and nothing else.
_BEFORE = re.compile(r"<!-- wp:shortcode -->\s*\Z")
_BEHIND = re.compile(r"\s*<!-- /wp:shortcode -->")
_NEAR = 60
# In one line, it is a formula and not the source of one.
_FORMULAS = frozenset({"[/latex]", "[/tex]"})


def with_code(text: str) -> str:
    """Give a text with its shortcodes for code as elements for code. Linear in its length."""
    if "[/" not in text:
        return text
    low, parts, here = text.lower(), list[str](), 0
    depth, unclosed = 0, set[str]()
    for mark in _MARK.finditer(text):
        if mark.start() < here:
            continue
        if mark["name"] is None:
            depth = max(0, depth + (-1 if mark["end"] else 1))
            continue
        closing = f"[/{mark['name'].lower()}]"
        if closing in _FORMULAS and text[mark.end() : mark.end() + 1] != "\n":
            continue
        end = -1 if depth or closing in unclosed else low.find(closing, mark.end())
        if end < 0:
            unclosed |= set() if depth else {closing}
            continue
        before, behind = text[here : mark.start()], end + len(closing)
        if around := _BEHIND.match(text, behind) if _BEFORE.search(before[-_NEAR:]) else None:
            before, behind = _BEFORE.sub("", before), around.end()
        parts += [
            before,
            _element(mark, text[mark.end() : end], is_alone=_is_alone(text, mark.start(), behind)),
        ]
        here = behind
    return "".join([*parts, text[here:]])


def _is_alone(text: str, start: int, end: int) -> bool:
    """Tell whether nothing else is in the lines of a part."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    return not text[first:start].strip() and not text[end : last if last >= 0 else len(text)].strip()


def _element(mark: re.Match[str], code: str, *, is_alone: bool) -> str:
    # An editor that shows the text as a page has stored the code as HTML.
    code = code if "<" in code or ">" in code else html.unescape(code)
    if "\n" not in code and not is_alone:
        return f"<code>{html.escape(code, quote=False)}</code>"
    named = _LANGUAGE.search(mark["rest"] or "")
    language = named[1] if named else mark["name"] if _IS_LANGUAGE.fullmatch(mark["name"]) else ""
    sign = "" if language.lower() in {"", *_NO_LANGUAGE} else f' class="language-{language.lower()}"'
    code = html.escape(re.sub(r"\A(?:[ \t]*\n)+|\s+\Z", "", code), quote=False)
    return f"\n\n<pre><code{sign}>{code}\n</code></pre>\n\n"
