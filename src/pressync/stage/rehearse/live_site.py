"""The site as it is read before a rehearsal, with GET alone, so that the stage can answer as the site would.

A rehearsal tells the truth only if the stage has what the sync will meet: terms, users and the records at the
addresses of new documents. A site need not be reachable, and nobody need have given a password. Then the look
is that of a visitor, or there is none. Not every user may see every part. So each part is read for itself: a
part that the site refuses becomes a sentence in the account, and the rehearsal goes on without it.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, TypeVar
from zoneinfo import ZoneInfo

from pressync.client import discovery
from pressync.client.abilities import Person, front_of
from pressync.client.address import parse
from pressync.client.connect import open_service
from pressync.client.dialects import dialect_of
from pressync.client.http import ReadingTransport
from pressync.client.port import Limits, WrongInterface, require_facts
from pressync.client.retry import Patience, Retry
from pressync.model.changes import Create, Delete, Update
from pressync.model.errors import BadAnswer, ConfigError, NoAnswer, NotSent, Refused, ServiceError
from pressync.model.interface import BLOG_KIND, DOCUMENTED_TYPES, Kind, SiteTypes
from pressync.model.permalinks import permalink_structure
from pressync.model.web_address import from_root, origin_of
from pressync.plan.build import build_plan
from pressync.plan.schema_changes import kinds_used
from pressync.plan.survey import known
from pressync.stage.server.wordpress.session import CAPABILITIES, User

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pressync.app.revision import Revision
    from pressync.app.workspace import Workspace
    from pressync.client.abilities import InterfaceRoot, LibraryFile, SiteFacts
    from pressync.client.credentials import Secret
    from pressync.client.port import LibraryService, Service
    from pressync.client.terms import Term
    from pressync.config.settings import Settings
    from pressync.model.records import Name, Record
    from pressync.model.site_schema import SiteSchema
    from pressync.plan.build import PlannedRun, PlanOptions
    from pressync.plan.survey import Progress
    from pressync.state.state import State


@dataclass(frozen=True, slots=True)
class Unread:
    """A part of the site that could not be read: `what` names it (`users`), and `why` is a sentence."""

    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSite:
    """The readable parts of a site; a part that was not read is empty, and `unread` says why.

    `home` is the address of the pages, without a slash at the end. `offset` is the minutes of site time ahead
    of GMT, and `timezone` the name of the zone. `permalinks` is the structure of the addresses of posts
    (`/%year%/%postname%/`), and "" for plain ones; None if it is not known. `user` is the id of the user
    whom the credentials belong to, and 0 for none. `users` are as a stage stores them. `terms` are by field
    (`categories`, `tags`). `schema` has the types that the plan uses, if they are the site's own.

    `records` are the records at the addresses of planned creates and of unconfirmed creates, and those that
    the plan updates or deletes, as they are now. `gone` are the ids of records that the plan updates or
    deletes and that the site does not have.

    `files` are those of the media library: their slugs are taken, and documents may name their ids.
    `settings` decide what a record gets if nobody says it (`default_category`). `post_fields` are the custom
    fields of posts with their types: they show who would be told of a post. `theme` and `plugins` have their
    versions. `front` is the id of the front page, 0 if the list of posts is the front, and None if that is
    not known.
    """

    home: str = ""
    title: str = ""
    version: str = ""
    theme: str = ""
    plugins: tuple[str, ...] = ()
    offset: int | None = None
    timezone: str = ""
    permalinks: str | None = None
    front: int | None = None
    user: int = 0
    users: tuple[User, ...] = ()
    terms: Mapping[str, tuple[Term, ...]] | None = None
    records: tuple[Record, ...] = ()
    gone: frozenset[int] = frozenset()
    files: tuple[LibraryFile, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    post_fields: Mapping[str, str] = field(default_factory=dict)
    schema: SiteSchema | None = None
    unread: tuple[Unread, ...] = ()

    @property
    def was_read(self) -> bool:
        """Whether the site answered at all."""
        return bool(self.home)


# The ids of users that the site has, as far as we know, begin far below this one.
_STAND_INS = 900_000_000


def with_stand_ins(live: LiveSite, known: Mapping[Name, int], unknown: Iterable[Name]) -> LiveSite:
    """Give a site whose users were not read a user for each author that the documents name.

    `known` are the names of the manifest with their ids.
    """
    if live.users or not live.unread:
        return live
    ids = {name.text: number for name, number in known.items() if name.field == "author"}
    others = sorted({name.text for name in unknown if name.field == "author"} - ids.keys())
    ids |= {text: _STAND_INS + number for number, text in enumerate(others)}
    made = (Person(number, text, f"user-{number}", login=text) for text, number in ids.items())
    return replace(live, users=tuple(_user(person, "administrator") for person in made))


def site_of(
    workspace: Workspace,
    revision: Revision,
    options: PlanOptions,
    read: Callable[[PlannedRun, State], LiveSite],
    progress: Progress | None = None,
) -> tuple[LiveSite, PlannedRun | None]:
    """Plan a sync, and give the site as `read` tells it for that plan, and the plan.

    The embedded service as the site needs no plan and no reading, because the stage is its copy.
    """
    if workspace.settings.site.url is None:
        return LiveSite(), None
    with workspace.reading() as state:
        content = workspace.content(revision, strict=options.strict, manifest=state.manifest)
        planned = build_plan(content, workspace.capabilities, known(state), options, progress)
        live = read(planned, state)
        names = content.references.names_of(planned.plan.changes)
        return with_stand_ins(live, state.manifest.names, names), planned


Part = TypeVar("Part")

# The roles of WordPress from the highest, with a right that each has and the next has not.
_ROLES: Mapping[str, str] = {
    "administrator": "manage_options",
    "editor": "edit_others_pages",
    "author": "publish_posts",
    "contributor": "edit_posts",
    "subscriber": "",
}

# A page below pages below pages: this many parents are read.
_DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """The slugs that a plan gives to records, and the ids of the records that it changes.

    `parents` are the fingerprints of parents that front matter names by their ids. `known` are the ids of the
    manifest, and `described` the kinds whose schema the site has to confirm.
    """

    slugs: Mapping[Kind, Collection[str]]
    ids: Mapping[Kind, Collection[int]]
    known: Collection[int]
    parents: Collection[str] = ()
    described: frozenset[Kind] = frozenset()

    @classmethod
    def of(cls, planned: PlannedRun, state: State, settings: Settings) -> Wanted:
        """Take them from a plan and from the unconfirmed creates."""
        slugs: dict[Kind, set[str]] = defaultdict(set)
        ids: dict[Kind, set[int]] = defaultdict(set)
        parents: set[str] = set()
        for create in state.unconfirmed.values():
            slugs[create.kind].add(create.slug)
        for change in planned.plan.changes:
            if isinstance(change, Create | Update):
                desired = change.desired
                slugs[change.kind].add(desired.slug)
                if desired.parent_path is None and "parent" in desired.fingerprints:
                    parents.add(desired.fingerprints["parent"])
            if isinstance(change, Update | Delete):
                ids[change.kind].add(change.id)
        described = kinds_used(settings, planned.plan.pending)
        return cls(slugs, ids, {entry.id for entry in planned.entries.values()}, parents, described)


class LoginRefused(Refused):
    """The site refuses the credentials, so a sync could not begin either."""


@dataclass(frozen=True, slots=True)
class SiteParts:
    """One look at a site, part by part."""

    service: LibraryService
    facts: SiteFacts
    retry: Retry
    unread: list[Unread]
    types: SiteTypes = DOCUMENTED_TYPES
    gone: set[int] = field(default_factory=set)

    def site(self, wanted: Wanted) -> LiveSite:
        """Read every part."""
        service, facts = self.service, self.facts
        root = self._root()
        me = self._ourselves()
        people = self._part("users", facts.people) or ()
        terms = {
            name: tuple(self._part(name, partial(service.terms, name)) or ())
            for name in self.types.taxonomies
        }
        records = tuple(record for kind in self.types.kinds for record in self._records(kind, wanted))
        posts = wanted.slugs.get(BLOG_KIND)
        settings = (self._part("settings", facts.settings) if me else None) or {}
        front = root.front if root.front is not None else front_of(settings)
        return LiveSite(
            home=root.home.rstrip("/"),
            title=root.name,
            version=discovery.version(root.home) or "",
            theme=(self._part("theme", facts.theme) if me else None) or "",
            plugins=(self._part("plugins", facts.plugins) if me else None) or (),
            offset=minutes_ahead(root.timezone),
            timezone=root.timezone,
            permalinks=self._part("permalinks", partial(self._permalinks, root.home, people, terms)),
            user=me.id if me else 0,
            users=self._users(me, people),
            terms=terms,
            records=records,
            gone=frozenset(self.gone),
            files=self._part("media library", facts.library_files) or (),
            settings=settings,
            post_fields=(self._part("custom fields", service.post_fields) if posts else None) or {},
            schema=self._part("types", partial(service.schema, wanted.described))
            if wanted.described
            else None,
            # WordPress shows the list of posts unless somebody chose a page.
            front=front if root.is_own else front or 0,
            unread=tuple(dict.fromkeys(self.unread)),
        )

    def _part(self, name: str, attempt: Callable[[], Part]) -> Part | None:
        """Read one part; a refusal becomes a sentence, and gives None. A site without a response ends all."""
        try:
            return self.retry.run(attempt, harmless=True)
        except (NotSent, NoAnswer):
            raise
        except ServiceError as error:
            self.unread.append(Unread(name, error.what))
            return None

    def _root(self) -> InterfaceRoot:
        try:
            return self.retry.run(self.facts.root, harmless=True)
        except WrongInterface as error:
            # A sync would be refused for the same reason.
            raise ConfigError(error.what, todo=error.todo) from None

    def _ourselves(self) -> Person | None:
        if not self.facts.is_user:
            return None
        try:
            return self.retry.run(self.facts.ourselves, harmless=True)
        except Refused as error:
            raise LoginRefused(error.what, status=error.status, todo=error.todo) from None

    def _permalinks(
        self, home: str, people: tuple[Person, ...], terms: Mapping[str, tuple[Term, ...]]
    ) -> str | None:
        found = permalink_structure(
            self.facts.newest_posts(),
            home=home,
            authors={person.id: person.slug for person in people},
            categories={term.slug for term in terms["categories"]},
        )
        if found is None:
            raise BadAnswer("no post shows how the site makes the addresses of posts")
        return found

    def _users(self, me: Person | None, people: tuple[Person, ...]) -> tuple[User, ...]:
        """Give all users; a role of the site's own counts as the highest one whose rights we have."""
        found = {person.id: _user(person, _role(person)) for person in people}
        if me:
            role = _role(me)
            accounts = self.service.accounts
            if not role and accounts and (ours := self._part("role", accounts.identity)):
                rights = ours.capabilities
                role = next(role for role, right in _ROLES.items() if not right or right in rights)
            found[me.id] = _user(me, role)
        return tuple(found.values())

    def _records(self, kind: Kind, wanted: Wanted) -> Iterator[Record]:
        slugs, ids = wanted.slugs.get(kind, ()), set(wanted.ids.get(kind, ()))
        above = wanted.parents if kind.row.hierarchical else ()
        taken = self._part(f"{kind}s", partial(self.facts.taken, kind, slugs, also=above))
        found: dict[int, Record] = {}
        missing = {*(taken or ()), *ids}
        for _ in range(_DEEPEST):
            if not missing:
                break
            some = self._part(f"{kind}s", partial(self._by_id, kind, missing)) or []
            found |= {record.id: record for record in some}
            parents = {record.fields.get("parent", 0) for record in some}
            missing = {n for n in parents if isinstance(n, int) and n} - found.keys() - set(wanted.known)
        if self.facts.is_user and not any(part.what == f"{kind}s" for part in self.unread):
            self.gone.update(ids - found.keys())
        yield from found.values()

    def _by_id(self, kind: Kind, ids: Collection[int]) -> list[Record]:
        if self.facts.is_user:
            return list(self.service.records(kind, ids).values())
        return self.facts.shown(kind, ids)


