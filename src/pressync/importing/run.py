"""One import: reads a source, writes files and the account. It commits nothing and writes to no service.

The source is read once, into a spool. Then the path and the address of every item are known, and each body
gets its links and its Markdown in a second pass. The files are written in a third pass, which takes seconds:
an import that is killed before it has written nothing. The same import writes the same bytes, so an import
that was killed is repeated as a whole.
"""

from __future__ import annotations

import posixpath
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Self, TypeVar

import msgspec

from pressync.client.dialects import capabilities_of
from pressync.content import sources
from pressync.content.front_matter.keys import Authors
from pressync.importing import importers, redirects, selection
from pressync.importing.account import Account, Carried, ImportedFile, choose_folder, files_of, read_choices
from pressync.importing.conversion import Conversion, FinishedFile
from pressync.importing.permalinks import proposal
from pressync.importing.selection import Part, select
from pressync.importing.sources.heading_ids import linked_ids
from pressync.importing.sources.item import (
    ContentRoot,
    Expected,
    ImportSource,
    Item,
    LeftOut,
    Note,
    Origin,
    OwnFacts,
    Place,
    Remainder,
    SourceFiles,
    or_left_out,
)
from pressync.importing.sources.links import FolderFiles, LinkTargets
from pressync.importing.sources.source_tree import PAGES, SourceTree
from pressync.importing.write import NO_PLACE, FileWriter
from pressync.model.errors import ConfigError
from pressync.model.interface import SiteTypes, encoded
from pressync.model.printable import listed
from pressync.model.web_address import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from pressync.config.settings import Settings
    from pressync.importing.importers import Importer
    from pressync.importing.sources.item import Items
    from pressync.plan.survey import Progress
    from pressync.repo.repository import Repository


_LENGTH = 8
Value = TypeVar("Value")


class Spool(Generic[Value]):
    """Values of one type in the order in which they came. A context manager."""

    def __init__(self, kind: type[Value]) -> None:
        self._file = tempfile.TemporaryFile(prefix="pressync-import-")  # noqa: SIM115 - `__exit__` closes it
        self._encoder = msgspec.msgpack.Encoder(enc_hook=encoded)
        self._kind = kind

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, value: Value) -> None:
        """Keep one value."""
        data = self._encoder.encode(value)
        self._file.write(len(data).to_bytes(_LENGTH, "big"))
        self._file.write(data)

    def values(self, types: SiteTypes) -> Iterator[Value]:
        """Give all values in the same order; their kinds are those of `types`."""
        decoder = msgspec.msgpack.Decoder(self._kind, dec_hook=types.decoded)
        self._file.seek(0)
        while length := self._file.read(_LENGTH):
            yield decoder.decode(self._file.read(int.from_bytes(length, "big")))


# So many names in a folder are looked at for one of a tool.
_LOOKED_AT = 50


