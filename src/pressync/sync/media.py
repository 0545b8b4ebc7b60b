"""Files of the repository -> files on the site: each content once, found again by its hash.

It must not know documents or plans. What decided its shape: an upload cannot be repeated without making a
second file, and its answer can get lost; so each file's slug holds the blob id of its content, and a file
is looked for under that slug before it is sent.
"""

from __future__ import annotations

import posixpath
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from pressync.client.port import Upload
from pressync.model.errors import NoAnswer, ServiceError
from pressync.model.records import Medium

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.client.port import Library, Uploaded
    from pressync.state.learning import Learner
    from pressync.state.state import State

# So much of a blob id stands in a slug: 64 bits.
_DIGITS = 16
_LFS = b"version https://git-lfs.github.com/spec/"
# Of a file's own name, so much stands in its slug: WordPress cuts slugs at 200 bytes.
_NAME = 80


def look_up(service: Library, state: Learner, files: Mapping[str, str]) -> bool:
    """Learn which files the site has already; `files` are paths by blob id. True if there are any.

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


def upload(
    service: Library,
    state: State,
    files: Mapping[str, str],
    read: Callable[[str], bytes],
    *,
    at_a_time: int,
    say: Callable[[str], None],
    go_on: Callable[[], bool] = lambda: True,
) -> dict[str, str]:
    """Upload the files that the site has not, a few at a time; returns why some were not taken, by path.

    `files` are paths by blob id, `read` gives the content of a blob. What was looked up is not sent.
    `go_on` is asked before each, and may let it wait for its turn; false ends it.
    """
    missing = sorted((path, blob) for blob, path in files.items() if blob not in state.manifest.media)
    if not missing:
        return {}
    say(f"Uploading {len(missing)} {'file' if len(missing) == 1 else 'files'}.")
    # Git hands out one blob after the other.
    reading = threading.Lock()

    def one(file: tuple[str, str]) -> tuple[str, str]:
        path, blob = file
        if not go_on():
            return path, f"{path} was not uploaded: the run was stopped before"
        with reading:
            data = read(blob)
        return path, _upload(service, state, path, blob, data)

    # The first goes alone: with it WordPress makes the folder of the month, and of two that make it at once
    # one is refused ("Unable to create directory", measured on all three versions).
    first, *others = missing
    ends = [one(first)]
    with ThreadPoolExecutor(at_a_time, thread_name_prefix="upload") as pool:
        ends += pool.map(one, others)
    return {path: why for path, why in ends if why}


def delete(
    service: Library,
    state: State,
    media: Iterable[Medium],
    say: Callable[[str], None],
    go_on: Callable[[], bool] = lambda: True,
) -> int:
    """Delete uploaded files for good; returns how many of them could not be deleted. `go_on` as above."""
    failed = 0
    for medium in media:
        if not go_on():
            break
        try:
            service.delete_upload(medium.id)
        except ServiceError as error:
            failed += 1
            say(f"{medium.path} (media {medium.id}) was not deleted: {error}")
        else:
            state.unlearn(media=[medium.blob])
            say(f"Deleted {medium.path} (media {medium.id}), which nothing uses any more.")
    return failed


def _upload(service: Library, state: State, path: str, blob: str, data: bytes) -> str:
    """Upload one file and learn what became of it; the reason if nothing did."""
    if data.startswith(_LFS):
        return f"{path} is a pointer of Git LFS here; commit the file itself, or link to it elsewhere"
    file = Upload(posixpath.basename(path), _slug(path, blob), data)
    try:
        try:
            made = service.upload(file)
        except NoAnswer:
            # Perhaps it was taken all the same.
            found = service.uploaded([file.slug])
            if file.slug not in found:
                raise
            made = found[file.slug]
    except ServiceError as error:
        return f"{path} was not uploaded: {error}"
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
