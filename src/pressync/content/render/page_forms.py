"""Gives the elements of a finished page the form in which stock themes show them right. Pure.

A theme limits a picture only if its class names the id of its upload, and WordPress gives only such a picture
its width, its height and smaller files. No stock theme limits a film, a long formula in a line, or a listing
that is not a block. A screen reader has nothing to say about the box of a task. This module writes what is
missing, on the page as it would be sent. Blocks of the editor with a form of their own stay as they are:
another attribute would make them invalid.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from pressync.content.render.long_words import BREAK, MAY_BREAK, WITH_LINES, with_breaks
from pressync.html.normalize import FITTING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FIT, _SCROLL = ("max-width:100%", "height:auto"), ("overflow:auto",)
# The lines of a formula are higher than its box by a pixel or more, which would scroll up and down.
_SIDEWAYS = ("overflow:auto hidden",)
# The declarations for the style of each element; `html.normalize` takes them off the text of the site.
DECLARATIONS: Mapping[str, Sequence[str]] = {
    "video": _FIT,
    # A browser draws a border around a frame.
    "iframe": (_FIT[0], "box-sizing:border-box"),
    "pre": _SCROLL,
    "p": _SIDEWAYS,
    # No browser breaks the line of a formula.
    "math": (_FIT[0], *_SIDEWAYS),
    **dict.fromkeys(("audio", "canvas", "embed", "object", "select", "svg"), _FIT[:1]),
}
# The version before gave them to these alone, apart from paragraphs.
_FORMER_NAMES = "video|iframe|pre"
_NAMES = f"{_FORMER_NAMES}|audio|canvas|embed|object|select|svg"
# A page with right-to-left letters turns its listings, too.
_RIGHT_TO_LEFT, _LEFT_TO_RIGHT = re.compile("[\u0590-\u08ff]"), "direction:ltr"
# A sign at an edge of code in a line, such as a quotation mark, would stand at the other edge there.
_OF_CODE = ' dir="ltr"'
_CODE_WITH_SIGN = re.compile(
    r"""
    <!--.*?(?:-->|\Z) | <(?P<raw>pre|script|style|textarea)\b.*?(?:</(?P=raw)\s*>|\Z)
    | <code(?P<style>\ style="[^"]*")?>(?=[^\w\s<]|[^<]*+(?<=[^\w\s>])</code>)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
# A paragraph of a formula scrolls, and no other one.
_FORMULA = '<math display="block"'
# So many characters without a place to break the line can be wider than a telephone, in a list or a heading.
_LETTER = r"[^<\s-]"
_RUN, _HEADING_RUN = _LETTER + "{20}", _LETTER + "{12}"
_IN_HEADING = r"<(?!/?h[1-6])[^<>]*+>"
_BREAKING = f'<span\\ style="{BREAK}">'
_SCROLLING = f'<div style="{";".join(_SCROLL)}">'

_TASK = r"""(?<=<li><)(?P<task>input\ type="checkbox"(?:\ checked="")?\ disabled="")\ />(?P<loose>\ \n<p>)?"""
# A formula in a line that can be wider than a telephone: commands are longer than what they show.
_LONG_FORMULA = r'math(?=\ data-latex="[^"]{24})'
# Code that stands beside code without a blank is one long word with it.
_BESIDE = r"(?=[^<]*+</code>[^<\s]{1,5}<code>)(?=(?:[^<\s-]|</?code>){24})"


# Each round of a group takes 250 bytes of memory until the match ends, unless the group gives nothing back.
def _before(run: str, tag: str) -> str:
    """Write the expression of a text with such tags up to the end of its first run."""
    return rf"(?:(?!{run}){_LETTER}++|[\s-]++|{tag})*+{run}"


