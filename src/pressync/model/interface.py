"""The documented Content Service as data: kinds, fields, types, operations and paths.

The client and the embedded server both read this module, and they share nothing else. So it says nothing of
how a client encodes or how a server stores. A test compares it with the tables of the interface document. The
comments name the document's sections.

The schema of a site adds kinds and fields. Then the settings of the site hold other `SiteTypes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

# The objects of a record in which a site registers fields. `acf` is that of Advanced Custom Fields.
OBJECTS = ("meta", "acf")
# The namespace of the interface's own routes (section 1). Those of a plug-in have another one of two parts.
NAMESPACE = "/wp/v2"
# The name of a kind, as WordPress takes it for a type. It is in paths, in messages and in the manifest.
KIND_NAME = re.compile(r"[a-z][a-z0-9_-]{0,19}")


class Kind(str):
    """A kind of content record (section 1): its name, and in `row` the facts that differ between kinds.

    It is its name wherever it is written or compared, so the page of one site equals that of another.
    `SiteTypes` gives the kinds of a site.
    """

    __slots__ = ("row",)
    PAGE: ClassVar[Kind]
    POST: ClassVar[Kind]
    row: KindRow

    def __new__(cls, name: str, row: KindRow) -> Self:
        """Give the kind of this name with its facts."""
        made = super().__new__(cls, name)
        made.row = row
        return made

    def __deepcopy__(self, _memo: object) -> Self:
        """Give the kind itself: nobody changes it."""
        return self


class Type(Enum):
    """The types that fields and object members have (sections 2 and 4)."""

    STRING = "string"
    DATETIME = "string, ISO 8601 date-time"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    OBJECT = "object"
    INTEGERS = "array of integers"
    STRINGS = "array of strings"
    # A field that a site registers, with a schema of its own.
    JSON = "as the schema of the site"


_NO_SCHEMA: Mapping[str, Any] = MappingProxyType({})


class Field(NamedTuple):
    """One field of a record or of a request body; only the type OBJECT has `members`.

    `inside` and `member` are the place of a field that a site registers: `meta.isbn` is the member `isbn` of
    `meta`, and the terms of the taxonomy `genre` are the member `genres` of the record. `schema` is the
    schema of such a value, as JSON Schema has it. `taxonomy` has the terms of the field.
    """

    name: str
    type: Type
    members: tuple[Field, ...] = ()
    inside: str = ""
    member: str = ""
    schema: Mapping[str, Any] = _NO_SCHEMA
    taxonomy: Taxonomy | None = None

    @property
    def key(self) -> str:
        """The member that has its value in a record, or in the object `inside`."""
        return self.member or self.name

    @property
    def is_text(self) -> bool:
        """Whether a value is text: a string, a date-time, or an object that people know by its raw text."""
        if self.schema:
            return "string" in types_of(self.schema)
        return self.type in {Type.STRING, Type.DATETIME} or any(
            member.name == "raw" for member in self.members
        )

    @property
    def empty(self) -> Any:  # noqa: ANN401 - a value of JSON
        """The value that a registered field or a taxonomy has after it was taken back; None for any other.

        A registered field has its default again, or the empty value of its type. A null is read as "".
        """
        if not self.schema:
            return () if self.taxonomy else None
        types = types_of(self.schema)
        values = {"null": "", "string": "", "boolean": False, "integer": 0, "number": 0, "array": ()}
        value = self.schema.get("default", next((values[name] for name in values if name in types), {}))
        return tuple(value) if isinstance(value, list) else value

    def meaning(self, value: Any) -> Any:  # noqa: ANN401 - a value of JSON
        """Give what two values of the site have in common if they say the same."""
        return _said(self.schema, value) if self.inside == "acf" else value

    @property
    def is_file(self) -> bool:
        """Whether a value is the id of an upload."""
        return self.inside == "acf" and is_upload(self.schema)

    @property
    def has_files(self) -> bool:
        """Whether a value has ids of uploads, maybe inside of it."""
        return self.inside == "acf" and any(map(is_upload, _with_parts(self.schema)))

    @property
    def takes_null(self) -> bool:
        """Whether a null takes the value back: `meta` deletes it, and then has its default.

        A number and a boolean do not take one. WordPress answers 500 for a number that nobody wrote and for
        each false: the database has an empty text there (measured on 6.1, 6.8 and 7.1). So it does for a
        value that a shorter list of values does not have any more.
        """
        types = types_of(self.schema)
        if "default" in self.schema and self.schema["default"] in self.schema.get("enum", ()):
            return False
        return "null" in types or (
            self.inside == "meta" and types.isdisjoint({"number", "integer", "boolean"})
        )


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """Give the JSON types that a value of a schema can have; one without a type takes text."""
    named = schema.get("type", "string")
    if isinstance(named, list):
        return frozenset(named)
    return frozenset([named] if isinstance(named, str) else ())


def is_upload(schema: Mapping[str, Any]) -> bool:
    """Tell whether a value is the id of an upload: Advanced Custom Fields has this schema for those alone."""
    is_bound = "minimum" in schema or "maximum" in schema
    return not is_bound and types_of(schema) == {"integer", "null"}


def is_nothing(schema: Mapping[str, Any], value: object) -> bool:
    """Tell whether a site says with a value that a field has none.

    Advanced Custom Fields says it with null, false, an empty text or an empty list, by the sort of the field,
    and a group without values has such members (measured).
    """
    match value:
        case None | "":
            return True
        case list() | tuple():
            # A row of a repeater is one, also if it is empty.
            inner = schema.get("items") or {}
            return not any(isinstance(part, Mapping) or not is_nothing(inner, part) for part in value)
        case False:
            return "type" in schema and "boolean" not in types_of(schema)
        case Mapping():
            properties = schema.get("properties") or {}
            return all(is_nothing(properties.get(name) or {}, part) for name, part in value.items())
        case _:
            return False


def _said(schema: Mapping[str, Any], value: Any) -> Any:  # noqa: ANN401 - a value of JSON
    """Leave out the members that say nothing; a value that says nothing at all is ""."""
    if isinstance(value, Mapping):
        properties = schema.get("properties") or {}
        said = {name: _said(properties.get(name) or {}, part) for name, part in value.items()}
        return {name: part for name, part in said.items() if part != ""} or ""
    if isinstance(value, list | tuple) and not is_nothing(schema, value):
        inner = schema.get("items") or {}
        # An empty row of a repeater is a row all the same.
        rows = ((_said(inner, part), {} if isinstance(part, Mapping) else "") for part in value)
        return tuple(empty if said == "" else said for said, empty in rows)
    return "" if is_nothing(schema, value) else value


def _with_parts(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Give a schema and those inside of it."""
    yield schema
    for inner in (schema.get("items"), *(schema.get("properties") or {}).values()):
        if inner:
            yield from _with_parts(inner)


