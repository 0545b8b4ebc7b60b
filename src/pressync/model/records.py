"""The nouns: what a file says, what the service should hold, what it holds, and what we ask it to do.

The data is frozen and does no I/O; `changes` has what must change. A plan of fifty thousand pages must fit
into memory, so nothing in a plan has a rendered body. A plan holds fingerprints, and a run renders each body
again, as a `Prepared`, when it sends it.

The nouns that the manifest holds are structs of msgspec: the manifest and the journal write them as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Annotated, Any, Self

import msgspec

from pressync.model.interface import SHOWN_VALUES, Kind

# A field's value as people write it and as responses are compared. Title, content and excerpt are their raw
# text; every other field has the interface's own type. Each dialect encodes the value in its own way.
Value = str | int | float | bool | tuple[Any, ...] | Mapping[str, Any]
Fields = Mapping[str, Value]

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NO_FIELDS: Fields = MappingProxyType({})

Id = Annotated[int, msgspec.Meta(gt=0)]
# The name of a field, which a taxonomy of the site may have.
_FieldName = Annotated[str, msgspec.Meta(pattern="^[a-z0-9_-]{1,32}$")]

# The interface has these fields as objects. For people each is one text, which is the member `raw`.
TEXTS = ("title", "content", "excerpt")

# A create sends this status if front matter names none: it is the only value that the interface shows (2.3).
CREATED_WITH: Fields = MappingProxyType({"status": SHOWN_VALUES["status"]})


class Source(msgspec.Struct, frozen=True):
    """A content file of the tree that is synced: its path from the repository's root and its blob id."""

    path: str
    blob: str


class Name(msgspec.Struct, frozen=True, order=True, gc=False):
    """A name in front matter in place of an id, for the interface's `categories`, `tags` or `author`."""

    field: str
    text: str


class NoUser(msgspec.Struct, frozen=True, gc=False):
    """Why a name does not mean one user. `logins` has users, who belong to no report that strangers read."""

    why: str
    logins: str = ""


