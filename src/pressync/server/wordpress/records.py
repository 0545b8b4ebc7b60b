"""The operations on pages and posts: read, create, update, trash and delete, with the user's rights.

A request with two faults gets one refusal, and clients act on its code. So each operation checks in the order
of WordPress: the parameters, the rights, and then the records, terms and files that the parameters name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.model.interface import Kind
from pressync.server import rows
from pressync.server.record import ALLOWED, TRASH
from pressync.server.wordpress import record_json, rights, sizes, slugs, users, writing
from pressync.server.wordpress.fields import Fields
from pressync.server.wordpress.parameters import Parameter, check_enum
from pressync.server.wordpress.refusals import RestRefusal, WrongParameter
from pressync.server.wordpress.session import RestResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from pressync.server.record import StoredRecord
    from pressync.server.wordpress.session import Request, Session


def _meta(value: object) -> object:
    if not isinstance(value, (dict, list)):
        raise WrongParameter("Invalid parameter.")
    return value


def _slug(value: object) -> object:
    if not isinstance(value, str):
        raise WrongParameter("slug is not of type string.", "rest_invalid_type", {"param": "slug"})
    return slugs.sanitise(value)


_COMMON: Mapping[str, Parameter] = {
    "date": Parameter("date"),
    "date_gmt": Parameter("date"),
    "slug": Parameter("string", check=_slug),
    "password": Parameter("string"),
    "title": Parameter(),
    "content": Parameter(),
    "author": Parameter("integer"),
    "excerpt": Parameter(),
    "featured_media": Parameter("integer"),
    "comment_status": Parameter("string", ALLOWED["comment_status"]),
    "ping_status": Parameter("string", ALLOWED["ping_status"]),
    "meta": Parameter("any", check=_meta),
    "template": Parameter("string"),
}
_OWN: Mapping[Kind, Mapping[str, Parameter]] = {
    Kind.PAGE: {"parent": Parameter("integer"), "menu_order": Parameter("integer")},
    Kind.POST: {
        "format": Parameter("string", ALLOWED["format"]),
        "sticky": Parameter("boolean"),
        "categories": Parameter("array", items="integer"),
        "tags": Parameter("array", items="integer"),
    },
}


def parameters(kind: Kind, current: str = "") -> dict[str, Parameter]:
    """Give the parameters of a create or an update; the status that a record has is always allowed."""
    statuses = (*ALLOWED["status"], current) if current == TRASH else ALLOWED["status"]
    status = Parameter("string", check=_status(statuses))
    return {**_COMMON, **_OWN[kind], "status": status}


def _status(allowed: tuple[str, ...]) -> Callable[[object], object]:
    def check(value: object) -> object:
        if not isinstance(value, str):
            raise WrongParameter("status is not of type string.", "rest_invalid_type", {"param": "status"})
        if value not in allowed:
            check_enum("status", ALLOWED["status"], value)
        return value

    return check


def get(session: Session, kind: Kind, request: Request) -> RestResponse:
    """Read one record."""
    stored, user = _existing(session, kind, request.number), session.user
    edit = request.given.get("context") == "edit"
    if edit and not rights.may_edit(user, stored):
        raise user.refused("rest_forbidden_context", "Sorry, you are not allowed to edit this post.")
    if not rights.may_read(user, stored):
        raise user.refused("rest_forbidden", "Sorry, you are not allowed to do that.")
    fields = Fields.of(request.given.get("_fields"))
    return RestResponse(200, fields.cut(record_json.shown(session, stored, fields, edit=edit)))


def create(session: Session, kind: Kind, given: Mapping[str, object], fields: Fields) -> RestResponse:
    """Make a record."""
    if given.get("id"):
        raise RestRefusal(400, "rest_post_exists", "Cannot create existing post.")
    user, kinds = session.user, f"{kind}s"
    _check_others(session, kind, given, "create")
    if not user.may(f"edit_{kinds}"):
        raise user.refused(
            "rest_cannot_create", f"Sorry, you are not allowed to create {kinds} as this user."
        )
    _check_terms(session, given)
    stored = writing.blank(session, kind)
    made = writing.written(session, stored, _resolved(session, stored, given, new=True), new=True)
    return _saved(session, made, fields, 201)


def update(
    session: Session, kind: Kind, number: int, given: Mapping[str, object], fields: Fields
) -> RestResponse:
    """Change the given fields of a record; one in the trash stays there unless it gets a status."""
    stored = _existing(session, kind, number)
    if not rights.may_edit(session.user, stored):
        raise session.user.refused("rest_cannot_edit", "Sorry, you are not allowed to edit this post.")
    _check_others(session, kind, given, "update")
    _check_terms(session, given)
    changed = writing.written(session, stored, _resolved(session, stored, given, new=False), new=False)
    return _saved(session, changed, fields, 200)


def delete(session: Session, kind: Kind, number: int, fields: Fields, *, force: bool) -> RestResponse:
    """Move a record to the trash, or delete it for good."""
    stored = _existing(session, kind, number)
    if not rights.may_delete(session.user, stored):
        raise session.user.refused("rest_cannot_delete", "Sorry, you are not allowed to delete this post.")
    if not force:
        if stored.status == TRASH:
            raise RestRefusal(410, "rest_already_trashed", "The post has already been deleted.")
        return _saved(session, writing.trashed(session, stored), fields, 200)
    previous = fields.cut(record_json.shown(session, stored, fields, edit=True))
    rows.remove(session.db, number)
    for child in rows.children(session.db, number):
        rows.save(session.db, structs.replace(child, parent=stored.parent))
    return RestResponse(200, fields.cut({"deleted": True, "previous": previous}))


def existing(session: Session, kind: Kind, number: int) -> StoredRecord | None:
    """Read a record, or None."""
    # A larger number does not fit into the database.
    return rows.find(session.db, kind, number) if number < 2**63 else None


def _existing(session: Session, kind: Kind, number: int) -> StoredRecord:
    stored = existing(session, kind, number)
    if stored is None:
        raise RestRefusal(404, "rest_post_invalid_id", "Invalid post ID.")
    return stored


def _saved(session: Session, record: StoredRecord, fields: Fields, status: int) -> RestResponse:
    sizes.check(record, new=status == 201)  # noqa: PLR2004 - Created
    rows.save(session.db, record)
    location = (("Location", f"{session.base}/wp/v2/{record.kind}s/{record.id}"),) if status == 201 else ()  # noqa: PLR2004 - Created
    value = record_json.shown(session, record, fields, edit=True)
    return RestResponse(status, fields.cut(value), location)


def _check_others(session: Session, kind: Kind, given: Mapping[str, object], verb: str) -> None:
    """Refuse to write in the name of somebody else, or to make a post sticky, without the right."""
    user, others = session.user, session.user.may(f"edit_others_{kind}s")
    if given.get("author") and given["author"] != user.id and not others:
        raise user.refused(
            "rest_cannot_edit_others", f"Sorry, you are not allowed to {verb} posts as this user."
        )
    if given.get("sticky") and not (others and user.may(f"publish_{kind}s")):
        raise user.refused("rest_cannot_assign_sticky", "Sorry, you are not allowed to make posts sticky.")


def _check_terms(session: Session, given: Mapping[str, object]) -> None:
    """Refuse terms that the user may not assign: nobody may assign the term 0."""
    for name in ("categories", "tags"):
        ids = given.get(name)
        if isinstance(ids, tuple) and 0 in ids:
            message = "Sorry, you are not allowed to assign the provided terms."
            raise session.user.refused("rest_cannot_assign_term", message)


def _resolved(
    session: Session, stored: StoredRecord, given: Mapping[str, object], *, new: bool
) -> dict[str, object]:
    """Give the parameters with the objects that they name looked up, in the order of WordPress."""
    values = dict(given)
    if "status" in values and (new or values["status"] != stored.status):
        values["status"] = _allowed_status(session, stored.kind, str(values["status"]))
    author = values.get("author")
    if author and author != session.user.id and users.find(session.db, _number(author)) is None:
        raise RestRefusal(400, "rest_invalid_author", "Invalid author ID.")
    parent = _number(values.get("parent", 0))
    if parent and not (existing(session, Kind.PAGE, parent) or existing(session, Kind.POST, parent)):
        raise RestRefusal(400, "rest_post_invalid_id", "Invalid post parent ID.")
    picture = _number(values.get("featured_media", 0))
    if picture and not _is_picture(session, picture):
        # WordPress keeps the picture if nothing has this id, and takes it away if it is another thing.
        values["featured_media"] = 0 if _is_anything(session, picture) else stored.featured_media
    for name, taxonomy in (("categories", "category"), ("tags", "post_tag")):
        if name in values:
            values[name] = _known(session, taxonomy, values[name])
    values |= _footnotes(values)
    return values


def _allowed_status(session: Session, kind: Kind, status: str) -> str:
    if status in {"publish", "future", "private"} and not session.user.may(f"publish_{kind}s"):
        what = "create private posts" if status == "private" else "publish posts"
        raise session.user.refused(
            "rest_cannot_publish", f"Sorry, you are not allowed to {what} in this post type."
        )
    return status or "draft"


def _footnotes(values: Mapping[str, object]) -> dict[str, object]:
    meta = values.get("meta")
    footnotes = meta.get("footnotes") if isinstance(meta, Mapping) else None
    if footnotes is None:
        return {}
    if not isinstance(footnotes, str):
        name = "meta.footnotes"
        raise RestRefusal(400, "rest_invalid_type", f"{name} is not of type string.", param=name)
    return {"footnotes": footnotes}


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _is_picture(session: Session, number: int) -> bool:
    query = "SELECT 1 FROM media WHERE id = ? AND mime_type LIKE 'image/%'"
    return number < 2**63 and session.db.execute(query, (number,)).fetchone() is not None


def _is_anything(session: Session, number: int) -> bool:
    query = "SELECT 1 FROM records WHERE id = :id UNION SELECT 1 FROM media WHERE id = :id"
    return number < 2**63 and session.db.execute(query, {"id": number}).fetchone() is not None


def _known(session: Session, taxonomy: str, ids: object) -> tuple[int, ...]:
    """Give the ids of terms that exist, each once; WordPress ignores the others and a minus."""
    query = "SELECT 1 FROM terms WHERE taxonomy = ? AND id = ?"
    wanted = dict.fromkeys(abs(_number(each)) for each in ids) if isinstance(ids, tuple) else ()
    return tuple(
        n for n in wanted if n < 2**63 and session.db.execute(query, (taxonomy, n)).fetchone() is not None
    )
