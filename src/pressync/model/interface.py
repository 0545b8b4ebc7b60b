"""The documented Content Service as data: kinds, fields, types, operations and paths.

The client and the embedded server both read this module, and they share nothing else. So it says nothing of
how a client encodes or how a server stores. A test compares it with the tables of the interface document. The
comments name the document's sections.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """The two kinds of content records (section 1)."""

    PAGE = "page"
    POST = "post"


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
    """One of the five operations: its method, its path below the base address, its body fields."""

    name: str
    kind: Kind
    method: str
    path: str
    body: tuple[Field, ...]


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

CREATE_PAGE = Operation("create_page", Kind.PAGE, "POST", "/wp/v2/pages", PAGE_BODY)
UPDATE_PAGE = Operation("update_page", Kind.PAGE, "POST", "/wp/v2/pages/{id}", PAGE_BODY)
DELETE_PAGE = Operation("delete_page", Kind.PAGE, "DELETE", "/wp/v2/pages/{id}", _FORCE)
UPDATE_POST = Operation("update_post", Kind.POST, "POST", "/wp/v2/posts/{id}", POST_BODY)
DELETE_POST = Operation("delete_post", Kind.POST, "DELETE", "/wp/v2/posts/{id}", _FORCE)

# Section 1.
OPERATIONS: tuple[Operation, ...] = (CREATE_PAGE, UPDATE_PAGE, DELETE_PAGE, UPDATE_POST, DELETE_POST)

RECORDS: dict[Kind, tuple[Field, ...]] = {Kind.PAGE: PAGE_RECORD, Kind.POST: POST_RECORD}
BODIES: dict[Kind, tuple[Field, ...]] = {Kind.PAGE: PAGE_BODY, Kind.POST: POST_BODY}

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
