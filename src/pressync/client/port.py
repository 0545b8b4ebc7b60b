"""The port: the methods that pressync calls on any service, and the requests and responses behind them.

A dialect is two pure functions: one makes a request of a call, the other makes a record of a response. So
every encoding can be read, tested and replayed without a socket.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from pressync.model.errors import BadAnswer, ConfigError, Refused, ServiceError, WrongDialect
from pressync.model.interface import JSON_CONTENT_TYPE, Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from pressync.client.abilities import Accounts, EditorsNotes, SiteFacts, Uploaded
    from pressync.client.dialects import Capabilities, UserRights
    from pressync.client.terms import Term
    from pressync.model.changes import Call
    from pressync.model.records import NoUser, Record, RecordKey
    from pressync.model.site_schema import SiteSchema


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request, by default of JSON: `path` is below the base address and begins with a slash.

    `repr` does not show the body, because it may hold the password of a page. `override` is the method
    that the server is to act on, where the method on the wire must be one that can carry a body.
    """

    method: str
    path: str
    content_type: str = JSON_CONTENT_TYPE
    body: bytes = field(default=b"", repr=False)
    override: str = ""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A whole response: the header names are in lower case, and the body is decoded.

    `has_credentials` tells whether the request had them.
    """

    status: int
    content_type: str
    headers: Mapping[str, str]
    body: bytes
    has_credentials: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """How many seconds one exchange may take, and how many decoded bytes a response may have.

    `connect` and `read` limit each single wait. `total` limits the whole exchange, also if the service
    sends one byte at a time.
    """

    connect: float = 10.0
    read: float = 60.0
    total: float = 120.0
    largest: int = 64 * 1024 * 1024


LIMITS = Limits()


class Carrier(Protocol):
    """Anything that carries out calls."""

    def carry_out(self, call: Call) -> Record:
        """Make one attempt. The type of a `ServiceError` tells whether the call was certainly not done."""


class Service(Carrier, Protocol):
    """A service that a run can ask to change its records."""

    @property
    def name(self) -> str:
        """The dialect's name, for messages."""

    @property
    def capabilities(self) -> Capabilities:
        """The abilities of this service."""

    @property
    def readable(self) -> ReadableService | None:
        """This service with its reads; None if its capabilities name no reads."""

    @property
    def library(self) -> LibraryService | None:
        """This service with its terms, people and files; None if its capabilities name none."""

    @property
    def notes(self) -> EditorsNotes | None:
        """The notes of editors; None if the interface has none."""

    @property
    def accounts(self) -> Accounts | None:
        """The account in use, and its passwords; None if the interface shows none."""

    @property
    def facts(self) -> SiteFacts | None:
        """The facts about the site itself; None if the interface shows none."""

    def close(self) -> None:
        """Close all connections; the service is not used again."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to upload: its name, the slug that finds it again, and its content."""

    name: str
    slug: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AtAddress:
    """The records that belong to one slug.

    Those that are `here` have the slug, or had it before they went to the trash. `numbered` have the slug
    with the first number that WordPress adds to a slug that is taken.
    """

    here: tuple[Record, ...] = ()
    numbered: tuple[Record, ...] = ()

    @property
    def live(self) -> tuple[Record, ...]:
        """The records that are not in the trash, first those at the exact address."""
        return tuple(record for record in (*self.here, *self.numbered) if not record.is_trashed)


class AccountJudgement(NamedTuple):
    """The word of the site on our account: its id, and by what it can do more than write own drafts.

    `beyond` is "" if nothing shows that. `unseen` are the routes of types that it may write and has no draft
    of: only an own record shows whether the account may publish, or write any HTML.
    """

    user: int
    beyond: str = ""
    unseen: frozenset[str] = frozenset()


# The most rows that a service gives at once. As many ids are far below the 8 KB that servers allow a URL.
ROWS = 100


class Reads(Protocol):
    """The reads of a service; none of them changes anything."""

    def records(self, kind: Kind, ids: Collection[int]) -> dict[int, Record]:
        """Read records by id, in any status or in the trash; an id without a record is absent.

        Unreadable, with all others that were read, if this user may not read one of them.
        """

    def published(self, kind: Kind, ids: Collection[int]) -> Mapping[int, int]:
        """Give the authors of the published ones of these records; a hidden one is absent."""

    def front_page(self) -> int | None:
        """Give the id of the front page, 0 if it shows the posts; None if this user cannot see it."""

    def sticky(self, ids: Collection[int]) -> dict[int, bool]:
        """Tell which of these posts are sticky; a post that is not there is absent."""

    def find(self, kind: Kind, slugs: Collection[str]) -> dict[str, list[Record]]:
        """Read every record that creates with these slugs may have made, by slug, wherever it is now."""

    def at_addresses(self, kind: Kind, slugs: Collection[str]) -> dict[str, AtAddress]:
        """Read the records at these slugs, in any status or in the trash, below any parent.

        A slug without a record is absent.
        """

    def user(self) -> int:
        """Give the id of the user whom the credentials belong to; Refused if they belong to nobody."""

    def newest(self, kind: Kind, *, besides: Collection[int]) -> list[Record]:
        """Read the newest records except these ids, in any status; about a hundred of them at most."""

    def post_fields(self) -> Mapping[str, str]:
        """Name the custom fields that plug-ins registered for posts, with the type of each, as JSON says it.

        A service that does not show them has none.
        """

    def is_filtered(self) -> bool:
        """Tell whether a record shows that the service takes scripts, forms and styles of this user away."""

    def schema(self, kinds: Collection[Kind]) -> SiteSchema:
        """Read what the site says of these kinds and of their fields; one that it does not show is absent."""

    def rights(self) -> UserRights:
        """Name the rights that this user lacks; Refused if there is no such user."""


