"""Uploaded files: their bytes are beside the database, below the paths at which the site shows them.

WordPress trusts a file by its name and its first bytes, and so does this module: it refuses a file that is
not what its name says. A file is on the disk before its row is, so a row never lacks its file.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, ClassVar

from pressync.stage.server import rows, slugs, wire
from pressync.stage.server.database import Row
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress.lists import PAGING, Where, answer, ordering, sheet
from pressync.stage.server.wordpress.parameters import Parameters, no_trash, read
from pressync.stage.server.wordpress.session import ReceivedFile, Request, RestResponse, Session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.stage.server.database import Connection
    from pressync.stage.server.wordpress.session import User


# The path of the uploaded files below the site's address.
FOLDER = "wp-content/uploads"

# The endings that WordPress takes, without those of programs.
TYPES: Mapping[str, str] = {
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "jpe": "image/jpeg", "png": "image/png", "gif": "image/gif",
    "webp": "image/webp", "avif": "image/avif", "ico": "image/x-icon", "bmp": "image/bmp",
    "tif": "image/tiff", "tiff": "image/tiff", "heic": "image/heic",
    "pdf": "application/pdf", "zip": "application/zip",
    "gz": "application/x-gzip", "tar": "application/x-tar",
    "txt": "text/plain", "csv": "text/csv", "ics": "text/calendar", "vtt": "text/vtt",
    "mp3": "audio/mpeg", "m4a": "audio/mpeg", "wav": "audio/wav", "ogg": "audio/ogg", "flac": "audio/flac",
    "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm",
    "ogv": "video/ogg", "aac": "audio/aac", "oga": "audio/ogg", "wma": "audio/x-ms-wma",
    "mid": "audio/midi", "midi": "audio/midi", "mkv": "video/x-matroska", "wmv": "video/x-ms-wmv",
    "3gp": "video/3gpp", "3g2": "video/3gpp2",
    "doc": "application/msword", "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "key": "application/vnd.apple.keynote", "rtf": "application/rtf", "rar": "application/rar",
    "7z": "application/x-7z-compressed", "avi": "video/avi", "mpg": "video/mpeg", "mpeg": "video/mpeg",
}  # fmt: skip

# The first bytes of the pictures that browsers show.
_MAGIC: Mapping[str, tuple[bytes, ...]] = {
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_UNSAFE = re.compile(r"[^\w.-]+")
_DASHES = re.compile(r"[\s-]+")
_NAME = 180


@dataclass(frozen=True, slots=True)
class Attachment(Row):
    """An uploaded file as in the database; `file` is its path below the folder of the uploads."""

    TABLE: ClassVar[str] = "media"

    id: int
    slug: str
    title: str
    alt_text: str
    file: str
    mime_type: str
    date: int
    modified: int
    author: int

    @property
    def is_picture(self) -> bool:
        """Whether it is a picture."""
        return self.mime_type.startswith("image/")

    @property
    def path(self) -> str:
        """Its path on the site."""
        return f"/{FOLDER}/{self.file}"


_CHANGES: Parameters = {"slug": {"type": "string"}, "title": {"type": "any"}, "alt_text": {"type": "string"}}


def parameters(_session: Session, _of: str, _request: Request, *, new: bool) -> Parameters:  # noqa: ARG001 - both take the same
    """Give the parameters of a create or an update."""
    return _CHANGES


def listed(session: Session, _of: str, request: Request) -> RestResponse:
    """List files, newest first."""
    orders = ("date", "id", "include", "modified", "slug", "title")
    given = read({**PAGING, **ordering(orders, "date", "desc")}, request.given)
    if given["context"] == "edit":
        session.user.check_editor("edit_posts")
    where = Where()
    where.chosen(given)
    where.words(("title", "alt_text"), given.get("search"))
    column = {"include": "id"}.get(name := str(given["orderby"]), name)
    order = f"{column} {given['order']}, id {given['order']}"
    total, found = sheet(session, Attachment, where, order, given)
    values: list[object] = [_shown(session, medium) for medium in found]
    return answer(session, request, given, values, total)


def get(session: Session, _of: str, request: Request) -> RestResponse:
    """Read one file's description."""
    return request.answer(_shown(session, _existing(session, request.number)))


def create(session: Session, _of: str, given: Mapping[str, object], request: Request) -> RestResponse:
    """Store a file; the same bytes again make another file, as on WordPress."""
    if not session.user.may("upload_files"):
        raise session.user.refused(
            "rest_cannot_create", "Sorry, you are not allowed to create posts as this user."
        )
    file = _sent(request)
    name = _safe_name(file.name)
    mime_type = TYPES.get(PurePosixPath(name).suffix[1:].lower(), "")
    if not mime_type or not file.data.startswith(_MAGIC.get(mime_type, (b"",))):
        message = "Sorry, you are not allowed to upload this file type."
        code = "rest_upload_unknown_error" if file.in_form else "rest_upload_sideload_error"
        raise HttpRefusal(500, code, message)
    path = _store(session, name, file.data)
    title = _text(given.get("title")) or PurePosixPath(file.name).stem
    number = rows.next_id(session.db)
    rows.reserve(session.db, number)
    medium = Attachment(
        id=number,
        slug=_free_slug(
            session, slugs.as_wordpress(str(given.get("slug") or "")) or slugs.as_wordpress(title)
        ),
        title=title,
        alt_text=str(given.get("alt_text") or ""),
        file=path,
        mime_type=mime_type,
        date=session.now,
        modified=session.now,
        author=session.user.id,
    )
    medium.put(session.db)
    return request.answer(_shown(session, medium), 201)


