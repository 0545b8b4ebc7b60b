"""Turns the text of a Jekyll page into Markdown: the tags of Liquid, then the attributes of kramdown.

Jekyll replaces the tags before it reads the Markdown, also in code. So `LiquidText` works on the whole text,
and what stands between `raw` and `endraw` stays as it is. A file that is included is put in if its own tags
have a meaning here. A loop needs Jekyll itself, so it stays verbatim.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from pressync.importing.sources import markdown
from pressync.importing.sources.hugo_shortcodes import EMBEDS
from pressync.importing.sources.item import SAFE, Place, Remainder
from pressync.importing.sources.links import BY_KEY
from pressync.importing.sources.source_tree import scalar_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


# A tag or an output has at most this many characters, so that an open brace costs no more than that.
_TOKEN = re.compile(
    r"\{%-?\s*(?P<name>[a-z_]+)(?P<rest>(?:(?!%\}|\{%).){0,2000}?)-?%\}"
    r"|\{\{-?(?:(?P<text>\s{0,9}(?:\"[^\"\n]{0,1000}\"|'[^'\n]{0,1000}')\s{0,9})"
    r"|(?P<output>(?:(?!\}\}|\{\{).){0,1000}?))-?\}\}",
    re.DOTALL,
)
_FIGURE = re.compile(r"""(caption|class):\s*("(?:[^"\\]|\\.){0,1000}"|'(?:[^'\\]|\\.){0,1000}')""")
_URL = re.compile(
    r"""\s*(["'])(?P<path>[^"'{}]{0,500})\1(?P<filters>(?:\s{0,9}\|\s{0,9}(?:relative_url|absolute_url|uri_escape"""
    r"""|prepend:\s{0,9}site\.(?:baseurl|url))){1,4})\s*"""
)
# A picture alone, without its last parenthesis, and the characters that may be markup.
_PICTURE = re.compile(r"(!\[[^\[\]\n]{0,1000}\]\([^()\s<>\"]{1,1000})\)")
_MARKS = re.compile(r"[*_`<>\[\]&~$\n]|\\(?!\")")
_VARIABLE = re.compile(r"\s*(site|page)\.([A-Za-z_][\w-]{0,100}(?:\.[\w-]{1,100}){0,9})\s*")
# An include with texts and numbers for its parameters, and the places of these in the included file.
_INCLUDED = re.compile(
    r"""(?P<file>[\w./-]{1,200})"""
    r"""(?P<texts>(?:\s+[\w-]{1,100}=(?:"(?:[^"\\]|\\.){0,1000}"|'(?:[^'\\]|\\.){0,1000}'|\d{1,9})){0,30})"""
)
_GIVEN = re.compile(r"""([\w-]{1,100})=(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(\d+))""")
# What an included file has with a parameter or without it, around no other choice.
_PART = r"(?:(?!\{%-?\s*(?:if|unless|case|els|end)).){0,2000}?"
_CHOICE = re.compile(
    r"\{%-?\s*(?P<kind>if|unless)\s+include\.(?P<name>[\w-]{1,100})\s*-?%\}"
    rf"(?P<first>{_PART})(?:\{{%-?\s*else\s*-?%\}}(?P<other>{_PART}))?\{{%-?\s*end(?P=kind)\s*-?%\}}",
    re.DOTALL,
)
_PARAMETER = re.compile(r"\{\{-?\s*include\.([\w-]{1,100})\s*-?\}\}")
_DEEPEST = 5
_PLAYLIST = re.compile(r"videoseries\?list=([\w-]{1,100})(?:&(?:amp;)?)?")
_VIDEOS = frozenset({"youtube", "vimeo"})
_INCLUDES = frozenset({"include", "include_cached"})
# The tags around a text that have a meaning elsewhere.
_AROUND = frozenset({"raw", "highlight", "comment", "figure"})
# The tags that give the address of a page.
_LINKS = frozenset({"link", "post_url"})
_BLOCK = re.compile(r"[ \t>]*\{:(?!:)([^{}\n]{0,500})\}[ \t]*$")
_IN_CODE = r"(?P<code>(?P<ticks>`+)(?!`)[^\n]{1,2000}?(?<!`)(?P=ticks)(?!`))"
_BEHIND = re.compile(rf"{_IN_CODE}|(?<=[)\]*_`>])\{{:(?![:/])[^{{}}\n]{{0,300}}\}}(?!`)")
# The tags of kramdown itself, and the text between two tags that readers do not see.
_EXTENSION = re.compile(
    rf"{_IN_CODE}|\{{::comment\}}(?:(?!\{{:/).){{0,2000}}\{{:/(?:comment)?\}}"
    r"|\{::(?P<name>\w{1,20})(?:[ ][^{}\n]{0,300})?\}|\{:/\w{0,20}\}"
)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_ID = re.compile(r"#([\w-]+)")
_TOC = re.compile(r"[ \t]*(?:[*+-]|\d+\.)[ \t]+\S.*$")
_CODE = re.compile(r"`[^`\n]*`")
_VERBATIM = re.compile(
    r"^[ ]{0,3}(?P<abbreviation>\*\[[^\[\]\n]{1,200}\]:)"
    r"|(?P<formula>\$\$(?:[^$\n]|\n(?!\n)){1,2000}\$\$)",
    re.MULTILINE,
)


