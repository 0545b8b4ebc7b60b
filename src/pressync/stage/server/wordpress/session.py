"""One request: its user and the rights of the role, the state of the store that it sees, and its response.

The roles, the rights that an operation on a record needs, and the refusals are those of WordPress. A stage
has one administrator. Other users come with the rehearsal of a site, or by `POST /wp/v2/users`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Self

from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.stage.server.database import Row
from pressync.stage.server.wire import HttpRefusal

if TYPE_CHECKING:
    from pathlib import Path

    from pressync.stage.server.database import Connection, SiteSettings
    from pressync.stage.server.rows import StoredRecord


_OWN = ("edit_{}", "delete_{}")
_PUBLISHED = ("edit_published_{}", "delete_published_{}", "publish_{}")
_OTHERS = ("edit_others_{}", "delete_others_{}", "edit_private_{}", "delete_private_{}", "read_private_{}")


def _rights(kinds: str, *groups: tuple[str, ...]) -> frozenset[str]:
    return frozenset(right.format(kind) for kind in kinds.split() for group in groups for right in group)


_EVERYTHING = _rights(" ".join(kind.row.rights for kind in DOCUMENTED_TYPES.kinds), _OWN, _PUBLISHED, _OTHERS)
_EDITOR = _EVERYTHING | {"read", "upload_files", "unfiltered_html", "manage_categories", "moderate_comments"}

CAPABILITIES: Mapping[str, frozenset[str]] = {
    "administrator": _EDITOR
    | {"list_users", "create_users", "edit_users", "promote_users", "manage_options", "edit_theme_options"},
    "editor": _EDITOR,
    "author": _rights("posts", _OWN, _PUBLISHED) | {"read", "upload_files"},
    "contributor": _rights("posts", _OWN) | {"read"},
    "subscriber": frozenset({"read"}),
}


def rights_of(role: str, types: SiteTypes) -> frozenset[str]:
    """Give the rights of a role; administrators and editors have those of the site's own types too."""
    rights = CAPABILITIES.get(role, frozenset())
    return rights | _own_rights(*(kind.row.rights for kind in types.kinds)) if rights >= _EDITOR else rights


@cache
def _own_rights(*kinds: str) -> frozenset[str]:
    return _rights(" ".join(kinds), _OWN, _PUBLISHED, _OTHERS)


@dataclass(frozen=True, slots=True)
class User(Row):
    """A user; id 0 is a visitor, who has no rights.

    Users who may not list users see those who have published, and those who are `visible`.
    """

    TABLE: ClassVar[str] = "users"

    id: int = 0
    login: str = ""
    email: str = ""
    name: str = ""
    slug: str = ""
    role: str = ""
    visible: bool = False
    types: SiteTypes = field(default=DOCUMENTED_TYPES, kw_only=True, compare=False, repr=False)

    @classmethod
    def read(
        cls, db: Connection, rest: str, values: Sequence[object] | Mapping[str, object] = ()
    ) -> Iterator[Self]:
        """Read users, who know the kinds of their site."""
        return (replace(user, types=db.types) for user in super(User, cls).read(db, rest, values))

    def may(self, right: str) -> bool:
        """Whether the user's role has a right."""
        return right in CAPABILITIES.get(self.role, ()) or right in rights_of(self.role, self.types)

    def refused(self, code: str, message: str) -> HttpRefusal:
        """Make the refusal of a request that this user may not make: 401 for a visitor, else 403."""
        return HttpRefusal(403 if self.id else 401, code, message)

    def check_editor(self, right: str) -> None:
        """Refuse to show records as editors see them to a user without this right."""
        if not self.may(right):
            message = "Sorry, you are not allowed to edit posts in this post type."
            raise self.refused("rest_forbidden_context", message)


VISITOR = User()


_LIVE = frozenset({"publish", "future"})


def may_read(user: User, record: StoredRecord) -> bool:
    """Whether the user may read a record."""
    if record.status == "publish":
        return True
    if record.status == "private":
        own = bool(user.id) and record.author == user.id
        return own or user.may(f"read_private_{record.kind.row.rights}")
    return may_edit(user, record)


def may_edit(user: User, record: StoredRecord) -> bool:
    """Whether the user may change a record."""
    return _may(user, record, "edit")


def may_delete(user: User, record: StoredRecord) -> bool:
    """Whether the user may delete a record."""
    return _may(user, record, "delete")


