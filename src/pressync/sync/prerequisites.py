"""Terms, authors and files that the pending changes of a plan need: looked up first, then created.

All reads come before a person is asked, so an author that the site does not have is a problem of the content
like any other. All writes come after. A term or a file that cannot be created fails only the documents that
need it. A user is never created.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from pressync.client.port import Library, Upload
from pressync.content.references import NO_AUTHOR_TODO
from pressync.content.render.diagrams import blob_of
from pressync.model.bounds import UPLOAD
from pressync.model.changes import Change, Plan, sent_of
from pressync.model.errors import Code, ConfigError, NoAnswer, Problem, RepositoryError, ServiceError
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.model.printable import counted
from pressync.model.records import Medium, Name, NoUser
from pressync.repo.work_tree import filtered

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future, ThreadPoolExecutor

    from pressync.client.terms import Term
    from pressync.content.content import Content
    from pressync.repo.repository import Repository
    from pressync.state.state import Learner, State
    from pressync.sync.control import RunControl


def look_up(service: Library, state: Learner, content: Content, plan: Plan) -> tuple[bool, list[Problem]]:
    """Learn the needed names and files; tell whether any is new, with a problem for each missing author.

    :raises ServiceError: the service cannot be read.
    """
    count = len(state.manifest.names)
    missing_authors = look_up_names(
        service, state, content.references.names_of(plan.changes), content.settings.types
    )
    any_file = look_up_files(service, state, content.references.files_of(plan.changes))
    problems = [
        _no_author(content, desired.path, mention.line, name, missing_authors[name])
        for desired in sent_of(plan.changes)
        for mention in desired.mentions
        for name in mention.names
        if name in missing_authors
    ]
    return any_file or len(state.manifest.names) > count, list(dict.fromkeys(problems))


def _no_author(content: Content, path: str, line: int, name: Name, missing: NoUser) -> Problem:
    """Name the place of an author whom the site does not have: the file, or the table that names the user."""
    if name.text in content.settings.authors.values():
        where, todo = content.settings.origins["authors"], "correct the user below `[authors]`"
        problem = f"[authors]: {missing.why}"
        return Problem(where, 0, problem, todo, logins=missing.logins, code=Code.UNKNOWN_AUTHOR)
    problem = f"{name.field} {missing.why}"
    return Problem(path, line, problem, NO_AUTHOR_TODO, logins=missing.logins, code=Code.UNKNOWN_AUTHOR)


def make(
    service: Library,
    state: State,
    repository: Repository,
    documents: Mapping[Content, Sequence[Change]],
    control: RunControl,
) -> tuple[FileUploads, dict[str, frozenset[str]]]:
    """Create the missing terms, and prepare the uploads of the missing files.

    `documents` are the changes by the content that has their documents. Returns the uploads, which know what
    was there before, and why some terms could not be created, and by path the files that a change needs.
    """
    before = _ids(state)
    files: dict[str, str] = {}
    refused: dict[Name, str | NoUser] = {}
    for content, changes in documents.items():
        refused |= make_terms(
            service, state, content.references.names_of(changes), control, content.settings.types
        )
        files |= content.references.files_of(changes)
    unmade = any(blob_of(path) for blob, path in files.items() if blob not in state.manifest.media)
    # A person is asked before the uploads begin: these run beside each other.
    trees = {content: content.refuses_drawing() if unmade else "" for content in documents}
    read = partial(_content_of, repository, files, trees)
    uploads = FileUploads(service, state, files, read, control, refused=refused, before=before)
    missing = frozenset(uploads.paths)
    needed = {
        desired.path: missing.intersection(map(content.references.blob, paths))
        for content, changes in documents.items()
        for desired in sent_of(changes if missing else ())
        if (paths := tuple(content.references.unknown_files(desired)))
    }
    return uploads, needed


def _ids(state: State) -> frozenset[tuple[str, int]]:
    """Give the known terms, authors and files: each is a field and an id."""
    names = ((name.field, number) for name, number in state.manifest.names.items())
    return frozenset(chain(names, ((FILE_FIELD, medium.id) for medium in state.manifest.media.values())))


def _content_of(
    repository: Repository, files: Mapping[str, str], trees: Mapping[Content, str], blob: str
) -> bytes:
    """Read the content of a file to upload, or make it: no tree has the picture of a diagram.

    `trees` are the documents of the run, with the reason why the command for pictures may not run.

    :raises ConfigError: the picture cannot be made.
    """
    if not blob_of(files[blob]):
        return repository.read(blob, bound=UPLOAD)
    from pressync.sync.diagrams import picture  # noqa: PLC0415 - few sites have diagrams

    for tree, why in trees.items():
        if text := tree.renderer.diagrams.get(blob):
            if why:
                raise ConfigError(why)
            return picture(tree.settings.markdown.mermaid, text, blob, repository.common_directory)
    raise ConfigError("no document of this run has the text of this diagram", todo="sync again")


AUTHOR = "author"
FILE_FIELD = "featured_media"
_SINGULAR = {"categories": "category", "tags": "tag"}


def singular(field: str) -> str:
    """Give the word for one term, author or file of a field; a taxonomy of the site has its own name."""
    return _SINGULAR.get(field, field)


# Two terms of one name cannot be told apart afterwards, and WordPress creates such twins when two requests
# come at once (measured). So one thread creates the terms one by one, before any record.
def look_up_names(
    service: Library, state: Learner, names: Iterable[Name], types: SiteTypes = DOCUMENTED_TYPES
) -> dict[Name, NoUser]:
    """Learn the ids of the names that the service has; returns, by author, why there is no such user.

    :raises ServiceError: the service cannot be read; ids that were found before are kept.
    """
    wanted: dict[str, list[Name]] = defaultdict(list)
    for name in sorted(set(names)):
        wanted[name.field].append(name)
    missing_authors = _look_up_authors(service, state, wanted.pop(AUTHOR, []))
    for field, some in wanted.items():
        terms = service.terms(field)
        numbers = {
            name: number for name in some if (number := _found(_parts(name, types), terms)) is not None
        }
        if numbers:
            state.learn(names=numbers)
    return missing_authors


def make_terms(
    service: Library,
    state: State,
    names: Iterable[Name],
    control: RunControl,
    types: SiteTypes = DOCUMENTED_TYPES,
) -> dict[Name, str | NoUser]:
    """Create the missing terms one by one; returns, by name, why some could not be created."""
    wanted = [name for name in sorted(set(names)) if name not in state.manifest.names]
    authors = [name for name in wanted if name.field == AUTHOR]
    refused: dict[Name, str | NoUser] = {**_look_up_authors(service, state, authors)}
    for name in wanted:
        if name.field != AUTHOR:
            _make(service, state, (name, _parts(name, types)), refused, control)
    return refused


# Not every id that a record lacks is gone. A plug-in for languages puts the translation of a term in its
# place, and a clean-up takes a term out (measured with Polylang). A term that was made again each time would
# be sent for ever. So would one that a plug-in deletes in the save of its record: the site had it when this
# run made it, and no person deletes a term or a file of this minute. Nothing is forgotten here, because other
# changes of the run may have the same term. The next look forgets what is gone, and notes who has lost it.
class DroppedIds:
    """Tells which ids that did not come back the site has lost, of those that it had `before` the run."""

    def __init__(self, library: Library | None, before: frozenset[tuple[str, int]]) -> None:
        self._library = library
        self._before = before
        # The ids of which the site was asked, and those of them that it has, by field.
        self._asked: defaultdict[str, set[int]] = defaultdict(set)
        self._there: defaultdict[str, set[int]] = defaultdict(set)

    def lost(self, dropped: Mapping[str, Collection[int]]) -> frozenset[str]:
        """Give the fields that must be sent again; if the site cannot be read, the next run looks."""
        return frozenset(field for field, ids in dropped.items() if self._are_lost(_owner(field), ids))

    def _are_lost(self, field: str, ids: Collection[int]) -> bool:
        """Tell whether the site has lost one of these; each is asked for once in a run."""
        theirs = {number for number in ids if (field, number) in self._before}
        if self._library is not None and (new := theirs - self._asked[field]):
            with suppress(ServiceError):
                self._there[field] |= self._library.present(field, new)
                self._asked[field] |= new
        return not theirs <= self._there[field]


def _owner(field: str) -> str:
    """Name the field that has the same ids: a registered field may have the id of a file."""
    return FILE_FIELD if "." in field else field


def _look_up_authors(service: Library, state: Learner, names: Collection[Name]) -> dict[Name, NoUser]:
    users = service.authors([name.text for name in names]) if names else {}
    refused: dict[Name, NoUser] = {}
    for name in names:
        match users[name.text]:
            case int(number):
                state.learn(names={name: number})
            case NoUser(why, logins):
                refused[name] = NoUser(f"'{name.text}': {why}", logins)
    return refused


def _make(
    service: Library,
    state: State,
    wanted: tuple[Name, Sequence[str]],
    refused: dict[Name, str | NoUser],
    control: RunControl,
) -> None:
    parent, (name, parts) = 0, wanted
    for depth, part in enumerate(parts, 1):
        path = Name(name.field, "/".join(parts[:depth]))
        number = _known(state, path)
        if number is None and path not in refused and not control.may_start():
            refused[path] = f"'{path.text}' was not created: the run was stopped before"
        if number is None and path not in refused:
            try:
                number = service.make_term(path.field, part, parent)
            except ServiceError as error:
                refused[path] = f"'{path.text}' could not be created: {error}"
            else:
                state.learn(names={path: number})
                control.say(f"Created {singular(path.field)} '{path.text}' ({number}).")
        if number is None:
            refused[name] = refused[path]
            return
        parent = number


def _parts(name: Name, types: SiteTypes) -> list[str]:
    return name.text.split("/") if types.taxonomies[name.field].hierarchical else [name.text]


def _known(state: State, name: Name) -> int | None:
    """Give the id of a name, or of one that WordPress treats as the same, such as `News` and `news`."""
    numbers = state.manifest.names
    if name not in numbers:
        same = (n for n in numbers if n.field == name.field and n.text.casefold() == name.text.casefold())
        if (other := next(same, None)) is None:
            return None
        state.learn(names={name: numbers[other]})
    return numbers[name]


def _found(parts: Iterable[str], terms: Iterable[Term]) -> int | None:
    """Find a term by its path: each part is the name, or else the slug, of a term below the part before."""
    parent = 0
    for part in parts:
        siblings = [term for term in terms if term.parent == parent]
        named = [term for term in siblings if term.name.casefold() == part.casefold()]
        same = named or [term for term in siblings if term.slug == part.casefold()]
        if not same:
            return None
        # The oldest one, where two requests at once created twins.
        parent = same[0].id
    return parent


TODO = "commit the file itself, or link to it elsewhere"
# A slug has this many digits of the blob id: 64 bits.
_DIGITS = 16
# A slug has at most this many characters of the file's own name: WordPress cuts slugs at 200 bytes.
_NAME = 80


# A repeated upload makes a second file, and the response to an upload can get lost. So the slug of each file
# holds the blob id of its content, and the file is looked up by that slug before it is sent.
def look_up_files(service: Library, state: Learner, files: Mapping[str, str]) -> bool:
    """Learn which files the site has already; true if it has any. `files` are paths by blob id.

    :raises ServiceError: the service cannot be read.
    """
    unknown = {blob: path for blob, path in files.items() if blob not in state.manifest.media}
    if not unknown:
        return False
    uploads = service.uploaded([_slug(path, blob) for blob, path in unknown.items()])
    media = [
        Medium(blob, path, there.id, there.link)
        for blob, path in unknown.items()
        if (there := uploads.get(_slug(path, blob)))
    ]
    if media:
        state.learn(media=media)
    return bool(media)


class FileUploads:
    """The files that a run uploads beside its records; `look_up_files` must have learned the known ones."""

    def __init__(
        self,
        service: Library,
        state: State,
        files: Mapping[str, str],
        read: Callable[[str], bytes],
        control: RunControl,
        *,
        refused: Mapping[Name, str | NoUser] | None = None,
        before: frozenset[tuple[str, int]] = frozenset(),
    ) -> None:
        """Take the paths of the files by blob id; `read` gives the content of a blob.

        `refused` says why terms were not made. `before` are the terms and files of the site before the run.
        """
        self._service = service
        self._state = state
        self._read = read
        self.control, self.before = control, before
        missing = {path: blob for blob, path in files.items() if blob not in state.manifest.media}
        # The paths of the files by their blob ids, in the order in which they go.
        self.paths = {missing[path]: path for path in sorted(missing)}
        # Why terms were not made, by name, and files not uploaded, by path.
        self.refused: dict[Name | str, str | NoUser] = dict((refused or {}).items())

    def send(self, blob: str) -> str:
        """Upload a file; returns why it was not uploaded, or "". Threads may send several at once."""
        path = self.paths[blob]
        if not self.control.may_start():
            return f"{path} was not uploaded: the run was stopped before"
        try:
            data = self._read(blob)
            if fault := unusable(data):
                return f"{path} {fault}; {TODO}"
            file = Upload(posixpath.basename(path), _slug(path, blob), data)
            try:
                made = self._service.upload(file)
            except NoAnswer:
                # The service may have stored the file all the same.
                uploads = self._service.uploaded([file.slug])
                if file.slug not in uploads:
                    raise
                made = uploads[file.slug]
        except (ServiceError, RepositoryError, ConfigError) as error:
            return f"{path} was not uploaded: {error}"
        self._state.learn(media=[Medium(blob, path, made.id, made.link)])
        return ""

    def end(self, blob: str, why: str) -> None:
        """Note why a file was not uploaded, or "", before a record that waits for it is made."""
        if why:
            self.refused[self.paths[blob]] = why


def unusable(data: bytes) -> str:
    """Say why a file cannot be uploaded, as far as its first bytes show it; "" if they do not."""
    return filtered(data) if data else "is an empty file"


def _slug(path: str, blob: str) -> str:
    """Give the slug of a file: what WordPress leaves of its name, and the start of its blob id."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:_NAME].strip("-")
    return f"{name or 'file'}-{blob[:_DIGITS]}"


