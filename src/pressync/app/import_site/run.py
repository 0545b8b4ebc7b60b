"""One import: reads a source, writes files and the account. It commits nothing and writes to no service.

The source is read once, into a spool. Then the path and the address of every item are known, and each body
gets its links and its Markdown in a second pass. The files are written in a third pass, which takes seconds:
an import that is killed before it has written nothing.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pressync.app.import_site import account_files, account_folder, paths
from pressync.app.import_site.account import Account, Carried, ImportedFile
from pressync.app.import_site.conversion import Conversion, FinishedFile
from pressync.app.import_site.part import Part
from pressync.app.import_site.selection import select
from pressync.app.import_site.spool import Spool
from pressync.app.import_site.unfinished import NO_NOTE
from pressync.app.import_site.write import FileWriter
from pressync.content import folder_pages, import_tables
from pressync.content.front_matter.authors import Authors
from pressync.content.import_tables import AUTHORS
from pressync.importers.item import Expected, Item, LeftOut, Note, Origin
from pressync.importers.kept_lines import KeptLines
from pressync.importers.links import LinkTargets
from pressync.importers.registry import IMPORTERS, recognised
from pressync.model.errors import ConfigError, ContentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.app.import_site.unfinished import ImportNote
    from pressync.config.settings import Settings
    from pressync.importers.in_step import OwnSite
    from pressync.importers.item import ImportSource, Place, SourceFiles
    from pressync.plan.survey import Progress
    from pressync.repo.repository import Repository

# The kind of what is left out because Git does not have the file here.
UNCOMMITTED = "file with uncommitted changes"


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The wish of a person: the source, the tool if it was named, and the content folder to write to.

    `forgotten` takes records again that had a file here once. A `dry_run` writes nothing. `note` names
    the whole wish while it is carried out.
    """

    source: ImportSource
    tool: str = ""
    content: str = "content"
    part: Part = field(default_factory=Part)
    forgotten: bool = False
    dry_run: bool = False
    note: ImportNote = NO_NOTE


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
    writer = FileWriter(repository, request.note, dry_run=request.dry_run)
    with Spool(Item) as spool, Spool(FinishedFile) as files:
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
        self._captions = settings.site.blocks
        self._folders = bool(settings.folders)
        self._defaults = settings.site.defaults
        self._has_own_front = settings.site.dialect == "wordpress" and not settings.site.front_page
        self._addresses: dict[str, str] = {}
        self._stubs: list[Item] = []
        self._keys: dict[str, Place] = {}
        self._twins: list[Item] = []
        self._files: SourceFiles | None = None
        self._unsent: list[str] = []
        self.account = Account(request.source.name)
        tables = account_folder.tables(writer)
        self._chosen = {path: table.chosen for path, table in tables.items()}
        by_authors = {path: each for path, each in tables.items() if import_tables.is_table(path, AUTHORS)}
        chosen, _, differing = import_tables.together(by_authors)
        self._authors = Authors({**chosen, **settings.authors})
        if problems := {*differing, *(problem for table in tables.values() for problem in table.problems)}:
            raise ContentError(tuple(sorted(problems, key=str)), todo="fix the table, and import again")

    def read(self, spool: Spool[Item], progress: Progress) -> None:
        """Read the whole source into the spool."""
        request, expected = self._request, 0
        self.account.tool = _tool(request)
        for found in IMPORTERS[self.account.tool].items(request.source):
            match found:
                case Item():
                    item = self._with_own_key(found)
                    spool.add(item)
                    self._stubs.append(replace(item, body="", excerpt="", remainders=()))
                case LeftOut():
                    is_wanted = not request.part.has(found.address or urlsplit(found.place.path).path)
                    self.account.leave_out(replace(found, is_wanted=found.is_wanted or is_wanted))
                case Note():
                    self.account.notes.append(found.text)
                case Origin():
                    self.account.origin = found.address
                case Expected():
                    expected = found.count
                case files:
                    self._files = files
            if expected and (done := len(self._stubs) + len(self.account.left_out)) <= expected:
                progress(done, expected)

    def _with_own_key(self, item: Item) -> Item:
        """Give an item with the key of a former one another key: each of them is an item with a file."""
        key, number = item.key, 2
        while key in self._keys:
            key, number = f"{item.key}#{number}", number + 1
        self._keys[key] = item.place
        if key == item.key:
            return item
        self._twins.append(item)
        return replace(item, key=key)

    def convert(self, spool: Spool[Item], files: Spool[FinishedFile], progress: Progress) -> None:
        """Make the file of each item that is wanted."""
        request, own = self._request, self._own
        chosen = select(
            self._stubs,
            self._content,
            request.part,
            own,
            self._writer.has,
            forgotten=request.forgotten,
        )
        for thing in chosen.left_out:
            self.account.leave_out(thing)
        self.account.fresh = chosen.fresh
        stubs = [item for item in self._stubs if item.key in chosen.paths]
        parents = paths.parents(stubs, chosen.paths, self._content, by_id=own is not None)
        self._addresses = paths.addresses(stubs, chosen.paths, self._content, parents, folders=self._folders)
        targets = LinkTargets(self.account.origin, chosen.paths, file_of=self._file_of)
        targets.learn(stubs)
        # On the site itself, the address of a record is the old one.
        now = None if own is not None else self._addresses
        keep = request.source.keep
        with KeptLines(keep / "bodies" if keep is not None else None) as kept:
            conversion = Conversion(self._content, targets, parents, now, captions=self._captions, kept=kept)
            for number, item in enumerate(spool.values(), 1):
                if item.key in chosen.wanted:
                    files.add(conversion.file(item))
                progress(number, len(self._stubs))

    @property
    def _own(self) -> OwnSite | None:
        """The own site, if it is the source."""
        own = self._request.source.own
        return own if own is not None and own.is_source else None

    def write(self, files: Spool[FinishedFile], progress: Progress) -> None:
        """Write the files, and copy the pictures."""
        total = len(self._stubs) - sum(thing.is_wanted for thing in self.account.left_out)
        for number, file in enumerate(files.values(), 1):
            self._write(file)
            progress(number, max(number, total))
        for inner, copy in self._files.copies() if self._files is not None else ():
            path = posixpath.join(self._content, inner)
            data = copy.read_bytes()
            if refusal := self._writer.refusal(path, data):
                self.account.notes.append(f"{path}: {refusal}")
            else:
                self._writer.write(path, data)

    def finished(self) -> Account:
        """Write the account, and give it."""
        account = self.account
        account.media += self._files.missing() if self._files is not None else []
        account.notes += [*self._same_names(), *self._folders_without_page(), *self._bound_before()]
        authors = {file.item.author for file in account.files} - {""}
        account.without_user = tuple(sorted(author for author in authors if not self._authors.has(author)))
        account.changed = self._writer.changed
        account.folder = account_folder.choose(account, self._writer)
        for path, text in account_files.files(account, self._chosen).items():
            self._writer.write(path, text.encode(errors="replace"))
        self._writer.close()
        return account

    def _write(self, file: FinishedFile) -> None:
        item, path = file.item, file.path
        self.account.media += file.media
        own = self._request.source.own
        if item.is_unsent and self._writer.differs(path, file.data):
            item = replace(item, is_current=True)
            self._unsent.append(path)
            if own is not None:
                own.seen.pop(item.key, None)
        if item.is_current:
            self._note(item, path, file.kept)
            return
        if refusal := self._writer.refusal(path, file.data):
            kind = UNCOMMITTED if "symlink" not in refusal else "file behind a symlink"
            self.account.leave_out(LeftOut(kind, item.place, f"{path}: {refusal}", item.address))
            return
        self._writer.write(path, file.data)
        self._note(item, path, file.kept)

    def _note(self, item: Item, path: str, kept: tuple[str, ...]) -> None:
        """Count an item, and note each thing in it that is not Markdown."""
        for kind in dict.fromkeys(kept):
            self.account.note(Carried.AS_HTML, kind, item.place)
        for remainder in item.remainders:
            self.account.note(Carried.VERBATIM, remainder.kind, remainder.place)
        way = Carried.VERBATIM if item.remainders else Carried.AS_HTML if kept else Carried.AS_MARKDOWN
        stub = replace(item, remainders=())
        address = self._addresses.get(item.key, "")
        if address == "/" and self._has_own_front and not item.fields.get("front_page"):
            address = "/index/"
            self.account.notes.append(
                f"{path} will be a page at /index/, for WordPress has a front page of its own at /. Write "
                "`front_page: true` into the file to show the page there."
            )
        self.account.files.append(ImportedFile(stub, path, way, address))

    def _same_names(self) -> Iterator[str]:
        """Say that items of the source have one name, because a site gives each page its own address."""
        for first in self._twins[:1]:
            yield (
                f"Items with the address or the key of another: {len(self._twins)}, first {first.place}, "
                f"which has {first.key} as {self._keys[first.key]}. Each has a file of its own."
            )

    def _bound_before(self) -> Iterator[str]:
        """Say which files were bound to their records, and say other things than these."""
        for first in sorted(self._unsent)[:1]:
            yield (
                f"Bound to a record, and not synced since: {len(self._unsent)}, such as {first}. These files "
                "stay as they are: a sync sends them, and `pressync pull PATH` takes the text of the site."
            )

    def _folders_without_page(self) -> Iterator[str]:
        """Say what keeps the names of folders in addresses, where the settings do not."""
        files = {file.path: "" for file in self.account.files}
        pages = {} if self._folders else folder_pages.added(files, self._content, self._defaults)
        if pages:
            first = posixpath.dirname(min(pages))
            yield (
                f"Folders without a page of their own: {len(pages)}, such as {first}. "
                'Write `folders = "pages"` at the top of pressync.toml to keep them in addresses.'
            )

    def _file_of(self, address: str) -> str | None:
        inner = self._files.file_of(address) if self._files is not None else None
        return posixpath.join(self._content, inner) if inner else None


def _tool(request: ImportRequest) -> str:
    """Name the tool of the source, as a person or the source says."""
    tool = request.tool or recognised(request.source)
    if tool is None:
        signs = "; ".join(f"{name}: {importer.sign}" for name, importer in IMPORTERS.items())
        raise ConfigError(
            f"pressync does not recognise this source ({signs})",
            where=request.source.given,
            todo="name the tool with `--as`",
        )
    return tool
