"""A Markdown file -> a Document, or the sentences that say why it is none.

It must not know Git, templates or the network: it is handed bytes. What decided its shape: a document
is what its front matter says, then what the defaults of its folders say, then what its name and its
first heading suggest; each is read by itself and laid over the next.
"""

from __future__ import annotations

import codecs
import posixpath
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.content import markdown_limits, merge_conflicts
from pressync.content.front_matter.dates import read_date
from pressync.content.front_matter.keys import Meaning, interpret
from pressync.content.front_matter.split import after_blank_lines, split
from pressync.content.front_matter.value import Given, given
from pressync.content.headings import first_heading
from pressync.content.sources import FOLDERS, INDEXES, below, folders_of, stem
from pressync.model.bounds import is_path
from pressync.model.errors import Problem
from pressync.model.interface import Kind
from pressync.model.records import Document
from pressync.repo.discover import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.model.records import Fields, Source, Value

MIB = 1024 * 1024
# Markdown of nothing but links takes 130 bytes of memory and 2 µs a byte to render.
LARGEST = 8 * MIB

_DATED_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(.+)", re.ASCII)
_UNSAID = Given(None)


@dataclass(frozen=True, slots=True)
class Defaults:
    """Front matter that files need not repeat: folder below the content folder -> keys; "" is all of it.

    Of two folders that hold a file, the inner one wins, key by key.
    """

    folders: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    def of(self, inner: str) -> dict[str, Given]:
        """Give what holds for the file whose path below the content folder is `inner`."""
        merged: dict[str, object] = {}
        for folder in reversed([*folders_of(inner), ""]):
            merged |= self.folders.get(folder, {})
        return {key: given(value) for key, value in merged.items()}


@dataclass(frozen=True, slots=True)
class ReadResult:
    """What a file gave: a document unless a problem is an error, and every problem that it has."""

    document: Document | None
    problems: tuple[Problem, ...] = ()


def read(source: Source, data: bytes, *, content: str, defaults: Defaults) -> ReadResult:
    """Read one file; `content` is the content folder from the repository's root, "" for the root itself.

    A file that is neither a page nor a post gives no document, and a warning.
    """
    path, inner = source.path, below(source.path, content)
    unreadable = _unnameable(path) or _too_large(path, data) or _unreadable(path, data)
    if unreadable:
        return ReadResult(None, (unreadable,))
    text = text_of(data)
    refused = merge_conflicts.unresolved(path, text) or markdown_limits.excess(path, text)
    if refused:
        return ReadResult(None, (refused,))
    head = split(path, text)
    if head.problems:
        return ReadResult(None, head.problems)
    shared = defaults.of(inner) if defaults.folders else {}
    kind = _kind(inner, head.values, shared)
    if kind is None:
        what = "it is neither under pages/ nor posts/"
        todo = "move it, or set `type` in its front matter, or for its folder below `[defaults]`"
        return ReadResult(None, (Problem(path, 0, what, todo, warning=True),))
    said = interpret(head.values, kind, path)
    if shared:
        said = _over(said, interpret(shared, kind, SETTINGS, shared=True))
    parent, astray = _parent(said, path)
    problems = (*said.problems, *([astray] if astray else []))
    if not all(problem.warning for problem in problems):
        return ReadResult(None, problems)
    fields, start = _with_suggestions(said.fields, kind, inner, head.body)
    document = Document(
        path=path,
        blob=source.blob,
        kind=kind,
        fields=fields,
        body=head.body[start:],
        body_line=head.body_line + head.body.count("\n", 0, start),
        parent=parent,
        parent_line=said.parent_line,
        layout=said.layout,
        layout_line=said.layout_line,
        bound_id=said.bound_id,
        protect=bool(said.protect),
        aliases=said.aliases or (),
        mentions=said.mentions,
        extra=said.extra,
    )
    return ReadResult(document, problems)


def _unnameable(path: str) -> Problem | None:
    if is_path(path):
        return None
    what = "its name has control characters or is not UTF-8, so no manifest can hold it"
    return Problem(path, 0, what, "rename the file")


def _too_large(path: str, data: bytes) -> Problem | None:
    if len(data) <= LARGEST:
        return None
    what = f"the file has {len(data) / MIB:.1f} MiB, and a page has {LARGEST // MIB} at most"
    return Problem(path, 0, what, "split it, or keep what is no text in files of its own")