@dataclass(slots=True)
class LiquidText:
    """The tags of one page. `base` is the path of the site; `page_of` and `post_of` give a page's key.

    `data` gives the text at a dotted path of the site's data, and `part` the text of an included file.
    """

    file: str
    base: str
    page_of: Callable[[str], str]
    post_of: Callable[[str], str]
    site: Mapping[str, object] = field(default_factory=dict)
    page: Mapping[str, object] = field(default_factory=dict)
    data: Callable[[str], str | None] = lambda _path: None
    part: Callable[[str], str | None] = lambda _file: None
    has_figures: bool = False
    captions: bool = False
    depth: int = 0
    remainders: list[Remainder] = field(default_factory=list)
    _open: set[tuple[str, str]] = field(default_factory=set)

    def replaced(self, text: str, line: int) -> str:
        """Give the text with all known tags replaced; `line` is that of its first line in the file."""
        if "{%" not in text and "{{" not in text:
            return text
        out: list[str] = []
        at = 0
        while found := _TOKEN.search(text, at):
            before = text[at : found.start()]
            line += before.count("\n")
            end = self._end(text, found)
            inner = _bare(text[found.end() : end.start()], found[0], end[0]) if end else None
            made = self._made(found, inner, line)
            if made is None:
                name = found["name"]
                kind = f"liquid {name}" if name else "liquid output"
                if not (name or "").startswith("end"):
                    self.remainders.append(Remainder(kind, Place(self.file, line), found[0]))
                made, end = found[0], None
            is_link = found["name"] in _LINKS and made.startswith((BY_KEY, "/"))
            if is_link and not before and self.base and out[-1:] == [self.base]:
                out.pop()  # Older pages write the base path in front of the tag, which has it already.
            after = end.end() if end else found.end()
            if made != found[0]:
                before = before.rstrip() if found[0][2] == "-" else before
                after = _trimmed(text, after) if text[after - 3] == "-" else after
                made = _ended(made, text[after - 1 : after + 1]) if found["name"] in _INCLUDES else made
            # A line right below a figure would be HTML, too.
            is_glued = made.endswith("</figure>") and text[after : after + 2].lstrip("\n") != ""
            out += [before, f"{made}\n" if is_glued and text[after : after + 1] == "\n" else made]
            line += text.count("\n", found.start(), after)
            at = after
        return "".join([*out, text[at:]])

    def _end(self, text: str, found: re.Match[str]) -> re.Match[str] | None:
        """Find the end of a tag that stands around a text; a name without an end is not searched again."""
        name = found["name"]
        if name not in _AROUND or (text, name) in self._open:
            return None
        end = re.compile(rf"\{{%-?\s*end{name}\s*-?%\}}").search(text, found.end())
        if end is None:
            self._open.add((text, name))
        return end

    def _made(self, found: re.Match[str], inner: str | None, line: int) -> str | None:
        name, rest = found["name"], (found["rest"] or "").strip()
        if name is None:
            return found["text"].strip()[1:-1] if found["text"] else self._output(found["output"])
        if name not in _AROUND:
            return self._alone(name, rest)
        if inner is None or (name == "figure" and not self.has_figures):
            return None
        if name == "figure":
            return _figure(rest, self.replaced(inner, line), captions=self.captions)
        if name == "highlight":
            # An address in code would be that of a file here.
            shown = replace(self, page_of=_nowhere, post_of=_nowhere).replaced(inner, line)
            return markdown.fenced(shown.strip("\n"), next(iter(rest.split()), ""))
        return {"raw": inner, "comment": ""}.get(name)

    def _alone(self, name: str, rest: str) -> str | None:
        """Give the text for a tag that stands around nothing; None for one that only Jekyll knows."""
        if name in _LINKS:
            key = (self.page_of if name == "link" else self.post_of)(rest.strip("\"'"))
            return f"{BY_KEY}{quote(key)}" if key else None
        if name in _INCLUDES:
            return self._included(rest)
        if name == "youtube" and (listed := _PLAYLIST.fullmatch(rest)):
            return f"https://www.youtube.com/playlist?list={listed[1]}"
        is_video = name in _VIDEOS and re.fullmatch(r"[\w-]{1,100}", rest)
        return EMBEDS[name].format(rest) if is_video else None

    def _included(self, written: str) -> str | None:
        """Give the text of an included file, if all of its tags have a meaning here; else None."""
        given = _INCLUDED.fullmatch(written)
        part = self.part(given["file"]) if given and self.depth < _DEEPEST else None
        if given is None or part is None:
            return None
        texts = {
            name: double.replace('\\"', '"') + single.replace("\\'", "'") + number
            for name, double, single, number in _GIVEN.findall(given["texts"])
        }
        for _ in range(_DEEPEST):
            part = _CHOICE.sub(partial(_choice, texts), part)
        inner = replace(self, depth=self.depth + 1, remainders=[], _open=set())
        made = inner.replaced(_PARAMETER.sub(lambda found: texts.get(found[1], ""), part), 1)
        return made.lstrip("\n") if not inner.remainders else None

    def _output(self, written: str) -> str | None:
        """Give an address or a text of the settings or the front matter; None for anything else."""
        if found := _URL.fullmatch(written):
            # The filters for addresses escape what an address does not have, such as a blank.
            path = quote(found["path"], safe=f"{SAFE}%?#")
            base = self.base if re.search("relative|absolute|baseurl", found["filters"]) else ""
            return f"{base}/{path.lstrip('/')}" if "://" not in path else path
        variable = _VARIABLE.fullmatch(written)
        if variable is None:
            return None
        scope, name = variable.groups()
        if scope == "site" and name in {"baseurl", "url"}:
            # Both stand in front of a path, and the path alone means the same page.
            return self.base if name == "baseurl" else ""
        if scope == "site" and name.startswith("data."):
            return self.data(name.removeprefix("data."))
        first, dot, rest = name.partition(".")
        return scalar_at(
            *((self.site, name) if scope == "site" else (self.page, f"{first.lower()}{dot}{rest}"))
        )