class ReadableService(Service, Reads, Protocol):
    """A service with reads, as `Capabilities.read` promises. Every method makes one attempt."""

    def account(self) -> AccountJudgement:
        """Judge whether our account can do more than write own drafts; Refused if there is no such user."""

    def with_drafts(self, judgement: AccountJudgement, kinds: Collection[Kind]) -> AccountJudgement:
        """Make an empty draft of each of these kinds that is `unseen`, and judge by it."""

    def carry_out_many(self, calls: Sequence[Call]) -> list[Record | ServiceError]:
        """Carry out up to `Capabilities.batch` calls in order; each has its own record or error."""


class Library(Protocol):
    """The terms, people and files of a service. Every method makes one attempt."""

    def terms(self, field: str) -> list[Term]:
        """Read every term of a field of `Capabilities.names` (`categories` or `tags`)."""

    def make_term(self, field: str, name: str, parent: int) -> int:
        """Give the id of the term of this name below `parent`; make the term if there is none."""

    def authors(self, names: Collection[str]) -> Mapping[str, int | NoUser]:
        """Look up users; for a name that means nobody, or several users, give the reason."""

    def logins(self, ids: Collection[int]) -> Mapping[int, str]:
        """Give the login of each user, or another name that means this user; one who is hidden is absent."""

    def present(self, field: str, ids: Collection[int]) -> frozenset[int]:
        """Tell which of these terms, users of `author` or files of `featured_media` the service has."""

    def uploaded(self, slugs: Collection[str]) -> dict[str, Uploaded]:
        """Look up files by the slugs that they were uploaded with; a missing file is absent."""

    def upload(self, upload: Upload) -> Uploaded:
        """Upload a file whose extension is one of `Capabilities.files`."""


class LibraryService(ReadableService, Library, Protocol):
    """A service with terms, people and files, as `Capabilities.names` and `files` promise."""


# The methods that may be repeated after a lost response, because two calls leave the same state as one.
# `make_term` and `upload` are not among them: each may make a second one. `carry_out` depends on its call.
REPEATABLE = frozenset(
    {
        *("records", "published", "front_page", "sticky", "find", "at_addresses", "user", "newest"),
        *(
            "account",
            "rights",
            "post_fields",
            "is_filtered",
            "schema",
            "terms",
            "authors",
            "logins",
            "present",
            "uploaded",
        ),
    }
)


def require_readable(service: Service) -> ReadableService:
    """Give the service as one with reads; ConfigError if it has no reads."""
    if service.readable is None:
        problem = f"the {service.name} interface does not show how to read a record"
        raise ConfigError(problem, todo="look at the site yourself")
    return service.readable


def require_facts(service: Service) -> SiteFacts:
    """Give the facts about the site of a service; ConfigError if it shows none."""
    require_readable(service)
    if service.facts is None:
        problem = f"the {service.name} interface tells nothing of its site"
        raise ConfigError(problem, todo="look at the site yourself")
    return service.facts


class WrongInterface(BadAnswer):
    """The root of the interface at this address is that of another service than the dialect's."""


class WrongDialectShown(WrongDialect):
    """The response shows the wrong dialect; `record` is the record in it, so that its id is never lost."""

    def __init__(self, what: str, *, record: Record, todo: str) -> None:
        super().__init__(what, todo=todo)
        self.record = record


class Unreadable(Refused):
    """The user may not read the records `ids`; `found` are the others that were asked for."""

    def __init__(self, refusal: Refused, ids: frozenset[int], found: Mapping[int, Record]) -> None:
        super().__init__(refusal.what, status=refusal.status, where=refusal.where, todo=refusal.todo)
        self.ids = ids
        self.found = found


def read_some(
    service: Reads, kind: Kind, ids: Collection[int]
) -> tuple[Mapping[int, Record], frozenset[int]]:
    """Read records by id; give also the ids of those that this user may not read."""
    try:
        return service.records(kind, ids), frozenset()
    except Unreadable as error:
        return error.found, error.ids


def read_keys(service: Reads, wanted: Iterable[RecordKey]) -> dict[RecordKey, Record]:
    """Read records of any kinds; one that is gone is absent."""
    ids: dict[Kind, set[int]] = {}
    for kind, number in wanted:
        ids.setdefault(kind, set()).add(number)
    by_kind = {kind: service.records(kind, some) for kind, some in ids.items()}
    return {(kind, number): record for kind, some in by_kind.items() for number, record in some.items()}
