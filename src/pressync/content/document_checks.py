"""Runs the checks that need one document alone. Plan, sync and `check` show their problems. Pure.

The fragments of links are compared with the ids of the rendered HTML, because each tool makes other ids of
the same heading.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from pressync.client.dialects import capabilities_of
from pressync.content import foreign_syntax, sources
from pressync.content.front_matter import keys
from pressync.content.markdown_text import FENCE_TITLE, MARKED_LINES, first_heading
from pressync.content.render.links import lines, shown
from pressync.html.titles import heading_id
from pressync.model.errors import Code, Problem
from pressync.model.interface import SHOWN_VALUES
from pressync.model.printable import printable
from pressync.model.visibility import FRONT_PAGE
from pressync.repo import work_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pressync.config.settings import MarkdownForms, Settings
    from pressync.content.render.renderer import Rendered, Renderer
    from pressync.model.records import Document


# A heading at the top ends within this many characters.
_TOP = 1000
_FENCE = re.compile(
    r"^(?P<lead>(?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*+)(?P<mark>`{3,}|~{3,})(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
# A language after a fence: this line opens a block, and cannot close one.
_LANGUAGE = re.compile(r" ?[\w{.+#-][^`]*")
_BLOCK = re.compile(r'<pre data-sourcepos="(\d+):\d+-(\d+):\d+"[^<>]*>')
# A fence with words behind its language; those of most tools are a title or the numbers of lines.
_WORDS = re.compile(r"\n[ \t>]{0,40}(?:`{3,}|~{3,}) {0,9}[\w+#.-]{1,40}[ {][^\n`]{0,500}[={]")
_FENCE_INFO = re.compile(r"[ \t>]*(?:`{3,}|~{3,}) *[\w+#.-]*(?P<info>[^`\n]*)")
_TODO = "add the closing fence"
# Shorter code is never too long for its colours.
_SHORT_CODE = 1000
# A fence that is indented by more than this is a part of the code.
_DEEPEST = 3


def problems(document: Document, rendered: Rendered, renderer: Renderer) -> Iterator[Problem]:
    """Warn of what readers would see and of keys that nothing reads; find what no WordPress stores."""
    if document.fields.get("sticky") and document.fields.get("password"):
        problem = "a post cannot be sticky and have a password"
        yield Problem(document.path, 0, problem, "leave one of the two out", code=Code.CONTRADICTION)
    is_note = renderer.vault is not None and renderer.vault.has(document.path)
    unread = {key: line for key, line in document.own.items() if not renderer.reads(document, key)}
    # The notes of a vault have dozens of properties. One line says it of all.
    for key, line in tuple(unread.items())[: 1 if is_note else None]:
        problem, todo = f"nothing reads its key '{key}'", keys.instead(key)
        if is_note:
            problem = "nothing reads its other properties"
            todo = "they are not sent, and no template has them"
        yield Problem(document.path, line, problem, todo, warning=True, code=Code.UNUSED_KEY)
    yield from _forbidden_characters(document, rendered)
    if stored := work_tree.filtered(document.body[:_TOP].encode(errors="replace")):
        problem, todo = f"the text {stored}, and readers would see that", "commit the text itself"
        yield Problem(document.path, document.body_line, problem, todo, warning=True, code=Code.GIT_FILTER)
    yield from _double_title(document)
    yield from unclosed_code(document, rendered.placed)
    yield from _words_of_fences(document, rendered.placed, renderer.forms)
    if renderer.forms.highlight and len(document.body) > _SHORT_CODE:
        yield from _uncoloured(document, rendered.placed)
    strange = foreign_syntax.problems(document, rendered.linked.html, rendered.placed)
    if is_note:
        yield from foreign_syntax.open_comment(document, rendered.linked.html, rendered.placed)
        read = {Code.PERCENT_COMMENT, *([Code.HASHTAG] if renderer.forms.hashtags else [])}
        strange = (problem for problem in strange if problem.code not in read)
    yield from strange
    yield from _dead_anchors(document, rendered)


# WordPress writes them into its feeds, and one of them makes a whole feed unreadable.
# A set of all others would take ten times as long to compile.
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def _forbidden_characters(document: Document, rendered: Rendered) -> Iterator[Problem]:
    """Warn of the characters of each line of the text, and of each field, that XML 1.0 forbids."""
    terms = ((m.field, ", ".join(map(str, m.given)), m.line) for m in document.mentions)
    values = ((name, value, 0) for name, value in document.fields.items() if isinstance(value, str))
    for name, value, line in (*values, *terms):
        if _NOT_IN_XML.search(value):
            yield _forbidden_in(document, name, value, line)
    if _NOT_IN_XML.search(rendered.linked.html):
        rows = enumerate(document.body.split("\n"), document.body_line)
        written = [(line, row) for line, row in rows if _NOT_IN_XML.search(row)][:MOST_LINKS]
        # Without such a line, a template or a reference such as `&#1;` makes it.
        for line, value in written or [(0, rendered.linked.html)]:
            yield _forbidden_in(document, "text", value, line)


def _forbidden_in(document: Document, name: str, value: str, line: int) -> Problem:
    codes = [f"U+{ord(character):04X}" for character in dict.fromkeys(_NOT_IN_XML.findall(value))]
    word, it = ("character", "it") if len(codes) == 1 else ("characters", "them")
    problem = f"its {name} has the {word} {', '.join(codes)}: readers of the feed could read none of it"
    return Problem(document.path, line, problem, f"delete {it}", warning=True, code=Code.CONTROL_CHARACTER)


def _double_title(document: Document) -> Iterator[Problem]:
    top, title = document.body[:_TOP], str(document.fields.get("title", ""))
    if not top.lstrip().startswith("#") and "=" not in top:
        # Nearly every text ends here: it begins neither with `#` nor with an underlined heading.
        return
    heading = first_heading(top)
    if heading is None or heading.level != 1 or heading.text != " ".join(title.split()):
        return
    before = document.body[: heading.start]
    if not before.strip():
        line = document.body_line + before.count("\n")
        problem = "readers see the title twice, because the site shows it above the text"
        todo = "leave this heading out"
        yield Problem(document.path, line, problem, todo, warning=True, code=Code.DOUBLE_TITLE)


def _dead_anchors(document: Document, rendered: Rendered) -> Iterator[Problem]:
    own = [link for link in rendered.linked.anchors if link.path == document.path]
    if not own or rendered.has_error:
        return
    ids = ids_of(rendered.content, str(document.fields.get("title", "")))
    dead = [link for link in own if is_dead_anchor(link.fragment, ids)][:MOST_LINKS]
    line_of = list(lines(rendered.placed(), document.body)) if dead else []
    for link in dead:
        line = document.body_line + line_of[link.index] - 1
        problem = f"links to `{shown(link.written)}`, and this page has no such place"
        todo = anchor_todo(link.fragment, ids)
        yield Problem(document.path, line, problem, todo, warning=True, code=Code.DEAD_ANCHOR)


# A text is rendered a second time only if its fences do not pair line by line. The renderer then tells
# which blocks are code and where they end, because lists and quotes close the fences inside them.
def unclosed_code(document: Document, placed: Callable[[], str]) -> Iterator[Problem]:
    """Warn of each code block without a closing fence; `placed` renders it with the lines of each block."""
    if _pair(document.body):
        return
    rows = document.body.split("\n")
    last = len(document.body.rstrip().split("\n"))
    for first, end in _BLOCK.findall(placed()):
        if problem := _fault(rows, int(first), int(end), last, document.body_line):
            line = document.body_line + int(first) - 1
            yield Problem(document.path, line, problem, _TODO, warning=True, code=Code.UNCLOSED_CODE)


def _words_of_fences(
    document: Document, placed: Callable[[], str], forms: MarkdownForms
) -> Iterator[Problem]:
    """Warn of titles and marked lines that readers do not see, and of other words behind a language."""
    if not _WORDS.search(f"\n{document.body}"):
        return
    rows = document.body.split("\n")
    for first, _ in _BLOCK.findall(placed()):
        fence = _FENCE_INFO.match(rows[int(first) - 1])
        info = fence["info"].strip() if fence else ""
        problem = "the title or the marked lines of a fence are not shown"
        todo = 'set `highlight = "default"` below `[markdown]`'
        is_read = FENCE_TITLE.search(info) or MARKED_LINES.search(info)
        if forms.highlight:
            info = MARKED_LINES.sub("", FENCE_TITLE.sub("", info)).strip()
            problem, todo = f"nothing reads `{shown(info)}` behind the language of a fence", "leave it out"
        if info and (forms.highlight or is_read):
            line = document.body_line + int(first) - 1
            yield Problem(document.path, line, problem, todo, warning=True, code=Code.FENCE_WORDS)


def _uncoloured(document: Document, placed: Callable[[], str]) -> Iterator[Problem]:
    """Warn of code that is too long for its colours."""
    from pressync.content.render import code  # noqa: PLC0415 - few settings have colours

    for number in code.too_long(placed()):
        problem, todo = (
            "this code is too long for colours, so it is shown without",
            "split it, or leave it plain",
        )
        line = document.body_line + number - 1
        yield Problem(document.path, line, problem, todo, warning=True, code=Code.PLAIN_CODE)


def _pair(text: str) -> bool:
    """Tell whether each fence of a text has its closing fence, and none opens inside of another."""
    if "```" not in text and "~~~" not in text:
        return True
    opening = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = None if _is_inline(fence) else fence
        elif _closes(fence, opening):
            opening = None
        elif _opens_inside(fence, opening):
            return False
    return opening is None


def _fault(rows: Sequence[str], first: int, end: int, last: int, body_line: int) -> str:
    """Say what is wrong with the code block of these rows, from 1; "" if nothing is."""
    opening = _FENCE.match(rows[first - 1])
    if opening is None or _is_inline(opening):
        return ""
    for number in range(first, min(end, len(rows))):
        fence = _FENCE.match(rows[number])
        if fence and _opens_inside(fence, opening):
            return f"this code block has no end before the next one, in line {body_line + number}"
    closing = _FENCE.match(rows[end - 1]) if first < end <= len(rows) else None
    if (closing and _closes(closing, opening)) or end < last:
        return ""
    return "this code block has no end: the rest of the page is code"


def _is_inline(fence: re.Match[str]) -> bool:
    """Whether backticks follow on the line, which makes it inline code."""
    return fence["mark"][0] == "`" and "`" in fence["rest"]


def _closes(fence: re.Match[str], opening: re.Match[str]) -> bool:
    return _is_fence_of(fence, opening) and not fence["rest"].strip()


def _opens_inside(fence: re.Match[str], opening: re.Match[str]) -> bool:
    return _is_fence_of(fence, opening) and bool(_LANGUAGE.fullmatch(fence["rest"].rstrip()))


def _is_fence_of(fence: re.Match[str], opening: re.Match[str]) -> bool:
    """Whether a fence in a code block is of the sort that ends the block."""
    is_shallow = len(fence["lead"]) - len(opening["lead"]) <= _DEEPEST
    return is_shallow and fence["mark"].startswith(opening["mark"])


# `id` of any element, `name` of old anchors, and `data-fn` of a reference to a footnote: WordPress makes the
# footnote's place when it shows the page. An attribute in a text only adds an id that is not needed.
_VALUE = r"\s*(\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=`&]+)"
_ID = re.compile(rf"\s(?:id|name|data-fn)\s*={_VALUE}", re.IGNORECASE)
# The same without a blank before the sign. `re` skips to the sign at once, and tries `_ID` at each blank.
_CLOSE_ID = re.compile(rf"=(?:(?<=\sid=)|(?<=\sname=)|(?<=\sdata-fn=)){_VALUE}", re.IGNORECASE)
_BLANK_BEFORE_SIGN = re.compile(r"=(?<=\s=)")
# A page names at most this many links of one sort.
MOST_LINKS = 100
# HTML itself defines `#top`. The others are in nearly every theme.
_OF_THEMES = frozenset({"", "top", "content", "main", "primary", "comments", "respond", "page"})
# A fragment with one of these signs is for a script, or selects text.
_FOR_SCRIPTS = re.compile(r"[/=]|^!|:~:")
# A page with more ids, and a longer id, gets no proposal: the comparison takes time.
_MOST_IDS = 300
_LONGEST = 200
_ALIKE = 0.8


def ids_of(page: str, title: str = "") -> frozenset[str]:
    """Give the ids of a page's HTML, and the id of its title: a link to the title shows the top as well."""
    pattern = _ID if _BLANK_BEFORE_SIGN.search(page) else _CLOSE_ID
    ids = {html.unescape(value.strip("\"'")) for value in pattern.findall(page)}
    return frozenset({*ids, heading_id(title)})


