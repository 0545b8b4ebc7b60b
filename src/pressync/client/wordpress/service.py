"""A WordPress site as a service of the port, with reads, terms, people and files.

Every method makes one attempt, as the port says of `carry_out`; `client.retry` repeats them.
"""

# ruff: noqa: D102 - the protocols of the port document the methods

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

from pressync.client.dialects import WORDPRESS, UserRights
from pressync.client.port import AtAddress, HttpRequest, HttpResponse, Unreadable, Upload
from pressync.client.responses import expect_success, json_object
from pressync.client.wordpress import (
    account,
    by_slug,
    dialect,
    notes,
    reads,
    site_info,
    terms_and_media,
    users,
)
from pressync.client.wordpress.reads import get
from pressync.client.wordpress.record import WRAPPED, unwrap, wrap
from pressync.html.notes import notes_of, with_notes, without_notes
from pressync.model.changes import Call, CreateCall, UpdateCall
from pressync.model.errors import BadAnswer, ConfigError, Refused, ServiceError
from pressync.model.interface import DOCUMENTED_TYPES, TREE_KIND, Kind, SiteTypes
from pressync.model.visibility import FRONT_PAGE

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pressync.client.abilities import ApprovalPage, Identity, SiteNote, Uploaded
    from pressync.client.dialects import Capabilities, DialectRow
    from pressync.client.http import Transport
    from pressync.client.port import AccountJudgement
    from pressync.client.terms import Term
    from pressync.client.wordpress.look import WordPressFacts
    from pressync.client.wordpress.reads import Send
    from pressync.model.records import NoUser, Record
    from pressync.model.site_schema import SiteSchema

# It makes an exchange, and again until it has a response.
Repeated = Callable[[Callable[[], HttpResponse]], HttpResponse]
# The statuses of a read mean the same as for a create: neither names a record that could be gone.
_ANY_READ = CreateCall(TREE_KIND, {})


# WordPress 6.9 and later have the places of editors' notes in the content of a record. A record is read
# without them, so a note is never an edit. An update gets them back right before it is sent: a run reads a
# record before it overwrites it. An earlier version does not know notes, so the same bytes are text there.
@dataclass(slots=True)
class AnchoredNotes:
    """The contents with notes that one service has read last, and whether its site knows notes at all."""

    _contents: dict[tuple[Kind, int], str] = field(default_factory=dict)
    _known: dict[Kind, bool] = field(default_factory=dict)

    def read(self, send: Send, record: Record) -> Record:
        """Take the notes out of the content of a record that was read, and remember where they are."""
        key, content = (record.kind, record.id), str(record.fields.get(WRAPPED, ""))
        if not notes_of(content) or not self._knows_notes(send, record.kind):
            self._contents.pop(key, None)
            return record
        self._contents[key] = content
        stored = without_notes(content)
        plain = unwrap(stored)
        raw = {name: value for name, value in record.raw.items() if name != WRAPPED}
        raw |= {WRAPPED: stored} if wrap(plain) != stored else {}
        return replace(record, fields={**record.fields, WRAPPED: plain}, noted=content, raw=raw)

    def kept(self, call: Call) -> Call:
        """Put the notes of the record into the content of an update of it."""
        content = call.fields.get(WRAPPED) if isinstance(call, UpdateCall) else None
        if not isinstance(call, UpdateCall) or not isinstance(content, str):
            return call
        noted = self._contents.get((call.kind, call.id))
        if noted is None:
            return call
        anchored = with_notes(str(call.stored.get(WRAPPED, wrap(content))), noted)
        stored = {name: value for name, value in call.stored.items() if name != WRAPPED}
        return replace(call, fields={**call.fields, WRAPPED: anchored}, stored=stored)

    def _knows_notes(self, send: Send, kind: Kind) -> bool:
        """Ask the site, once for each kind, whether its editor has notes."""
        if kind not in self._known:
            query = (("context", "edit"), ("_fields", "supports"))
            try:
                supports = json_object(get(send, f"/wp/v2/types/{kind}", query)).get("supports")
            except Refused:
                supports = None
            match supports:
                case {"editor": [{"notes": True}, *_]}:
                    self._known[kind] = True
                case _:
                    self._known[kind] = False
        return self._known[kind]


