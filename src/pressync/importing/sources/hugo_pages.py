"""Finds the pages of a Hugo site: which files are pages, in which language, with which meaning.

A file's name and the files around it decide: an `index.md` makes every other file of its folder a resource,
and an `_index.md` hands values down to all pages below. So all front matter is read before the first body is
converted. Bodies are read again later, one at a time.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pressync.html.tokens import edited
from pressync.importing.sources import dates
from pressync.importing.sources.html_blocks import without_code
from pressync.importing.sources.item import LeftOut, Place, Remainder
from pressync.importing.sources.source_tree import Front, SourceTree, further_fields, iso, prefixes, scalar_at
from pressync.model.web_address import joined

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Collection

    from pressync.importing.sources.hugo_config import HugoConfig
    from pressync.importing.sources.links import FolderFiles


MARKDOWN = (".md", ".markdown", ".mdown")
HTML = (".html", ".htm")
_OTHERS = {
    ".adoc": "AsciiDoc",
    ".asciidoc": "AsciiDoc",
    ".ad": "AsciiDoc",
    ".org": "Emacs Org",
    ".rst": "RST",
}
_OTHERS |= {".pandoc": "Pandoc", ".pdc": "Pandoc"}
_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[-_ T](\d{2})[-:](\d{2})[-:](\d{2}))?[-_ ]*(.*)", re.ASCII)
_SIGNS = re.compile(r"(\*\*|[*?{},])")
_MOST_SIGNS = 200
EXCERPTS = ("excerpt", "summary", "description")
# Keys that an item has, or that only steer Hugo.
_TAKEN = frozenset(
    """
    title slug url aliases alias date publishdate pubdate published lastmod modified draft weight build _build
    headless cascade expirydate unpublishdate
    """.split()  # noqa: SIM905 - names of keys read like a sentence
)
_PICTURES = ("featured_image", "featuredimage", "image", "cover", "thumbnail", "images")

_NAMED_OUT = ("expirydate", "unpublishdate")


@dataclass(frozen=True, slots=True)
class HugoPage:
    """A page before its body is read. `inner` is its path in the content, without language and ending.

    `kind` is `home`, `section` or `page`. `front` has the values that sections hand down too, and `own` only
    those of the file. `sections` are the folders that are sections. `unread` are the keys whose date Hugo
    passes over.
    """

    file: str
    inner: str
    language: str
    kind: str
    front: Front
    own: Mapping[str, Any] = field(default_factory=dict)
    is_bundle: bool = False
    sections: tuple[str, ...] = ()
    slugs: tuple[str, ...] = ()
    date: str = ""
    slug: str = ""
    unread: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The last part of its path."""
        return posixpath.basename(self.inner)

    @property
    def section(self) -> str:
        """Its first folder, "" at the root."""
        return self.sections[0] if self.sections else ""

    @property
    def is_html(self) -> bool:
        """Whether its body is HTML."""
        return self.file.lower().endswith(HTML)


@dataclass(frozen=True, slots=True)
class _Named:
    """A file of the content: its path there, its language, and the name without language and ending."""

    file: str
    folder: str
    stem: str
    ending: str
    language: str


def read_pages(tree: SourceTree, config: HugoConfig) -> Iterator[HugoPage | LeftOut]:
    """Give each page of the site, and each file that looks like a page and is not one."""
    files = list(_files(tree, config))
    # Of several files with one path in one language, the first mount wins. One file may be seen in several
    # languages.
    first: dict[tuple[str, ...], _Named] = {}
    for each in files:
        first.setdefault((each.language, each.folder, each.stem, each.ending), each)
    named = list(first.values())
    seen = {each.file for each in named}
    why = "a mount that comes before its own in the settings has a file of this name"
    for file in dict.fromkeys(each.file for each in files if each.file not in seen):
        yield LeftOut("file behind another", Place(file), why)
    leaves = {each.folder for each in named if each.stem == "index" and each.ending in (*MARKDOWN, *HTML)}
    found: list[HugoPage] = []
    for each in named:
        if each.ending == ".gotmpl" and each.stem == "_content":
            yield LeftOut(
                "content adapter", Place(each.file), "only Hugo can run the template that makes its pages"
            )
        elif each.ending in _OTHERS:
            why = f"it is written in {_OTHERS[each.ending]}, and pressync reads Markdown and HTML"
            yield LeftOut("page in another format", Place(each.file), why)
        elif each.ending in (*MARKDOWN, *HTML):
            read = _off(each) if each.language in config.off else _page(tree, each, leaves)
            if isinstance(read, HugoPage):
                found.append(read)
            elif read:
                yield read
    yield from _completed(found, config)