def _unreadable(path: str, data: bytes) -> Problem | None:
    """Name the first byte that no text can have."""
    nul = data.find(b"\0")
    what, offset = "there is a NUL byte in the text", nul
    try:
        data[: nul if nul >= 0 else None].decode()
    except UnicodeDecodeError as error:
        what, offset = "the text is not UTF-8", error.start
    if offset < 0:
        return None
    line = text_of(data[:offset]).count("\n") + 1
    return Problem(path, line, what, "save the file as UTF-8 text")


def text_of(data: bytes) -> str:
    """Give a file's text as it is read: without a byte order mark, its line ends LF.

    :raises UnicodeDecodeError: it is no UTF-8.
    """
    text = data.removeprefix(codecs.BOM_UTF8).decode()
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _kind(inner: str, values: Mapping[str, Given], shared: Mapping[str, Given]) -> Kind | None:
    """Let the file's own word go before its folder's; a default only decides for files elsewhere."""
    kinds = {kind.value: kind for kind in Kind}
    folder = FOLDERS.get(inner.partition("/")[0]) if "/" in inner else None
    own, default = (
        kinds.get(given.text) for given in (values.get("type", _UNSAID), shared.get("type", _UNSAID))
    )
    return own or folder or default


def _over(said: Meaning, shared: Meaning) -> Meaning:
    """Lay what a file says over what its defaults say."""
    dates = {"date", "date_gmt"}
    # One moment has two names; a default of the other would contradict the file.
    hidden = dates if dates & said.fields.keys() else frozenset[str]()
    # A field is said in one way: by ids or by names.
    hidden |= {mention.field for mention in said.mentions}
    inherited = [m for m in shared.mentions if m.field not in said.fields and m.field not in hidden]
    parent = said if said.parent is not None else shared
    return Meaning(
        fields={**{key: value for key, value in shared.fields.items() if key not in hidden}, **said.fields},
        mentions=(*said.mentions, *(replace(mention, line=0) for mention in inherited)),
        parent=parent.parent,
        parent_line=parent.parent_line,
        layout=shared.layout if said.layout is None else said.layout,
        layout_line=said.layout_line,
        bound_id=said.bound_id,
        protect=shared.protect if said.protect is None else said.protect,
        aliases=shared.aliases if said.aliases is None else said.aliases,
        extra={**shared.extra, **said.extra},
        problems=said.problems + shared.problems,
    )


def _parent(said: Meaning, path: str) -> tuple[str | int | None, Problem | None]:
    """Give the parent as a path from the repository's root if it was written from the file's folder."""
    parent = said.parent
    if not isinstance(parent, str) or not parent.startswith(("./", "../")):
        return parent, None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), parent))
    if target.startswith(".."):
        what = f"its parent '{parent}' is outside of the repository"
        return None, Problem(
            path, said.parent_line, what, "name a page by its path, or by its id on the site"
        )
    return target, None


def _with_suggestions(said: Fields, kind: Kind, inner: str, body: str) -> tuple[dict[str, Value], int]:
    """Complete the fields from the file's name and its first heading; tell where the body then begins.

    A leading heading that became the title leaves the body, since every theme shows the title above it.
    """
    name, date = _name(inner, kind)
    fields, start = dict(said), 0
    if "title" not in fields:
        heading = first_heading(body)
        fields["title"] = heading.text if heading else _titled(name)
        if heading and heading.level == 1 and not body[: heading.start].strip():
            start = after_blank_lines(body, heading.end)
    fields["slug"] = "-".join(str(fields.get("slug", name)).lower().split())
    if date and not {"date", "date_gmt"} & fields.keys():
        fields["date"] = date
    return fields, start


def _name(inner: str, kind: Kind) -> tuple[str, str | None]:
    """Give the name of a file, or of the folder that it is the index of; and the date that leads a post's."""
    name, folder = stem(inner), posixpath.dirname(inner)
    if name in INDEXES:
        name = posixpath.basename(folder) if folder and folder not in FOLDERS else "index"
    dated = _DATED_NAME.fullmatch(name) if kind is Kind.POST else None
    if dated:
        try:
            return dated[2], read_date(dated[1])[0]
        except ValueError:  # no calendar has it: digits of a name
            pass
    return name, None


def _titled(name: str) -> str:
    title = " ".join(name.replace("-", " ").split()) or name
    return title[:1].upper() + title[1:]
