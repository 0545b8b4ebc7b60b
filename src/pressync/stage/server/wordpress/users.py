"""The users of the site: those who may sign in, and whom a visitor sees."""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.stage.server import slugs
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress.lists import PAGING, answer
from pressync.stage.server.wordpress.parameters import Parameters, integer, read
from pressync.stage.server.wordpress.session import CAPABILITIES, User, rights_of, user_by_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.stage.server.wordpress.session import Request, RestResponse, Session

_NEEDED: Mapping[str, object] = {"type": "string", "required": True}
_NEW: Parameters = {
    **dict.fromkeys(("username", "email", "password"), _NEEDED),
    "name": {"type": "string"},
    "slug": {"type": "string"},
    "roles": {"type": "array", "items": {"type": "string", "enum": [*CAPABILITIES]}},
}


def parameters(_session: Session, _of: str, _request: Request, *, new: bool) -> Parameters:  # noqa: ARG001 - users are only made
    """Give the parameters of a create."""
    return _NEW


def get(session: Session, _of: str, request: Request) -> RestResponse:
    """Show one user, or the one whom the credentials belong to."""
    edit = request.is_edit
    if request.path.endswith("/me"):
        if not session.user.id:
            raise HttpRefusal(401, "rest_not_logged_in", "You are not currently logged in.")
        return request.answer(_shown(session, session.user, edit=edit))
    user = user_by_id(session.db, request.number)
    if user is None:
        raise HttpRefusal(404, "rest_user_invalid_id", "Invalid user ID.")
    is_known = user.id == session.user.id or session.user.may("list_users")
    if not (is_known or (not edit and _published(session, user))):
        raise session.user.refused("rest_user_cannot_view", "Sorry, you are not allowed to list users.")
    return request.answer(_shown(session, user, edit=edit))


def listed(session: Session, _of: str, request: Request) -> RestResponse:
    """List users by name; users without the right to list them see those who have published."""
    given = read(PAGING, request.given)
    edit = given["context"] == "edit"
    lists = session.user.may("list_users")
    if edit and not lists:
        raise session.user.refused("rest_forbidden_context", "Sorry, you are not allowed to list users.")
    text = str(given.get("search", "")).strip().lower()
    wanted, include = given.get("slug"), given.get("include")
    found = [
        _shown(session, user, edit=edit)
        for user in User.read(session.db, "ORDER BY name COLLATE NOCASE, id")
        if (lists or _published(session, user))
        and (not text or any(text in each.lower() for each in (user.login, user.email, user.slug, user.name)))
        and (not isinstance(wanted, list) or user.slug in wanted)
        and (not isinstance(include, list) or user.id in include)
    ]
    page, size = integer(given["page"]), integer(given["per_page"])
    return answer(session, request, given, [*found[(page - 1) * size : page * size]], len(found))


def create(session: Session, _of: str, given: Mapping[str, object], request: Request) -> RestResponse:
    """Make a user. The password is not stored: the token of the service stands for all passwords."""
    if not session.user.may("create_users"):
        raise session.user.refused(
            "rest_cannot_create_user", "Sorry, you are not allowed to create new users."
        )
    login = str(given["username"]).strip()
    roles = given.get("roles")
    role = str(roles[0]) if isinstance(roles, list) and roles else "subscriber"
    email, name = str(given["email"]).strip(), str(given.get("name") or login)
    for column, value in (("login", login), ("email", email)):
        if session.db.execute(f"SELECT 1 FROM users WHERE {column} = ?", (value,)).fetchone():
            raise HttpRefusal(500, f"existing_user_{column}", f"Sorry, that {column} already exists!")
    taken = {str(row[0]) for row in session.db.execute("SELECT slug FROM users")}
    slug = slugs.free(slugs.as_wordpress(str(given.get("slug") or login)) or "user", taken.__contains__)
    number = User(0, login, email, name, slug, role).put(session.db)
    return request.answer(_shown(session, User(number, login, email, name, slug, role), edit=True), 201)


def _published(session: Session, user: User) -> bool:
    if user.visible:
        return True
    query = "SELECT 1 FROM records WHERE author = ? AND status = 'publish' LIMIT 1"
    return session.db.execute(query, (user.id,)).fetchone() is not None


def _shown(session: Session, user: User, *, edit: bool) -> dict[str, object]:
    shown: dict[str, object] = {
        "id": user.id,
        "name": user.name,
        "url": "",
        "description": "",
        "link": session.link(f"author/{user.slug}/", f"?author={user.id}"),
        "slug": user.slug,
        "meta": [],
    }
    if edit:
        rights = dict.fromkeys(sorted(rights_of(user.role, session.db.types)), True)
        shown |= {"username": user.login, "email": user.email, "roles": [user.role], "capabilities": rights}
    return shown
