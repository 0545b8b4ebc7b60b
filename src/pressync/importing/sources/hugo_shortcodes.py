"""Finds the shortcodes of Hugo in a text, and replaces each that a converter knows.

Hugo looks for shortcodes before it reads Markdown, so they count in code and across lines too. A shortcode
may hold others, and one without its closing tag is legal. So the tags are read once from left to right with a
stack, and no pattern spans more than one tag.
"""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from pressync.importing.sources.item import Place, Remainder
from pressync.importing.sources.markdown import alert, details, fenced, most_ticks

_OPEN = re.compile(
    r"\{\{(?P<mark>[<%])(?P<comment>/\*)?[ \t\n]*(?P<close>/)?[ \t\n]*(?P<name>[\w./-]{1,100})?"
)
_ARGUMENT = re.compile(
    r"""\s*(?:(?P<key>[\w-]{1,100})\s*=\s*)?
        (?:"(?P<quoted>(?:[^"\\]|\\.){0,4000}+)"|`(?P<raw>[^`]{0,4000})`|(?P<word>(?!/?[>%]\}\})[^\s"`]{1,2000}?)(?=\s|/?[>%]\}\}))""",
    re.VERBOSE | re.DOTALL,
)
_END = re.compile(r"\s*(?P<alone>/)?(?P<mark>[>%])\}\}")
_COMMENT_END = re.compile(r"\*/[>%]\}\}")
# A tag that begins a line, a quote or an item of a list; its further lines stand in the same column.
_COLUMN = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_IN_LIST = re.compile(r"[^\s>]")
# Markdown would drop blanks and signs of the code in a shortcode of the site's own.
_OF_CODE = re.compile(r"code|snippet|prism|terminal", re.IGNORECASE)
_DEEPEST = 100
# Without the bound, each of a million tags that never end would be read to the end of the text.
_MOST_ARGUMENTS = 100
_WIDEST = 200  # columns before a tag that may indent it
# Addresses that WordPress embeds if they have a line for themselves.
EMBEDS = {
    "youtube": "https://www.youtube.com/watch?v={0}",
    "vimeo": "https://vimeo.com/{0}",
    "instagram": "https://www.instagram.com/p/{0}/",
    "gist": "https://gist.github.com/{0}/{1}",
    "x": "https://x.com/{0}/status/{1}",
    "twitter": "https://x.com/{0}/status/{1}",
    "tweet": "https://x.com/{0}/status/{1}",
}
_EMBED_KEYS = {"x": ("user", "id"), "twitter": ("user", "id"), "tweet": ("user", "id")}
_SIMPLE = {"src", "alt", "loading"}
_BOXES = {"alert": "", "callout": "", "notice": "", "admonition": "", "hint": ""}
_BOX_NAMES = ("note", "tip", "warning", "caution", "important", "info", "danger")


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag of a shortcode: its name, its arguments in order and by name, and its text in the source.

    The content of one that `is_markdown` is Markdown (`{{% %}}`). `above` is the tag around it.
    """

    name: str
    line: int
    source: str
    column: str
    given: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    closes: bool = False
    alone: bool = False
    is_markdown: bool = False
    above: Tag | None = None

    def get(self, *keys: str | int, default: str = "") -> str:
        """Give the first argument that is given: by its name, or by its position."""
        for key in keys:
            if isinstance(key, str) and key in self.named:
                return self.named[key]
            if isinstance(key, int) and key < len(self.given) and not self.named:
                return self.given[key]
        return default


# Gives the text in place of a tag and its content (None without closing tag); None leaves it as it is.
Convert = Callable[[Tag, str | None], str | None]


@dataclass(slots=True)
class _Open:
    """A tag whose closing tag may follow, and the text since. The first one stands around the whole text."""

    tag: Tag
    text: list[str] = field(default_factory=list)


def replaced(text: str, line: int, convert: Convert) -> str:
    """Replace each shortcode of a text that begins at `line`; an escaped one loses its escape."""
    if "{{<" not in text and "{{%" not in text:
        return text
    stack = [_Open(Tag("", line, "", ""))]
    for piece in _pieces(text, line):
        if isinstance(piece, str):
            stack[-1].text.append(piece)
        elif piece.closes:
            _close(stack, piece, convert)
        elif piece.alone or len(stack) > _DEEPEST:
            stack[-1].text.append(_converted(piece, None, "", convert))
        else:
            stack.append(_Open(piece))
    while len(stack) > 1:
        _give_up(stack, convert)
    return "".join(stack[0].text)


def _close(stack: list[_Open], closing: Tag, convert: Convert) -> None:
    depth = next((n for n in range(len(stack) - 1, 0, -1) if stack[n].tag.name == closing.name), 0)
    if not depth:
        stack[-1].text.append(closing.source)
        return
    while len(stack) > depth + 1:
        _give_up(stack, convert)
    top = stack.pop()
    tag = replace(top.tag, above=stack[-1].tag)
    stack[-1].text.append(_converted(tag, "".join(top.text), closing.source, convert))


def _give_up(stack: list[_Open], convert: Convert) -> None:
    """Treat the innermost open tag as one without content."""
    top = stack.pop()
    stack[-1].text += [_converted(top.tag, None, "", convert), *top.text]


def _converted(tag: Tag, inner: str | None, closing: str, convert: Convert) -> str:
    made = convert(tag, inner)
    if made is None:
        return f"{tag.source}{inner or ''}{closing}"
    first, *rows = made.split("\n")
    return "\n".join([first, *(f"{tag.column}{row}".rstrip() for row in rows)]) if tag.column else made


def _pieces(text: str, line: int) -> list[str | Tag]:
    pieces: list[str | Tag] = []
    done = at = 0
    while found := _OPEN.search(text, at):
        line += text.count("\n", at, found.start())
        read = _escaped(text, found) if found["comment"] else _tag(text, found, line)
        if isinstance(read, int):  # It is not a tag, so it is text.
            line += text.count("\n", found.start(), read)
            at = read
            continue
        piece, end = read
        pieces += [text[done : found.start()], piece]
        line += text.count("\n", found.start(), end)
        done = at = end
    pieces.append(text[done:])
    return pieces


def _escaped(text: str, found: re.Match[str]) -> tuple[str, int] | int:
    """Read `{{</* name */>}}`, which only shows a shortcode; or give where the search goes on."""
    start = found.end("comment")
    end = _COMMENT_END.search(text, start, start + 4_000)
    return (f"{{{{{found['mark']}{text[start : end.start()]}{end[0][2:]}", end.end()) if end else start


def _tag(text: str, found: re.Match[str], line: int) -> tuple[Tag, int] | int:
    """Read a tag and its end, or give where the search for the next one goes on."""
    if not found["name"]:
        return found.end()
    given: list[str] = []
    named: dict[str, str] = {}
    at = found.end()
    while not (end := _END.match(text, at)):
        argument = _ARGUMENT.match(text, at)
        if not argument or len(given) + len(named) > _MOST_ARGUMENTS:
            return at
        at = argument.end()
        value = argument["raw"] if argument["raw"] is not None else argument["word"]
        if argument["quoted"] is not None:
            value = re.sub(r"\\(.)", r"\1", argument["quoted"])
        if argument["key"]:
            named[argument["key"].lower()] = value
        else:
            given.append(value)
    near = max(0, found.start() - _WIDEST)
    before = text[text.rfind("\n", near, found.start()) + 1 : found.start()]
    tag = Tag(
        name=found["name"].rstrip("/") or found["name"],
        line=line,
        source=text[found.start() : end.end()],
        column=_IN_LIST.sub(" ", before) if len(before) < _WIDEST and _COLUMN.fullmatch(before) else "",
        given=tuple(given),
        named=named,
        closes=bool(found["close"]),
        alone=bool(end["alone"]) or found["name"].endswith("/"),
        is_markdown=found["mark"] == "%",
    )
    return tag, end.end()


# These few are the same on every site, unless the site has a template of the same name. All others are the
# site's own: only its templates know what they mean, so they stay as they are and the account names them.
@dataclass(slots=True)
class Replacing:
    """The shortcodes of one page. `resolve` gives the address for the path of a `ref`, "" if there is none.

    `own` are the names that the site has templates for, and `origin` is its host. `remainders` collects what
    stays.
    """

    file: str
    resolve: Callable[[str, str], str]
    parameter: Callable[[str], str | None]
    own: Collection[str] = ()
    origin: str = ""
    is_html: bool = False
    remainders: list[Remainder] = field(default_factory=list)

    def __call__(self, tag: Tag, inner: str | None) -> str | None:
        """Give the text in place of a shortcode; None leaves it as it is."""
        made = None if tag.name in self.own and tag.name not in _BOXES else self._made(tag, inner)
        if made is None:
            place = Place(self.file, tag.line)
            self.remainders.append(Remainder(f"shortcode {tag.name}", place, tag.source))
            is_code = _OF_CODE.search(tag.name) and not self.is_html
            if inner and is_code and "\n" in inner.strip("\n"):
                code = fenced(textwrap.dedent(inner).strip("\n"), tag.get("lang", "language"))
                return f"{tag.source}\n\n{code}\n\n{{{{< /{tag.name} >}}}}"
        return made

    def _made(self, tag: Tag, inner: str | None) -> str | None:
        if tag.name in {"ref", "relref"}:
            found = self.resolve(tag.get("path", 0), tag.get("lang", 1))
            # Hugo would look up the address of `relref` again, in the language of the page.
            return f"{self.origin}{found}" if tag.name == "ref" and found.startswith("/") else found or None
        if tag.name == "param":
            return self.parameter(tag.get("name", 0))
        if self.is_html:
            return None  # All others become Markdown.
        if alone := _ALONE.get(tag.name):
            return alone(tag)
        return _AROUND.get(tag.name, _box)(tag, inner) if inner is not None else None


def _figure(tag: Tag) -> str | None:
    """Write the HTML that Hugo writes; a picture without a caption is Markdown."""
    src = tag.get("src", 0)
    if not src:
        return None
    if set(tag.named) <= _SIMPLE and not re.search(r"[\s()<>]", src):
        alt = re.sub(r"([]\[\\])", r"\\\1", tag.get("alt"))
        return f"![{alt}]({src})"
    picture = (
        f"<img{_attributes(src=src, alt=tag.get('alt'), width=tag.get('width'), height=tag.get('height'))}>"
    )
    if tag.get("link"):
        around = _attributes(href=tag.get("link"), target=tag.get("target"), rel=tag.get("rel"))
        picture = f"<a{around}>{picture}</a>"
    source = tag.get("attr")
    if source and tag.get("attrlink"):
        source = f"[{source}]({tag.get('attrlink')})"
    caption = " ".join(text for text in (tag.get("caption"), source) if text)
    title = f"#### {' '.join(tag.get('title').split())}" if tag.get("title") else ""
    words = "\n\n".join(text for text in (title, caption) if text)
    below = f"<figcaption>\n\n{words}\n\n</figcaption>\n" if words else ""
    return f"<figure{_attributes(**{'class': tag.get('class')})}>\n{picture}\n{below}</figure>"


def _attributes(**values: str) -> str:
    return "".join(f' {key}="{html.escape(value)}"' for key, value in values.items() if value)


def _embed(tag: Tag) -> str | None:
    """Write the address of a video or a message, which the site shows as what it is."""
    first, second = _EMBED_KEYS.get(tag.name, ("id", "file"))
    parts = tag.get(first, 0), tag.get(second, 1)
    pattern = EMBEDS[tag.name]
    if not all(re.fullmatch(r"[\w.-]{1,200}", part) for part in parts[: pattern.count("{")]):
        return None
    return pattern.format(*parts)


def _code(tag: Tag, inner: str) -> str:
    code = textwrap.dedent(inner).strip("\n")
    if "hl_inline=true" in tag.get("options", 1).replace(" ", "").lower():
        around = "`" * (most_ticks(code) + 1)
        return f"{around}{code}{around}"
    return fenced(code, tag.get("lang", "type", 0))


def _tab(tag: Tag, inner: str) -> str | None:
    """Write the label of a tab as a bold line above its text, which is code in the tabs of Docsy."""
    above = tag.above
    label = tag.get("header", "name", "title", "tabName", "label", 0)
    if above is None or above.name not in {"tabpane", "tabs"} or not label:
        return None
    said = tag.get("text") or above.get("text")
    is_text = tag.is_markdown or above.name == "tabs" or said.lower() == "true"
    text = (
        inner if is_text else fenced(textwrap.dedent(inner).strip("\n"), tag.get("lang") or above.get("lang"))
    )
    return f"\n**{label}**\n\n{text.strip(chr(10))}\n"


def _details(tag: Tag, inner: str) -> str:
    summary = tag.get("summary", "title", 0, default="Details")
    return details(summary, inner.strip(), is_open=tag.get("open").lower() == "true")


def _box(tag: Tag, inner: str) -> str | None:
    """Write an alert: of Docsy, or of the themes that have a shortcode for each kind."""
    made = _alert(tag, inner)
    # A line right below would belong to the alert.
    return f"{made}\n" if made else None


def _alert(tag: Tag, inner: str) -> str | None:
    if tag.name in _BOX_NAMES:
        return alert(tag.name, tag.get("title", 0), inner)
    if tag.name not in _BOXES:
        return None
    title = tag.get("title")
    kind = tag.get("color", "type", "context", 0, default="note")
    # Docsy names the colour of the box, and the title is often the better kind.
    word = title.strip(" :!").lower()
    return alert(word, "", inner) if word in _BOX_NAMES else alert(kind, title, inner)


_ALONE: Mapping[str, Callable[[Tag], str | None]] = {"figure": _figure, **dict.fromkeys(EMBEDS, _embed)}
_AROUND: Mapping[str, Callable[[Tag, str], str | None]] = {
    "highlight": _code,
    "details": _details,
    "comment": lambda _tag, _inner: "",
    "tab": _tab,
    **dict.fromkeys(("tabpane", "tabs"), lambda _tag, inner: inner.strip("\n")),
}