def _pieces(heading: str, task: str, adjacent: str, names: str) -> re.Pattern[str]:
    """Write the expression, with the run of a heading, and those of a task, code beside code and elements."""
    # Comments and the content of scripts come first, so nothing in them is an element. Each alternative reads
    # a character a fixed number of times, so hostile input takes linear time. Most tags end at the first
    # line, nearly every paragraph at its name: to try all alternatives for them took three times as long.
    return re.compile(
        rf"""
    <(?=!|[aceihmopstv]|/table>|/h[1-6]>)(?:
        !--\s+(?P<end>/)?wp:(?P<block>[a-z][a-z0-9_/-]*+)(?:.*?(?P<alone>/)?-->|.*+)
      | !--(?:-?>|.*?(?:-->|\Z))
      | (?P<raw>script|style|textarea)(?=[\s/>]).*?(?:</(?P=raw)\s*>|\Z)
      | {task}
      | (?P<name>img|{names}|table|(?P<paragraph>p)|(?P<link>a(?=[^<>]*+>[^<]{{20}})))
        (?P<attributes>(?=[\s/>])(?:[^"'<>]|"[^"]*+"|'[^']*+')*+)>
        (?(paragraph)(?=<math))(?(link)(?=[^<]*?{_RUN}))
      | (?P<close>/table>)
      | code>(?P<code>(?:
            (?=[^<]{{20}}|[^<]*+<span>)(?={_before(_RUN, "</?span>")}) | {adjacent}
          )(?:[^<]++|</?span>)*+</code>)
      | (?P<heading>h[1-6](?=[\s>])[^<>]*+>)(?!{_BREAKING})
        (?={_before(heading, _IN_HEADING)})(?=(?:[^<]++|{_IN_HEADING})*+</h[1-6]>)
      | (?P<ends>/h[1-6]>)
    )
    """,
        re.VERBOSE | re.IGNORECASE | re.DOTALL,
    )


_PIECE = _pieces(_HEADING_RUN, _TASK, _BESIDE, f"{_NAMES}|{_LONG_FORMULA}")
# What the version before gave a form.
_FORMER_PIECE = _pieces(_RUN, "(?P<task>(?!))(?P<loose>)", "(?!)", _FORMER_NAMES)
_BESIDE_TEXT = re.compile(
    r"""\salign\s*=\s*["']?(?:left|right)\b|\balign(?:left|right)\b|\bfloat\b""", re.IGNORECASE
)
# The block of what ends a part of a page. The version before wrote a block of HTML.
_CUT = re.compile(r"<!-- wp:(nextpage|more) -->\n(<!--\1-->)\n<!-- /wp:\1 -->")
# The words of a task: everything up to the next block, or to the box of another task.
_BLOCK = "blockquote|details|div|dl|figure|h[1-6r]|input|li|ol|p|pre|section|table|ul"
_WORDS = re.compile(rf"(?:[^<]++|<(?!!|/?(?:{_BLOCK})\b)[^<>]*+>)*+", re.IGNORECASE)
_TAG = re.compile("<[^<>]*>")
_ATTRIBUTE = re.compile(
    r"""\s(class|src|style|height)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>=`]+))""", re.IGNORECASE
)
_WIDTH = re.compile(r"""\swidth\s*=\s*["']?([0-9]{1,5})(?:px)?["']?(?=[\s/>])""", re.IGNORECASE)
_NAMES_ID = re.compile(r"\bwp-image-[0-9]")
# What `in_page_form` may have written, and all that it must not be looked for in.
_FORMED = re.compile(
    rf"""
    <!--\s+(?P<end>/)?wp:(?P<block>[a-z][a-z0-9_/-]*+)(?:.*?(?P<alone>/)?-->|.*+)
    | <!--(?:-?>|.*?(?:-->|\Z))
    | <(?P<raw>script|style|textarea)(?=[\s/>]).*?(?:</(?P=raw)\s*>|\Z)
    | (?P<box><div\ style="overflow:\s*auto;?">)?(?P<table><table(?=[\s>]))
    | (?P<end_of_table></table>)(?:</div>)?
    | (?P<heading><h[1-6](?=[\s>])[^<>]*+>)(?P<span><span\ style="overflow-wrap:\s*anywhere;?">)?
    | (?:</span>)?(?P<end_of_heading></h[1-6]>)
    | <span\ style="overflow-wrap:\s*anywhere;?">(?P<word>[^<]+)</span>
    | <(?P<name>{_NAMES}|math|img|p|a|code)(?P<attributes>(?=\s)(?:[^"'<>]|"[^"]*+"|'[^']*+')*+)>
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_SENT_WIDTH = re.compile(r"width:\s*(\d+)px;?")
_SENT_STYLE = re.compile(r"""\sstyle=(?:"[^"]*"|'[^']*')""", re.IGNORECASE)

# The HTML of an author is in no block, or in this one.
_FREE = frozenset({"", "html"})


def with_cuts_as_html(page: str) -> str:
    """Give a page in whose form the ends of its parts are blocks of HTML, as in the versions before."""
    return _CUT.sub(r"<!-- wp:html -->\n\2\n<!-- /wp:html -->", page)


def as_before(form: str) -> str:
    """Give a form as the version before wrote it: formulas scrolled in both directions, and code turned."""
    form = form.replace(_SIDEWAYS[0], _SCROLL[0])
    return form.replace(f"<code{_OF_CODE}", "<code")