def _files(tree: SourceTree, config: HugoConfig) -> Iterator[_Named]:
    for mount in config.content:
        for file in tree.files(mount.source):
            inner = posixpath.join(mount.target, posixpath.relpath(file, mount.source))
            folder, name = posixpath.split(inner)
            stem, ending = posixpath.splitext(name)
            bare, dot, code = stem.rpartition(".")
            is_translated = bool(dot) and (code.lower() in config.languages or code.lower() in config.off)
            # The name of a file counts before its mount.
            language = (code.lower() if is_translated else mount.language) or config.default
            yield _Named(file, folder, bare if is_translated else stem, ending.lower(), language)


def _off(each: _Named) -> LeftOut:
    why = "the settings turn its language off"
    return LeftOut("page of a language that is off", Place(each.file), why)


def _page(tree: SourceTree, each: _Named, leaves: set[str]) -> HugoPage | LeftOut | None:
    above = [folder for folder in ("", *prefixes(each.folder)) if folder in leaves]
    if above and not (above == [each.folder] and each.stem == "index"):
        if each.ending in HTML:
            return None  # a picture's sibling, and nobody's page
        why = "it is a part of the page in its folder, and has no address of its own"
        return LeftOut("page resource", Place(each.file), why)
    front = tree.front(each.file)
    if isinstance(front, LeftOut):
        return front
    if each.stem == "_index":
        kind = "section" if each.folder else "home"
        return HugoPage(each.file, each.folder, each.language, kind, replace(front, body=""))
    is_bundle = each.stem == "index"
    inner = each.folder if is_bundle else posixpath.join(each.folder, each.stem)
    kind = "page" if inner else "home"
    return HugoPage(each.file, inner, each.language, kind, replace(front, body=""), is_bundle=is_bundle)


def is_resource(bundles: Collection[str], path: str) -> bool:
    """Tell whether a file of HTML lies below the folder of a page, of which it is a part."""
    return path.lower().endswith(HTML) and any(folder in bundles for folder in prefixes(path))


def _completed(pages: list[HugoPage], config: HugoConfig) -> Iterator[HugoPage | LeftOut]:
    """Hand values down from sections, and leave out pages that Hugo does not render."""
    sections = {(page.language, page.inner): page for page in pages if page.kind != "page"}
    common = config.table.get("cascade")
    for page in pages:
        values: dict[str, Any] = {}
        inherited = (sections.get((page.language, folder)) for folder in ("", *prefixes(page.inner)))
        for cascade in (common, *(each.front.values.get("cascade") for each in inherited if each)):
            for entry in cascade if isinstance(cascade, list) else [cascade]:
                if isinstance(entry, Mapping) and is_target(entry, page):
                    _hand_down(values, entry)
        _hand_down(values, page.front.values)
        front = replace(page.front, values=values)
        above = (sections.get((page.language, folder)) for folder in prefixes(page.inner))
        slugs = tuple(each.front.text("slug") if each else "" for each in above)
        yield _dated(
            replace(
                page, front=front, own=page.front.values, sections=_sections(page, sections), slugs=slugs
            ),
            config,
        )


def _sections(page: HugoPage, sections: Mapping[tuple[str, str], HugoPage]) -> tuple[str, ...]:
    """Give the folders of a page that are sections: the first one, and those with an `_index.md`."""
    folder = page.inner if page.kind == "section" else posixpath.dirname(page.inner)
    for above in reversed(prefixes(folder)):
        if "/" not in above or (page.language, above) in sections:
            return tuple(above.split("/"))
    return ()


def _hand_down(values: dict[str, Any], entry: Mapping[str, Any]) -> None:
    for key, value in entry.items():
        name = str(key).lower()
        if name in {"_target", "target"} and isinstance(value, Mapping):
            continue
        inherited = values.get(name)
        is_table = isinstance(value, Mapping) and isinstance(inherited, Mapping)
        values[name] = {**inherited, **value} if is_table and inherited is not None else value


def is_target(entry: Mapping[str, Any], page: HugoPage) -> bool:
    """Tell whether an entry of a cascade is for a page: by its path, kind and language."""
    target = next((entry[key] for key in entry if str(key).lower() in {"_target", "target"}), None)
    if not isinstance(target, Mapping):
        return True
    wanted = {str(key).lower(): str(value) for key, value in target.items() if isinstance(value, str)}
    actual = {"path": f"/{page.inner}".lower(), "kind": page.kind, "lang": page.language}
    actual["environment"] = "production"
    return all(_matches(pattern, actual[key]) for key, pattern in wanted.items() if key in actual)


def _matches(pattern: str, text: str) -> bool:
    """Match a text with a pattern of `*`, `**`, `?` and `{a,b}`.

    It keeps all places that the pattern can have reached. An expression of `re` would try each combination
    of them, and a stranger's `{a,a}{a,a}…` has billions.
    """
    parts = _SIGNS.split(pattern.lower())
    here, groups = {0}, list[tuple[set[int], set[int]]]()
    for part in parts if len(parts) <= _MOST_SIGNS else ():
        match part:
            case "{":
                groups.append((here, set()))
            case "," if groups:
                groups[-1][1].update(here)
                here = groups[-1][0]
            case "}" if groups:
                here = here | groups.pop()[1]
            case "*" | "**":
                here = _stretched(here, text, "/" if part == "*" else "")
            case "?":
                here = {at + 1 for at in here if text[at : at + 1] not in {"", "/"}}
            case _:
                here = {at + len(part) for at in here if text.startswith(part, at)}
    return not groups and len(parts) <= _MOST_SIGNS and len(text) in here


