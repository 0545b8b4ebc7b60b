"""Keeps the results of `check` by file, in the cache folder of the user, so that the next check reads less.

A row is used only if everything that went into it is as it was: the blob of the file, the settings, the
templates, the libraries, this program, and each answer of the tree that the file asked for. The folder
belongs to the user and not to the clone, because a clone may come from a stranger. Anybody may delete it.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from pressync.app import cache_file
from pressync.content.basis import version
from pressync.content.content import Content
from pressync.content.read_files import ReadFile
from pressync.content.render.diagrams import is_here
from pressync.content.render.links import Linked, Pointer, Unresolved
from pressync.content.sent_form import SentForm
from pressync.model.errors import Code, Problem
from pressync.model.fingerprint import small_digest
from pressync.model.interface import encoded
from pressync.model.records import Desired, Document, Prepared
from pressync.repo.paths import is_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pressync.config.settings import Settings
    from pressync.content.site_checks import PageLinks
    from pressync.model.records import Entry
    from pressync.repo.repository import Repository

_LIBRARIES = ("comrak", "jinja2", "pygments", "math_core", "msgspec")
_TABLES = """
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, blob TEXT NOT NULL, left_out INTEGER NOT NULL, result BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answer (one INTEGER PRIMARY KEY CHECK (one = 1), result BLOB NOT NULL);
"""
_FEW = 8
# More edited files than this are compared with all others again.
_MOST_EDITS = 50
# A command on the same machine that writes at this moment is waited for so many seconds.
_PATIENCE = 0.2
_OF_SCHEMA = frozenset({"types", "site_schema"})

_CODES = {str(code): code for code in Code}
_Pointer = tuple[int, str, str, str]
# The members of a `Problem`, in their order.
_ProblemRow = tuple[str, int, str, str, bool, str, str, str, str]
_NO_ENTRIES: Mapping[str, Any] = MappingProxyType({})


class FileResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The record of one file, its problems and links, and what it asked of the tree.

    `desired` is None if the file is not a document, or is left out. `parent` is that of its front matter.
    `answers` are the names of `Unresolved` by linked path. `absent` says what is at a path that the tree has
    not.
    """

    desired: Desired | None
    problems: tuple[_ProblemRow, ...] = ()
    ids: tuple[str, ...] = ()
    anchors: tuple[_Pointer, ...] = ()
    addresses: tuple[_Pointer, ...] = ()
    missing: tuple[str, ...] = ()
    parent: str | int | None = None
    answers: dict[str, str] = {}
    absent: dict[str, tuple[str, str] | None] = {}
    left_out: bool = False

    @property
    def links(self) -> PageLinks:
        """The ids and links, for the comparison of all documents."""
        from pressync.content.site_checks import PageLinks  # noqa: PLC0415 - without an edit nothing is compared

        linked = Linked(
            "",
            anchors=tuple(Pointer(*row) for row in self.anchors),
            addresses=tuple(Pointer(*row) for row in self.addresses),
            missing=self.missing,
        )
        return PageLinks(frozenset(self.ids), linked)

    @property
    def shared(self) -> FileResult:
        """The same without the text and its own problems, which decide about no other document."""
        if self.desired is None:
            return msgspec.structs.replace(self, problems=())
        digests = {name: digest for name, digest in self.desired.fingerprints.items() if name != "content"}
        desired = msgspec.structs.replace(self.desired, blob="", fingerprints=digests)
        return msgspec.structs.replace(self, desired=desired, problems=())


class _Answer(msgspec.Struct, frozen=True, array_like=True):
    """The problems of a whole tree, and what they depend on beside the documents.

    `commit` is "" if history decides nothing, because the files of all links are here. `absent` is that of
    all documents. `index` and `saved` are those of the tree: with the same index, only files that are in
    `saved`, or were, can differ.
    """

    environment: str
    others: str
    commit: str
    absent: dict[str, tuple[str, str] | None]
    problems: tuple[_ProblemRow, ...]
    index: str = ""
    saved: frozenset[str] = frozenset()