def update(session: Session, _of: str, given: Mapping[str, object], request: Request) -> RestResponse:
    """Change the slug, the title or the alternative text of a file."""
    medium = _existing(session, request.number)
    _check_own(session, medium, "rest_cannot_edit", "edit")
    slug = slugs.as_wordpress(str(given.get("slug") or "")) or medium.slug
    changed = replace(
        medium,
        slug=slug if slug == medium.slug else _free_slug(session, slug),
        title=_text(given.get("title")) or medium.title,
        alt_text=str(given.get("alt_text", medium.alt_text)),
        modified=session.now,
    )
    changed.put(session.db)
    return request.answer(_shown(session, changed))


def delete(session: Session, _of: str, request: Request, *, force: bool) -> RestResponse:
    """Delete a file for good, and take it from the records that show it."""
    medium = _existing(session, request.number)
    _check_own(session, medium, "rest_cannot_delete", "delete")
    if not force:
        raise no_trash("The post")
    previous = _shown(session, medium)
    session.db.execute("DELETE FROM media WHERE id = ?", (medium.id,))
    session.db.execute("UPDATE records SET featured_media = 0 WHERE featured_media = ?", (medium.id,))
    session.unneeded.append(session.uploads / medium.file)
    return request.deleted(previous)


def _sent(request: Request) -> ReceivedFile:
    match request.file:
        case ReceivedFile(data=b"") | "empty":
            raise HttpRefusal(400, "rest_upload_no_data", "No data supplied.")
        case ReceivedFile() as file:
            return file
        case "type":
            raise HttpRefusal(400, "rest_upload_no_content_type", "No Content-Type supplied.")
        case _:
            message = "No Content-Disposition supplied."
            raise HttpRefusal(400, "rest_upload_no_content_disposition", message)


def _safe_name(name: str) -> str:
    """Give a name that is safe in a path and an address; the last ending alone decides the type."""
    base = PurePosixPath(name.replace("\\", "/")).name
    plain = _DASHES.sub("-", _UNSAFE.sub("-", base)).strip(".-_")
    stem, dot, ending = plain.rpartition(".")
    return f"{stem.replace('.', '-')[:_NAME] or 'file'}{dot}{ending[:10].lower()}"


def _store(session: Session, name: str, data: bytes) -> str:
    """Write the bytes under a free name, durably, and give the path below the folder of the uploads."""
    month = f"{wire.moment_at(session.now, offset=session.settings.offset):%Y/%m}"
    folder = session.uploads / month
    folder.mkdir(parents=True, exist_ok=True)
    stem, _, ending = name.rpartition(".")
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".", delete=False) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    number, free = 0, name
    while (folder / free).exists():
        number += 1
        free = f"{stem}-{number}.{ending}"
    Path(file.name).rename(folder / free)
    return f"{month}/{free}"


def _free_slug(session: Session, slug: str) -> str:

    def taken(text: str) -> bool:
        query = "SELECT 1 FROM records WHERE slug = :slug UNION SELECT 1 FROM media WHERE slug = :slug"
        return session.db.execute(query, {"slug": text}).fetchone() is not None

    return slugs.free(slug or "file", taken)


def _text(value: object) -> str:
    raw = value.get("raw") if isinstance(value, dict) else value
    return raw.strip() if isinstance(raw, str) else ""


def find(db: Connection, number: int) -> Attachment | None:
    """Read one file's row, or None."""
    return next(Attachment.read(db, "WHERE id = ?", (number,)), None)


def may_change(user: User, medium: Attachment, verb: str) -> bool:
    """Whether the user may `edit` or `delete` a file."""
    is_own = user.id == medium.author and user.may(f"{verb}_posts")
    return is_own or user.may(f"{verb}_others_posts")


def _existing(session: Session, number: int) -> Attachment:
    medium = find(session.db, number)
    if medium is None:
        raise HttpRefusal(404, "rest_post_invalid_id", "Invalid post ID.")
    return medium


def _check_own(session: Session, medium: Attachment, code: str, verb: str) -> None:
    if not may_change(session.user, medium, verb):
        raise session.user.refused(code, f"Sorry, you are not allowed to {verb} this post.")


def _shown(session: Session, medium: Attachment) -> dict[str, object]:
    offset = session.settings.offset
    return {
        "id": medium.id,
        "date": wire.moment_text(medium.date, offset=offset),
        "date_gmt": wire.moment_text(medium.date),
        "modified": wire.moment_text(medium.modified, offset=offset),
        "modified_gmt": wire.moment_text(medium.modified),
        "slug": medium.slug,
        "status": "inherit",
        "type": "attachment",
        "link": session.link(f"{medium.slug}/", f"?attachment_id={medium.id}"),
        "title": {"raw": medium.title, "rendered": escape(medium.title)},
        "author": medium.author,
        "alt_text": medium.alt_text,
        "media_type": "image" if medium.is_picture else "file",
        "mime_type": medium.mime_type,
        "source_url": f"{session.settings.address}{medium.path}",
        "meta": [],
    }