def _stretched(places: set[int], text: str, end: str) -> set[int]:
    """Give these places and all behind them, as far as the next character `end`."""
    found: set[int] = set()
    for place in places:
        at = place
        while at not in found:
            found.add(at)
            at += at < len(text) and text[at] != end
    return found


def _dated(page: HugoPage, config: HugoConfig) -> HugoPage:
    """Give a page its date and slug; `:filename` takes both from its name."""
    slug = page.front.text("slug")
    unread: list[str] = []
    for key in config.dates:
        if key != ":filename":
            if moment := dates.go(page.front.text(key)):
                return replace(page, date=dates.placed(moment, config.zone), slug=slug, unread=tuple(unread))
            unread += [key] if page.front.text(key) else []
            continue
        named = _DATED.fullmatch(page.name)
        if named:
            time = ":".join(part for part in named.groups()[1:4] if part)
            date = f"{named[1]}T{time}" if time else named[1]
            return replace(page, date=date, slug=slug or named[5], unread=tuple(unread))
    return replace(page, slug=slug, unread=tuple(unread))


# Hugo has more keys than a site has fields. A key that no field takes goes into the table `params`, so that
# nothing is lost and no key gets another meaning.
def is_headless(front: Front) -> bool:
    """Tell whether Hugo does not render a page."""
    build = front.values.get("build", front.values.get("_build"))
    render = build.get("render", "always") if isinstance(build, dict) else "always"
    return front.values.get("headless") is True or render in {"never", "link", False}


def parameter(page: HugoPage, config: HugoConfig, name: str) -> str | None:
    """Give a parameter of the page, else of the site, as text."""
    first, dot, rest = name.partition(".")
    tables = (page.front.values, page.front.values.get("params"))
    found = (scalar_at(table, way) for table in tables for way in (name, f"{first.lower()}{dot}{rest}"))
    return next((text for text in found if text is not None), config.parameter(page.language, name))


def status_of(page: HugoPage, today: dt.date) -> tuple[str, list[tuple[str, Remainder]]]:
    """Give the status; a page that has expired becomes a draft, because Hugo does not show it."""
    front = page.front
    key = next((name for name in _NAMED_OUT if front.text(name)), "")
    status = "draft" if front.is_draft else ""
    if not key:
        return status, []
    end = front.text(key)
    is_over = bool(moment := dates.iso(dates.go(end))) and moment[:10] < today.isoformat()
    remainder = Remainder("expiry date", Place(page.file, front.lines.get(key, 0)), end)
    return "draft" if is_over else status, [(key, remainder)]


def date_of(page: HugoPage) -> tuple[str, list[tuple[str, Remainder]]]:
    """Give the date on which the page is public: a later `publishDate` counts."""
    front = page.front
    date, public = iso(page.date), dates.iso(dates.go(front.text("publishdate", "pubdate")))
    place = Place(page.file, front.lines.get("date", 0))
    if page.unread:
        places = ((key, Place(page.file, front.lines.get(key, 0))) for key in page.unread)
        return date, [(key, Remainder("date", at, front.text(key))) for key, at in places]
    if date and public and public[:10] > date[:10]:
        return public, [("date", Remainder("date before publishDate", place, page.date))]
    return date, []


def fields_of(page: HugoPage, address: str, files: FolderFiles, taken: set[str]) -> dict[str, Any]:
    """Give further front matter: the page's picture, and all keys that nothing took."""
    named = (joined(address, text) or "" for key in _PICTURES for text in page.front.texts(key)[:1])
    params = page.own.get("params", {})
    spelled = page.front.spelled
    own = {spelled[key]: value for key, value in page.own.items() if key not in {*taken, *_TAKEN, "params"}}
    rest = {**own, **(params if isinstance(params, dict) else {"params": params})}
    # A password never gets into a file; the tool's own pages had it in public.
    rest.pop("password", None)
    return further_fields(rest, filter(files.has, named))


_FORMULA = re.compile(
    r"(?<!\\)(?:\\\[(?P<block>(?:(?!\\\]|\n\n).){1,5000})\\\]|\\\((?P<inline>(?:(?!\\\)|\n\n).){1,1000})\\\))",
    re.DOTALL,
)


def with_dollars(text: str) -> str:
    """Write formulas between dollars: Markdown would take their backslashes away."""
    if "\\[" not in text and "\\(" not in text:
        return text
    edits = []
    for found in _FORMULA.finditer(without_code(text)):
        inner = text[found.start() + 2 : found.end() - 2]
        written = f"$${inner}$$" if found["block"] else f"${inner.strip()}$"
        edits.append((*found.span(), written))
    return edited(text, edits)