def is_dead_anchor(fragment: str, ids: Collection[str]) -> bool:
    """Tell whether a link with this fragment shows the top of the page instead of the place that it names."""
    names = {fragment, unquote(fragment)}
    return not (names & _OF_THEMES or _FOR_SCRIPTS.search(fragment) or any(name in ids for name in names))


def anchor_todo(fragment: str, ids: Collection[str]) -> str:
    """Say what to do about a dead anchor: the nearest id of the page, if there is one."""
    name = unquote(fragment)
    compared = [candidate for candidate in ids if len(candidate) <= _LONGEST] if len(name) <= _LONGEST else []
    import difflib  # noqa: PLC0415 - few links are dead

    near = difflib.get_close_matches(name, compared, 1, _ALIKE) if len(ids) <= _MOST_IDS else []
    if near and near[0] == printable(near[0]):
        return f"did you mean `#{near[0]}`?"
    return f'link to a heading that exists, or write `<a id="{name}"></a>` at the place'


def front_page(document: Document, settings: Settings) -> Iterator[Problem]:
    """Give the problems of a document that is to be the front page."""
    if not sources.wants_front_page(document, settings):
        return
    if not capabilities_of(settings.site.dialect).front_page:
        problem = f"{FRONT_PAGE} is left out: the {settings.site.dialect} dialect cannot set the front page"
        yield Problem(
            document.path, 0, problem, "choose it on the site", warning=True, code=Code.NOT_SUPPORTED
        )
    published = SHOWN_VALUES["status"]
    status = document.fields.get("status", published)
    if status != published:
        problem = f"it is the front page, and its status is '{status}': visitors would find nothing there"
        todo = f"publish it, or take `{FRONT_PAGE}` away"
        yield Problem(document.path, 0, problem, todo, code=Code.FRONT_PAGE)
