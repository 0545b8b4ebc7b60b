"""The merge driver that Git calls for manifests.

Git uses the text that the driver leaves in our file as the merge. So a manifest that cannot be merged is left
with conflict markers around both whole sides: the next command refuses it, and no id is lost silently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.bounds import MANIFEST, FileTooLarge
from pressync.model.errors import ManifestError, StorageError
from pressync.repo import work_tree
from pressync.state.manifest.codec import decode
from pressync.state.manifest.merge import merge

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.records import Manifest


def merge_files(base: Path, ours: Path, theirs: Path, name: str) -> tuple[str, ...]:
    """Merge `theirs` into `ours`; the files are Git's %O, %A and %B. Messages call the manifest `name`.

    Returns one sentence for each conflict that a person has to settle; a clean merge has none.

    :raises ManifestError: a file is larger than a manifest may be.
    :raises StorageError: a file cannot be read or written.
    """
    try:
        texts = [work_tree.read(path, MANIFEST) for path in (base, ours, theirs)]
    except FileTooLarge as error:
        raise ManifestError(f"it cannot be merged: {error.what}", where=name, todo=error.todo) from error
    except OSError as error:
        raise StorageError(f"it cannot be merged ({error.strerror})", where=name) from error
    try:
        merged = merge(_common(texts[0]), *(_side(text, name) for text in texts[1:]))
    except ManifestError as error:
        _write(
            ours, b"<<<<<<< ours\n%s\n=======\n%s\n>>>>>>> theirs\n" % (texts[1].strip(), texts[2].strip())
        )
        return (f"{error.what}; both sides are in it, whole",)
    _write(ours, merged.text.encode())
    return tuple(clash.what for clash in merged.clashes)


def _common(data: bytes) -> Manifest | None:
    """Read the last common state; None if there is none that can be read, so both sides count in full."""
    try:
        return _side(data, "base") if data else None
    except ManifestError:
        return None


def _side(data: bytes, name: str) -> Manifest:
    return decode(data.decode(errors="replace"), where=name)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise StorageError(f"the merge cannot be written ({error.strerror})", where=str(path)) from error
