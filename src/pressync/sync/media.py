"""Uploads files of the repository to the site: each content once, found again by its hash.

A repeated upload makes a second file, and the response to an upload can get lost. So the slug of each file
holds the blob id of its content, and the file is looked up by that slug before it is sent.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.client.port import Upload
from pressync.model.errors import NoAnswer, RepositoryError, ServiceError
from pressync.model.records import Medium

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from pressync.client.port import Library, Uploaded
    from pressync.model.records import Name
    from pressync.state.learning import Learner
    from pressync.state.state import State
    from pressync.sync.control import RunControl

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


def delete(service: Library, state: State, media: Iterable[Medium], control: RunControl) -> int:
    """Delete uploaded files that the site does not use, for good; count those that stay.

    A file that pressync did not upload belongs to somebody else, so it always stays.
    """
    media = list(media)
    try:
        kept = _reasons_to_keep(service, state, media, control) if media else {}
    except ServiceError as error:
        control.say(f"No uploaded file was deleted: nobody knows whether the site uses it: {error}")
        return len(media)
    for medium in media:
        if not control.may_start():
            break
        named = f"{medium.path} (media {medium.id})"
        if why := kept.get(medium.blob):
            control.say(f"{named} stays: {why}.")
            continue
        try:
            service.delete_upload(medium.id)
        except ServiceError as error:
            kept[medium.blob] = str(error)
            control.say(f"{named} was not deleted: {error}")
        else:
            state.unlearn(media=[medium.blob])
            control.say(f"Deleted {named}, which the site does not use.")
    return len(kept)


def _reasons_to_keep(
    service: Library, state: State, media: Collection[Medium], control: RunControl
) -> dict[str, str]:
    """Say by blob id why files stay on the site; notes the files that pressync did not upload.

    The slug of a file tells who uploaded it, because the manifest of an older version does not.

    :raises ServiceError: the site cannot tell.
    """
    slugs = {medium.blob: _slug(medium.path, medium.blob) for medium in media}
    found = service.uploaded(list(slugs.values()))
    ours = [each for each in media if (made := found.get(slugs[each.blob])) and made.id == each.id]
    others = {each.id: each for each in media if each not in ours}
    seen = service.present("featured_media", others) if others else frozenset()
    gone = service.lost_files(others.keys() - seen) if others.keys() - seen else frozenset()
    if seen:
        state.learn(media=[replace(others[number], foreign=True) for number in seen])
    kept = {others[number].blob: "pressync did not upload it" for number in seen}
    hidden = others.keys() - seen - gone
    kept |= {others[number].blob: "this user may not see it on the site" for number in hidden}
    if ours:
        control.say("Looking whether the site uses these files.")
        used = service.uses({medium.id: medium.link for medium in ours})
        kept |= {medium.blob: f"it {used[medium.id]}" for medium in ours if medium.id in used}
    return kept


def _upload(service: Library, state: State, path: str, blob: str, data: bytes) -> str:
    """Upload one file and learn its id; returns why it was not sent, or "".

    :raises ServiceError: the service did not take it.
    """
    if data.startswith(_LFS):
        return f"{path} is a pointer of Git LFS here; commit the file itself, or link to it elsewhere"
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


def _medium(blob: str, path: str, found: Mapping[str, Uploaded]) -> Medium:
    there = found[_slug(path, blob)]
    return Medium(blob, path, there.id, there.link)


def _slug(path: str, blob: str) -> str:
    """Give the slug of a file: what WordPress leaves of its name, and the start of its blob id."""
    stem = posixpath.splitext(posixpath.basename(path))[0]
    name = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:_NAME].strip("-")
    return f"{name or 'file'}-{blob[:_DIGITS]}"