def minutes_ahead(timezone: str) -> int | None:
    """Give the minutes that a time zone, or an offset such as `+05:30`, is ahead of GMT now."""
    if not timezone:
        return None
    if timezone[0] in "+-":
        hours, _, minutes = timezone[1:].partition(":")
        ahead = int(hours) * 60 + int(minutes)
        return -ahead if timezone[0] == "-" else ahead
    with suppress(OSError, ValueError, KeyError):
        ahead_now = datetime.now(UTC).astimezone(ZoneInfo(timezone)).utcoffset()
        return round(ahead_now.total_seconds() / 60) if ahead_now else 0
    return None


def _role(person: Person) -> str:
    return next((role for role in _ROLES if role in person.roles), "")


def _user(person: Person, role: str) -> User:
    """Make the user of a stage; one without a visible role may do what editors may."""
    email = person.email or f"user-{person.id}@localhost"
    may = role if role in CAPABILITIES else "editor"
    return User(person.id, person.login or person.slug, email, person.name, person.slug, may, visible=True)


_PATIENCE = Patience(unsent_attempts=2, unanswered_attempts=2, budget=30.0)

# Links of a rendered site that are asked at the real one, and the seconds for each and for all.
_MOST_LINKS = 200
_SECONDS, _SECONDS_IN_ALL = 5.0, 10.0