class CheckCache:
    """The cache of one site of one clone."""

    def __init__(self, database: sqlite3.Connection | None) -> None:
        """Read and write this database; without one, nothing is kept."""
        self._database = database
        self._environment = ""
        self._answer: _Answer | None = None
        # The blobs of all rows; None if they are read one by one.
        self._blobs: dict[str, str] | None = {}
        self._new: dict[str, tuple[str, bool, bytes | None]] = {}

    @property
    def keeps(self) -> bool:
        """Whether the next check finds what this one writes."""
        return self._database is not None

    def is_empty(self) -> bool:
        """Tell whether no check was kept."""
        return not self._read("SELECT one FROM answer")

    def begin(self, content: Content) -> None:
        """Compare the settings, the templates and this program with those of the last check."""
        self._environment = _environment(content)
        # One state of the cache is read, although another check may write at this moment.
        self._read("BEGIN")
        rows = self._read("SELECT result FROM answer")
        with suppress(msgspec.DecodeError):
            self._answer = msgspec.msgpack.decode(rows[0][0], type=_Answer) if rows else None
        if self._answer and self._answer.environment == self._environment:
            is_same_index = content.tree.index and content.tree.index == self._answer.index
            self._blobs = None if is_same_index else dict(self._read("SELECT path, blob FROM files"))

    def problems(self, content: CheckedContent) -> list[Problem] | None:
        """Give the problems of all documents, if the edits since the last check concern no other document."""
        problems = self._problems(content)
        if self._database is not None:
            # A check of all files takes long, and another one may write meanwhile.
            self._database.rollback()
        return problems

    def _problems(self, content: CheckedContent) -> list[Problem] | None:
        answer, tree = self._answer, content.tree
        edited = self._edited(content)
        if answer is None or edited is None or not _is_as_before(answer, content):
            return None
        kept = list(answer.problems)
        for path in edited:
            before, now = self._result(content, path, self._blob(path) or ""), content.read_early(path)
            if before is None or now is None or before.shared != now.shared:
                return None
            # A problem of a template, or of a default, is told once for all files that have it.
            is_shared = any(row[0] != path or row[5] for row in (*before.problems, *now.problems))
            others = [row for row in kept if row[0] != path]
            if is_shared or len(kept) - len(others) != len(before.problems):
                return None
            kept = [*others, *now.problems]
        if edited or (answer.index, answer.saved) != (tree.index, tree.saved):
            self._write(content, msgspec.structs.replace(answer, problems=tuple(kept)))
        return [_problem(row) for row in kept]

    def _edited(self, content: Content) -> list[str] | None:
        """List the documents that were edited; None if they are many, or if there are others than before."""
        blobs, saved = content.sources, self._answer.saved | content.tree.saved if self._answer else ()
        if self._blobs is None:
            # A file that is saved may be no document.
            edited = [path for path in saved if self._blob(path) != blobs.get(path)]
            is_same_set = all(path in blobs and self._blob(path) for path in edited)
        else:
            is_same_set = self._blobs.keys() == blobs.keys()
            edited = [path for path, blob in blobs.items() if self._blobs.get(path) != blob]
        return edited if is_same_set and len(edited) <= _MOST_EDITS else None

    def _blob(self, path: str) -> str | None:
        """Give the blob with which a file was checked."""
        if self._blobs is not None:
            return self._blobs.get(path)
        rows = self._read("SELECT blob FROM files WHERE path = ?", path)
        return str(rows[0][0]) if rows else None

    def get(self, content: Content, path: str) -> FileResult | None:
        """Give what is known of a file as it is in this tree."""
        return self._result(content, path, content.sources[path]) if self._blobs != {} else None

    def _result(self, content: Content, path: str, blob: str) -> FileResult | None:
        rows = self._read("SELECT result FROM files WHERE path = ? AND blob = ?", path, blob)
        if not rows or rows[0][0] is None:
            return None
        try:
            return msgspec.msgpack.decode(
                rows[0][0], type=FileResult, dec_hook=content.settings.types.decoded
            )
        except msgspec.DecodeError:
            return None

    def left_out(self, content: Content) -> dict[str, bool]:
        """Tell of each file that is known as it is in this tree whether it is left out."""
        asked = "SELECT path, blob, left_out FROM files WHERE result IS NOT NULL"
        rows = self._read(asked) if self._blobs != {} else []
        return {path: bool(is_out) for path, blob, is_out in rows if content.sources.get(path) == blob}

    def note(self, path: str, blob: str, result: FileResult | None) -> None:
        """Note what a file became, for `save`; a file without result is read again each time."""
        if self._database is not None:
            encoded = msgspec.msgpack.encode(result, enc_hook=_plain) if result else None
            self._new[path] = blob, bool(result and result.left_out), encoded

    def save(self, content: CheckedContent, problems: Iterable[Problem]) -> None:
        """Write the results of a check of all files."""
        if self._database is None:
            return
        rows = tuple(_row(problem) for problem in problems)
        dead = any(row[-1] == Code.DEAD_ADDRESS for row in rows)
        by_history = dead or any(page.links.missing for page in content.pages.values())
        commit = content.tree.commit if by_history else ""
        answer = _Answer(self._environment, _others(content), commit, content.absences, rows)
        self._write(content, answer)

    def _write(self, content: Content, answer: _Answer) -> None:
        """Write what is new, but not while another command writes, or onto a full disk."""
        if self._database is None:
            return
        gone = [(path,) for path in (self._blobs or {}).keys() - content.sources.keys()]
        new = ((path, *values) for path, values in self._new.items())
        tree = content.tree
        whole = msgspec.msgpack.encode(msgspec.structs.replace(answer, index=tree.index, saved=tree.saved))
        with suppress(sqlite3.Error), self._database:
            if self._blobs == {}:
                self._database.execute("DELETE FROM files")
            self._database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", new)
            self._database.executemany("DELETE FROM files WHERE path = ?", gone)
            self._database.execute("INSERT OR REPLACE INTO answer VALUES (1, ?)", (whole,))

    def _read(self, question: str, *values: str) -> list[Any]:
        if self._database is None:
            return []
        try:
            return self._database.execute(question, values).fetchall()
        except sqlite3.Error:
            return []