def in_page_form(page: str, ids: Mapping[str, int], *, former: bool = False, scrolling: bool = True) -> str:
    """Give a page whose pictures, films, frames, listings and tables fit into the column of a stock theme.

    `ids` are those of uploads by address. With `former`, the form is that of the version before. Tables get
    a box that is `scrolling` if each of them is closed. The time is linear in the length of the page.
    """
    page = with_cuts_as_html(page) if former else page
    opened: list[str] = []
    # Whether the heading that is open here has a long word.
    breaking: list[bool] = []
    tables: list[str] = []
    is_turned = not (former or page.isascii()) and bool(_RIGHT_TO_LEFT.search(page))

    def formed(piece: re.Match[str]) -> str:
        if block := piece["block"]:
            _follow(opened, block, piece)
            return piece[0]
        innermost = opened[-1] if opened else ""
        name = (piece["name"] or "").lower()
        is_line = innermost in WITH_LINES
        if piece["heading"] or piece["ends"]:
            return _heading(piece, breaking, is_line=is_line)
        if is_line and (written := _in_line(piece, ids, is_free=innermost in _FREE)):
            return written
        # Without a blank, a theme cannot break the line. A listing scrolls.
        if piece["code"] and not page.startswith("</pre>", piece.end()):
            return f'<code style="{BREAK}">{piece["code"]}'
        if _is_edge(tables, piece, former=former) and scrolling and innermost in _FREE:
            return f"{piece[0]}</div>" if piece["close"] else f"{_SCROLLING}{piece[0]}"
        is_fitted = name in DECLARATIONS and (name != "p" or page.startswith(_FORMULA, piece.end()))
        turned = (_LEFT_TO_RIGHT,) if name == "pre" and is_turned else ()
        own = _SCROLL if former and name == "p" else DECLARATIONS.get(name, ())
        return _styled(piece, (*own, *turned)) if is_fitted and innermost in _FREE else piece[0]

    written = (_FORMER_PIECE if former else _PIECE).sub(formed, page)
    if tables and scrolling:
        # A table that is not closed may have the rest of the page in it.
        return in_page_form(page, ids, former=former, scrolling=False)
    written = written if former or not MAY_BREAK.search(written) else with_breaks(written)
    return _CODE_WITH_SIGN.sub(_in_its_direction, written) if is_turned else written


def _in_its_direction(piece: re.Match[str]) -> str:
    is_code = piece[0].startswith("<code")
    return f"<code{_OF_CODE}{piece['style'] or ''}>" if is_code else piece[0]


def _task(piece: re.Match[str]) -> str:
    """Name the box of a task by its words, and put it into their paragraph: there it is on the same line.

    The element `label` would have another size than the text in the stock themes.
    """
    words = _WORDS.match(piece.string, piece.end())
    text = " ".join(_TAG.sub("", words[0] if words else "").split())
    # A shortcode runs in an attribute, too.
    label = text.replace('"', "&quot;").replace("[", "&#91;")
    box = f"<{piece['task']}" + (f' aria-label="{label}"' if label else "") + " />"
    return f"<p>{box} " if piece["loose"] else box


def without_page_form(page: str, ids: Mapping[str, int]) -> str:
    """Take off what `in_page_form` adds, so that HTML of the site can stand in a file.

    `in_page_form` gives all of it again. The time is linear in the length of the page.
    """
    opened: list[str] = []
    # Of each open table and heading: whether a box or a span of ours is around it, or in it.
    tables: list[bool] = []
    headings: list[bool] = []

    def bare(piece: re.Match[str]) -> str:
        if piece["block"]:
            _follow(opened, piece["block"], piece)
        elif piece["table"]:
            tables.append(bool(piece["box"]))
            return piece["table"]
        elif piece["end_of_table"]:
            is_boxed = bool(tables) and tables.pop()
            return piece["end_of_table"] if is_boxed else piece[0]
        elif piece["heading"]:
            headings.append(bool(piece["span"]))
            return piece["heading"]
        elif piece["end_of_heading"]:
            has_span = bool(headings) and headings.pop()
            return piece["end_of_heading"] if has_span else piece[0]
        elif piece["name"]:
            is_line = (opened[-1] if opened else "") in WITH_LINES
            return _unstyled(piece, ids if is_line else {})
        return piece["word"] or piece[0]

    return _FORMED.sub(bare, page)