def _choice(texts: Mapping[str, str], found: re.Match[str]) -> str:
    """Give the text that an included file shows with these parameters."""
    is_first = (found["name"] in texts) is (found["kind"] == "if")
    return found["first"] if is_first else found["other"] or ""


def _nowhere(_name: str) -> str:
    return ""


def _bare(inner: str, begin: str, end: str) -> str:
    """Give the text between two tags; a hyphen in a tag takes the blanks and lines beside it away."""
    inner = inner.lstrip() if begin[-3] == "-" else inner
    return inner.rstrip() if end[2] == "-" else inner


def _trimmed(text: str, at: int) -> int:
    """Give the place of the next sign that is not a blank or the end of a line."""
    return at + len(text[at:]) - len(text[at:].lstrip())


def _ended(made: str, around: str) -> str:
    """Give a text of a file, which ends with a line, as it stands before a sign; `around` is that of its tag.

    The end of a line is a blank in a text. A tag with a hyphen takes the end of its own line with it.
    """
    text = made.rstrip("\n")
    if text == made or not around[1:].strip():
        return text
    return f"{text}\n" if around[0] == "\n" else f"{text} "


def _figure(options: str, inner: str, *, captions: bool) -> str:
    """Write what the plugin jekyll-figure makes; with `captions` a picture with its caption as the title.

    The sync makes an Image block of that. The title takes plain text only.
    """
    said = {key: value[1:-1] for key, value in _FIGURE.findall(options)}
    picture, caption = _PICTURE.fullmatch(inner.strip()), said.get("caption", "")
    if captions and picture and not said.get("class") and not _MARKS.search(caption):
        title = caption.replace('\\"', '"').replace('"', '\\"')
        return f'{picture[1]} "{title}")' if title else picture[0]
    around = f' class="{html.escape(said["class"])}"' if said.get("class") else ""
    # A line of its own would become a paragraph.
    inside = f"\n\n{caption}\n\n" if _MARKS.search(caption) else html.escape(caption, quote=False)
    below = f"<figcaption>{inside}</figcaption>\n" if caption else ""
    return f"<figure{around}>\n\n{inner.strip()}\n\n{below}</figure>"