class NamedId(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A name and the id that it stands for on the site: one row of the manifest's names."""

    field: _FieldName
    name: str
    id: Id

    @classmethod
    def of(cls, name: Name, number: int) -> Self:
        """Make the row of a name."""
        return cls(name.field, name.text, number)

    @property
    def key(self) -> Name:
        """The name alone."""
        return Name(self.field, self.name)


class FilePath(str):
    """The path of a file inside of a value, in the place of the id of its upload."""

    __slots__ = ()


def _filled(value: Any, put: Callable[[str], Any]) -> Any:  # noqa: ANN401 - a value of JSON
    match value:
        case FilePath():
            return put(value)
        case list() | tuple():
            return type(value)(_filled(part, put) for part in value)
        case Mapping():
            return {name: _filled(part, put) for name, part in value.items()}
        case _:
            return value


class FieldReference(msgspec.Struct, frozen=True):
    """A field whose values are ids, for which front matter has names; `given` are its values, in its order.

    For `featured_media`, `given` is the path of a file, as it was written. `line` is 0 if the value comes
    from a default. A registered field that has paths inside of its value has this value as its `shape`.
    """

    field: str
    given: tuple[int | str, ...]
    line: int = 0
    shape: Any = None

    def __hash__(self) -> int:
        # A shape may have lists.
        return hash((self.field, self.given, self.line))

    @property
    def names(self) -> tuple[Name, ...]:
        """The names among the values; `featured_media` has none."""
        if self.is_file:
            return ()
        return tuple(Name(self.field, given) for given in self.given if isinstance(given, str))

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files, if this field refers to files."""
        return tuple(text for text in self.given if isinstance(text, str)) if self.is_file else ()

    def filled(self, put: Callable[[str], Any]) -> Any:  # noqa: ANN401 - a value of JSON
        """Give the value with something in the place of each path."""
        return put(self.files[0]) if self.shape is None else _filled(self.shape, put)

    @property
    def is_file(self) -> bool:
        """Whether its value is the id of a file; a registered field has no names of terms or people."""
        return self.field == "featured_media" or "." in self.field


class Document(msgspec.Struct, frozen=True):
    """A content file as written: front matter by the interface's field names, and Markdown.

    `fields` never holds `content`, `parent` or a field of `mentions`. The parent is a path or an id, and None
    if front matter does not name one. The setting of the site decides if `front_page` is None. `extra` is the
    front matter that only templates read. `own` has the lines of the keys that no tool is known to have.
    `place` is the path below the content folder by which it is named: a README may be its folder's index.
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
    front_page: bool | None = None
    extra: Mapping[str, object] = {}
    own: Mapping[str, int] = {}
    place: str = ""


class Desired(msgspec.Struct, frozen=True):
    """The record that the service should hold for one path: a fingerprint of each field that would be sent.

    `create_only` has the fields that a create sends although front matter does not name them (the status).
    `links` are the documents and files that the document refers to, and `basis` is a digest of everything
    else that went into the fields: with both, the next run can keep the record without reading the file.
    `front_files` are those of the links that only front matter names.
    `date` has an offset if it is one of `date_gmt`. `ruled` are the rules of reading whose new form changes
    the record now. A field of names has its fingerprint by its names, and in `by_id` that of the ids, if all
    are known: the site has ids.
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
    create_only: Mapping[str, str] = _NOTHING
    links: tuple[str, ...] = ()
    front_files: tuple[str, ...] = ()
    bound_id: int | None = None
    protect: bool = False
    aliases: tuple[str, ...] = ()
    mentions: tuple[FieldReference, ...] = ()
    date: str = ""
    ruled: frozenset[str] = frozenset()
    by_id: Mapping[str, str] = _NOTHING

    def sending(self, fields: Collection[str]) -> Desired:
        """Give it with the names and files alone that a call of these fields needs."""
        mentions = tuple(mention for mention in self.mentions if mention.field in fields)
        front = any(mention.files for mention in mentions)
        shown = {*self.links} - ({*self.front_files} if not front else set())
        links = shown if "content" in fields else shown & {*self.front_files}
        return msgspec.structs.replace(self, mentions=mentions, links=tuple(sorted(links)))


class Prepared(msgspec.Struct, frozen=True):
    """A document that is ready to be sent, its desired record, and the value of every field that it names.

    Of some fields, a rollback sends the value that the service had `stored`, as it was.
    """

    document: Document
    desired: Desired
    fields: Fields
    stored: Fields = _NO_FIELDS


class Take(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The other half of an edit that was taken from the site; the entry's blob is the text before the merge.

    `written` is the blob of that text merged with the file of `commit`. A `proposed` one is on a branch, and
    not in the file of a person.
    """

    written: str
    commit: str
    proposed: bool = False


class Entry(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """The record of one path, as we last sent it and as the service responded.

    The manifest's members have these names, but for `parent_path` (`parent`) and `changed_by_service`
    (`bent`). Members that hold nothing are left out.

    - `fingerprints`: of what was sent, for each field that the document names. The fingerprint of a field
      whose last write got no response begins with `UNSURE`.
    - `blob`, `commit`: the file as it was sent, and a commit that has it; without a blob, the file is read
      again.
    - `links`, `basis`, `layout`: see `Desired`.
    - `changed_by_service` (`bent`): fingerprints of the values that the service stored in place of what was
      sent, by field.
    - `conflict`: the values that somebody else put there, by field. Of a password it says only that somebody
      changed it, because the manifest is committed.
    - `modified`, `modified_gmt`: as the service wrote them; they are compared for equality only.
    - `aliases`: further addresses that the document names for redirects.
    - `former`: addresses that the record once had.
    - `take`: an edit of the site that was taken since the last sync, and that HEAD may not have.
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
    take: Take | None = None


# A record is known by its kind and its id.
RecordKey = tuple[Kind, int]


def keys_of(entries: Iterable[Entry]) -> set[RecordKey]:
    """Give the records that these entries are about."""
    return {(entry.kind, entry.id) for entry in entries}


# The status of a record that somebody put into the trash. Nobody sees what is sent to such a record.
TRASH = "trash"


class Medium(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A file of the repository that the site has: its blob id, the path that it had, its id and address.

    If it is `foreign`, somebody else uploaded it, and no plan names it as unused.
    """

    blob: str
    path: str
    id: Id
    link: str
    foreign: bool = False


class UnconfirmedCreate(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """An unconfirmed create: it was sent, and nobody knows yet whether the record exists.

    `time` is by the clock of the machine that sent it, in ISO 8601 and UTC. `fingerprints` are of the fields
    that were sent.
    """

    path: str
    kind: Kind
    slug: str
    time: str
    commit: str
    fingerprints: Mapping[str, str]

    @property
    def key(self) -> tuple[str | tuple[tuple[str, str], ...], ...]:
        """All its members, to tell creates apart: two clones may each have sent a create for one path."""
        *others, fingerprints = msgspec.structs.astuple(self)
        return (*others, tuple(sorted(fingerprints.items())))


@dataclass(frozen=True, slots=True)
class Manifest:
    """All that we know of one target: entries by path, ids by name, uploaded files by blob id.

    `unconfirmed` are creates without a response. `rolled_back` is a run that a sync of the same files
    would do again.
    """

    target: str
    entries: Mapping[str, Entry] = field(default_factory=dict)
    names: Mapping[Name, int] = field(default_factory=dict)
    media: Mapping[str, Medium] = field(default_factory=dict)
    unconfirmed: tuple[UnconfirmedCreate, ...] = ()
    rolled_back: RolledBack | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A record as the service returned it: the fields that we compare, as `Value`s, and its address.

    The content of a `classic` record has no paragraphs, because the service adds them when it shows the page.
    `noted` is the content with the anchors of editors' notes, as it was stored; it is "" if there are none.
    The content among the fields is without them. `raw` has the values that the service stores in another form
    than a call would send them in: a text with other line ends, a title with markup, a text without a block.
    """

    kind: Kind
    id: int
    slug: str
    link: str
    modified: str
    modified_gmt: str
    fields: Fields
    classic: bool = False
    noted: str = ""
    raw: Fields = field(default_factory=dict)

    @property
    def is_trashed(self) -> bool:
        """Whether it is in the trash."""
        return self.fields.get("status") == TRASH


# In the order of ASCII, without two letters that look like digits.
_LETTERS = "23456789abcdefghijkmnpqrstuvwxyz"
_RANDOM = 3


class RolledBack(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A run that was rolled back, while the files still say what it sent.

    `content` is a digest of the content at HEAD: until it differs, a sync would do the run again. `commit` is
    the commit of the last run. `since` is a commit with the files of before, "" if unknown.
    """

    run: str
    commit: str
    content: str
    since: str = ""


# It begins with the time, to a thousandth of a second, so that ids sort as the runs of a clone did. Two
# machines can begin at the same time, so it ends with random characters.
def new_id() -> str:
    """Make the id of a run that begins now."""
    import secrets  # noqa: PLC0415 - it takes 4 ms to load, and every run loads this module

    now = datetime.now(UTC)
    high, low = divmod(now.microsecond * len(_LETTERS) ** 2 // 1_000_000, len(_LETTERS))
    end = "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM))
    return f"{now:%Y%m%d-%H%M%S}-{_LETTERS[high]}{_LETTERS[low]}{end}"