class Taxonomy(NamedTuple):
    """A taxonomy of the site: its name, the path of its list, and whether its terms have parents."""

    name: str
    route: str
    hierarchical: bool


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


# A dataclass would load `dataclasses` and `inspect`, which takes 5 ms of a plan with nothing to do.
class _KindRow(NamedTuple):
    folder: str
    route: str
    record: tuple[Field, ...]
    body: tuple[Field, ...]
    verbs: tuple[str, ...]
    rights: str
    hierarchical: bool = False
    dated: bool = False
    front: bool = False
    batched: bool = True
    known: bool = True
    has_schema: bool = False


class KindRow(_KindRow):
    """All that distinguishes a kind of record from the others.

    `folder` is the folder of its files below the content folder, and `route` the path of its list in the
    interface. `record` and `body` are the fields of a response and of a write. `verbs` are the operations
    that the document shows. `rights` is the plural in WordPress's names of rights.

    A `hierarchical` record has its place below another one of its kind. The others stand side by side, and
    the permalinks of the site decide their address. A record that is `dated` belongs to the blog: the name of
    its file may begin with its date, its address may have the date, and a site announces a new one. One that
    is `front` may be the front page of the site. Calls for one that is `batched` may share a request. A kind
    that is not `known` is in the manifest, and the site of this process does not have it. One that
    `has_schema` is in the schema of the site, so its registered fields are known.
    """

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """The fields of a write, by name."""
        return {field.name: field for field in self.body}

    def has(self, name: str) -> bool:
        """Tell whether a write may have this field."""
        return name in self.fields


_RAW = Field("raw", Type.STRING)
_RENDERED = Field("rendered", Type.STRING)
_PROTECTED = Field("protected", Type.BOOLEAN)

_META = Field("meta", Type.OBJECT, (Field("footnotes", Type.STRING),))
_TEMPLATE = Field("template", Type.STRING)

# Section 2.1, in the document's order.
PAGE_RECORD: tuple[Field, ...] = (
    Field("date", Type.DATETIME),
    Field("date_gmt", Type.DATETIME),
    Field("guid", Type.OBJECT, (_RAW, _RENDERED)),
    Field("id", Type.INTEGER),
    Field("link", Type.STRING),
    Field("modified", Type.DATETIME),
    Field("modified_gmt", Type.DATETIME),
    Field("slug", Type.STRING),
    Field("status", Type.STRING),
    Field("type", Type.STRING),
    Field("password", Type.STRING),
    Field("permalink_template", Type.STRING),
    Field("generated_slug", Type.STRING),
    Field("class_list", Type.STRINGS),
    Field("parent", Type.INTEGER),
    Field("title", Type.OBJECT, (_RAW, _RENDERED)),
    Field("content", Type.OBJECT, (_RAW, _RENDERED, Field("block_version", Type.INTEGER), _PROTECTED)),
    Field("author", Type.INTEGER),
    Field("excerpt", Type.OBJECT, (_RAW, _RENDERED, _PROTECTED)),
    Field("featured_media", Type.INTEGER),
    Field("comment_status", Type.STRING),
    Field("ping_status", Type.STRING),
    Field("menu_order", Type.INTEGER),
    _META,
    _TEMPLATE,
)