# The kind of what is left out because Git does not have the file here.
UNCOMMITTED = "file with uncommitted changes"
# The statuses of an item that readers see.
_SHOWN = frozenset({"", "publish", "future"})
_LAYOUT = (
    "Only {0} knows them all: let it write JSON lines with the layout in the guide (Moving in, {0}), and "
    "import those."
)
_RENDERED = {tool.lower(): _LAYOUT.format(tool) for tool in ("Hugo", "Jekyll")}
_REFUSED = {"symlink": "file behind a symlink", NO_PLACE: "file that the disk does not take"}


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The wish of a person: the source, the tool if it was named, and the content folder to write to.

    `forgotten` takes records again that had a file here once. A `dry_run` writes nothing.
    """

    source: ImportSource
    tool: str = ""
    content: str = "content"
    part: Part = field(default_factory=Part)
    forgotten: bool = False
    dry_run: bool = False


def import_source(
    repository: Repository,
    settings: Settings,
    request: ImportRequest,
    progress: Callable[[str], Progress] = lambda _title: lambda _done, _total: None,
) -> Account:
    """Import a source into the work tree, and give the account; `progress` gives the meter of each pass.

    :raises ConfigError: the source cannot be read, or nobody recognises it, or it has no such part.
    :raises ContentError: people left a table of the account so that it cannot be read.
    :raises RepositoryError: there is no work tree.
    :raises StorageError: a file cannot be written.
    """
    with (
        FileWriter(repository, source=request.source.name, dry_run=request.dry_run) as writer,
        Spool(Item) as spool,
        Spool(FinishedFile) as files,
    ):
        run = _Import(writer, settings, request)
        run.read(spool, progress("Reading"))
        run.convert(spool, files, progress("Converting"))
        run.write(files, progress("Writing"))
        return run.finished()


class _Import:
    """The state of one import."""

    def __init__(self, writer: FileWriter, settings: Settings, request: ImportRequest) -> None:
        self._writer = writer
        self._request = request
        self._content = request.content
        self._captions, self._forms = settings.site.blocks, settings.markdown
        self._folders = bool(settings.folders)
        self._defaults = settings.site.defaults
        able = capabilities_of(settings.site.dialect)
        self._has_own_front = able.front_page and not settings.site.front_page
        self._addresses: dict[str, str] = {}
        self._paths: frozenset[str] = frozenset()
        self._stubs: list[Item] = []
        self._keys: dict[str, Place] = {}
        # The next number for a key that several items have.
        self._numbers: dict[str, int] = {}
        self._twins: list[Item] = []
        self._files: SourceFiles = FolderFiles({})
        self._types = request.source.types
        self._unsent: list[str] = []
        self._raw = 0
        self._linked: set[str] = set()
        self.account = Account(request.source.name)
        settings, self._chosen = read_choices(settings, writer)
        self._authors = Authors(settings.authors)

    def read(self, spool: Spool[Item], progress: Progress) -> None:
        request, expected = self._request, 0
        self.account.tool, importer = _chosen_importer(request)
        for found in guarded(request.source, importer.read(request.source)):
            match found:
                case Item():
                    self._keep(found, spool)
                case LeftOut():
                    is_wanted = not request.part.has(found.address or path_of(found.place.path))
                    self.account.leave_out(replace(found, is_wanted=found.is_wanted or is_wanted))
                case Note():
                    self.account.notes.append(found.text)
                case Origin():
                    self.account.origin, self.account.schema = found.address, found.schema
                    self._types = found.types or self._types
                case OwnFacts():
                    self.account.own = found
                case Expected():
                    expected = found.count
                case SourceFiles():
                    self._files = found
            self._show(progress, expected)

    def _show(self, progress: Progress, expected: int) -> None:
        done = len(self._stubs) + len(self.account.left_out)
        if done <= expected:
            progress(done, expected)

    def _keep(self, found: Item, spool: Spool[Item]) -> None:
        item = self._with_own_key(found)
        self._linked.update(linked_ids(item.body))
        if lost := or_left_out(item.place, spool.add, item):
            self.account.leave_out(replace(lost, address=item.address))
        else:
            self._stubs.append(replace(item, body="", excerpt="", remainders=()))

    def _with_own_key(self, item: Item) -> Item:
        """Give an item with the key of a former one another key: each of them is an item with a file."""
        key, number = item.key, self._numbers.get(item.key, 2)
        while key in self._keys:
            key, number = f"{item.key}#{number}", number + 1
        self._keys[key] = item.place
        self._numbers[item.key] = number
        if key == item.key:
            return item
        self._twins.append(item)
        return replace(item, key=key)

    def convert(self, spool: Spool[Item], files: Spool[FinishedFile], progress: Progress) -> None:
        request = self._request
        own = request.source.own if self.account.own is not None else None
        chosen = select(
            self._stubs, self._content, request.part, own, self._writer.has, forgotten=request.forgotten
        )
        for thing in chosen.left_out:
            self.account.leave_out(thing)
        self.account.fresh, self._paths = chosen.fresh, frozenset(chosen.paths.values())
        stubs = [item for item in self._stubs if item.key in chosen.paths]
        parents = selection.parents(stubs, chosen.paths, self._content, self._types, by_id=own is not None)
        self._addresses = selection.addresses(
            stubs, chosen.paths, self._content, parents, self._types, folders=self._folders
        )
        targets = LinkTargets(self.account.origin, chosen.paths, file_of=self._file_of, stay=self._files.stay)
        left_out = self.account.left_out
        slugs = {} if own is not None else selection.own_slugs(stubs, chosen.paths)
        # On the site itself, all addresses stay.
        targets.learn(stubs, (each.address for each in left_out if each.address and own is None))
        redirected = redirects.by_page(left_out, targets.page_at)
        targets.redirect(redirected)
        # On the site itself, the address of a record is the old one.
        now = None if own is not None else self._addresses
        conversion = Conversion(
            self._content,
            targets,
            parents,
            now,
            captions=self._captions,
            types=self._types,
            forms=self._forms,
            linked=self._linked,
        )
        for number, item in enumerate(spool.values(self._types), 1):
            if item.key in chosen.wanted:
                whole = item if own is not None else self._without_parent(item)
                further = redirected.get(chosen.paths[item.key], ())
                whole = replace(
                    whole, aliases=(*whole.aliases, *further), slug=slugs.get(item.key, whole.slug)
                )
                lost = or_left_out(item.place, lambda item: files.add(conversion.file(item)), whole)
                if lost:
                    self.account.leave_out(replace(lost, address=item.address))
            progress(number, len(self._stubs))

    def _without_parent(self, item: Item) -> Item:
        """Name the parent of a page that is not an item: it is a draft, or somebody deleted it."""
        if not (item.parent and item.kind.row.hierarchical) or item.parent in self._keys:
            return item
        gone = Remainder("parent that is not imported", item.place)
        return replace(item, remainders=(*item.remainders, gone))

    def write(self, files: Spool[FinishedFile], progress: Progress) -> None:
        total = len(self._stubs) - sum(thing.is_wanted for thing in self.account.left_out)
        for number, file in enumerate(files.values(self._types), 1):
            self._write(file)
            progress(number, max(number, total))
        for inner, copy in self._files.copies():
            path = posixpath.join(self._content, inner)
            try:
                data = copy.read_bytes()
            except OSError as error:
                self.account.notes.append(f"{path}: the file cannot be copied ({error.strerror})")
                continue
            self._copy(path, data)

    def _copy(self, path: str, data: bytes) -> bool:
        """Write a file that is not an item, and tell whether it may be written."""
        if refusal := self._writer.refusal(path, data):
            self.account.notes.append(f"{path}: {refusal}")
        else:
            self._writer.write(path, data)
        return not refusal

    def finished(self) -> Account:
        account = self.account
        account.media += self._files.missing()
        if account.own is None and (proposed := proposal(account.files, self._types)):
            account.notes.append(proposed)
        account.notes += self._notes()
        authors = {file.item.author for file in account.files} - {""}
        account.without_user = tuple(sorted(author for author in authors if not self._authors.has(author)))
        # The imported files need the schema that the site told.
        if account.schema and self._copy(account.schema[0], account.schema[1].encode()):
            what = "The site has types or fields of its own. Commit its schema"
            account.notes.append(f"{what}: {account.schema[0]}.")
        account.changed, account.types = self._writer.changed, self._types
        account.folder = choose_folder(account, self._writer)
        for path, text in files_of(account, self._chosen).items():
            self._writer.write(path, text.encode(errors="replace"))
        return account

    def _write(self, file: FinishedFile) -> None:
        item, path = file.item, file.path
        self.account.media += file.media
        if item.is_unsent and self._writer.differs(path, file.data):
            item = replace(item, is_current=True)
            self._unsent.append(path)
        if item.is_current:
            self._note(item, path, file.kept)
            return
        if refusal := self._writer.refusal(path, file.data):
            kind = next((kind for sign, kind in _REFUSED.items() if sign in refusal), UNCOMMITTED)
            self.account.leave_out(LeftOut(kind, item.place, f"{path}: {refusal}", item.address))
            return
        self._writer.write(path, file.data)
        self._note(item, path, file.kept)
        self._raw += file.shows_tags and item.status in _SHOWN

    def _note(self, item: Item, path: str, kept: tuple[str, ...]) -> None:
        """Count an item, and note each thing in it that is not Markdown."""
        for kind in dict.fromkeys(kept):
            self.account.note(Carried.AS_HTML, kind, item.place)
        for remainder in item.remainders:
            self.account.note(Carried.VERBATIM, remainder.kind, remainder.place)
        way = Carried.AS_HTML if kept else Carried.AS_MARKDOWN
        way = Carried.VERBATIM if item.remainders else way
        stub = replace(item, remainders=())
        address = self._addresses.get(item.key, "")
        if address == "/" and self._has_own_front and not item.fields.get("front_page"):
            address = "/index/"
            self.account.notes.append(
                f"{path} will be a page at /index/, for WordPress has a front page of its own at /. Write "
                "`front_page: true` into the file to show the page there."
            )
        self.account.files.append(ImportedFile(stub, path, way, address))

    def _left_behind(self) -> list[str]:
        """Give the documents that the source had once; a site keeps a record when its address changes."""
        if self.account.own is not None or self._request.part != Part():
            return []
        written = sources.documents(self._writer.of_source(), self._content)
        return [path for path in written if path not in self._paths]

    def _notes(self) -> Iterator[str]:
        """Say what readers would see, and which items and files are not what somebody expects."""
        if self._raw:
            public = sum(file.item.status in _SHOWN for file in self.account.files)
            way = _RENDERED.get(self.account.tool, "Write what each stands for into the files.")
            what = "Pages that show syntax of the tool to readers as it is typed"
            yield f"{what}: {self._raw} of {public}. {way}"
        for twin in self._twins[:1]:
            yield (
                f"Items with the address or the key of another: {len(self._twins)}, first {twin.place}, "
                f"which has {twin.key} as {self._keys[twin.key]}. Each has a file of its own."
            )
        files = {file.path: "" for file in self.account.files}
        pages = (
            {} if self._folders else sources.folder_pages(files, self._content, self._defaults, self._types)
        )
        if pages:
            yield (
                f"Folders without a page of their own: {len(pages)}, "
                f"such as {posixpath.dirname(min(pages))}. "
                'Write `folders = "pages"` at the top of pressync.toml to keep them in addresses.'
            )
        if left := self._left_behind():
            yield (
                f"Files of an import before, which this one does not have: {len(left)}, {listed(left)}. If "
                "the source renamed one, remove it in the commit of its new file: the record moves along."
            )
        if self._unsent:
            yield (
                f"Bound to a record, and not synced since: {len(self._unsent)}, such as {min(self._unsent)}. "
                "These files stay as they are: a sync sends them, and `pressync pull PATH` takes the text of "
                "the site."
            )

    def _file_of(self, address: str) -> str | None:
        inner = self._files.file_of(address)
        return posixpath.join(self._content, inner) if inner else None


def _chosen_importer(request: ImportRequest) -> tuple[str, Importer]:
    """Give the importer of the tool that a person or the source says, with its name."""
    if request.tool:
        return request.tool, importers.importer(request.tool)
    if found := importers.recognised(request.source):
        return found
    names = ", ".join(importers.names())
    todo = (
        f"name its tool with `--as` ({names}), or write JSON lines: `pressync schema import`; plain "
        "Markdown and Zola need no import, but their folder as `content` in pressync.toml"
    )
    what = "pressync does not recognise this source"
    raise ConfigError(what, where=request.source.given, todo=_near(request.source) or todo)


def _near(source: ImportSource) -> str:
    """Name the folder of a tool that is above a source, or in it; "" if there is none."""
    if source.path is None:
        return ""
    here = source.path.resolve()
    # Nobody asked for these folders, so one that cannot be read is not worth a word.
    with suppress(OSError):
        inner = sorted(here.iterdir())[:_LOOKED_AT] if here.is_dir() else []
        for place in (*here.parents[:2], *filter(Path.is_dir, inner)):
            found = importers.recognised(ImportSource(str(place), place))
            if found and found[1].of_folder:
                return f"{place} is a folder of {found[0]}: name that one"
    return ""


UNREAD_PAGE = "page that nothing reads"
_WHY = (
    "it is below {}, the importer makes no page of it, and no page includes it; move its text into a page, "
    "or import it by hand"
)


def guarded(source: ImportSource, items: Items) -> Items:
    """Give all items, and then each page of a content root that is not among them."""
    roots: list[ContentRoot] = []
    mentioned: set[str] = set()
    for each in items:
        if isinstance(each, ContentRoot):
            roots.append(each)
            continue
        if isinstance(each, Item | LeftOut):
            mentioned.add(posixpath.normpath(each.place.path))
        yield each
    if source.path is not None and source.path.is_dir():
        yield from _unmentioned(SourceTree.of(source.path), roots, mentioned)


def _unmentioned(
    tree: SourceTree, roots: Sequence[ContentRoot], mentioned: Container[str]
) -> Iterator[LeftOut]:
    named: set[str] = set()
    for root in roots:
        for path in tree.files(root.folder):
            is_known = path in mentioned or path in named or not path.lower().endswith(PAGES)
            if not is_known and not any(other.is_part(path) for other in roots):
                named.add(path)
                why = _WHY.format(root.folder or "the folder that is imported")
                yield LeftOut(UNREAD_PAGE, Place(path), why)