# Attributes stand behind a block, in a line of their own, or behind a link. An id of a heading is the
# target of links, so it stays. A class has no meaning on another site. Abbreviations and formulas have no
# form in Markdown, so they stay as they are.
def verbatim(text: str, place: Place) -> tuple[Remainder, ...]:
    """Name what the site will show as it is written."""
    shown = "\n".join("" if is_code else _CODE.sub("`", line) for line, is_code in markdown.lines(text))
    found = []
    for match in _VERBATIM.finditer(shown):
        kind = str(match.lastgroup).replace("_", " ")
        at = place.below(shown.count("\n", 0, match.start()))
        found.append(Remainder(kind, at, match[0].strip()))
    return tuple(found)


def replaced(text: str, place: Place) -> tuple[str, tuple[Remainder, ...]]:
    """Convert all lists of attributes; `place` is the place of the text's first line."""
    if "{:" not in text and "{#" not in text:
        return text, ()
    rows: list[str] = []
    left: list[Remainder] = []
    for line, is_code, at in markdown.rows_of("\n".join(_without_extensions(text)), place):
        if is_code or "{:" not in line:
            rows.append(line)
        elif block := _BLOCK.match(line):
            left += _block(rows, block[1].strip(), at)
        else:
            lists = (found for found in _BEHIND.finditer(line) if not found["code"])
            left += [Remainder("attribute list", at, found[0]) for found in lists]
            rows.append(_BEHIND.sub(_code, line))
    joined, further = markdown.of_headings("\n".join(rows), place)
    return joined, markdown.joined(left, further)


def _code(found: re.Match[str]) -> str:
    return found["code"] or ""


def _without_extensions(text: str) -> Iterator[str]:
    """Give each line without the tags of kramdown, and an empty one for each line of a comment."""
    is_hidden = False
    rows = list(markdown.lines(text))
    last = max((at for at, (line, _) in enumerate(rows) if "{:/" in line), default=0)
    for at, (line, is_code) in enumerate(rows):
        if is_hidden:
            is_hidden = "{:/" not in line
            yield ""
        elif is_code or "{:" not in line:
            yield line
        else:
            opened = [found["name"] for found in _EXTENSION.finditer(line) if found["name"]]
            is_hidden = "comment" in opened and at < last
            yield "" if is_hidden else _EXTENSION.sub(_code, line)


def _block(rows: list[str], written: str, at: Place) -> Sequence[Remainder]:
    """Take the attributes of the block before: an id goes to a heading, and a list of contents goes away."""
    above = rows[-1] if rows else ""
    if written in {"toc", "TOC"}:
        if _TOC.match(above):
            rows.pop()
        rows.append("")
        return [Remainder("table of contents", at, f"{{:{written}}}")]
    found = _ID.search(written)
    rest = written
    if found and _HEADING.match(above):
        rows[-1] = f"{above.rstrip()} {{#{found[1]}}}"
        rest = written.replace(found[0], "").strip()
    rows.append("")
    return [Remainder("attribute list", at, f"{{: {written}}}")] if rest else []