def _may(user: User, record: StoredRecord, verb: str) -> bool:
    kinds = record.kind.row.rights
    if not user.id or not user.may(f"{verb}_{kinds}"):
        return False
    published = f"{verb}_published_{kinds}"
    if record.author == user.id:
        return record.status not in _LIVE or user.may(published)
    if not user.may(f"{verb}_others_{kinds}"):
        return False
    if record.status == "private":
        return user.may(f"{verb}_private_{kinds}")
    return record.status not in _LIVE or user.may(published)


_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True)
class Fields:
    """The requested members by their paths; None stands for all."""

    paths: tuple[tuple[str, ...], ...] | None = None

    @classmethod
    def of(cls, given: object) -> Fields:
        """Read the value of `_fields`, which is a text or a list."""
        names = given if isinstance(given, list) else _SEPARATORS.split(str(given or ""))
        paths = tuple(tuple(str(name).split(".")) for name in names if name)
        return cls(paths or None)

    def has(self, name: str) -> bool:
        """Whether a member of the response is requested, or a part of it."""
        return self.paths is None or any(path[0] == name for path in self.paths)

    def cut(self, value: object) -> object:
        """Leave the requested members of an object, or of each object of a list."""
        if self.paths is None:
            return value
        if isinstance(value, list):
            return [self.cut(each) for each in value]
        if not isinstance(value, Mapping):
            return value
        kept: dict[str, object] = {}
        for path in self.paths:
            _copy(path, value, kept)
        # PHP encodes an empty map as a list.
        return kept or []


def _copy(path: tuple[str, ...], source: Mapping[str, object], target: dict[str, object]) -> None:
    name, inner = path[0], path[1:]
    if name not in source:
        return
    value = source[name]
    if not inner or not isinstance(value, Mapping):
        if not inner:
            target[name] = value
        return
    below = target.setdefault(name, {})
    if isinstance(below, dict):
        _copy(inner, value, below)
        # PHP encodes an empty map as a list.
        target[name] = below or []


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """The bytes of an upload, the file name that it was sent with, and whether it came in a form."""

    name: str
    data: bytes
    in_form: bool = False


@dataclass(frozen=True, slots=True)
class RestResponse:
    """A response: its status, its JSON value and its headers."""

    status: int
    value: object
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """One request: `given` has the parameters of body, query and path, and `number` the id of the record.

    `file` is the file of an upload, or the problem with it.
    """

    method: str
    path: str
    given: Mapping[str, object] = field(default_factory=dict)
    number: int = 0
    file: ReceivedFile | str = ""

    @property
    def fields(self) -> Fields:
        """The members of the response that are requested."""
        return Fields.of(self.given.get("_fields"))

    def answer(
        self, value: object, status: int = 200, headers: tuple[tuple[str, str], ...] = ()
    ) -> RestResponse:
        """Give the response with the requested members of a value."""
        return RestResponse(status, self.fields.cut(value), headers)

    def deleted(self, previous: object) -> RestResponse:
        """Give the response to the deletion of an object for good."""
        return self.answer({"deleted": True, "previous": self.fields.cut(previous)})

    @property
    def is_edit(self) -> bool:
        """Whether the context is the one with the raw texts."""
        return self.given.get("context") == "edit"


@dataclass(frozen=True, slots=True)
class Session:
    """The view of one request: one transaction of the store, the settings, the time and the user.

    `sticky` is the list of sticky posts as this request knows it. The files in `unneeded` are deleted when
    the transaction is durable.
    """

    db: Connection
    settings: SiteSettings
    now: int
    user: User
    uploads: Path
    sticky: set[int]
    unneeded: list[Path] = field(default_factory=list)

    @property
    def base(self) -> str:
        """The base address of the interface; one with a query takes the parameters after `&`."""
        return interface_address(self.settings)

    def link(self, path: str, query: str) -> str:
        """Give the address of an archive or a file: its path, or its query with plain permalinks."""
        return f"{self.settings.address}/{path if self.settings.permalinks else query}"


def interface_address(settings: SiteSettings) -> str:
    """Give the base address of the interface, as WordPress writes it for these permalinks."""
    return f"{settings.address}/{'wp-json' if settings.permalinks else 'index.php?rest_route='}"


def user_by_id(db: Connection, number: int) -> User | None:
    """Read a user by id."""
    return next(User.read(db, "WHERE id = ?", (number,)), None)


def user_named(db: Connection, name: str) -> User:
    """Read a user by login or e-mail address; a visitor if nobody has it."""
    return next(User.read(db, "WHERE ? IN (login, email)", (name,)), VISITOR)
