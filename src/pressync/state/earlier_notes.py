"""Reads what earlier versions noted in files of their own as facts of `clone_log`, and removes the files.

| file of the site | what it has |
|---|---|
| `.vouched` | the bonds |
| `.made.removed` | the removed records |
| `.notes` | the rights of the user and the numbers of notes |
| `.claim` | the id of this clone's last claim, for any target |
| `.runs/` | `*.run` and `*.images` of each run |

Each of the first three names its target. A file that cannot be read says nothing.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import msgspec
from msgspec.json import encode

from pressync.state import atomic_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from pressync.state.clone_files import CloneFiles

_VOUCHED, _REMOVED, _NOTES, _CLAIM, _RUNS = ".vouched", ".made.removed", ".notes", ".claim", ".runs"

# A version before `.notes` wrote it. Nothing reads it any more.
_RIGHTS = ".rights"


class _File(msgspec.Struct):
    """The members of all these files; each file has some of them."""

    target: str
    records: msgspec.Raw = msgspec.Raw(b"[]")
    rights: msgspec.Raw = msgspec.Raw(b"{}")
    notes: msgspec.Raw = msgspec.Raw(b"[]")


_rows_of_bonds = msgspec.json.Decoder(list[tuple[str, str, int, str]])


def facts(files: CloneFiles, target: str) -> Iterator[tuple[str, str, bytes | Iterable[bytes]]]:
    """Give each fact with its target and its name; the runs come in their order."""
    if bonds := _read(_file(files, _VOUCHED)):
        with contextlib.suppress(ValueError):
            rows = _rows_of_bonds.decode(bonds.records)
            yield bonds.target, "bonds", encode([(path, bond) for path, *bond in rows])
    if removed := _read(_file(files, _REMOVED)):
        yield removed.target, "removed", bytes(removed.records)
    if notes := _read(_file(files, _NOTES)):
        yield notes.target, "rights", bytes(notes.rights)
        yield notes.target, "notes", bytes(notes.notes)
    with contextlib.suppress(OSError, UnicodeDecodeError):
        yield target, "claim", encode(_file(files, _CLAIM).read_text(encoding="utf-8"))
    for file in sorted(_file(files, _RUNS).glob("*.run")):
        if run := _read(file):
            with contextlib.suppress(OSError):
                images = file.with_suffix(".images").read_bytes()
                yield run.target, "images", [b'{"run":"%b","values":' % file.stem.encode(), images, b"}"]
            yield run.target, "run", file.read_bytes()


def remove(files: CloneFiles) -> None:
    """Remove the files, durably: one that came back later would say again what was long ago.

    :raises OSError: one of them cannot be removed.
    """
    import shutil  # noqa: PLC0415 - this happens once, and a short plan reads the log

    shutil.rmtree(_file(files, _RUNS), ignore_errors=True)
    for ending in (_VOUCHED, _REMOVED, _NOTES, _CLAIM, _RIGHTS):
        _file(files, ending).unlink(missing_ok=True)
    atomic_files.sync_folder(files.directory)


def _file(files: CloneFiles, ending: str) -> Path:
    return files.directory / f"{files.site}{ending}"


def _read(file: Path) -> _File | None:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_File)
    except (OSError, ValueError, RecursionError):
        return None
