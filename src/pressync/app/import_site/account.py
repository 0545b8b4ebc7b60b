"""The account of an import: every item of the source, and where the rest of it is. Pure.

An item is carried, or carried with parts as HTML, or has parts that were left verbatim or out, or is left
out. The four counts add up to the items of the source, so that nothing disappears silently. The account has
no times: the same source gives the same bytes, and Git shows what an import changed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from pressync.content.import_tables import FOLDER

if TYPE_CHECKING:
    from pressync.importers.item import Item, LeftOut, Place


class Carried(StrEnum):
    """How much of an item the import carries; the worst one counts."""

    AS_MARKDOWN = "carried"
    AS_HTML = "html"
    VERBATIM = "verbatim"
    LEFT_OUT = "left_out"


# The order in which people read the account: the worst first.
WORST_FIRST = tuple(reversed(Carried))


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """One item that has a file: its path, how it was carried, and its new address, "" if not certain."""

    item: Item
    path: str
    carried: Carried
    address: str = ""


@dataclass(slots=True)
class Account:
    """The account of what an import did with a source, read as one of a tool. It grows while the import runs.

    `origin` is the public address of the source, if it names one. `folder` has the files of the account.
    `without_user` are the authors for whom nobody has chosen a user yet. `fresh` are the places of the own
    site that no file had before; they are not written into the files of the account.
    """

    source: str
    tool: str = field(default="", kw_only=True)
    origin: str = field(default="", kw_only=True)
    folder: str = field(default=FOLDER, kw_only=True)
    files: list[ImportedFile] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    kinds: dict[tuple[Carried, str], list[str]] = field(default_factory=dict)
    without_user: tuple[str, ...] = ()
    media: list[str] = field(default_factory=list)
    changed: int = 0
    notes: list[str] = field(default_factory=list)
    fresh: tuple[str, ...] = ()

    def note(self, carried: Carried, kind: str, place: Place) -> None:
        """Note something that is not carried as Markdown, and its place."""
        self.kinds.setdefault((carried, kind), []).append(str(place))

    def leave_out(self, thing: LeftOut) -> None:
        """Count a thing of the source that has no file."""
        self.left_out.append(thing)
        self.note(Carried.LEFT_OUT, thing.kind, thing.place)

    @property
    def counts(self) -> dict[Carried, int]:
        """The number of items for each way."""
        found = Counter(file.carried for file in self.files)
        return {way: len(self.left_out) if way is Carried.LEFT_OUT else found[way] for way in Carried}

    @property
    def items(self) -> int:
        """The number of items in the source."""
        return len(self.files) + len(self.left_out)

    @property
    def is_complete(self) -> bool:
        """Whether nothing was left verbatim or out, except as somebody asked for."""
        return not self.counts[Carried.VERBATIM] and all(thing.is_wanted for thing in self.left_out)
