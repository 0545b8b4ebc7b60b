"""The users of the stage: who the caller is, lists for the client's look-up of authors, and new users.

A stage has one administrator. Other users come with the rehearsal of a site, or by `POST /wp/v2/users`.
"""
# ruff: noqa: S608 - the names in the statements are our own; values are bound

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

from pressync.stage.server import slugs
from pressync.stage.server.wire import HttpRefusal
from pressync.stage.server.wordpress.parameters import Parameter
from pressync.stage.server.wordpress.session import CAPABILITIES, VISITOR, User

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from pressync.stage.server.wordpress.session import Request, Session

_COLUMNS = "id, login, email, name, slug, role, visible"


def find(db: sqlite3.Connection, number: int) -> User | None:
    """Read a user by id."""
    row = db.execute(f"SELECT {_COLUMNS} FROM users WHERE id = ?", (number,)).fetchone()
    return User(*row) if row else None


def named(db: sqlite3.Connection, name: str) -> User:
    """Read a user by login or e-mail address; a visitor if nobody has it."""
    row = db.execute(f"SELECT {_COLUMNS} FROM users WHERE ? IN (login, email)", (name,)).fetchone()
    return User(*row) if row else VISITOR


CREATE: Mapping[str, Parameter] = {
    "username": Parameter("string", required=True),
    "email": Parameter("string", required=True),
    "password": Parameter("string", required=True),
    "name": Parameter("string"),
    "slug": Parameter("string"),
    "roles": Parameter("array", tuple(CAPABILITIES)),
}


def me(session: Session, request: Request) -> dict[str, object]:
    """Show the user whom the credentials belong to."""
    if not session.user.id:
        raise HttpRefusal(401, "rest_not_logged_in", "You are not currently logged in.")
    return _shown(session, session.user, edit=request.is_edit)


def one(session: Session, request: Request) -> dict[str, object]:
    """Show one user."""
    user = find(session.db, request.number)
    if user is None:
        raise HttpRefusal(404, "rest_user_invalid_id", "Invalid user ID.")
    edit = request.is_edit
    is_known = user.id == session.user.id or session.user.may("list_users")
    if not (is_known or (not edit and _published(session, user))):
        raise session.user.refused("rest_user_cannot_view", "Sorry, you are not allowed to list users.")
    return _shown(session, user, edit=edit)


def listed(session: Session, given: Mapping[str, object]) -> list[dict[str, object]]:
    """List users by name; users without the right to list them see those who have published."""
    edit = given["context"] == "edit"
    lists = session.user.may("list_users")
    if edit and not lists:
        raise session.user.refused("rest_forbidden_context", "Sorry, you are not allowed to list users.")
    text = str(given.get("search", "")).strip().lower()
    wanted, include = given.get("slug"), given.get("include")
    rows = session.db.execute(f"SELECT {_COLUMNS} FROM users ORDER BY name COLLATE NOCASE, id")
    return [
        _shown(session, user, edit=edit)
        for user in (User(*row) for row in rows)
        if (lists or _published(session, user))
        and (not text or any(text in each.lower() for each in (user.login, user.email, user.slug, user.name)))
        and (not isinstance(wanted, tuple) or user.slug in wanted)
        and (not isinstance(include, tuple) or user.id in include)
    ]


def create(session: Session, given: Mapping[str, object]) -> dict[str, object]:
    """Make a user. The password is not stored: the token of the service stands for all passwords."""
    if not session.user.may("create_users"):
        raise session.user.refused(
            "rest_cannot_create_user", "Sorry, you are not allowed to create new users."
        )
    login = str(given["username"]).strip()
    roles = given.get("roles")
    role = str(roles[0]) if isinstance(roles, tuple) and roles else "subscriber"
    email, name = str(given["email"]).strip(), str(given.get("name") or login)
    for column, value in (("login", login), ("email", email)):
        if session.db.execute(f"SELECT 1 FROM users WHERE {column} = ?", (value,)).fetchone():
            raise HttpRefusal(500, f"existing_user_{column}", f"Sorry, that {column} already exists!")
    taken = {str(row[0]) for row in session.db.execute("SELECT slug FROM users")}
    slug = slugs.free(slugs.as_wordpress(str(given.get("slug") or login)) or "user", taken.__contains__)
    user = User(0, login, email, name, slug, role)
    made = session.db.execute(
        f"INSERT INTO users ({_COLUMNS}) VALUES (NULL, ?, ?, ?, ?, ?, ?)", astuple(user)[1:]
    )
    found = find(session.db, made.lastrowid or 0)
    return _shown(session, found or VISITOR, edit=True)


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
        rights = dict.fromkeys(sorted(CAPABILITIES[user.role]), True)
        shown |= {"username": user.login, "email": user.email, "roles": [user.role], "capabilities": rights}
    return shown