@dataclass(frozen=True, slots=True)
class WordPressService:
    """Stock WordPress, 6.1 or later. As many threads may share it as its transport has connections."""

    transport: Transport
    types: SiteTypes = DOCUMENTED_TYPES
    row: DialectRow = WORDPRESS
    asked_authors: dict[str, int | NoUser] = field(default_factory=dict, repr=False)
    anchored: AnchoredNotes = field(default_factory=AnchoredNotes, repr=False)
    repeated: Repeated | None = None

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def capabilities(self) -> Capabilities:
        return self.row.capabilities

    @property
    def readable(self) -> Self:
        """This service: it can be read."""
        return self

    @property
    def library(self) -> Self:
        """This service: it has terms, people and files."""
        return self

    @property
    def notes(self) -> Self:
        """This service: its editors have notes."""
        return self

    @property
    def accounts(self) -> Self:
        """This service: it has application passwords."""
        return self

    @property
    def facts(self) -> WordPressFacts:
        """The facts about the site."""
        from pressync.client.wordpress.look import WordPressFacts  # noqa: PLC0415 - a run needs them not

        return WordPressFacts(self.transport.send, self.transport.has_credentials, self.types, self.row)

    def each_exchange(self, repeated: Repeated) -> Self:
        """Give this service for reads of which each exchange is repeated alone."""
        return replace(self, repeated=repeated)

    def send(self, request: HttpRequest) -> HttpResponse:
        """Make one exchange of a read, and again as the caller wants."""
        if self.repeated is None:
            return self.transport.send(request)
        return self.repeated(lambda: self._answered(request))

    def _answered(self, request: HttpRequest) -> HttpResponse:
        response = self.transport.send(request)
        # The caller judges any other response, by the question that it asked.
        with suppress(BadAnswer, Refused):
            expect_success(_ANY_READ, response)
        return response

    def carry_out(self, call: Call) -> Record:
        if isinstance(call, UpdateCall) and FRONT_PAGE in call.fields:
            return site_info.carry_out(self.transport.send, call, has_index=self.capabilities.lists_routes)
        call = self.anchored.kept(call)
        return self._stored(dialect.record(call, self.transport.send(dialect.request(call))))

    def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
        calls = [self.anchored.kept(call) for call in calls]
        request = dialect.batch_request(calls)
        try:
            response = self.transport.send(request)
        except ServiceError as error:
            return [error] * len(calls)
        ends = dialect.results(calls, response)
        return [end if isinstance(end, ServiceError) else self._stored(end) for end in ends]

    def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
        try:
            records = reads.records(self.send, kind, ids)
        except Unreadable as error:
            error.found = {number: self._read(record) for number, record in error.found.items()}
            raise
        return {number: self._read(record) for number, record in records.items()}

    def published(self, kind: Kind, ids: Collection[int]) -> Mapping[int, int]:
        return reads.published(self.send, kind, ids)

    def front_page(self) -> int | None:
        return site_info.front(self.send, has_index=self.capabilities.lists_routes)

    def sticky(self, ids: Collection[int]) -> dict[int, bool]:
        return reads.sticky(self.send, ids)

    def find(self, kind: Kind, slugs: Collection[str]) -> dict[str, list[Record]]:
        records = by_slug.find(self.send, kind, slugs)
        return {slug: [self._read(record) for record in some] for slug, some in records.items()}

    def at_addresses(self, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
        occupied = by_slug.at_addresses(self.send, kind, slugs)
        return {
            slug: AtAddress(tuple(map(self._read, at.here)), tuple(map(self._read, at.numbered)))
            for slug, at in occupied.items()
        }

    def user(self) -> int:
        return self.identity().id

    def newest(self, kind: Kind, *, besides: Collection[int]) -> list[Record]:
        return [self._read(record) for record in reads.newest(self.send, kind, besides=besides)]

    def post_fields(self) -> Mapping[str, str]:
        return reads.post_fields(self.send)

    def schema(self, kinds: Collection[Kind]) -> SiteSchema:
        from pressync.client.wordpress import site_schema  # noqa: PLC0415 - few sites have a schema

        return site_schema.read(self.send, names=frozenset(map(str, kinds)))

    def terms(self, field: str) -> list[Term]:
        return terms_and_media.terms(self.send, self.types.taxonomies[field])

    def make_term(self, field: str, name: str, parent: int) -> int:
        return terms_and_media.make_term(self.transport.send, self.types.taxonomies[field], name, parent)

    def authors(self, names: Collection[str]) -> Mapping[str, int | NoUser]:
        unasked = [name for name in names if name not in self.asked_authors]
        self.asked_authors.update(users.authors(self.send, unasked))
        return {name: self.asked_authors[name] for name in names}

    def logins(self, ids: Collection[int]) -> Mapping[int, str]:
        return users.logins(self.send, ids)

    def present(self, field: str, ids: Collection[int]) -> frozenset[int]:
        if field == "author":
            return users.present(self.send, ids)
        return terms_and_media.present(self.send, self.types.taxonomies.get(field), ids)

    def uploaded(self, slugs: Collection[str]) -> dict[str, Uploaded]:
        return terms_and_media.uploaded(self.send, slugs)

    def upload(self, upload: Upload) -> Uploaded:
        return terms_and_media.upload(self.transport.send, upload)

    def identity(self) -> Identity:
        return users.identity(self.send, self.transport.address_of)

    def open_notes(self) -> list[SiteNote]:
        return notes.open_notes(self.transport.send)

    def resolve_note(self, number: int, reply: str) -> bool:
        return notes.resolve(self.transport.send, number, reply)

    def rights(self) -> UserRights:
        me = self.identity()
        lacking = (right for kind in self.types.kinds for right in me.missing_rights(kind))
        return UserRights(me.id, frozenset(lacking))

    def is_filtered(self) -> bool:
        return bool(site_info.filtered(self.send, self.types))

    def account(self) -> AccountJudgement:
        return account.judged(self.send)

    def with_drafts(self, judgement: AccountJudgement, kinds: Collection[Kind]) -> AccountJudgement:
        return account.with_drafts(self.transport.send, judgement, kinds)

    def approval_page(self) -> ApprovalPage:
        if not self.capabilities.passwords:
            raise ConfigError(f"the {self.name} interface shows no page that makes a password")
        return users.approval_page(self.transport.send)

    def revoke_password(self) -> str:
        return users.revoke(self.transport.send)

    def _read(self, record: Record) -> Record:
        """Give a record without the places of editors' notes, so that a note is never an edit."""
        return self.anchored.read(self.send, record)

    def _stored(self, record: Record) -> Record:
        """Give the record of a write likewise. The write is done, whatever another request meets."""
        try:
            return self._read(record)
        except ServiceError:
            return record

    def close(self) -> None:
        self.transport.close()