def reader_of(workspace: Workspace, say: Callable[[str], None] = lambda _sentence: None) -> SiteReader | None:
    """Give the reader of a site; None for the embedded service, which a stage copies. Nothing is sent yet."""
    if workspace.settings.site.url is None:
        return None
    return SiteReader(workspace, Retry(_PATIENCE, threading.Event().wait, say))


@dataclass(frozen=True, slots=True)
class SiteReader:
    """Reads the site of a workspace, with GET alone."""

    workspace: Workspace
    retry: Retry

    def read(self, planned: PlannedRun, state: State) -> LiveSite:
        """Read what a sync of this plan will meet. A part that cannot be read is never an error.

        :raises ConfigError: a sync could not begin either, because the dialect is wrong.
        :raises Refused: a sync could not begin either, because the site refuses the credentials.
        """
        site = self.workspace.settings.site
        if site.url is None or not self.workspace.capabilities.read:
            why = f"the {site.dialect} interface does not show how to read a record"
            return LiveSite(unread=(Unread("site", why),))
        unread: list[Unread] = []
        wanted = Wanted.of(planned, state, self.workspace.settings)
        try:
            secret = self._secret(unread)
            with closing(self._opened(site.url, secret, unread)) as service:
                facts, library = require_facts(service), service.library
                if library is None:
                    return LiveSite(unread=(Unread("site", "it shows no terms and users"),))
                types = self.workspace.settings.types
                return SiteParts(library, facts, self.retry, unread, types).site(wanted)
        except LoginRefused:
            raise
        except ServiceError as error:
            return LiveSite(unread=(*unread, Unread("site", str(error))))

    def answering(self, addresses: Collection[str], home: str = "") -> frozenset[str]:
        """Tell which of these addresses a visitor can open: links may lead to records of others.

        An address that could not be asked does not count. `home` is the address of the site's pages, which on
        a host with many sites are at another origin than the interface.
        """
        site, there = self.workspace.settings.site, set[str]()
        is_elsewhere = dialect_of(site.dialect).route
        origin = origin_of((home or site.home) if is_elsewhere else site.url or "")
        until = monotonic() + _SECONDS_IN_ALL
        limits = Limits(connect=_SECONDS, read=_SECONDS, total=_SECONDS)
        asked = [address for address in sorted(addresses) if origin and origin_of(address) == origin]
        with suppress(ServiceError, ConfigError), ExitStack() as block:
            visitor = ReadingTransport(parse(origin), limits=limits)
            reader = block.enter_context(closing(visitor))
            for address in asked[:_MOST_LINKS]:
                if monotonic() > until:
                    break
                status = reader.get(from_root(address) or "/").status
                if status not in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
                    there.add(address)
        return frozenset(there)

    def _secret(self, unread: list[Unread]) -> Secret | None:
        workspace = self.workspace
        why = "no password is configured, so it was read as a visitor"
        try:
            found = workspace.clone.credentials.authorization()
        except ConfigError as error:
            found, why = None, str(error)
        if found is None:
            unread.append(Unread("what only a user sees", why))
        return found

    def _opened(self, url: str, secret: Secret | None, unread: list[Unread]) -> Service:
        opening = partial(
            open_service,
            url,
            dialect=self.workspace.settings.site.dialect,
            types=self.workspace.settings.types,
            allow_http=self.workspace.clone.credentials.allow_http,
            only_reads=True,
        )
        try:
            return opening(authorization=secret)
        except ConfigError as error:
            unread.append(Unread("what only a user sees", str(error)))
            return opening(authorization=None)
