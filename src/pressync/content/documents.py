"""Reads the bytes of one Markdown file as a Document, or gives the problems that prevent it.

A value of a document comes from its front matter, else from the defaults of its folders, else from the
file's name and first heading. Each of these sources is read by itself, and the more specific one wins.
"""

from __future__ import annotations

import codecs
import posixpath
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.config.keys import LEFT_OUT
from pressync.content import markdown_limits, merge_conflicts
from pressync.content.front_matter import addresses
from pressync.content.front_matter.authors import Authors
from pressync.content.front_matter.dates import read_date
from pressync.content.front_matter.keys import Meaning, interpret
from pressync.content.front_matter.split import after_blank_lines, split
from pressync.content.front_matter.value import Given, given
from pressync.content.headings import first_heading
from pressync.content.import_tables import NO_TABLES
from pressync.content.sources import FOLDERS, INDEXES, below, folders_of, stem
from pressync.model.bounds import is_path
from pressync.model.errors import Problem
from pressync.model.interface import Kind
from pressync.model.problem_codes import Code
from pressync.model.records import Document
from pressync.repo.discover import SETTINGS
from pressync.repo.file_list import EMPTY_BLOB

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.content.front_matter.split import FrontMatter
    from pressync.content.import_tables import ImportTables
    from pressync.model.records import Fields, Source, Value

MIB = 1024 * 1024
# Markdown that consists of links takes 130 bytes of memory and 2 µs for each byte to render.
LARGEST = 8 * MIB

_DATED_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(.+)", re.ASCII)
_NOT_GIVEN = Given(None)
_NO_TABLE = Authors({})


@dataclass(frozen=True, slots=True)
class Defaults:
    """Front matter that files need not repeat, by folder below the content folder; "" is the content folder.

    If two folders contain a file, the inner folder wins for each key.
    """

    folders: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def of(self, inner: str) -> dict[str, Given]:
        """Give the defaults of the file whose path below the content folder is `inner`."""
        merged: dict[str, object] = {}
        for folder in reversed([*folders_of(inner), ""]):
            table = self.folders.get(folder, {})
            if table.get("type") == Kind.POST and _is_of_section(inner, folder):
                # The page of a blog lists its posts, and is not a post.
                table = {**table, "type": merged.get("type", Kind.PAGE.value)}
            merged |= table
        return {key: given(value) for key, value in merged.items()}


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """The document of a file, unless one of its problems is an error; and all its problems.

    `left_out` tells that the type of the file is `none`.
    """

    document: Document | None
    problems: tuple[Problem, ...] = ()
    left_out: bool = False


def read(
    source: Source,
    data: bytes,
    *,
    content: str,
    defaults: Defaults,
    authors: Authors = _NO_TABLE,
    tables: ImportTables = NO_TABLES,
    host: str = "",
) -> ParsedFile:
    """Read one file; `content` is the content folder or "" for the root, `host` the site's in old addresses.

    A file that is neither a page nor a post gives no document, and a warning.
    """
    path, inner = source.path, below(source.path, content)
    # 1. Bytes to text.
    if refused := _unnameable(path) or _too_large(path, data) or _unreadable(path, data):
        return ParsedFile(None, (refused,))
    text = text_of(data)
    if refused := merge_conflicts.unresolved(path, text) or markdown_limits.excess(path, text):
        return ParsedFile(None, (refused,))
    # 2. Text to front matter and body.
    parts = split(path, text)
    if parts.problems:
        return ParsedFile(None, parts.problems)
    # 3. The kind comes first, because it decides which keys are fields.
    shared = defaults.of(inner) if defaults.folders else {}
    kind = _kind(inner, parts.values, shared)
    if not isinstance(kind, Kind):
        return ParsedFile(None, () if kind else (_neither_page_nor_post(path),), left_out=bool(kind))
    # 4. The keys of the file and of its defaults to fields.
    meaning = authors.kept(interpret(authors.mapped(parts.values), kind, path), parts.values, path)
    if shared:
        meaning = _with_defaults(meaning, interpret(shared, kind, SETTINGS, shared=True))
    meaning = _with_parent_from_root(meaning, path)
    meaning = replace(
        meaning,
        mentions=tables.renamed(meaning.mentions),
        aliases=addresses.old_addresses(parts.values, meaning.aliases or (), inner, host),
        problems=(*meaning.problems, *addresses.placeholders(parts.values, path)),
    )
    if not all(problem.warning for problem in meaning.problems):
        return ParsedFile(None, meaning.problems)
    # 5. The name and the first heading give what is still missing.
    return ParsedFile(_document(source, inner, kind, parts, meaning), meaning.problems)


