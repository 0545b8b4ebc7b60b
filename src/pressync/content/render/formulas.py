"""Writes formulas in TeX as MathML, with the TeX as an annotation. Pure.

math-core makes the MathML: it names each command that it does not know, and writes MathML Core alone, which
WordPress 7.1 keeps for authors too. It is Rust that calls itself for each level and crashes at the end of the
stack, so it runs on a stack that is large enough for the longest formula, and macros are not expanded.
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
# As deep as quotes and lists may be. A page has at most this many characters of MathML.
_DEEPEST, _MOST = 100, 8 * 1024 * 1024
# The renderer writes the attributes of an element in any order.
FORMULA = re.compile(
    r"""<(?P<name>span|code)(?=[^<>]*[ ]data-math-style="(?P<style>inline|display)")[^<>]*>
        (?P<tex>[^<]*)</(?P=name)>
      | <pre[^<>]*><code(?=[^<>]*[ ]data-math-style=)[^<>]*>(?P<fence>[^<]*)</code></pre>""",
    re.VERBOSE,
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
    before = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=lambda: made.append(_shown(page)))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return made[0]


def places(page: str) -> Iterator[int]:
    """Give the line of each formula of a page that has the source lines of its blocks, in order."""
    for found in FORMULA.finditer(page):
        place = re.search(r'data-sourcepos="(\d+):', found[0])
        # The text of a fence begins on the line below.
        yield (int(place[1]) if place else 1) + (found["fence"] is not None)


def _shown(page: str) -> tuple[str, tuple[Fault, ...]]:
    # It counts the numbered equations of the page.
    converter = LatexToMathML(fancy_error=False, max_expansions=0)
    faults: list[Fault] = []
    number, size = -1, 0

    def written(found: re.Match[str]) -> str:
        nonlocal number, size
        number += 1
        if size > _MOST:
            return found[0]
        tex = html.unescape(found["tex"] if found["fence"] is None else found["fence"])
        is_block = found["style"] != "inline"
        inner, line, what = _mathml(tex.strip(), converter, is_block=is_block)
        size += len(inner)
        if not what and size > _MOST:
            what = "the formulas of this page make more than 8 MiB of MathML"
        if what:
            line += tex[: len(tex) - len(tex.lstrip())].count("\n")
            faults.append(Fault(number, line, what))
            return found[0]
        place = _PLACE.search(found[0])
        begin = (
            f'<math display="block"{place[0] if place else ""}>'
            if is_block
            else f'<math data-latex="{_attribute(tex)}">'
        )
        formula = f"{begin}{inner}</math>"
        return f"<p>{formula}</p>" if found["fence"] is not None else formula

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
        place, _, what = str(error).partition(": ")
        where = int(place) if place.isdigit() else 0
        return "", tex.count("\n", 0, where), f"a formula cannot be read: {what.rstrip('.')}"
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
