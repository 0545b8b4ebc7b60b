"""The documented Content Service as data: kinds, fields, types, operations and paths.

The client and the embedded server both read this module, and they share nothing else. So it says nothing of
how a client encodes or how a server stores. A test compares it with the tables of the interface document. The
comments name the document's sections.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(StrEnum):
    """The kinds of content records (section 1); `KINDS` has the row of each."""

    PAGE = "page"
    POST = "post"

    @property
    def row(self) -> KindRow:
        """The facts that differ between the kinds of records."""
        return KINDS[self]


class Type(Enum):
    """The types that fields and object members have (sections 2 and 4)."""

    STRING = "string"
    DATETIME = "string, ISO 8601 date-time"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    OBJECT = "object"
    INTEGERS = "array of integers"
    STRINGS = "array of strings"


class Field(NamedTuple):
    """One field of a record or of a request body; only the type OBJECT has `members`."""

    name: str
    type: Type
    members: tuple[Field, ...] = ()


class Operation(NamedTuple):
    """One of the five operations: verb, kind, method, path below the base address, fields of the body."""

    verb: str
    kind: Kind
    method: str
    path: str
    body: tuple[Field, ...]

    @property
    def name(self) -> str:
        """The name of the operation in the interface's document."""
        return f"{self.verb}_{self.kind}"


class KindRow(NamedTuple):
    """All that distinguishes a kind of record from the others.

    `folder` is the folder of its files below the content folder, and `route` the path of its list in the
    interface. `record` and `body` are the fields of a response and of a write. `verbs` are the operations
    that the document shows. `rights` is the plural in WordPress's names of rights.

    A `hierarchical` record has its place below another one of its kind. The others stand side by side, and
    the permalinks of the site decide their address. A record that is `dated` belongs to the blog: the name of
    its file may begin with its date, its address may have the date, and a site announces a new one. One that
    is `front` may be the front page of the site.
    """

    folder: str
    route: str
    record: tuple[Field, ...]
    body: tuple[Field, ...]
    verbs: tuple[str, ...]
    rights: str
    hierarchical: bool = False
    dated: bool = False
    front: bool = False

    def has(self, name: str) -> bool:
        """Tell whether a write may have this field."""
        return any(field.name == name for field in self.body)


_RAW = Field("raw", Type.STRING)
_RENDERED = Field("rendered", Type.STRING)
_BLOCK_VERSION = Field("block_version", Type.INTEGER)
_PROTECTED = Field("protected", Type.BOOLEAN)

_DATE = Field("date", Type.DATETIME)
_DATE_GMT = Field("date_gmt", Type.DATETIME)
_SLUG = Field("slug", Type.STRING)
_STATUS = Field("status", Type.STRING)
_PASSWORD = Field("password", Type.STRING)
_PARENT = Field("parent", Type.INTEGER)
_TITLE = Field("title", Type.OBJECT, (_RAW, _RENDERED))
_CONTENT = Field("content", Type.OBJECT, (_RAW, _RENDERED, _BLOCK_VERSION, _PROTECTED))
_AUTHOR = Field("author", Type.INTEGER)
_EXCERPT = Field("excerpt", Type.OBJECT, (_RAW, _RENDERED, _PROTECTED))
_FEATURED_MEDIA = Field("featured_media", Type.INTEGER)
_COMMENT_STATUS = Field("comment_status", Type.STRING)
_PING_STATUS = Field("ping_status", Type.STRING)
_MENU_ORDER = Field("menu_order", Type.INTEGER)
_META = Field("meta", Type.OBJECT, (Field("footnotes", Type.STRING),))
_TEMPLATE = Field("template", Type.STRING)

