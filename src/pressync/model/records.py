"""The nouns: what a file says, what the service should hold, what it holds, and what it is asked for.

Frozen data without I/O; what must change is in `changes`. What decided its shape: nothing that a plan holds
has a rendered body. A plan of fifty thousand pages is fingerprints, and each body is rendered again, as a
`Prepared`, when its turn comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Literal, Self, cast

import msgspec

from pressync.model.interface import SHOWN_VALUES, Kind  # noqa: TC001 - msgspec reads the annotations

# A field's value as people write it and as echoes are compared: title, content and excerpt are their
# raw text, everything else has the interface's own type. Each dialect encodes it in its own way.
Value = str | int | bool | tuple[int, ...] | Mapping[str, str]
Fields = Mapping[str, Value]

_NOTHING: Mapping[str, str] = MappingProxyType({})

Id = Annotated[int, msgspec.Meta(gt=0)]
NameField = Literal["author", "categories", "tags"]

# The objects of the interface that are one text to people, with `raw` as that text.
TEXTS = ("title", "content", "excerpt")

# What a create sends for a status that nobody named: the only value that the interface shows (2.3).
CREATED_WITH: Fields = MappingProxyType({"status": SHOWN_VALUES["status"]})


@dataclass(frozen=True, slots=True)
class Source:
    """A content file of the tree that is synced: its path from the repository's root and its blob id."""

    path: str
    blob: str


class Name(msgspec.Struct, frozen=True, order=True, gc=False):
    """What front matter may say in place of an id: a category by its path, a tag, an author.

    `field` is the interface's: `categories`, `tags` or `author`.
    """

    field: str
    text: str


