"""Makes the error for text that is not a manifest: it says where the text is wrong and what to do. Pure.

People and merges also write manifests. A person who broke one needs the line and the record, and cannot use
the offset of a byte. Nothing here repairs or guesses.
"""

from __future__ import annotations

import re
from shlex import quote
from typing import TYPE_CHECKING, NoReturn

import msgspec

from pressync.model.errors import ManifestError

if TYPE_CHECKING:
    from collections.abc import Mapping

RESTORE = "restore it (`git checkout -- FILE`)"
_UPGRADE = "upgrade pressync"

_CONFLICT_MARKER = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$", re.MULTILINE)
_AT_BYTE = re.compile(r"\(byte (\d+)\)$")
_AT_RECORD = re.compile(r"(.*?)(?: - at `\$(?:\[(\d+)\])?\.?(.*)`)?", re.DOTALL)
_ONE_OF = {"names": "name", "media": "file", "doubts": "unconfirmed create", "records": "record"}


def check_head(
    members: Mapping[str, msgspec.Raw], where: str, *, version: int, sections: tuple[str, ...]
) -> None:
    """Check the version first, because a newer version may mean something else by the other members.

    :raises ManifestError: the version is not ours, or a member is missing or unknown.
    """
    try:
        written = msgspec.json.decode(members.get("version", b"null"), type=int)
    except ValueError as error:
        what = "it has no version, so it is not a manifest"
        raise ManifestError(what, where=where, todo=RESTORE) from error
    if written > version:
        raise ManifestError(
            f"it was written by a newer pressync (version {written})", where=where, todo=_UPGRADE
        )
    for name in ("target", "records"):
        if name not in members:
            raise ManifestError(f"it has no '{name}'", where=where, todo=RESTORE)
    if written < version or members.keys() - {"version", "target", *sections}:
        raise ManifestError(
            "its head is not one that pressync writes", where=where, todo=f"{RESTORE} or {_UPGRADE}"
        )


def refuse_syntax(text: str, error: Exception, where: str) -> NoReturn:
    """Say what is wrong with text that is not a JSON object, and on which line.

    :raises ManifestError: always.
    """
    marker = _CONFLICT_MARKER.search(text)
    if marker:
        line = text.count("\n", 0, marker.start()) + 1
        todo = f"`pressync manifest fix {quote(where)}` puts both sides together"
        raise ManifestError(
            "it has the conflict markers of an unfinished merge", where=f"{where}:{line}", todo=todo
        ) from error
    if isinstance(error, msgspec.ValidationError):
        what = "it is not a JSON object, so it is not a manifest"
        raise ManifestError(what, where=where, todo=RESTORE) from error
    raw = text.encode(errors="replace")
    at = _AT_BYTE.search(_fault(raw))
    line = raw.count(b"\n", 0, int(at[1]) if at else len(raw)) + 1
    what = "it is not valid JSON" if at else "it ends too early, or holds text that is not Unicode"
    raise ManifestError(what, where=f"{where}:{line}", todo=RESTORE) from error


def refuse_shape(members: Mapping[str, msgspec.Raw], part: str, message: str, where: str) -> NoReturn:
    """Name the row and the member at which msgspec found the error; msgspec gives only their positions.

    :raises ManifestError: always.
    """
    found = _AT_RECORD.fullmatch(message)
    what, index, member = found.groups() if found else (message, None, "")
    what = (what or message).replace("`", "'")
    if index is None:
        raise ManifestError(f"it is not a manifest: {what}", where=where, todo=RESTORE)
    name = f"{_ONE_OF[part]} {int(index) + 1}{_path_of(members[part], int(index))}"
    told = f"{name}: {member}: {what}" if member else f"{name}: {what}"
    if "unknown field" in what:
        raise ManifestError(f"{told}; a newer pressync may have written it", where=where, todo=_UPGRADE)
    raise ManifestError(told, where=where, todo=RESTORE)


def _fault(data: bytes) -> str:
    """Say what is wrong and at which byte of the whole text; the error of a part has another offset."""
    try:
        msgspec.json.decode(data)
    except (ValueError, RecursionError) as error:
        return str(error)
    return ""


def _path_of(records: msgspec.Raw, index: int) -> str:
    try:
        path = msgspec.json.decode(msgspec.json.decode(records, type=list[msgspec.Raw])[index])["path"]
    except (LookupError, TypeError, ValueError, RecursionError):
        return ""
    return f" ({path!r})"
