"""The parts of an explanation, as data: programs get them as JSON, and people as text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.model.changes import Change
    from pressync.model.errors import Problem
    from pressync.model.interface import Kind
    from pressync.model.records import Entry, Value
    from pressync.repo.history import Commit


class ValueSource(StrEnum):
    """The sort of place that a value comes from."""

    FRONT_MATTER = "front_matter"
    DEFAULT = "default"
    TEXT = "text"
    FILE_NAME = "file_name"
    FOLDER = "folder"
    SETTINGS = "settings"
    PRESSYNC = "pressync"
    SERVICE = "service"


class FieldState(StrEnum):
    """The state of a field, as the manifest knows it."""

    NEW = "new"  # the record does not exist yet
    SENT = "sent"  # the value of the file is the value that was last sent
    CHANGED = "changed"  # the next sync sends it
    UNCONFIRMED = "unconfirmed"  # the last write of it got no response
    EMPTIED = "emptied"  # front matter no longer names it, and the next sync empties it
    LET_GO = "let_go"  # front matter no longer names it, and the site keeps its value


@dataclass(frozen=True, slots=True)
class ValueOrigin:
    """The place that a value comes from: `place` is `path:line`, or words; `note` says more."""

    source: ValueSource
    place: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExplainedField:
    """A field of the record. `value` is None for a text that is not shown: content, a password.

    `bent` tells that the service stored another value. `edit` is the value that somebody gave it on the site,
    and None if nobody did.
    """

    name: str
    value: Value | None
    shown: str
    origin: ValueOrigin
    state: FieldState
    bent: bool = False
    edit: str | None = None


@dataclass(frozen=True, slots=True)
class FolderDefaults:
    """The defaults of one folder that hold for the file: their keys and their place."""

    folder: str
    place: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """A thing that has changed since the record was last sent: `kind` is its name for programs."""

    kind: str
    place: str
    note: str


@dataclass(frozen=True, slots=True)
class Revised:
    """The last revision of a record on the site: when and by whom."""

    time: str
    who: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All that is known of one path, for one site.

    `why_none` says why the path is not a document. `changed` is the last commit that changed the file, and
    `sent` the one from which it was last sent, by `run` if this clone has a record of it. `left` are the
    fields that nobody names: the site has them. `causes` are those of an update. `looked` tells that the site
    was read, and `revised` is its last revision, if it shows them.
    """

    path: str
    site: str
    target: str
    kind: Kind | None
    entry: Entry | None
    why_none: str = ""
    blob: str = ""
    is_committed: bool = True
    changed: Commit | None = None
    sent: Commit | None = None
    run: str = ""
    layout: str = ""
    layout_origin: ValueOrigin | None = None
    defaults: tuple[FolderDefaults, ...] = ()
    fields: tuple[ExplainedField, ...] = ()
    left: tuple[str, ...] = ()
    change: Change | None = None
    causes: tuple[Cause, ...] = ()
    later: bool = False
    refusals: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    looked: bool = False
    revised: Revised | None = None
