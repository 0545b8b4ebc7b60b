"""One import: reads a source, writes files and the account. It commits nothing and writes to no service.

The source is read once, into a spool. Then the path and the address of every item are known, and each body
gets its links and its Markdown in a second pass.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.app.import_site import account_files, front_matter, paths
from pressync.app.import_site.account import Account, Carried, ImportedFile
from pressync.app.import_site.spool import Spool
from pressync.app.import_site.write import FileWriter
from pressync.content import folder_pages, import_tables
from pressync.content.front_matter.authors import Authors
from pressync.content.sources import below
from pressync.importers import bodies
from pressync.importers.item import Form, Item, LeftOut, Note, Origin, Remainder
from pressync.importers.links import LinkTargets, rewritten
from pressync.importers.registry import IMPORTERS, recognised
from pressync.model.errors import ConfigError, ContentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.config.settings import Settings
    from pressync.importers.item import ImportSource, Place, SourceFiles
    from pressync.repo.repository import Repository

# The kind of what is left out because Git does not have the file here.
UNCOMMITTED = "file with uncommitted changes"


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """The wish of a person: the source, the tool if it was named, and the content folder to write to."""

    source: ImportSource
    tool: str = ""
    content: str = "content"


def import_source(
    repository: Repository,
    settings: Settings,
    request: ImportRequest,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Account:
    """Import a source into the work tree, and give the account; `progress` is called for each item.

    :raises ConfigError: the source cannot be read, or nobody recognises it.
    :raises ContentError: people left a table of the account so that it cannot be read.
    :raises RepositoryError: there is no work tree.
    :raises StorageError: a file cannot be written.
    """
    writer = FileWriter(repository)
    with Spool() as spool:
        run = _Import(writer, settings, request, spool)
        run.read()
        run.write(progress)
        return run.finished()


class _Import:
    """The state of one import."""

    def __init__(self, writer: FileWriter, settings: Settings, request: ImportRequest, spool: Spool) -> None:
        self._writer = writer
        self._request = request
        self._content = request.content
        self._captions = settings.site.blocks
        self._folders = bool(settings.folders)
        self._defaults = settings.site.defaults
        self._users = settings.authors
        self._addresses: dict[str, str] = {}
        self._spool = spool
        self._origin = ""
        self._keys: dict[str, Place] = {}
        self._twins: list[Item] = []
        self._files: SourceFiles | None = None
        self._unsent: list[str] = []
        self.account = Account(request.source.name)
        tables = {path: import_tables.read(path, writer.data(path)) for path in import_tables.COLUMNS}
        self._chosen = {path: table.chosen for path, table in tables.items()}
        if problems := [problem for table in tables.values() for problem in table.problems]:
            raise ContentError(tuple(problems), todo="fix the table, and import again")

    def read(self) -> None:
        """Read the whole source into the spool."""
        request = self._request
        tool = request.tool or recognised(request.source)
        if tool is None:
            signs = "; ".join(f"{name}: {importer.sign}" for name, importer in IMPORTERS.items())
            raise ConfigError(
                f"pressync does not recognise this source ({signs})",
                where=request.source.given,
                todo="name the tool with `--as`",
            )
        self.account.tool = tool
        for found in IMPORTERS[tool].items(request.source):
            match found:
                case Item():
                    self._spool.add(self._with_own_key(found))
                case LeftOut():
                    self.account.leave_out(found)
                case Note():
                    self.account.notes.append(found.text)
                case Origin():
                    self._origin = found.address
                case files:
                    self._files = files

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

    def write(self, progress: Callable[[int, int], None]) -> None:
        """Write the file of each item."""
        stubs = self._spool.stubs
        by_key = paths.chosen(stubs, self._content)
        parents = paths.parents(stubs, by_key, self._content)
        self._addresses = paths.addresses(stubs, by_key, self._content, folders=self._folders)
        targets = LinkTargets(self._origin, by_key, file_of=self._file_of)
        targets.learn(stubs)
        for number, item in enumerate(self._spool.items(), 1):
            self._write(item, by_key[item.key], parents.get(item.key), targets)
            progress(number, len(stubs))

    def finished(self) -> Account:
        """Copy the pictures, write the account, and give it."""
        account = self.account
        if self._files is not None:
            for inner, file in self._files.copies():
                path = posixpath.join(self._content, inner)
                data = file.read_bytes()
                if refusal := self._writer.refusal(path, data):
                    account.notes.append(f"{path}: {refusal}")
                else:
                    self._writer.write(path, data)
            account.media += self._files.missing()
        account.notes += [*self._same_names(), *self._folders_without_page(), *self._bound_before()]
        users = Authors({**self._chosen[import_tables.AUTHORS], **self._users})
        authors = {file.item.author for file in account.files} - {""}
        account.without_user = tuple(sorted(author for author in authors if not users.has(author)))
        account.changed = self._writer.changed
        for path, text in account_files.files(account, self._chosen).items():
            self._writer.write(path, text.encode(errors="replace"))
        self._writer.close()
        return account

    def _write(self, item: Item, path: str, parent: str | int | None, targets: LinkTargets) -> None:
        html = bodies.as_html(item.body, item.form)
        linked = rewritten(html, item.form, lambda written: targets.link(item, written))
        if item.form is Form.MARKDOWN:
            body = bodies.MarkdownBody(linked)
        else:
            body = bodies.as_markdown(linked, captions=self._captions)
        item = self._with_files(item, targets)
        own = self._request.source.own
        head = front_matter.written(
            item,
            below(path, self._content),
            parent=parent,
            # On the site itself, the address of a record is the old one.
            now=None if own is not None and own.is_source else self._addresses.get(item.key, ""),
        )
        data = f"{head}\n{body.text.lstrip(chr(10))}".encode(errors="replace")
        if item.is_unsent and self._writer.differs(path, data):
            item = replace(item, is_current=True)
            self._unsent.append(path)
            if own is not None:
                own.seen.pop(item.key, None)
        if item.is_current:
            self._note(item, path, body.kept)
            return
        if refusal := self._writer.refusal(path, data):
            kind = UNCOMMITTED if "symlink" not in refusal else "file behind a symlink"
            self.account.leave_out(LeftOut(kind, item.place, f"{path}: {refusal}", item.address))
            return
        self._writer.write(path, data)
        self._note(item, path, body.kept)

    def _note(self, item: Item, path: str, kept: tuple[str, ...]) -> None:
        """Count an item, and note each thing in it that is not Markdown."""
        for kind in dict.fromkeys(kept):
            self.account.note(Carried.AS_HTML, kind, item.place)
        for remainder in item.remainders:
            self.account.note(Carried.VERBATIM, remainder.kind, remainder.place)
        way = Carried.VERBATIM if item.remainders else Carried.AS_HTML if kept else Carried.AS_MARKDOWN
        stub = replace(item, body="", excerpt="", remainders=())
        self.account.files.append(ImportedFile(stub, path, way, self._addresses.get(item.key, "")))

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

    def _with_files(self, item: Item, targets: LinkTargets) -> Item:
        """Write the featured picture as a path, if it has a file here; else `media.txt` has its address."""
        picture = item.fields.get("featured_media")
        if not isinstance(picture, str):
            return item
        others = {key: value for key, value in item.fields.items() if key != "featured_media"}
        link = targets.link(item, picture)
        if link is not None:
            return replace(item, fields={**others, "featured_media": link})
        if "://" in picture:
            self.account.media.append(picture)
        remainders = (*item.remainders, Remainder("featured picture without a file", item.place, picture))
        return replace(item, fields=others, remainders=remainders)