# The first upload goes alone, because it makes WordPress create the folder of the month. If two uploads
# create it at once, one is refused ("Unable to create directory", measured on all three versions).
class Uploading:
    """The uploads that are under way and those that are left. Only the deciding thread may use it."""

    def __init__(self, pool: ThreadPoolExecutor, uploads: FileUploads | None, at_a_time: int) -> None:
        self.under_way: dict[Future[str], str] = {}
        self._pool = pool
        self._uploads = uploads
        self._left = list(reversed(uploads.paths)) if uploads else []
        self._at_a_time = at_a_time

    def begin(self) -> tuple[str, ...]:
        """Begin the first upload; gives the blob ids of all that are left."""
        if self._uploads is None or not self._left:
            return ()
        blobs = tuple(self._left)
        self._uploads.control.say(f"Uploading {counted(len(blobs), 'file')}.")
        self._send()
        return blobs

    def take(self, future: Future[str], halted: str) -> Iterator[str]:
        """Take in an upload that has ended, and begin the next ones; gives the blob ids that have ended.

        `halted` says why nothing more is sent, or is "".

        :raises StorageError: the journal could not be written.
        """
        if self._uploads is None:
            raise ValueError("this run has no uploads")
        blob = self.under_way.pop(future)
        self._uploads.end(blob, future.result())
        yield blob
        while self._left and halted:
            left = self._left.pop()
            self._uploads.end(left, f"{self._uploads.paths[left]} was not uploaded: {halted}")
            yield left
        while self._left and len(self.under_way) < self._at_a_time:
            self._send()

    def _send(self) -> None:
        if self._uploads is not None:
            blob = self._left.pop()
            self.under_way[self._pool.submit(self._uploads.send, blob)] = blob