class NamedId(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A name and the id that it stands for on the site: one row of the manifest's names."""

    field: NameField
    name: str
    id: Id

    @classmethod
    def of(cls, name: Name, number: int) -> Self:
        """Make the row of a name."""
        return cls(cast("NameField", name.field), name.text, number)

    @property
    def key(self) -> Name:
        """The name alone."""
        return Name(self.field, self.name)


@dataclass(frozen=True, slots=True)
class FieldReference:
    """A field whose values are ids, where front matter has names: `given` is what it says, in its order.

    For `featured_media` that is the path of a file, as it was written. `line` is 0 if a default says so.
    """

    field: str
    given: tuple[int | str, ...]
    line: int = 0

    @property
    def names(self) -> tuple[Name, ...]:
        """The names among them; files have none."""
        if self.field == "featured_media":
            return ()
        return tuple(Name(self.field, given) for given in self.given if isinstance(given, str))

    @property
    def file(self) -> str | None:
        """The path of the file that is mentioned, if this is a mention of one."""
        text = self.given[0] if self.field == "featured_media" else None
        return text if isinstance(text, str) else None


@dataclass(frozen=True, slots=True)
class Document:
    """A content file as written: front matter by the interface's field names, and Markdown.

    `fields` never holds `content`, `parent` or what is in `mentions`: the body is still Markdown, a
    parent is a path or an id and a mention a name until the manifest has been asked. `parent` is None
    when front matter does not name one. `extra` is the front matter that is the templates' alone.
    """

    path: str
    blob: str
    kind: Kind
    fields: Fields
    body: str
    body_line: int
    parent: str | int | None = None
    parent_line: int = 0
    layout: str | None = None
    layout_line: int = 0
    bound_id: int | None = None
    protect: bool = False
    aliases: tuple[str, ...] = ()
    mentions: tuple[FieldReference, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Desired:
    """What the service should hold for one path: a fingerprint per field that would be sent.

    `create_only` names the fields that a create sends though nobody named them (the status). `links`
    are the documents and files that it refers to, `basis` a digest of everything beside the file that
    went into the fields; both let the next run keep the record without reading the file. A mentioned
    field's fingerprint is of the names: that is what the file says, whatever ids they stand for.
    """

    path: str
    blob: str
    kind: Kind
    slug: str
    title: str
    fingerprints: Mapping[str, str]
    parent_path: str | None
    basis: str
    layout: str = ""
    create_only: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    links: tuple[str, ...] = ()
    bound_id: int | None = None
    protect: bool = False
    aliases: tuple[str, ...] = ()
    mentions: tuple[FieldReference, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be sent: the record of it, and every field that it names, body included."""

    document: Document
    desired: Desired
    fields: Fields


class Entry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """What we last put at one path's record, and what the service said of it.

    `fingerprints` are of what was sent, for the fields that the document names; `UNSURE` begins that of a
    field whose last write got no answer. `changed_by_service` holds, per field, what the service made of it.
    `conflict` holds, per field, a value that somebody else put there (of a password only that somebody
    did: the manifest is committed). `modified` and `modified_gmt` are kept verbatim and compared for
    equality only. `former` are addresses that the record once had.
    """

    path: str
    kind: Kind
    id: Id
    slug: str
    link: str
    modified: str
    modified_gmt: str
    blob: str
    commit: str
    fingerprints: Mapping[str, str]
    parent_path: str | None = msgspec.field(default=None, name="parent")
    links: tuple[str, ...] = ()
    basis: str = ""
    layout: str = ""
    changed_by_service: Mapping[str, str] = msgspec.field(default_factory=dict, name="bent")
    conflict: Mapping[str, str] = {}
    protect: bool = False
    aliases: tuple[str, ...] = ()
    former: tuple[str, ...] = ()


# The status of a record that somebody put into the trash: whatever is sent to it, nobody will see it.
TRASH = "trash"

# In a fingerprint's place: a write of this field was sent and never answered. The fingerprints of what the
# field may hold follow (`fingerprint.unsure`); with none, it may hold anything.
UNSURE = "?"


class Medium(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A file of the repository that was uploaded: its blob id, the path that it had, its id and address."""

    blob: str
    path: str
    id: Id
    link: str


class Doubt(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A create that was sent and never settled: nobody knows yet whether the record exists.

    `time` is that of the machine that sent it, ISO 8601 in UTC; `fingerprints` are of the fields sent.
    """

    path: str
    kind: Kind
    slug: str
    time: str
    commit: str
    fingerprints: Mapping[str, str]

    @property
    def key(self) -> tuple[str | tuple[tuple[str, str], ...], ...]:
        """All that it says, for sets of doubts: two clones may each have sent a create for one path."""
        return (
            self.path,
            self.kind,
            self.slug,
            self.time,
            self.commit,
            tuple(sorted(self.fingerprints.items())),
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """What we last put where, all on one target: entries by path, and what names and files are there.

    `names` are ids by name, `media` uploaded files by blob id, `doubts` creates of which nobody knows.
    """

    target: str
    entries: Mapping[str, Entry] = field(default_factory=dict)
    names: Mapping[Name, int] = field(default_factory=dict)
    media: Mapping[str, Medium] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """What the service answered: the fields that we compare, as `Value`s, and where the record is."""

    kind: Kind
    id: int
    slug: str
    link: str
    modified: str
    modified_gmt: str
    fields: Fields


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What the service behind the port can do; the planner asks these and never names a dialect.

    `names` are the fields whose ids it can look up by name, `files` the endings of the files that it
    takes, in lower case and without the dot.
    """

    create: frozenset[Kind]
    read: bool = False
    batch: int = 1
    names: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CreateCall:
    """Ask the service to make a record."""

    kind: Kind
    fields: Fields


@dataclass(frozen=True, slots=True)
class UpdateCall:
    """Ask the service to change the named fields of a record."""

    kind: Kind
    id: int
    fields: Fields


@dataclass(frozen=True, slots=True)
class DeleteCall:
    """Ask the service to delete a record; reversibly unless `permanent`."""

    kind: Kind
    id: int
    permanent: bool = False


Call = CreateCall | UpdateCall | DeleteCall
