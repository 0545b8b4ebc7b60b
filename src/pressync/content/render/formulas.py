"""Writes formulas in TeX as MathML, with the TeX as an annotation. Pure.

math-core makes the MathML: it names each command that it does not know, and writes MathML Core alone, which
WordPress 7.1 keeps for authors too. It is Rust that calls itself for each level and crashes at the end of the
stack. So it runs on a stack that is large enough for the longest formula, and macros are not expanded.
"""

from __future__ import annotations

import html
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from math_core import LatexError, LatexToMathML

from pressync.html.shortcodes import BRACKET

if TYPE_CHECKING:
    from collections.abc import Iterator

# A level took at most 3.4 KB of stack (math-core 0.9.0), and a character opens at most one.
_LONGEST, _STACK = 5_000, 64 * 1024 * 1024
# The size of new stacks is one number of the process. Programs may open several sites, each in a thread.
_ONE_AT_A_TIME = threading.Lock()
# As deep as quotes and lists may be. A page has at most this many characters of MathML.
_DEEPEST, _MOST = 100, 8 * 1024 * 1024
# The renderer writes the attributes of an element in any order.
FORMULA = re.compile(
    r"""<(?P<name>span|code)(?=[^<>]*[ ]data-math-style="(?P<style>inline|display)")[^<>]*>
        (?P<tex>[^<]*)</(?P=name)>
      | <pre[^<>]*><code(?=[^<>]*[ ]data-math-style=)[^<>]*>(?P<fence>[^<]*)</code></pre>""",
    re.VERBOSE,
)
_LINE_OR_FORMULA = re.compile(rf"{FORMULA.pattern} | [ ]data-sourcepos=\"\d+:", re.VERBOSE)
# The elements of which the text is as it was typed, if an author writes them as raw HTML.
_TYPED = r"code|pre|kbd|samp|script|style|textarea"
_TYPED_TAG = re.compile(rf"<(?P<slash>/?)(?P<name>{_TYPED})\b[^<>]*>", re.IGNORECASE)
TYPED_END = re.compile(rf"</(?:{_TYPED})\s*>", re.IGNORECASE)
# A formula with its place, code of Markdown, or a tag of raw HTML. Only what comrak makes has a place.
_TYPED_OR_FORMULA = re.compile(
    rf"""<(?P<element>span|code)(?=[^<>]*[ ]data-math-style=)
        (?=[^<>]*[ ]data-sourcepos="(?P<line>\d+):(?P<first>\d+)-(?P<end>\d+):(?P<last>\d+)")[^<>]*>
        (?P<tex>[^<]*)</(?P=element)>
      | <pre(?=[^<>]*[ ]data-sourcepos=)[^<>]*><code[^<>]*>[^<]*</code></pre>
      | <code(?=[^<>]*[ ]data-sourcepos=)[^<>]*>[^<]*</code>
      | {_TYPED_TAG.pattern}""",
    re.VERBOSE | re.IGNORECASE,
)
_PLACE = re.compile(r' data-sourcepos="[^"]*"')
_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot);)[A-Za-z]\w{1,40};")
_EMPTY = re.compile(r"<(\w+)([^<>]*)/>")
_STYLE = re.compile(r'(?<=style=")([^"]*?)[; ]*(?=")')
_TAG = re.compile(r"<(/?)\w[^<>]*>")


@dataclass(frozen=True, slots=True)
class Fault:
    """A formula that cannot be shown: the number of the formula in the page, its line in it, and why."""

    number: int
    line: int
    what: str


def shown(page: str) -> tuple[str, tuple[Fault, ...]]:
    """Write each formula of a page as MathML; a formula with a fault stays as it is."""
    if not FORMULA.search(page):
        return page, ()
    made: list[tuple[str, tuple[Fault, ...]]] = []
    thread = threading.Thread(target=lambda: made.append(_shown(page)))
    with _ONE_AT_A_TIME:
        before = threading.stack_size(_STACK)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    return made[0]


def places(page: str) -> Iterator[int]:
    """Give the line of each formula of a page that has the source lines of its blocks, in order."""
    line = 1
    for piece in _LINE_OR_FORMULA.finditer(page):
        place = re.search(r'data-sourcepos="(\d+):', piece[0])
        line = int(place[1]) if place else line
        if piece["name"] or piece["fence"] is not None:
            # The text of a fence begins on the line below. The title of an alert has the line of the alert.
            yield line + (piece["fence"] is not None)


