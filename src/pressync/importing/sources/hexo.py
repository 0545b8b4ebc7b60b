"""Gives the posts and pages of a Hexo site as items, at the addresses that Hexo gives them.

A folder of Hexo has a `_config.yml`, as one of Jekyll has. So it is told by `source/_posts` and by Hexo's
package or its scaffolds. Hexo replaces its tags before it reads Markdown, but not in code. A build with Hexo
gave the same addresses.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from pressync.content.front_matter.value import UnreadableError, read_yaml
from pressync.content.sources import Exclusion
from pressync.importing.sources import dates, markdown
from pressync.importing.sources.hugo_shortcodes import EMBEDS
from pressync.importing.sources.item import (
    SAFE,
    ContentRoot,
    LeftOut,
    Note,
    Origin,
    Place,
    Remainder,
    or_left_out,
)
from pressync.importing.sources.links import BY_KEY, FolderFiles
from pressync.importing.sources.markdown import alert, fenced
from pressync.importing.sources.source_tree import FolderTool, Front, SourceTree, strings, table_in
from pressync.importing.sources.tree_items import MARKDOWN, Keys, TreePage, item_of
from pressync.model.interface import Kind
from pressync.model.web_address import origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pressync.importing.sources.item import Item, Items


SETTINGS = ("_config.yml", "_config.yaml")
_EXCLUDING = {
    "exclude": "the settings name it below `exclude`",
    "skip_render": "Hexo copies it as it is, because the settings name it below `skip_render`",
}
_PACKAGE = "package.json"
_KEYS = Keys(
    modified=("updated", "lastmod"),
    pictures=("cover", "thumbnail", "banner", "index_img", "photos"),
    dropped=frozenset({"layout", "comments", "permalink", "published"}),
    heading_ids="hexo",
)
_PERMALINK = ":year/:month/:day/:title/"
_TOKEN = re.compile(r":([a-z_]+)")
_OF_DATE = re.compile(r":(?:year|(?:i_)?month|(?:i_)?day|hour|minute|second)\b")
_DATED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})-(.+)", re.ASCII)
_RAW = re.compile(r"\{%-?\s*raw\s*-?%\}(.*?)\{%-?\s*endraw\s*-?%\}")
_TAG = re.compile(r"`[^`\n]*`|\{%-?\s*(?P<name>[a-z_]{1,50})(?P<rest>[^%{}\n]{0,1000}?)-?%\}")
_OFFSET = re.compile(r"\d(?:Z|[ ]?[+-]\d\d:?\d\d)\Z")
# The author of a quotation, the address, and the title of the source.
_CITED = re.compile(r"(?P<author>\S.{0,500}?)\s+(?P<to>https?://\S{1,1000})(?:\s+(?P<title>.{1,500}))?")
_AROUND = frozenset({"blockquote", "quote", "codeblock", "code", "raw", "pullquote", "note"})

_JSON = re.compile(r";{3,}\n(.+?)\n;{3,}(?:\n|\Z)", re.DOTALL)
_HEAD = re.compile(
    r"(?P<fence>(?P<dashes>-{3,})[ ]*\n)?(?P<head>.+?)\n(?(dashes)(?P=dashes)|-{3,})[ ]*(?:\n|\Z)", re.DOTALL
)
_TABS = re.compile(r"^\t+", re.MULTILINE)
_KNOWN = re.compile(r"\A(?:[\w-]+:.*\n)*(?:title|date|tags|categories|permalink|layout):(?:[ ]|\Z|\n)")


def _is_own(tree: SourceTree) -> bool:
    package = tree.front(_PACKAGE) if tree.is_file(_PACKAGE) else None
    # JSON at the top of a file is front matter to the reader.
    is_hexo = not (package is None or isinstance(package, LeftOut)) and (
        "hexo" in package.values or "hexo" in (package.values.get("dependencies") or {})
    )
    return tree.is_folder("source/_posts") and (is_hexo or tree.is_folder("scaffolds"))


@dataclass(frozen=True, slots=True)
class _Hexo:
    """A folder and its settings. `posts` has the posts by their slugs, and `titles` the titles by posts."""

    tree: SourceTree
    table: Mapping[str, Any]
    folder: str
    posts: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: SourceTree) -> _Hexo:
        """Read the settings.

        :raises ConfigError: they cannot be read.
        """
        table = tree.settings(tree.first(SETTINGS))
        return cls(tree, table, posixpath.normpath(str(table.get("source_dir") or "source")))

    @property
    def root(self) -> str:
        """The path of the site, without a slash at its end."""
        path = str(self.table.get("root") or "/").strip("/")
        return f"/{path}" if path else ""

    def items(self) -> Items:
        """Read the names of all posts first, because tags link to them."""
        url = str(self.table.get("url") or "").rstrip("/")
        yield Origin(f"{origin_of(url)}{self.root}/" if origin_of(url) else "")
        files = self.tree.files(self.folder)
        read = {
            path: self.tree.front(path, usual=_with_usual_fences) for path in files if path.endswith(MARKDOWN)
        }
        pages = {path: front for path, front in read.items() if not isinstance(front, LeftOut)}
        places = {path: self._place(path) for path in files}
        for path, page in pages.items():
            if places[path][0] == "_posts":
                bare = posixpath.splitext(places[path][1])[0]
                self.posts[bare] = path
                self.titles[path] = page.text("title")
                # A tag may name a post by its slug, which is the name without the date of `new_post_name`.
                self.posts.setdefault(posixpath.join(posixpath.dirname(bare), self._stem(bare)[0]), path)
        yield FolderFiles(dict(self._files(files, places, pages)))
        yield ContentRoot(self.folder)
        yield from self.tree.links(self.folder)
        yield from self._without_zone(pages)
        rules = list(self._excluding())
        for path, front in read.items():
            folder, inner = places[path]
            if isinstance(front, LeftOut):
                yield front
            elif why := next((why for rule, why in rules if rule.leaves_out(self._inner(path))), ""):
                yield LeftOut("excluded page", Place(path), why)
            elif folder not in {"", "_posts", "_drafts"}:
                yield LeftOut("part of the site", Place(path), f"Hexo does not show the files of {folder}")
            else:
                yield or_left_out(Place(path), self._item, path, inner, folder, front)

    def _without_zone(self, pages: Mapping[str, Front]) -> Iterator[Note]:
        """Say that the zone of a machine nobody knows has made the days of addresses."""
        dated = [path for path, front in pages.items() if _OFFSET.search(front.text("date"))]
        if dated and not self.table.get("timezone"):
            yield Note(
                f"Posts with an offset in their date: {len(dated)}, such as {min(dated)}. The settings name "
                "no `timezone`, so the zone of the machine that built the site has decided the day in their "
                "addresses. Here it is UTC. If the site has other addresses, add `timezone` and import again."
            )

    def _excluding(self) -> Iterator[tuple[Exclusion, str]]:
        """Give the patterns of files that Hexo makes no page of. They begin at the folder of the content."""
        for key, why in _EXCLUDING.items():
            yield Exclusion([f"/{each.lstrip('/')}" for each in strings(self.table.get(key))]), why

    def _inner(self, path: str) -> str:
        return posixpath.relpath(path, self.folder)

    def _place(self, path: str) -> tuple[str, str]:
        """Give the folder with a `_` in front that has a file, "" for none, and the path below it."""
        inner = self._inner(path)
        first, _, rest = inner.partition("/")
        return (first, rest) if first.startswith("_") and rest else ("", inner)

    def _files(
        self, files: list[str], places: Mapping[str, tuple[str, str]], pages: Mapping[str, Front]
    ) -> Iterator[tuple[str, Path]]:
        """Give the files by their addresses; those in the folder of a post are below its address."""
        homes = {
            posixpath.splitext(path)[0]: unquote(self._address(places[path][1], front, "_posts"))
            for path, front in pages.items()
            if places[path][0] == "_posts"
        }
        for path in files:
            folder, inner = places[path]
            above = posixpath.dirname(path)
            if above in homes:
                yield posixpath.join(homes[above], posixpath.basename(path)), self.tree.root / path
            yield f"{self.root}/{inner}" if not folder else f"/{path}", self.tree.root / path

    def _item(self, path: str, inner: str, folder: str, front: Front) -> Item:
        is_post = folder != ""
        text = _HexoText(path, posixpath.splitext(path)[0], self.posts, self.titles)
        body = text.converted(front.body, front.line)
        bare = posixpath.splitext(inner)[0]
        named = _DATED.fullmatch(posixpath.basename(bare))
        is_hidden = folder == "_drafts" or front.values.get("published") is False
        address = "" if is_hidden else self._address(inner, front, folder)
        unrooted = unquote(address.removeprefix(self.root)).strip("/").removesuffix(".html")
        page = TreePage(
            path,
            Kind.POST if is_post else Kind.PAGE,
            f"posts/{bare}.md" if is_post else f"pages/{unrooted or 'index'}.md",
            body,
            address=address,
            date="-".join(named.groups()[:3]) if named and is_post else "",
            status="draft" if folder == "_drafts" else "",
            slug="" if address else posixpath.basename(bare),
            categories=_categories(front.values.get("categories", front.values.get("category"))),
            left=text.remainders,
        )
        zone = str(self.table.get("timezone") or "")
        keys = replace(_KEYS, reads=lambda text: dates.iso(dates.hexo(text), zone))
        item = item_of(page, front, keys, lambda picture: picture.startswith("/"))
        # The machine that built the site has decided the day, whatever the settings say. Most are in UTC, or
        # where their people are.
        in_utc = self._address(inner, front, folder, "UTC") if address else ""
        return replace(item, aliases=(*item.aliases, in_utc)) if in_utc != address else item

    def _address(self, inner: str, front: Front, folder: str, machine: str = "") -> str:
        own = front.text("permalink")
        if own:
            path = own if posixpath.splitext(own)[1] or own.endswith("/") else f"{own}/"
        elif not folder:
            path = f"{posixpath.splitext(inner)[0]}.html"
        else:
            pattern = str(self.table.get("permalink") or _PERMALINK)
            path = _TOKEN.sub(lambda found: self._token(found[1], inner, front, machine), pattern)
            if _OF_DATE.search(path):
                # Hexo dates such a post by its file, and neither Git nor a package keeps that time.
                return ""
        path = re.sub(r"(?:^|(?<=/))index\.html\Z", "", path)
        if table_in(self.table, "pretty_urls").get("trailing_html") is False:
            path = path.removesuffix(".html")
        return quote(f"{self.root}/{path.lstrip('/')}", safe=SAFE)

    def _stem(self, bare: str) -> tuple[str, re.Match[str] | None]:
        """Give the name of a post without the date that the settings put before it, and the match of that."""
        stem = posixpath.basename(bare)
        is_dated = str(self.table.get("new_post_name") or "").startswith(":year-:month-:day-")
        named = _DATED.fullmatch(stem) if is_dated else None
        return (named[4] if named else stem), named

    def _token(self, name: str, inner: str, front: Front, machine: str) -> str:
        bare = posixpath.splitext(inner)[0]
        folder, (stem, named) = posixpath.dirname(bare), self._stem(bare)
        moment = dates.hexo(front.text("date")) or dates.hexo("-".join(named.groups()[:3]) if named else "")
        zone = str(self.table.get("timezone") or "")
        shown = dates.clock(moment, zone) if moment else None
        if shown and (own := dates.zone_of(zone)) and (there := dates.zone_of(machine)):
            shown = shown.replace(tzinfo=own).astimezone(there)
        day = shown.strftime("%Y %m %d %H %M %S").split() if shown else []
        default = str(self.table.get("default_category") or "uncategorized")
        categories = _categories(front.values.get("categories"))
        values = {
            "title": posixpath.join(folder, stem),
            "name": stem,
            "post_title": "-".join(front.text("title").split()),
            **dict(zip(("year", "month", "day", "hour", "minute", "second"), day, strict=False)),
            **dict(zip(("i_month", "i_day"), (part.lstrip("0") for part in day[1:3]), strict=False)),
            "category": "/".join(
                str(table_in(self.table, "category_map").get(part, part)).replace(" ", "-")
                for part in (categories[0].split("/") if categories else [default])
            ),
        }
        return values.get(name, front.text(name) or f":{name}")


TOOL = FolderTool(
    "a folder of Hexo: _config.yml, source/_posts/, and scaffolds/ or its package",
    SETTINGS,
    lambda tree, _: _Hexo.of(tree).items(),
    _is_own,
)


def _with_usual_fences(text: str) -> str:
    """Write front matter as other tools have it: with its first fence, without tabs, JSON in braces."""
    if json := _JSON.match(text):
        return f"{{\n{json[1]}\n}}\n{text[json.end() :]}"
    found = _HEAD.match(text)
    if found is None or not (found["fence"] or _is_head(found["head"])):
        return text
    # Hexo writes two blanks for each tab at the start of a line.
    head = _TABS.sub(lambda tabs: "  " * len(tabs[0]), found["head"])
    return f"---\n{head}\n---\n{text[found.end() :]}"


def _is_head(text: str) -> bool:
    """Tell whether a text above a fence is front matter: Hexo takes every text that is a table of YAML."""
    if _KNOWN.search(text):
        return True
    with suppress(UnreadableError):
        return isinstance(read_yaml(text, []).value, Mapping)
    return False


def _categories(value: object) -> tuple[str, ...]:
    """Give categories by their paths: a list is one line of them, and lists in it are several lines."""
    given = value if isinstance(value, list) else [value] * bool(value)
    lines = given if any(isinstance(each, list) for each in given) else [given]
    found = (
        "/".join(str(part).strip() for part in (line if isinstance(line, list) else [line]) if part)
        for line in lines
    )
    return tuple(dict.fromkeys(filter(None, found)))


@dataclass(slots=True)
class _HexoText:
    """The tags of one page; `assets` is the folder of its files, and `posts` has the paths of posts.

    `titles` are those of the posts, by path.
    """

    file: str
    assets: str
    posts: Mapping[str, str]
    titles: Mapping[str, str] = field(default_factory=dict)
    remainders: list[Remainder] = field(default_factory=list)

    def converted(self, text: str, line: int) -> str:
        """Give the text with all known tags replaced; its first line is `line` of the file."""
        text = re.sub(r"<!--\s*more\s*-->", "<!--more-->", text)
        if "{%" not in text:
            return text
        rows: list[str] = []
        inner: list[str] = []
        opened: tuple[str, str, Place] | None = None
        for row, is_code, at in markdown.rows_of(text, Place(self.file, line)):
            tag = None if is_code else _TAG.fullmatch(row.strip())
            name = tag["name"] if tag else None
            if opened and name == f"end{opened[0]}":
                rows += _block(*opened[:2], "\n".join(inner).strip("\n")).split("\n")
                opened = None
            elif opened:
                inner.append(row)
            elif name in _AROUND and tag:
                opened, inner = (name, tag["rest"].strip(), at), []
            else:
                rows.append(row if is_code else self._line(row, at))
        if opened:
            self.remainders.append(Remainder(f"tag {opened[0]}", opened[2], f"{{% {opened[0]}"))
            rows += [f"{{% {opened[0]} {opened[1]} %}}", *inner]
        return "\n".join(rows)

    def _line(self, row: str, at: Place) -> str:
        """Replace the tags of a line; what stands between `raw` and `endraw` stays, also in code."""
        parts = _RAW.split(row)
        return "".join(
            part if number % 2 else _TAG.sub(partial(self._inline, at), part)
            for number, part in enumerate(parts)
        )

    def _inline(self, at: Place, found: re.Match[str]) -> str:
        name, words = found["name"], (found["rest"] or "").split()
        made = self._made(name, words) if name and words else None
        if name and made is None:
            self.remainders.append(Remainder(f"tag {name}", at, found[0]))
        return found[0] if made is None else made

    def _made(self, name: str, words: list[str]) -> str | None:
        said = " ".join(words[1:]).strip("\"'")
        first = words[0].strip("\"'")
        address = quote(f"/{self.assets}/{first}")
        if name in EMBEDS and EMBEDS[name].count("{") == 1:
            return EMBEDS[name].format(first)
        if name in {"post_link", "post_path"}:
            path = self.posts.get(first)
            link = f"{BY_KEY}{quote(path)}" if path else None
            title = self.titles.get(path or "") or first
            return link if name == "post_path" or not link else f"[{said or title}]({link})"
        if name in {"img", "link", "iframe"}:
            return _with_address(name, words)
        return {
            "asset_img": f"![{said}]({address})",
            "asset_link": f"[{said or first}]({address})",
            "asset_path": address,
        }.get(name)


# The title and the alternative text of a picture: `"title 'text'"`, or both with the same marks.
_TEXTS = re.compile(r"""["']?([^"']*)["']?\s*["']?([^"']*)["']?""")


def _with_address(name: str, words: list[str]) -> str | None:
    """Write a tag with an address among its words: names of classes before that of a picture, or a text."""
    at = next((at for at, word in enumerate(words) if word.startswith(("/", "http://", "https://"))), None)
    if at is None:
        return None
    address, rest = words[at], words[at + 1 :]
    if name == "link":
        return f"[{' '.join(words[:at]) or address}]({address})"
    sizes = [rest.pop(0) for _ in range(2) if rest and rest[0].isdecimal()]
    sized = "".join(f' {key}="{size}"' for key, size in zip(("width", "height"), sizes, strict=False))
    if name == "iframe":
        return f'<iframe src="{escape(address)}"{sized}></iframe>'
    texts = _TEXTS.match(" ".join(rest))
    title, said = (texts[1].strip(), texts[2].strip()) if texts else ("", "")
    shown = f' title="{escape(title)}"' if title and said else ""
    return f'<img src="{escape(address)}"{sized}{shown} alt="{escape(said or title)}">'


def _block(name: str, rest: str, text: str) -> str:
    if name in {"codeblock", "code"}:
        language = re.search(r"lang:(\S+)", rest)
        return fenced(text, language[1] if language else "")
    if name == "raw":
        return text
    if name == "note":
        kind, _, title = rest.partition(" ")
        return alert(kind or "note", title, text)
    # A quotation that is pulled out has names of classes there.
    rest = rest if name != "pullquote" else ""
    if cited := _CITED.fullmatch(rest):
        shown = cited["title"] or re.sub(r"^https?://|/(?:index\.html?)?$", "", cited["to"])
        rest = f"{cited['author']} [{shown}]({cited['to']})"
    quoted = [*text.split("\n"), *(["", f"— {rest}"] if rest else [])]
    return "\n".join(f"> {row}".rstrip() for row in quoted)


IMPORTER = TOOL.importer