def _unstyled(piece: re.Match[str], ids: Mapping[str, int]) -> str:
    """Take the declarations off the tag of an element, and off a picture the name of its upload."""
    values, tag = _values(piece["attributes"]), piece[0]
    style, classes = values.get("style", ""), values.get("class", "").split()
    if piece["name"].lower() == "code":
        tag = tag.replace(_OF_CODE, "", 1)
    number = ids.get(html.unescape(values.get("src", "")).strip())
    if number and (name := f"wp-image-{number}") in classes:
        rest = [own_class for own_class in classes if own_class != name]
        tag = _with_value(tag, "class", " ".join(rest))
        if width := _SENT_WIDTH.fullmatch(style):
            return _SENT_STYLE.sub(f' width="{width[1]}"', tag)
    left = FITTING.sub("", style).removeprefix(";").strip()
    return tag if left == style.strip() else _with_value(tag, "style", left)


def _follow(opened: list[str], block: str, piece: re.Match[str]) -> None:
    """Note the block that begins or ends here."""
    if not piece["end"]:
        opened += [] if piece["alone"] else [block]
    elif opened:
        opened.pop()


def _heading(piece: re.Match[str], breaking: list[bool], *, is_line: bool) -> str:
    """Put a span around what a heading with a long word has: its own style would make its block invalid."""
    if piece["heading"]:
        breaking.append(is_line)
        return f'{piece[0]}<span style="{BREAK}">' if is_line else piece[0]
    return f"</span>{piece[0]}" if breaking and breaking.pop() else piece[0]


def _in_line(piece: re.Match[str], ids: Mapping[str, int], *, is_free: bool) -> str:
    """Give the form of what stands in a line of text; "" for anything else."""
    if piece["task"]:
        return _task(piece) if is_free else ""
    name = (piece["name"] or "").lower()
    if name == "img":
        return _picture(piece, ids)
    if name == "math":
        return _styled(piece, DECLARATIONS[name])
    return _styled(piece, (BREAK,)) if piece["link"] else ""


def _picture(piece: re.Match[str], ids: Mapping[str, int]) -> str:
    """Name the upload of a picture; limit the width of one that is not an upload."""
    values = _values(piece["attributes"])
    if _NAMES_ID.search(values.get("class", "")):
        return piece[0]
    number = ids.get(html.unescape(values.get("src", "")).strip())
    if not number:
        return _styled(piece, _FIT)
    name = f"wp-image-{number}"
    if "class" not in values:
        tag = f'<{piece["name"]}{_before_end(piece)} class="{name}"{_end(piece)}'
        # WordPress writes the height only beside a width that stands in the style, and in this form.
        return (
            _WIDTH.sub(r' style="width:\1px;"', tag) if values.keys().isdisjoint({"height", "style"}) else tag
        )
    return _with_value(piece[0], "class", f"{values['class']} {name}".strip())


def _styled(piece: re.Match[str], declarations: Sequence[str]) -> str:
    """Add declarations to the style of an element, except for the properties that its author has set."""
    style = _values(piece["attributes"]).get("style")
    if style is None:
        return f'<{piece["name"]}{_before_end(piece)} style="{";".join(declarations)}"{_end(piece)}'
    added = [declaration for declaration in declarations if declaration.partition(":")[0] not in style]
    return (
        _with_value(piece[0], "style", ";".join([style.strip().rstrip(";"), *added])) if added else piece[0]
    )


def _with_value(tag: str, name: str, value: str) -> str:
    """Give an attribute of a tag another value, and take it out if that is empty."""
    attribute = next(m for m in _ATTRIBUTE.finditer(tag) if m[1].lower() == name)
    written = f' {name}="{value}"' if value else ""
    return f"{tag[: attribute.start()]}{written}{tag[attribute.end() :]}"


def _values(attributes: str) -> dict[str, str]:
    """Give the values of the attributes that count here; the first of two counts, as in a browser."""
    rows = [(row[1].lower(), row[2] or row[3] or row[4] or "") for row in _ATTRIBUTE.finditer(attributes)]
    return dict(reversed(rows))


def _before_end(piece: re.Match[str]) -> str:
    return str(piece["attributes"]).rstrip().removesuffix("/").rstrip()


def _end(piece: re.Match[str]) -> str:
    return " />" if str(piece["attributes"]).rstrip().endswith("/") else ">"


def _is_edge(tables: list[str], piece: re.Match[str], *, former: bool) -> bool:
    """Note a table that begins or ends here, and tell whether it is an outermost one that a page can scroll.

    A table beside the text stays: in a box, the text would be below it. With `former`, every table with
    attributes stays.
    """
    if piece["close"] and tables:
        tables.pop()
        return not tables
    if (piece["name"] or "").lower() != "table":
        return False
    stays = piece["attributes"] and (former or _BESIDE_TEXT.search(piece[0]))
    if stays and not tables:
        return False
    tables.append(piece[0])
    return len(tables) == 1
