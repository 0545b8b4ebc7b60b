"""Replaces the tags of Liquid that come with Jekyll by Markdown, and names the others.

Jekyll replaces the tags before it reads the Markdown, also in code. So this works on the whole text, and what
stands between `raw` and `endraw` stays as it is. An include or a loop needs the templates and the data of the
site, so it stays verbatim.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from pressync.importers.item import Place, Remainder
from pressync.importers.links import BY_KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# A tag or an output has at most this many characters, so that an open brace costs no more than that.
_TOKEN = re.compile(
    r"\{%-?\s*(?P<name>[a-z_]+)(?P<rest>(?:(?!%\}|\{%).){0,2000}?)-?%\}|\{\{-?(?P<output>(?:(?!\}\}|\{\{).){0,1000}?)-?\}\}",
    re.DOTALL,
)
_FIGURE = re.compile(r"""(caption|class):\s*("(?:[^"\\]|\\.){0,1000}"|'(?:[^'\\]|\\.){0,1000}')""")
_URL = re.compile(
    r"""\s*(["'])(?P<path>[^"'{}]{0,500})\1\s*\|\s*(?P<filter>relative_url|absolute_url|prepend:\s*site\.baseurl)\s*"""
)
# A picture alone, without its last parenthesis, and the characters that may be markup.
_PICTURE = re.compile(r"(!\[[^\[\]\n]{0,1000}\]\([^()\s<>\"]{1,1000})\)")
_MARKS = re.compile(r"[*_`<>\[\]&~$\n]|\\(?!\")")
_VARIABLE = re.compile(r"\s*(site|page)\.([A-Za-z_][\w-]{0,100})\s*")
# The tags around a text that have a meaning elsewhere.
_AROUND = frozenset({"raw", "highlight", "comment", "figure"})


@dataclass(slots=True)
class LiquidText:
    """The tags of one page. `base` is the path of the site; `page_of` and `post_of` give a page's key."""

    file: str
    base: str
    page_of: Callable[[str], str]
    post_of: Callable[[str], str]
    site: Mapping[str, object] = field(default_factory=dict)
    page: Mapping[str, object] = field(default_factory=dict)
    has_figures: bool = False
    captions: bool = False
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
            here = line
            end = self._end(text, found)
            inner = text[found.end() : end.start()] if end else None
            made = self._made(found, inner, here)
            if made is None:
                name = found["name"]
                kind = f"liquid {name}" if name else "liquid output"
                if not (name or "").startswith("end"):
                    self.remainders.append(Remainder(kind, Place(self.file, here), found[0]))
                made, end = found[0], None
            if _is_address(found) and made.startswith((BY_KEY, "/")):
                before = _without_base(before, self.base, out)
            out += [before, made]
            after = end.end() if end else found.end()
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
            return self._output(found["output"])
        if name in {"link", "post_url"}:
            return _by_key((self.page_of if name == "link" else self.post_of)(rest.strip("\"'")))
        if inner is None or (name == "figure" and not self.has_figures):
            return None
        if name == "figure":
            return _figure(rest, self.replaced(inner, line), captions=self.captions)
        return {"raw": inner, "comment": "", "highlight": _code(rest, inner)}.get(name)

    def _output(self, written: str) -> str | None:
        """Give an address or a text of the settings or the front matter; None for anything else."""
        if found := _URL.fullmatch(written):
            path = found["path"]
            return f"{self.base}/{path.lstrip('/')}" if "://" not in path else path
        variable = _VARIABLE.fullmatch(written)
        if variable is None:
            return None
        scope, name = variable.groups()
        if scope == "site" and name in {"baseurl", "url"}:
            # Both stand in front of a path, and the path alone means the same page.
            return self.base if name == "baseurl" else ""
        value = (self.site if scope == "site" else self.page).get(name if scope == "site" else name.lower())
        return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def _is_address(found: re.Match[str]) -> bool:
    return found["name"] in {"link", "post_url"}


def _without_base(before: str, base: str, out: list[str]) -> str:
    """Drop the base path that older pages write in front of a tag, because the tag has it already."""
    if not base or before:
        return before
    if out and out[-1] == base:
        out.pop()
    return before


def _by_key(key: str) -> str | None:
    return f"{BY_KEY}{quote(key)}" if key else None


def _code(options: str, inner: str) -> str:
    code = inner.strip("\n")
    ticks = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, ticks + 1)
    language = options.split(maxsplit=1)[0] if options.split() else ""
    return f"{fence}{language}\n{code}\n{fence}"


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