class CheckedContent(Content):
    """The documents that `check` reads, and their links; one that the cache knows is not read again."""

    def __init__(
        self,
        *arguments: Any,  # noqa: ANN401 - those of `Content`
        cache: CheckCache,
        pages: dict[str, PageLinks],
        **options: Any,  # noqa: ANN401 - as above
    ) -> None:
        """Open a tree as `Content` does; the links of each document are added to `pages`."""
        super().__init__(*arguments, **options)
        self.pages = pages
        self.cache = cache
        # What is at each path that the tree has not: of one document, and of all.
        self._asked: dict[str, tuple[str, str] | None] = {}
        self.absences: dict[str, tuple[str, str] | None] = {}
        self._early: dict[str, ReadFile] = {}
        self._read_count = 0
        cache.begin(self)

    def read_for_plan(self, path: str, entries: Mapping[str, Entry], renamed: Mapping[str, str]) -> ReadFile:
        """Give a document; it is read only if something that it depends on has changed."""
        if renamed or entries:
            return self.read(path, entries, renamed=renamed)
        result = self.cache.get(self, path)
        if result and self._holds(result):
            return self._kept_file(path, result)
        return self._early.pop(path, None) or self._read(path)[0]

    def expect_all(self) -> None:
        """Learn at once which documents are left out: to decode a row for each link takes longer."""
        self._left_out.known |= self.cache.left_out(self)

    def read_early(self, path: str) -> FileResult | None:
        """Read a document before the others, to see whether they are concerned."""
        self._early[path], result = self._read(path)
        return result

    def _read(self, path: str) -> tuple[ReadFile, FileResult | None]:
        """Read a document and note it for the next check, unless an error may come from another file."""
        self._asked = {}
        read = self.read(path, _NO_ENTRIES)
        result = self._result(path, read)
        self.cache.note(path, self.sources[path], result)
        return read, result

    def _result(self, path: str, read: ReadFile) -> FileResult | None:
        problems = tuple(_row(problem) for problem in read.problems)
        page = self.pages.get(path)
        if page is None:
            # It was not rendered, so it asked the tree nothing.
            return FileResult(None, problems, left_out=read.left_out)
        if read.prepared is None or page.ids is None:
            return None
        document, desired = read.prepared.document, read.prepared.desired
        if any(reference.shape is not None for reference in desired.mentions):
            return None
        answers = {target: _name(address) for target, address in read.addresses.items()}
        return FileResult(
            desired,
            problems,
            tuple(sorted(page.ids)),
            tuple(_pointer(anchor) for anchor in page.links.anchors),
            tuple(_pointer(address) for address in page.links.addresses),
            page.links.missing,
            document.parent,
            answers,
            self._asked,
        )

    def _kept_file(self, path: str, result: FileResult) -> ReadFile:
        problems = tuple(_problem(row) for row in result.problems)
        if result.desired is None:
            return ReadFile(None, problems, result.left_out)
        self.pages[path] = result.links
        document = self._bare(result.desired, result)
        return ReadFile(document, problems, prepared=Prepared(document, result.desired, {}))

    def _bare(self, desired: Desired, result: FileResult) -> Document:
        """Give a document without its text and its fields."""
        return Document(
            desired.path,
            desired.blob,
            desired.kind,
            {},
            "",
            0,
            parent=result.parent,
            mentions=desired.mentions,
        )

    def _holds(self, result: FileResult) -> bool:
        """Tell whether the tree answers each question of a document as it did before."""
        desired = result.desired
        if desired is None:
            return True
        document = self._bare(desired, result)
        files = self.references.fingerprints(document)
        if self.parent(document, self.readmes) != (desired.parent_path, None):
            return False
        if any(_name(self._resolve(target, _NO_ENTRIES)) != name for target, name in result.answers.items()):
            return False
        if not self.is_absent_as(result.absent) or not files.items() <= desired.fingerprints.items():
            return False
        if self.references.with_files(document, desired.links) != desired.links:
            return False
        return all(_row(problem) in result.problems for problem in self.references.problems(document))

    def _absent(self, path: str) -> tuple[str, str] | None:
        said = super()._absent(path)
        self._asked[path] = self.absences[path] = said
        return said

    def is_absent_as(self, before: Mapping[str, tuple[str, str] | None]) -> bool:
        """Tell whether what is at paths that the tree has not is still the same."""
        return all(self._absent(path) == said for path, said in before.items())

    def basis(self, *_: object) -> str:
        """Give nothing: a check compares no document with what was sent."""
        return ""

    def _in_form(self, *_: object) -> SentForm:
        return SentForm("")

    def _begin_work(self, blob: str) -> None:
        self._read_count += 1
        # To load GitPython takes as long as to start a process for each of a few files.
        if self._read_count > _FEW:
            super()._begin_work(blob)

    def _leaves_itself_out(self, path: str) -> bool:
        if path not in self._left_out.known and (result := self.cache.get(self, path)):
            self._left_out.known[path] = result.left_out
        return super()._leaves_itself_out(path)


