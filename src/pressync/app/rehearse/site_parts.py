"""Reads the parts of a live site that decide how a sync ends there: people, terms, records, settings.

Not every user may see every part. So each part is read for itself: a part that the site refuses becomes a
sentence, and the rehearsal goes on without it.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from zoneinfo import ZoneInfo

from pressync.app.rehearse.live_site import LiveSite, LiveUser, Unread
from pressync.client.wordpress import discovery, look, permalinks, site_info, terms_and_media
from pressync.client.wordpress.reads import records as read_records
from pressync.client.wordpress.user_rights import identity
from pressync.model.changes import Create, Delete, Update
from pressync.model.errors import BadAnswer, ConfigError, NoAnswer, NotSent, Refused, ServiceError
from pressync.model.interface import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from pressync.client.get_only import GetOnly
    from pressync.client.port import Term
    from pressync.client.retry import Retry
    from pressync.client.wordpress.look import Person
    from pressync.model.records import Record
    from pressync.plan.build import PlannedRun
    from pressync.state.state import State

Part = TypeVar("Part")

_FIELDS = ("categories", "tags")

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
    manifest.
    """

    slugs: Mapping[Kind, Collection[str]]
    ids: Mapping[Kind, Collection[int]]
    known: Collection[int]
    parents: Collection[str] = ()

    @classmethod
    def of(cls, planned: PlannedRun, state: State) -> Wanted:
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
        return cls(slugs, ids, {entry.id for entry in planned.entries.values()}, parents)


class LoginRefused(Refused):
    """The site refuses the credentials, so a sync could not begin either."""


@dataclass(frozen=True, slots=True)
class SiteParts:
    """One look at a site, part by part."""

    reader: GetOnly
    retry: Retry
    unread: list[Unread]
    has_secret: bool
    gone: set[int] = field(default_factory=set)

    def site(self, wanted: Wanted) -> LiveSite:
        """Read every part."""
        send = self.reader.send
        root = self._root()
        me = self._ourselves()
        is_user = me is not None
        people = self._part("users", partial(look.people, send)) or ()
        terms = {name: self._part(name, partial(self._terms, name)) or () for name in _FIELDS}
        records = tuple(record for kind in Kind for record in self._records(kind, wanted, is_user=is_user))
        settings = (self._part("settings", partial(look.settings, send)) if is_user else None) or {}
        front = root.front if root.front is not None else site_info.front_of(settings)
        return LiveSite(
            home=root.home.rstrip("/"),
            title=root.name,
            version=discovery.version(root.home) or "",
            theme=(self._part("theme", partial(look.theme, send)) if is_user else None) or "",
            plugins=(self._part("plugins", partial(look.plugins, send)) if is_user else None) or (),
            offset=minutes_ahead(root.timezone),
            timezone=root.timezone,
            permalinks=self._part("permalinks", partial(self._permalinks, root.home, people, terms)),
            user=me.id if me else 0,
            users=self._users(me, people),
            terms=terms,
            records=records,
            gone=frozenset(self.gone),
            files=self._part("media library", partial(look.library_files, send, is_user=is_user)) or (),
            settings=settings,
            # WordPress shows the list of posts unless somebody chose a page.
            front=front if root.is_own else front or 0,
            unread=tuple(self.unread),
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

    def _root(self) -> site_info.InterfaceRoot:
        try:
            return self.retry.run(lambda: site_info.root(self.reader.send, with_front=True), harmless=True)
        except site_info.NotWordPress as error:
            # A sync would be refused for the same reason.
            raise ConfigError(error.what, todo=error.todo) from None

    def _ourselves(self) -> Person | None:
        if not self.has_secret:
            return None
        try:
            return self.retry.run(lambda: look.ourselves(self.reader.send), harmless=True)
        except Refused as error:
            raise LoginRefused(error.what, status=error.status, todo=error.todo) from None

    def _terms(self, name: str) -> tuple[Term, ...]:
        return tuple(terms_and_media.terms(self.reader.send, name))

    def _permalinks(
        self, home: str, people: tuple[Person, ...], terms: Mapping[str, tuple[Term, ...]]
    ) -> str | None:
        found = permalinks.structure(
            look.newest_posts(self.reader.send),
            home=home,
            authors={person.id: person.slug for person in people},
            categories={term.slug for term in terms["categories"]},
        )
        if found is None:
            raise BadAnswer("no post shows how the site makes the addresses of posts")
        return found

    def _users(self, me: Person | None, people: tuple[Person, ...]) -> tuple[LiveUser, ...]:
        """Give all users; a role of the site's own counts as the highest one whose rights we have."""
        found = {person.id: _user(person, _role(person)) for person in people}
        if me:
            role = _role(me) or self._part("role", self._role_by_rights) or ""
            found[me.id] = _user(me, role)
        return tuple(found.values())

    def _role_by_rights(self) -> str:
        rights = identity(self.reader.send).capabilities
        return next(role for role, right in _ROLES.items() if not right or right in rights)

    def _records(self, kind: Kind, wanted: Wanted, *, is_user: bool) -> Iterator[Record]:
        """Give the records of wanted slugs or ids, and those above them that the manifest does not have."""
        send, slugs, ids = self.reader.send, wanted.slugs.get(kind, ()), set(wanted.ids.get(kind, ()))
        above = wanted.parents if kind is Kind.PAGE else ()
        look_up = partial(look.taken, send, kind, slugs, is_user=is_user, also=above)
        taken = self._part(f"{kind}s", look_up)
        found: dict[int, Record] = {}
        missing = {*(taken or ()), *ids}
        for _ in range(_DEEPEST):
            if not missing:
                break
            some = self._part(f"{kind}s", partial(self._by_id, kind, missing, is_user=is_user)) or []
            found |= {record.id: record for record in some}
            parents = {record.fields.get("parent", 0) for record in some}
            missing = {n for n in parents if isinstance(n, int) and n} - found.keys() - set(wanted.known)
        if is_user and not any(part.what == f"{kind}s" for part in self.unread):
            self.gone.update(ids - found.keys())
        yield from found.values()

    def _by_id(self, kind: Kind, ids: Collection[int], *, is_user: bool) -> list[Record]:
        if is_user:
            return list(read_records(self.reader.send, kind, ids).values())
        return look.records(self.reader.send, kind, ids)


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


def _user(person: Person, role: str) -> LiveUser:
    return LiveUser(person.id, person.name, person.slug, person.login, person.email, role)