_CATEGORIES = Taxonomy("categories", f"{NAMESPACE}/categories", hierarchical=True)
_TAGS = Taxonomy("tags", f"{NAMESPACE}/tags", hierarchical=False)

# Section 2.2: the differences between the two kinds.
PAGES_ONLY: tuple[str, ...] = ("parent", "menu_order")
_POSTS_ONLY: tuple[Field, ...] = (
    Field("format", Type.STRING),
    Field("sticky", Type.BOOLEAN),
    Field("categories", Type.INTEGERS, taxonomy=_CATEGORIES),
    Field("tags", Type.INTEGERS, taxonomy=_TAGS),
)

POST_RECORD: tuple[Field, ...] = (*(f for f in PAGE_RECORD if f.name not in PAGES_ONLY), *_POSTS_ONLY)

# Sections 4.1 and 4.2: a body has the fields of a record that the service does not make.
_MADE = {"guid", "id", "link", "modified", "modified_gmt", "type"}
_MADE |= {"permalink_template", "generated_slug", "class_list"}
PAGE_BODY: tuple[Field, ...] = tuple(field for field in PAGE_RECORD if field.name not in _MADE)

# Section 4.4.
POST_BODY: tuple[Field, ...] = (
    *(field for field in PAGE_BODY if field.name not in {*PAGES_ONLY, "meta", "template"}),
    _POSTS_ONLY[0],
    _META,
    _POSTS_ONLY[1],
    _TEMPLATE,
    *_POSTS_ONLY[2:],
)

# Sections 4.3 and 4.5.
_FORCE = (Field("force", Type.BOOLEAN),)

# The schema of a site adds its own kinds, and gives these two the fields of the site.
Kind.PAGE = Kind(
    "page",
    KindRow(
        folder="pages",
        route=f"{NAMESPACE}/pages",
        record=PAGE_RECORD,
        body=PAGE_BODY,
        verbs=("create", "update", "delete"),
        rights="pages",
        hierarchical=True,
        front=True,
    ),
)
Kind.POST = Kind(
    "post",
    KindRow(
        folder="posts",
        route=f"{NAMESPACE}/posts",
        record=POST_RECORD,
        body=POST_BODY,
        verbs=("update", "delete"),
        rights="posts",
        dated=True,
    ),
)


class _SiteTypes(NamedTuple):
    kinds: tuple[Kind, ...]


class SiteTypes(_SiteTypes):
    """The kinds of one site, and its taxonomies. Two sites in one process each have their own."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    @cached_property
    def by_name(self) -> Mapping[str, Kind]:
        """The kinds by name."""
        return {str(kind): kind for kind in self.kinds}

    @cached_property
    def folders(self) -> Mapping[str, Kind]:
        """The kinds by the folder of their files."""
        return {kind.row.folder: kind for kind in self.kinds}

    @cached_property
    def taxonomies(self) -> Mapping[str, Taxonomy]:
        """The taxonomies by the name of their field."""
        fields = (field for kind in self.kinds for field in kind.row.body)
        return {field.name: field.taxonomy for field in fields if field.taxonomy}

    @cached_property
    def tree(self) -> Kind:
        """The kind of the page of a folder, also of a file that nobody could read."""
        return self.by_name[TREE_KIND]

    def kind(self, name: str) -> Kind:
        """Give the kind of this name: a manifest has the kinds that the site had when it was written.

        The row of a kind that the site does not have now is not `known`.

        :raises ValueError: it is not the name of a kind.
        """
        named = self.by_name.get(name)
        return _unknown(name) if named is None else named

    def decoded(self, wanted: type, value: object) -> Kind:
        """Give the kind that a decoder of msgspec meets.

        :raises ValueError: it is not the name of a kind.
        """
        if wanted is Kind and isinstance(value, str):
            return self.kind(value)
        raise ValueError(f"Expected `{wanted.__name__}`, got `{type(value).__name__}`")


@lru_cache(maxsize=1024)
def _unknown(name: str) -> Kind:
    if not KIND_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of a type")
    return Kind(name, KindRow(name, "", (), (), (), "", known=False))


def encoded(value: object) -> str:
    """Give the text of a kind to an encoder of msgspec, which knows no class of strings but `str`."""
    if isinstance(value, Kind):
        return str(value)
    raise NotImplementedError(type(value).__name__)


# The kinds of a site without a schema.
DOCUMENTED_TYPES = SiteTypes((Kind.PAGE, Kind.POST))
# The kind of the page of a folder, and the kind of the blog.
TREE_KIND = next(kind for kind in DOCUMENTED_TYPES.kinds if kind.row.hierarchical)
BLOG_KIND = next(kind for kind in DOCUMENTED_TYPES.kinds if kind.row.dated)


# Section 1.
OPERATIONS: tuple[Operation, ...] = tuple(
    Operation(verb, kind, method, f"{kind.row.route}{of_record}", body)
    for kind in DOCUMENTED_TYPES.kinds
    for verb, method, of_record, body in (
        ("create", "POST", "", kind.row.body),
        ("update", "POST", "/{id}", kind.row.body),
        ("delete", "DELETE", "/{id}", _FORCE),
    )
    if verb in kind.row.verbs
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