def uncommitted(content: Content) -> frozenset[str]:
    """Give the files that are not as in the commit; a file that was deleted was not read."""
    tree, settings = content.tree, content.settings
    changed: Iterable[str] | None = tree.edited
    if changed is None:
        changed = content.repository.changed_files(tree.commit, tree.id) if tree.commit else tree.files
    below = [settings.content, settings.templates]
    return frozenset(path for path in changed if path in tree.files and is_below(path, below))


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, MappingProxyType) else encoded(value)


def _name(address: str | Unresolved) -> str:
    return address.name if isinstance(address, Unresolved) else f"={address}"


def _pointer(pointer: Pointer) -> _Pointer:
    return pointer.index, pointer.written, pointer.path, pointer.fragment


def _row(problem: Problem) -> _ProblemRow:
    path, line, message, todo, warning, rendering, alike, logins, code = problem
    return path, line, message, todo, warning, rendering, alike, logins, str(code)


def _problem(row: _ProblemRow) -> Problem:
    path, line, message, todo, warning, rendering, alike, logins, code = row
    return Problem(path, line, message, todo, warning, rendering, alike, logins, code=_CODES[code])


def _others(content: Content) -> str:
    """Digest the files that are not documents: to add a picture, or to rename one, changes links."""
    tree = content.tree
    rows = (f"{path} {blob}\n" for path, blob in tree.files.items() if path not in content.sources)
    special = (f"{tree.symlinks} {sorted(tree.submodules)}", *rows)
    return small_digest("".join(special).encode(errors="surrogateescape"))


def _is_as_before(answer: _Answer, content: CheckedContent) -> bool:
    """Tell whether everything but the documents is as it was, and that these are the files that people see.

    A filter of Git may change without a trace, so its files are looked at each time.
    """
    repository, tree = content.repository, content.tree
    # A tree with `edited` was looked through for filters.
    may_filter = repository.root and tree.edited is None
    return (
        answer.others == _others(content)
        and answer.commit in {"", tree.commit}
        and content.is_absent_as(answer.absent)
        and not (may_filter and repository.filtered(content.sources))
    )


def _environment(content: Content) -> str:
    """Digest this program, its libraries, the settings and the templates."""
    settings = content.settings
    # The digest of the schema stands for all that was read of it.
    written = {name: value for name, value in settings._asdict().items() if name not in _OF_SCHEMA}
    below, files = f"{settings.templates}/", content.tree.files.items()
    templates = (f"{path} {blob}" for path, blob in files if below != "/" and path.startswith(below))
    parts = (
        cache_file.program_state(),
        *(f"{name} {version(name)}" for name in _LIBRARIES),
        repr(written),
        str(is_here(settings.markdown.mermaid)),
        *sorted(content.readmes),
        *templates,
    )
    return small_digest("\n".join(parts).encode(errors="surrogateescape"))


@contextmanager
def opened(repository: Repository, settings: Settings, environ: Mapping[str, str]) -> Iterator[CheckCache]:
    """Open the cache of a site of this clone.

    Nothing is kept without a home folder, nor in a folder that others may write to. The notes of a vault
    depend on each other in more ways than a row has, so they are read each time.
    """
    file = None if settings.markdown.dialect else cache_file.of_check(repository, settings.site.name, environ)
    try:
        database = sqlite3.connect(file, timeout=_PATIENCE) if file else None
    except sqlite3.Error:
        database = None
    if database is None:
        yield CheckCache(None)
        return
    with closing(database):
        try:
            database.executescript(_TABLES)
        except sqlite3.OperationalError:
            # Another check holds it, or the disk fails: the file may be good.
            yield CheckCache(None)
            return
        except sqlite3.DatabaseError:
            # It is not a database, or it is damaged. The next check begins a new one.
            Path(str(file)).unlink(missing_ok=True)
            yield CheckCache(None)
            return
        yield CheckCache(database)
