"""Merges two sides of a manifest record by record: as Git's merge driver, and out of conflict markers.

Git uses the text that the driver leaves in our file as the merge. So a manifest that cannot be merged is left
with markers around both whole sides: the next command refuses it, and no id is lost silently. Without the
driver, two clones that each added a page conflict. Git's index holds both sides whole until the merge is
committed. Afterwards the text with the markers is all that is left, and each side is read out of it.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from pressync.model.bounds import MANIFEST, FileTooLarge
from pressync.model.errors import ConfigError, ManifestError, StorageError
from pressync.repo import discover, work_tree
from pressync.state import atomic_files
from pressync.state.manifest.codec import decode
from pressync.state.manifest.merge import merge

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.model.records import Manifest

_OURS, _BASE, _MIDDLE, _THEIRS = "<" * 7, "|" * 7, "=" * 7, ">" * 7


def fix(file: Path, name: str) -> tuple[str, ...]:
    """Put both sides of a conflict in a manifest together, in place; `name` is the file's, for messages.

    Returns what a person has to settle, a sentence each; these records keep their markers.

    :raises ConfigError: there is no conflict in it.
    :raises ManifestError: a side is not a manifest, or the sides are of two sites.
    :raises StorageError: the file cannot be read or written.
    """
    try:
        text = work_tree.read(file, MANIFEST).decode(errors="replace")
    except FileTooLarge as error:
        raise ManifestError(error.what, where=name, todo=error.todo) from error
    except OSError as error:
        raise StorageError(f"it cannot be read ({error.strerror})", where=name) from error
    base, ours, theirs = discover.stages(file, MANIFEST) or sides(text, name)
    merged = merge(
        _common(base, name),
        decode(ours, where=f"{name}, our side"),
        decode(theirs, where=f"{name}, their side"),
    )
    try:
        atomic_files.replace(file, merged.text.encode())
    except OSError as error:
        raise StorageError(f"it cannot be written ({error.strerror})", where=name) from error
    return tuple(
        f"{clash.what}; both are on the site: keep the line of one, delete the other's line and the markers, "
        "and delete the other record on the site or bind another file to it"
        for clash in merged.clashes
    )


def sides(text: str, name: str) -> tuple[str, str, str]:
    """Read the common text, our side and their side out of a text with conflict markers.

    The common text is empty where the markers do not show it.

    :raises ConfigError: there is no conflict in it, or one does not end.
    """
    parts: dict[str, list[str]] = {_BASE: [], _OURS: [], _THEIRS: []}
    side, found, has_base = "", False, False
    for line in io.StringIO(text):
        mark = line[:7]
        if mark in (_OURS, _BASE, _MIDDLE, _THEIRS):
            found = True
            has_base |= mark == _BASE
            side = {_OURS: _OURS, _BASE: _BASE, _MIDDLE: _THEIRS, _THEIRS: ""}[mark]
        else:
            for each in (side,) if side else parts:
                parts[each].append(line)
    if not found or side:
        what = "one of its conflicts does not end" if side else "there are no conflict markers in it"
        todo = "`git checkout --merge -- FILE` brings the conflict back" if side else "nothing is to be fixed"
        raise ConfigError(what, where=name, todo=todo)
    base, ours, theirs = ("".join(parts[each]) for each in (_BASE, _OURS, _THEIRS))
    return (base if has_base else "", ours, theirs)


def _common(text: str, name: str) -> Manifest | None:
    """Read the common state; where nobody knows one, both sides count in full."""
    try:
        return decode(text, where=name) if text else None
    except ManifestError:
        return None


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
        merged = merge(
            _common(texts[0].decode(errors="replace"), "base"), *(_side(text, name) for text in texts[1:])
        )
    except ManifestError as error:
        _write(
            ours, b"<<<<<<< ours\n%s\n=======\n%s\n>>>>>>> theirs\n" % (texts[1].strip(), texts[2].strip())
        )
        return (f"{error.what}; both sides are in it, whole",)
    _write(ours, merged.text.encode())
    return tuple(clash.what for clash in merged.clashes)


def _side(data: bytes, name: str) -> Manifest:
    return decode(data.decode(errors="replace"), where=name)


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise StorageError(f"the merge cannot be written ({error.strerror})", where=str(path)) from error