def _document(source: Source, inner: str, kind: Kind, parts: FrontMatter, meaning: Meaning) -> Document:
    if source.blob == EMPTY_BLOB:
        # The page of a folder without a file: Jekyll's `_guides` is `guides` in addresses.
        inner = re.sub(r"(^|/)_+(?=[^/_][^/]*/index\.md$)", r"\1", inner)
    fields, start = _with_suggestions(meaning.fields, kind, inner, parts.body)
    return Document(
        path=source.path,
        blob=source.blob,
        kind=kind,
        fields=fields,
        body=parts.body[start:],
        body_line=parts.body_line + parts.body.count("\n", 0, start),
        parent=meaning.parent,
        parent_line=meaning.parent_line,
        layout=meaning.layout,
        layout_line=meaning.layout_line,
        bound_id=meaning.bound_id,
        protect=bool(meaning.protect),
        aliases=meaning.aliases or (),
        mentions=meaning.mentions,
        front_page=meaning.front_page,
        extra=meaning.extra,
    )


def _neither_page_nor_post(path: str) -> Problem:
    what = "it is neither under pages/ nor posts/"
    todo = "move it, or set `type` in its front matter, or for its folder below `[defaults]`"
    return Problem(path, 0, what, todo, warning=True, code=Code.NOT_A_DOCUMENT)


def _unnameable(path: str) -> Problem | None:
    if is_path(path):
        return None
    what = "its name has control characters or is not UTF-8, so a manifest cannot contain it"
    return Problem(path, 0, what, "rename the file", code=Code.FILE_NAME)


def _too_large(path: str, data: bytes) -> Problem | None:
    if len(data) <= LARGEST:
        return None
    what = f"the file has {len(data) / MIB:.1f} MiB, and a page has at most {LARGEST // MIB} MiB"
    return Problem(
        path, 0, what, "split it, or move everything that is not text to other files", code=Code.TOO_LARGE
    )


def _unreadable(path: str, data: bytes) -> Problem | None:
    """Give the line of the first byte that cannot be in a text."""
    nul = data.find(b"\0")
    what, offset = "there is a NUL byte in the text", nul
    try:
        data[: nul if nul >= 0 else None].decode()
    except UnicodeDecodeError as error:
        what, offset = "the text is not UTF-8", error.start
    if offset < 0:
        return None
    line = text_of(data[:offset]).count("\n") + 1
    return Problem(path, line, what, "save the file as UTF-8 text", code=Code.NOT_TEXT)


def text_of(data: bytes) -> str:
    """Give the text of a file, without a byte order mark and with LF as line ending.

    :raises UnicodeDecodeError: the bytes are not UTF-8.
    """
    text = data.removeprefix(codecs.BOM_UTF8).decode()
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _is_of_section(inner: str, folder: str) -> bool:
    """Tell whether a file is a section's page: the index of `folder`, or an `_index.md` further below."""
    return stem(inner) == "_index" or (stem(inner) == "index" and posixpath.dirname(inner) == folder)


