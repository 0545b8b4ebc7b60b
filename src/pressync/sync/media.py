"""Uploads files of the repository to the site: each content once, found again by its hash.

A repeated upload makes a second file, and the response to an upload can get lost. So the slug of each file
holds the blob id of its content, and the file is looked up by that slug before it is sent.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from pressync.client.port import Upload
from pressync.model.errors import NoAnswer, RepositoryError, ServiceError
from pressync.model.records import Medium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Future, ThreadPoolExecutor

    from pressync.client.port import Library, Uploaded
    from pressync.model.records import Name
    from pressync.state.state import Learner, State
    from pressync.sync.control import RunControl

TODO = "commit the file itself, or link to it elsewhere"
# A slug has this many digits of the blob id: 64 bits.
_DIGITS = 16
_LFS = b"version https://git-lfs.github.com/spec/"
# A slug has at most this many characters of the file's own name: WordPress cuts slugs at 200 bytes.
_NAME = 80


def look_up(service: Library, state: Learner, files: Mapping[str, str]) -> bool:
    """Learn which files the site has already; true if it has any. `files` are paths by blob id.

    :raises ServiceError: the service cannot be read.
    """
    unknown = {blob: path for blob, path in files.items() if blob not in state.manifest.media}
    if not unknown:
        return False
    found = service.uploaded([_slug(path, blob) for blob, path in unknown.items()])
    known = [_medium(blob, path, found) for blob, path in unknown.items() if _slug(path, blob) in found]
    if known:
        state.learn(media=known)
    return bool(known)


class FileUploads:
    """The files that a run uploads beside its records, and the records that wait for each of them.

    Call `look_up` before: only files that the manifest does not know are uploaded.
    """

    def __init__(
        self,
        service: Library,
        state: State,
        files: Mapping[str, str],
        read: Callable[[str], bytes],
        control: RunControl,
    ) -> None:
        """Take the paths of the files by blob id; `read` gives the content of a blob."""
        self._service = service
        self._state = state
        self._read = read
        self._control = control
        missing = {path: blob for blob, path in files.items() if blob not in state.manifest.media}
        self._paths = {missing[path]: path for path in sorted(missing)}
        # Why files were not uploaded, by path.
        self.refused: dict[Name | str, str] = {}

    @property
    def blobs(self) -> tuple[str, ...]:
        """The files by their blob ids, in the order in which they go."""
        return tuple(self._paths)

    def announce(self) -> None:
        """Tell how many files there are."""
        if count := len(self._paths):
            self._control.say(f"Uploading {count} {'file' if count == 1 else 'files'}.")

    def send(self, blob: str) -> str:
        """Upload a file; returns why it was not uploaded, or "". Threads may send several at once."""
        path = self._paths[blob]
        if not self._control.may_start():
            return f"{path} was not uploaded: the run was stopped before"
        try:
            return _upload(self._service, self._state, path, blob, self._read(blob))
        except (ServiceError, RepositoryError) as error:
            return f"{path} was not uploaded: {error}"

    def end(self, blob: str, why: str) -> None:
        """Note why a file was not uploaded, or "", before a record that waits for it is made."""
        if why:
            self.refused[self._paths[blob]] = why

    def leave(self, blob: str, why: str) -> None:
        """Note that a file is not sent."""
        self.end(blob, f"{self._paths[blob]} was not uploaded: {why}")


def _upload(service: Library, state: State, path: str, blob: str, data: bytes) -> str:
    """Upload one file and learn its id; returns why it was not sent, or "".

    :raises ServiceError: the service did not take it.
    """
    if what := unusable(data):
        return f"{path} {what}; {TODO}"
    file = Upload(posixpath.basename(path), _slug(path, blob), data)
    try:
        made = service.upload(file)
    except NoAnswer:
        # The service may have stored the file all the same.
        found = service.uploaded([file.slug])
        if file.slug not in found:
            raise
        made = found[file.slug]
    state.learn(media=[Medium(blob, path, made.id, made.link)])
    return ""


def unusable(data: bytes) -> str:
    """Say why a file cannot be uploaded, as far as its first bytes show it; "" if they do not."""
    if data.startswith(_LFS):
        return "is a pointer of Git LFS here"
    return "" if data else "is an empty file"


def _medium(blob: str, path: str, found: Mapping[str, Uploaded]) -> Medium:
    there = found[_slug(path, blob)]
    return Medium(blob, path, there.id, there.link)


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
        self._left = list(reversed(uploads.blobs)) if uploads else []
        self._at_a_time = at_a_time

    def begin(self) -> tuple[str, ...]:
        """Begin the first upload; gives the blob ids of all that are left."""
        if self._uploads is None or not self._left:
            return ()
        self._uploads.announce()
        blobs = tuple(self._left)
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
            self._uploads.leave(self._left[-1], halted)
            yield self._left.pop()
        while self._left and len(self.under_way) < self._at_a_time:
            self._send()

    def _send(self) -> None:
        if self._uploads is not None:
            blob = self._left.pop()
            self.under_way[self._pool.submit(self._uploads.send, blob)] = blob