# Section 2.1, in the document's order.
PAGE_RECORD: tuple[Field, ...] = (
    _DATE,
    _DATE_GMT,
    Field("guid", Type.OBJECT, (_RAW, _RENDERED)),
    Field("id", Type.INTEGER),
    Field("link", Type.STRING),
    Field("modified", Type.DATETIME),
    Field("modified_gmt", Type.DATETIME),
    _SLUG,
    _STATUS,
    Field("type", Type.STRING),
    _PASSWORD,
    Field("permalink_template", Type.STRING),
    Field("generated_slug", Type.STRING),
    Field("class_list", Type.STRINGS),
    _PARENT,
    _TITLE,
    _CONTENT,
    _AUTHOR,
    _EXCERPT,
    _FEATURED_MEDIA,
    _COMMENT_STATUS,
    _PING_STATUS,
    _MENU_ORDER,
    _META,
    _TEMPLATE,
)

# Section 2.2: the differences between the two kinds.
PAGES_ONLY: tuple[str, ...] = ("parent", "menu_order")
_POSTS_ONLY: tuple[Field, ...] = (
    Field("format", Type.STRING),
    Field("sticky", Type.BOOLEAN),
    Field("categories", Type.INTEGERS),
    Field("tags", Type.INTEGERS),
)

POST_RECORD: tuple[Field, ...] = (*(f for f in PAGE_RECORD if f.name not in PAGES_ONLY), *_POSTS_ONLY)

# Sections 4.1 and 4.2.
PAGE_BODY: tuple[Field, ...] = (
    _DATE,
    _DATE_GMT,
    _SLUG,
    _STATUS,
    _PASSWORD,
    _PARENT,
    _TITLE,
    _CONTENT,
    _AUTHOR,
    _EXCERPT,
    _FEATURED_MEDIA,
    _COMMENT_STATUS,
    _PING_STATUS,
    _MENU_ORDER,
    _META,
    _TEMPLATE,
)

# Section 4.4.
POST_BODY: tuple[Field, ...] = (
    _DATE,
    _DATE_GMT,
    _SLUG,
    _STATUS,
    _PASSWORD,
    _TITLE,
    _CONTENT,
    _AUTHOR,
    _EXCERPT,
    _FEATURED_MEDIA,
    _COMMENT_STATUS,
    _PING_STATUS,
    _POSTS_ONLY[0],
    _META,
    _POSTS_ONLY[1],
    _TEMPLATE,
    _POSTS_ONLY[2],
    _POSTS_ONLY[3],
)

# Sections 4.3 and 4.5.
_FORCE = (Field("force", Type.BOOLEAN),)

# One row a kind: a new kind is one member of `Kind` and one row.
KINDS: Mapping[Kind, KindRow] = {
    Kind.PAGE: KindRow(
        folder="pages",
        route="/wp/v2/pages",
        record=PAGE_RECORD,
        body=PAGE_BODY,
        verbs=("create", "update", "delete"),
        rights="pages",
        hierarchical=True,
        front=True,
    ),
    Kind.POST: KindRow(
        folder="posts",
        route="/wp/v2/posts",
        record=POST_RECORD,
        body=POST_BODY,
        verbs=("update", "delete"),
        rights="posts",
        dated=True,
    ),
}
FOLDERS: Mapping[str, Kind] = {row.folder: kind for kind, row in KINDS.items()}
BODIES: Mapping[Kind, tuple[Field, ...]] = {kind: row.body for kind, row in KINDS.items()}
# The kind of the page of a folder, also of a file that nobody could read; and the kind of the blog.
TREE_KIND = next(kind for kind, row in KINDS.items() if row.hierarchical)
BLOG_KIND = next(kind for kind, row in KINDS.items() if row.dated)

# Section 1.
OPERATIONS: tuple[Operation, ...] = tuple(
    Operation(verb, kind, method, f"{row.route}{of_record}", body)
    for kind, row in KINDS.items()
    for verb, method, of_record, body in (
        ("create", "POST", "", row.body),
        ("update", "POST", "/{id}", row.body),
        ("delete", "DELETE", "/{id}", _FORCE),
    )
    if verb in row.verbs
)

# Section 2.3: the interface document shows these values and no others.
SHOWN_VALUES: dict[str, str] = {
    "status": "publish",
    "comment_status": "open",
    "ping_status": "open",
    "format": "standard",
}

# Sections 4 and 4.3.
FORM_CONTENT_TYPE = "application/x-www-form-urlencoded"
JSON_CONTENT_TYPE = "application/json"
