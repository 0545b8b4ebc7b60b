"""A service with reads that lives in memory, and whose writes end as the test says."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from msgspec import structs

from pressync.client.dialects import Capabilities, UserRights
from pressync.client.port import AccountJudgement, AtAddress
from pressync.model.changes import CreateCall, DeleteCall, UpdateCall
from pressync.model.errors import Gone, ServiceError
from pressync.model.interface import DOCUMENTED_TYPES, Kind
from pressync.model.records import TRASH, Record
from pressync.model.site_schema import SiteSchema

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pressync.client import port
    from pressync.model.changes import Call
    from pressync.model.records import Fields

_EMPTY: Fields = {"title": "", "content": "", "slug": "", "status": "publish", "parent": 0, "author": 1}


@dataclass
class MemoryService:
    """`ends` are how the next calls end, None for well. `time` is that of each save.

    A call that ends with an error was carried out only if the error is in `acted`.
    """

    name: str = "memory"
    reads: bool = True
    held: dict[int, Record] = field(default_factory=dict)
    ends: deque[ServiceError | None] = field(default_factory=deque)
    acted: list[ServiceError] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    asked_addresses: list[int] = field(default_factory=list)
    lacking: tuple[str, ...] = ()
    deaf: ServiceError | None = None
    site_schema: SiteSchema = field(default_factory=SiteSchema)
    looks: int = 0
    time: str = "now"
    notes = accounts = facts = None

    @property
    def capabilities(self) -> Capabilities:
        """Everything, or what the documented interface can do."""
        return Capabilities(frozenset(DOCUMENTED_TYPES.kinds), read=self.reads, batch=25 if self.reads else 1)

    @property
    def readable(self) -> Self | None:
        """This service, or nothing as of the documented interface."""
        return self if self.reads else None

    def published(self, kind: Kind, ids: Collection[int]) -> dict[int, int]:
        """Show nobody what this user may not read."""
        assert kind in DOCUMENTED_TYPES.kinds, ids
        return {}

    def account(self) -> port.AccountJudgement:
        """Judge an account that can do everything."""
        return AccountJudgement(1, "the account has the right `publish_posts`")

    def with_drafts(self, judgement: port.AccountJudgement, kinds: Collection[Kind]) -> port.AccountJudgement:
        """Judge as before."""
        assert kinds
        return judgement

    @property
    def library(self) -> port.LibraryService | None:
        """Nothing: this service has no terms, people and files."""
        return None

    def hold(self, number: int, **fields: str | int) -> Record:
        """Put a page there, as another hand would."""
        merged = {**_EMPTY, **fields}
        slug = str(merged["slug"])
        made = Record(Kind.PAGE, number, slug, f"https://site.test/{slug}/", "then", "then", merged)
        self.held[number] = made
        return made

    def carry_out(self, call: Call) -> Record:
        """Make one attempt."""
        self.calls.append(call)
        end = self.ends.popleft() if self.ends else None
        if end is not None and end not in self.acted:
            raise end
        record = self._act(call)
        if end is not None:
            raise end
        return record

    def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
        """Carry out a batch; each end is its own."""
        self.batches.append(len(calls))
        ends: list[Record | ServiceError] = []
        for call in calls:
            try:
                ends.append(self.carry_out(call))
            except ServiceError as error:
                ends.append(error)
        return ends

    def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
        """Read records by id."""
        self._listen()
        return {n: self.held[n] for n in ids if n in self.held and self.held[n].kind == kind}

    def front_page(self) -> int | None:
        """Give the front page, which this service does not have."""
        self._listen()
        return None

    def sticky(self, ids: Collection[int]) -> dict[int, bool]:
        """Tell which of these posts are sticky."""
        self._listen()
        return {n: self.held[n].fields.get("sticky") is True for n in ids if n in self.held}

    def find(self, kind: Kind, slugs: Collection[str]) -> dict[str, list[Record]]:
        """Read records by slug."""
        self.looks += 1
        self._listen()
        held = [record for record in self.held.values() if record.kind is kind]
        return {slug: [record for record in held if record.slug == slug] for slug in slugs}

    def at_addresses(self, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
        """Read what holds these slugs, or did before the trash."""
        self._listen()
        self.asked_addresses.append(len(slugs))
        there = [record for record in self.held.values() if record.kind is kind]
        found = {
            slug: AtAddress(
                tuple(r for r in there if r.slug in {slug, f"{slug}__trashed"}),
                tuple(r for r in there if r.slug == f"{slug}-2"),
            )
            for slug in slugs
        }
        return {slug: at for slug, at in found.items() if at.here or at.numbered}

    def user(self) -> int:
        """Be the first user."""
        self._listen()
        return 1

    def newest(self, kind: Kind, *, besides: Collection[int]) -> list[Record]:
        """Read all records but these, newest first."""
        self._listen()
        return [
            self.held[n]
            for n in sorted(self.held, reverse=True)
            if n not in besides and self.held[n].kind is kind
        ]

    def post_fields(self) -> dict[str, str]:
        """Name no custom field: this service has no plug-ins."""
        self._listen()
        return {}

    def is_filtered(self) -> bool:
        """Take every text as it is."""
        return False

    def schema(self, kinds: Collection[Kind]) -> SiteSchema:
        """Say what the test gave as the schema of the site, of these kinds alone."""
        self._listen()
        types = {name: each for name, each in self.site_schema.types.items() if name in kinds}
        return structs.replace(self.site_schema, types=types)

    def rights(self) -> UserRights:
        """Name what was said to be lacking."""
        self._listen()
        return UserRights(1, frozenset(self.lacking))

    def close(self) -> None:
        """Do nothing."""

    def _listen(self) -> None:
        if self.deaf:
            raise self.deaf

    def _act(self, call: Call) -> Record:
        match call:
            case CreateCall(kind=kind, fields=fields):
                return self._keep(kind, max(self.held, default=0) + 1, {**_EMPTY, **fields})
            case UpdateCall(kind=kind, id=number, fields=fields) if number in self.held:
                return self._keep(kind, number, {**self.held[number].fields, **fields})
            case DeleteCall(id=number, permanent=permanent) if number in self.held:
                gone = self.held.pop(number)
                fields = gone.fields if permanent else {**gone.fields, "status": TRASH}
                return replace(gone, fields=fields)
            case _:
                raise Gone("there is no such record", status=404)

    def _keep(self, kind: Kind, number: int, fields: Fields) -> Record:
        slug = str(fields["slug"])
        made = Record(kind, number, slug, f"https://site.test/{slug}/", self.time, self.time, fields)
        self.held[number] = made
        return made
