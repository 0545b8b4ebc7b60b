"""Gives the notes of an Obsidian vault as pages, with Markdown links in the place of wikilinks.

A vault is recognised by its folder `.obsidian`, which is never read but for the name of the folder with
templates. A note has no address before it is published, so only `permalink` gives one. Obsidian looks for a
link by the end of a path. So all names are read first, and then one text after the other.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from pressync.content.foreign_syntax import DOLLARS, HASHTAG
from pressync.html.titles import heading_id
from pressync.importing.importers import Importer
from pressync.importing.sources import markdown
from pressync.importing.sources.item import ContentRoot, Form, LeftOut, Origin, Place, Remainder
from pressync.importing.sources.links import BY_KEY, FolderFiles, rewritten
from pressync.importing.sources.source_tree import SourceTree
from pressync.importing.sources.tree_items import Keys, TreePage, item_of
from pressync.model.errors import ConfigError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from pressync.importing.sources.item import ImportSource, Item, Items
    from pressync.importing.sources.source_tree import Front


SIGN = "a vault of Obsidian: a folder with .obsidian/"
_SETTINGS = ".obsidian"
_KEYS = Keys(
    ("date", "created"), ("updated", "modified"), dropped=frozenset({"publish", "permalink"}), is_named=True
)
_NOTES = (".md", ".markdown")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".bmp")
_OTHERS = {".canvas": "canvas", ".base": "base", ".excalidraw": "drawing"}
_TEMPLATES = re.compile(r"_?templates?", re.IGNORECASE)
# Code comes first, so that nothing in it is replaced. Each alternative is bounded.
_SYNTAX = re.compile(
    r"""
      (?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).){1,1000}?(?<!`)(?P=ticks)(?!`)
    | (?P<comment>%%(?:(?!%%).){0,20000}%%)
    | (?P<embed>!?)\[\[(?P<target>[^\[\]|#^\n]{0,300})(?:\#(?P<place>[^\[\]|\n]{1,300}))?
      (?:\|(?P<text>[^\[\]\n]{0,500}))?\]\]
    | (?<!=)==(?P<mark>[^=\n]{1,1000})==(?!=)
    | [ \t]\^(?P<block>[A-Za-z0-9-]{1,100})[ \t]*$
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
# A footnote in the text, which may have links in it.
_FOOTNOTE = re.compile(
    r"(?P<ticks>`+)(?!`)[^`]{0,1000}(?P=ticks)"
    r"|\^\[(?P<words>(?:[^\[\]\n]|\[\[[^\[\]\n]{1,300}\]\]|\[[^\[\]\n]{1,300}\]\([^()\n]{0,300}\)){1,1000})\]"
)
_CALLOUT = re.compile(
    r"(?P<quote>[ \t]*(?:>[ \t]?)+)\[!(?P<kind>[\w-]{1,40})(?:\|[^\]\n]*)?\][+-]?[ \t]*(?P<title>.{0,500})"
)
# Forms that stay as they are, or lose something, and code, which has none of them.
_STAYS = re.compile(
    rf"(?P<ticks>`+)(?!`)[^`]{{0,1000}}(?P=ticks)|\]\([^()\n]{{0,1000}}\)|(?P<tag>{HASHTAG})|(?P<formula>\$\$[^$]{{1,2000}}\$\$|{DOLLARS})"
    r"|^[ \t]*(?:>[ \t]?)+(?P<fold>\[![\w-]{1,40}\][+-])",
    re.MULTILINE,
)
_KINDS = {"tag": "tag in the text", "formula": "formula", "fold": "callout that folds"}
_SIZE = re.compile(r"(?:^|\|)(\d{1,5})(?:x(\d{1,5}))?\Z")
_BLOCKS = re.compile(r"[ \t]*(?:`{3,}|~{3,})(dataview|dataviewjs|tasks|query|base)\b")


def recognises(source: ImportSource) -> bool:
    """Tell whether a folder is a vault."""
    return source.path is not None and (source.path / _SETTINGS).is_dir()


def items(source: ImportSource) -> Items:
    """Give the vault's files, its notes, and all that is not carried.

    :raises ConfigError: it is not a vault.
    """
    if source.path is None or not recognises(source):
        raise ConfigError(f"this is not {SIGN}", where=source.given, todo="name another folder")
    yield from _Vault.of(SourceTree(source.path)).items()


@dataclass(frozen=True, slots=True)
class _Vault:
    """The notes and the files of a vault, and all of them by their names in lower case.

    `taken` are the old and the new addresses of notes with a `permalink`; the new ones begin without a slash.
    """

    tree: SourceTree
    paths: tuple[str, ...]
    templates: str
    by_name: dict[str, list[str]] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, tree: SourceTree) -> _Vault:
        """Read the names of all files."""
        paths = tuple(tree.files())
        by_name: dict[str, list[str]] = defaultdict(list)
        # The shortest path comes first, as Obsidian takes it.
        for path in sorted(paths, key=lambda path: (path.count("/"), path)):
            by_name[posixpath.basename(path).lower()].append(path)
        named = ""
        with suppress(ConfigError):
            if tree.is_file(name := f"{_SETTINGS}/templates.json"):
                named = str(tree.settings(name).get("folder") or "").strip("/")
        return cls(tree, paths, named, dict(by_name))

    def items(self) -> Items:
        """Give an item for each note."""
        yield Origin("")
        yield FolderFiles({f"/{path}": self.tree.root / path for path in self.paths})
        yield ContentRoot("")
        yield from self.tree.links()
        for path in self.paths:
            if out := self.left_out(path):
                yield out
            elif path.lower().endswith(_NOTES):
                yield self.tree.page(path, self._item, path)

    def left_out(self, path: str) -> LeftOut | None:
        """Say why a file is left out; None for a note, and for a file that a link may need."""
        stem, ending = posixpath.splitext(path)
        is_note = ending.lower() in _NOTES
        if kind := _OTHERS.get(ending.lower()) or (is_note and _OTHERS.get(posixpath.splitext(stem)[1])):
            return LeftOut(kind, Place(path), "only Obsidian can show it")
        is_template = (
            path.startswith(f"{self.templates}/")
            if self.templates
            else "/" in path and _TEMPLATES.fullmatch(path.partition("/")[0])
        )
        if is_note and is_template:
            return LeftOut("template", Place(path), "it is a form for notes, and not a note")
        return None

    def _item(self, front: Front, path: str) -> Item:
        text = VaultText(path, self)
        body = rewritten(text.converted(front.body, front.line), Form.MARKDOWN, text.markdown_link)
        permalink, unread = self._permalink(front, path)
        slug = posixpath.basename(permalink)
        # The folders stay in the address, so two notes of a folder may end alike. The second keeps its name.
        new = posixpath.join(posixpath.dirname(path), slug).lower()
        slug = "-".join(Path(path).stem.lower().split()) if new in self.taken else slug
        self.taken.add(new)
        page = TreePage(
            path,
            Kind.PAGE,
            f"pages/{posixpath.splitext(path)[0]}.md",
            body,
            address=f"/{quote(permalink)}" if permalink else "",
            slug=slug,
            status="draft" if front.values.get("publish") is False else "",
            left=[*text.remainders, *unread],
        )
        return item_of(page, front, _KEYS)

    def _permalink(self, front: Front, path: str) -> tuple[str, list[Remainder]]:
        """Give the path that a note names; one that is not a path, or that another note has, is named."""
        written, named = front.values.get("permalink"), front.text("permalink").strip("/")
        is_path = "://" not in named and any(map(str.isalnum, posixpath.basename(named)))
        address = f"/{named}".lower()
        if is_path and address not in self.taken:
            self.taken.add(address)
            return named, []
        kind = "permalink of another note" if is_path else "permalink that is not a path"
        place = Place(path, front.lines.get("permalink", 0))
        return "", [Remainder(kind, place, str(written))] if written not in (None, "") else []

    def found(self, target: str, page: str) -> str:
        """Find the file that a link in a page means, by the end of its path; "" if there is none."""
        written = target.strip().lower()
        if written.startswith(("./", "../")):
            written = posixpath.normpath(posixpath.join(posixpath.dirname(page).lower(), written))
        wanted = written.lstrip("/")
        names = (wanted, *(f"{wanted}{ending}" for ending in _NOTES))
        candidates = [
            path
            for name in names
            for path in self.by_name.get(posixpath.basename(name), ())
            if f"/{path.lower()}".endswith(f"/{name}")
        ]
        whole = next((path for path in candidates if path.lower() in names), "")
        here = posixpath.dirname(page)
        beside = next((path for path in candidates if posixpath.dirname(path) == here), "")
        return whole or beside or next(iter(candidates), "")


@dataclass(slots=True)
class VaultText:
    """The conversion of the text of one note."""

    file: str
    vault: _Vault
    remainders: list[Remainder] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)

    def converted(self, text: str, line: int) -> str:
        """Give the text as Markdown; its first line is `line` of the file."""
        place = Place(self.file, line)
        made: list[str] = []
        for is_code, rows in groupby(markdown.rows_of(text, place), key=itemgetter(1)):
            part = list(rows)
            joined = "\n".join(row for row, _, _ in part)
            found = [(_BLOCKS.match(row), at) for row, _, at in part if is_code]
            self.remainders += [Remainder(f"block {each[1]}", at, each[0]) for each, at in found if each]
            made.append(joined if is_code else self._text(joined, part[0][2]))
        below = [
            f"[^note-{number}]: {self._text(words, place)}" for number, words in enumerate(self.footnotes, 1)
        ]
        return "\n".join([*made, *(["\n\n".join(below), ""] if below else [])])

    def markdown_link(self, written: str) -> str | None:
        """Give the target of a link of Markdown, which Obsidian finds by its name, too; None to keep it."""
        name, _, heading = written.partition("#")
        if not name:
            return _fragment(unquote(heading)) or None
        if name.startswith("/") or ":" in name:
            return None
        path = self.vault.found(unquote(name), self.file)
        if not path or self.vault.left_out(path):
            return None
        if not path.lower().endswith(_NOTES):
            return quote(f"/{path}")
        return f"{BY_KEY}{quote(path)}{_fragment(unquote(heading))}"

    def _footnote(self, found: re.Match[str]) -> str:
        if found["words"] is None:
            return found[0]
        self.footnotes.append(found["words"])
        return f"[^note-{len(self.footnotes)}]"

    def _text(self, text: str, place: Place) -> str:
        done = rows = 0
        for shown in _STAYS.finditer(text):
            if kind := _KINDS.get(shown.lastgroup or ""):
                rows += text.count("\n", done, shown.start())
                done = shown.start()
                self.remainders.append(Remainder(kind, place.below(rows), shown[0]))
        text = _FOOTNOTE.sub(self._footnote, text) if "^[" in text else text
        done = rows = 0

        def replaced(found: re.Match[str]) -> str:
            nonlocal done, rows
            # Without the places before, a text of a million links would be counted a million times.
            rows += text.count("\n", done, found.start())
            done = found.start()
            at = place.below(rows)
            if found["target"] is not None:
                return self._link(found, at)
            if found["comment"]:
                self.remainders.append(Remainder("comment", at))
                return ""
            if found["mark"]:
                return f"<mark>{found['mark']}</mark>"
            return f' <a id="{found["block"]}"></a>' if found["block"] else found[0]

        return "\n".join(map(_callout, _SYNTAX.sub(replaced, text).split("\n")))

    def _link(self, found: re.Match[str], at: Place) -> str:
        # In a table, the mark before the text is escaped.
        target = found["target"].rstrip("\\").strip()
        place, text = (found["place"] or "").rstrip("\\"), found["text"]
        path = self.vault.found(target, self.file) if target else self.file
        shown = text or target or place.lstrip("^")
        if not path or self.vault.left_out(path):
            kind = "link to a file that is left out" if path else "link to a note that is not there"
            self.remainders.append(Remainder(kind, at, found[0]))
            return shown
        ending = posixpath.splitext(path)[1].lower()
        if ending not in _NOTES:
            address = quote(f"/{path}")
            if found["embed"] and ending in _PICTURES:
                return _picture(address, text or "", posixpath.basename(path))
            return f"[{shown}]({address})"
        if found["embed"]:
            self.remainders.append(Remainder("embedded note", at, found[0]))
        link = f"{BY_KEY}{quote(path)}" if target else ""
        name = text or (posixpath.splitext(posixpath.basename(path))[0] if target else place.lstrip("^"))
        return f"[{name}]({link}{_fragment(place)})"


def _fragment(place: str) -> str:
    """Write the end of a link to a heading, or to a block, of a note."""
    last = place.rpartition("#")[2]
    named = last[1:] if last.startswith("^") else quote(heading_id(last))
    return f"#{named}" if named else ""


def _picture(address: str, written: str, name: str) -> str:
    """Write an embedded picture: behind its name stand words, a size, or both."""
    size = _SIZE.search(written)
    alt = (written[: size.start()] if size else written) or ("" if size else posixpath.splitext(name)[0])
    if not size:
        return f"![{alt}]({address})"
    height = f' height="{size[2]}"' if size[2] else ""
    return f'<img src="{address}" alt="{html.escape(alt)}" width="{size[1]}"{height}>'


def _callout(row: str) -> str:
    """Write the first line of a callout as that of an alert of GitHub."""
    found = _CALLOUT.fullmatch(row)
    if not found:
        return row
    head, *_ = markdown.alert(found["kind"], found["title"], "").split("\n")
    return f"{found['quote']}{head.removeprefix('> ')}"


IMPORTER = Importer(recognises, items)