def _kind(inner: str, values: Mapping[str, Given], shared: Mapping[str, Given]) -> Kind | str | None:
    """Give the kind that the file names, else the kind of `pages/` or `posts/`, else its default.

    It is `LEFT_OUT` if the file or its default says so.
    """
    kinds: dict[str, Kind | str] = {**{kind.value: kind for kind in Kind}, LEFT_OUT: LEFT_OUT}
    folder = FOLDERS.get(inner.partition("/")[0]) if "/" in inner else None
    own, default = (
        kinds.get(given.text) for given in (values.get("type", _NOT_GIVEN), shared.get("type", _NOT_GIVEN))
    )
    return own or (LEFT_OUT if default == LEFT_OUT else folder or default)


def _with_defaults(own: Meaning, shared: Meaning) -> Meaning:
    """Complete the values of a file by its defaults."""
    dates = {"date", "date_gmt"}
    # Both keys name the same moment, so a default of the other key would contradict the file.
    hidden = dates if dates & own.fields.keys() else frozenset[str]()
    # A field is given by ids or by names, never by both.
    hidden |= {mention.field for mention in own.mentions}
    inherited = [m for m in shared.mentions if m.field not in own.fields and m.field not in hidden]
    parent = own if own.parent is not None else shared
    return Meaning(
        fields={**{key: value for key, value in shared.fields.items() if key not in hidden}, **own.fields},
        mentions=(*own.mentions, *(replace(mention, line=0) for mention in inherited)),
        parent=parent.parent,
        parent_line=parent.parent_line,
        layout=shared.layout if own.layout is None else own.layout,
        layout_line=own.layout_line,
        bound_id=own.bound_id,
        protect=shared.protect if own.protect is None else own.protect,
        aliases=shared.aliases if own.aliases is None else own.aliases,
        front_page=own.front_page,
        extra={**shared.extra, **own.extra},
        problems=own.problems + shared.problems,
    )


def _with_parent_from_root(meaning: Meaning, path: str) -> Meaning:
    """Give a parent that is written relative to the file's folder as a path from the repository's root."""
    parent = meaning.parent
    if not isinstance(parent, str) or not parent.startswith(("./", "../")):
        return meaning
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), parent))
    if not target.startswith(".."):
        return replace(meaning, parent=target)
    what = f"its parent '{parent}' is outside of the repository"
    problem = Problem(
        path,
        meaning.parent_line,
        what,
        "name a page by its path, or by its id on the site",
        code=Code.MISSING_PARENT,
    )
    return replace(meaning, parent=None, problems=(*meaning.problems, problem))


def _with_suggestions(named: Fields, kind: Kind, inner: str, body: str) -> tuple[dict[str, Value], int]:
    """Complete the fields from the file's name and first heading; also give the offset where the body begins.

    If a heading at the top becomes the title, the body begins after it, because every theme shows the title.
    """
    name, date = name_and_date(inner, kind)
    fields, start = dict(named), 0
    if "title" not in fields:
        heading = first_heading(body)
        fields["title"] = heading.text if heading else _titled(name)
        if heading and heading.level == 1 and not body[: heading.start].strip():
            start = after_blank_lines(body, heading.end)
    fields["slug"] = "-".join(str(fields.get("slug", name)).lower().split())
    if date and not {"date", "date_gmt"} & fields.keys():
        fields["date"] = date
    return fields, start


def name_and_date(inner: str, kind: Kind) -> tuple[str, str | None]:
    """Give the name of a file, or of its folder if it is an index; and the date that begins a post's name."""
    name, folder = stem(inner), posixpath.dirname(inner)
    if name in INDEXES:
        name = posixpath.basename(folder) if folder and folder not in FOLDERS else "index"
    dated = _DATED_NAME.fullmatch(name) if kind is Kind.POST else None
    if dated:
        try:
            return dated[2], read_date(dated[1])[0]
        except ValueError:  # The digits are not a date. They belong to the name.
            pass
    return name, None


def _titled(name: str) -> str:
    title = " ".join(name.replace("-", " ").split()) or name
    return title[:1].upper() + title[1:]