def typed(body: str, placed: str) -> str:
    """Write a backslash before each dollar of raw code that began or ended a formula.

    `placed` is the page of the Markdown `body` with the places in it. comrak reads Markdown between raw tags.
    """
    lines = body.encode().splitlines(keepends=True)
    for line, column in sorted(set(_dollars(placed)), reverse=True):
        text = lines[line - 1]
        # comrak counts a column too few for each escaped `|` of a table's cell.
        place = text.find(b"$", column - 1, column + text.count(b"\\|"))
        if place >= 0:
            lines[line - 1] = text[:place] + b"\\" + text[place:]
    return b"".join(lines).decode()


def _dollars(placed: str) -> Iterator[tuple[int, int]]:
    """Give the line and the column of each dollar in raw code where a formula begins or ends."""
    within: set[str] = set()
    lowered = placed.lower()
    last = {name: lowered.rfind(f"/{name}") for name in _TYPED.split("|")}

    def pass_tag(tag: re.Match[str], place: int) -> None:
        name = tag["name"].lower()
        if tag["slash"]:
            within.discard(name)
        elif place < last[name]:
            within.add(name)

    for match in _TYPED_OR_FORMULA.finditer(placed):
        if match["name"]:
            pass_tag(match, match.start())
        if not match["element"]:
            continue
        if within:
            yield int(match["line"]), int(match["first"])
        # A formula that begins in one element may end in the next.
        for tag in _TYPED_TAG.finditer(html.unescape(match["tex"])):
            pass_tag(tag, match.start())
        if within:
            yield int(match["end"]), int(match["last"])


def _shown(page: str) -> tuple[str, tuple[Fault, ...]]:
    # It counts the numbered equations of the page.
    converter = LatexToMathML(fancy_error=False, max_expansions=0)
    faults: list[Fault] = []
    number, size = -1, 0

    def written(match: re.Match[str]) -> str:
        nonlocal number, size
        number += 1
        if size > _MOST:
            return match[0]
        tex = html.unescape(match["tex"] if match["fence"] is None else match["fence"])
        is_block = match["style"] != "inline"
        inner, line, fault = _mathml(tex.strip(), converter, is_block=is_block)
        size += len(inner)
        if not fault and size > _MOST:
            fault = "the formulas of this page make more than 8 MiB of MathML"
        if fault:
            line += tex[: len(tex) - len(tex.lstrip())].count("\n")
            faults.append(Fault(number, line, fault))
            return match[0]
        place = _PLACE.search(match[0])
        begin = (
            f'<math display="block"{place[0] if place else ""}>'
            if is_block
            else f'<math data-latex="{_attribute(tex)}">'
        )
        formula = f"{begin}{inner}</math>"
        return f"<p>{formula}</p>" if match["fence"] is not None else formula

    return FORMULA.sub(written, page), tuple(faults)


def _mathml(tex: str, converter: LatexToMathML, *, is_block: bool) -> tuple[str, int, str]:
    """Give the content of the element `math`, or the line of a fault, from 0, and its sentence."""
    if len(tex) > _LONGEST:
        return "", 0, f"a formula has more than {_LONGEST:,} characters"
    if "`" in tex:
        return "", 0, r"a formula has a backtick; if the dollar before it is money, write `\$`"
    try:
        made = converter.convert_with_global_state(tex, displaystyle=is_block)
    except LatexError as error:
        place, _, fault = str(error).partition(": ")
        where = int(place) if place.isdigit() else 0
        return "", tex.count("\n", 0, where), f"a formula cannot be read: {fault.rstrip('.')}"
    depth = deepest = 0
    for tag in _TAG.finditer(made):
        depth += -1 if tag[1] else not tag[0].endswith("/>")
        deepest = max(deepest, depth)
    if deepest > _DEEPEST:
        return "", 0, f"a formula is nested in more than {_DEEPEST} levels"
    made = made[made.index(">") + 1 : made.rindex("<")]
    # A browser writes the elements like this, and so does the filter for authors.
    made = _EMPTY.sub(r"<\1\2></\1>", _STYLE.sub(r"\1", made))
    made = _ENTITY.sub(lambda entity: html.unescape(entity[0]), made)
    note = f'<annotation encoding="application/x-tex">{_attribute(tex)}</annotation>'
    return f"<semantics><mrow>{made}</mrow>{note}</semantics>", 0, ""


def _attribute(tex: str) -> str:
    """Write TeX so that WordPress makes neither a line break nor a shortcode of it."""
    return html.escape(tex, quote=False).replace('"', "&quot;").replace("\n", "&#010;").replace("[", BRACKET)
