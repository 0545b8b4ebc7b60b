"""The site as it was read before a rehearsal, so that the stage can answer as the site would.

A rehearsal tells the truth only if the stage has what the sync will meet: terms, users and the records at the
addresses of new documents. So what could not be read is a part of the reading, and the account says it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from pressync.client.port import Term
    from pressync.client.wordpress.look import LibraryFile
    from pressync.model.records import Name, Record
    from pressync.plan.build import PlannedRun
    from pressync.state.state import State


@dataclass(frozen=True, slots=True)
class LiveUser:
    """A user of the site; `login`, `email` and `role` are empty if the site does not show them to us."""

    id: int
    name: str
    slug: str
    login: str = ""
    email: str = ""
    role: str = ""


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
    whom the credentials belong to, and 0 for none. `terms` are by field (`categories`, `tags`).

    `records` are the records at the addresses of planned creates and of unconfirmed creates, and those that
    the plan updates or deletes, as they are now. `gone` are the ids of records that the plan updates or
    deletes and that the site does not have.

    `files` are those of the media library: their slugs are taken, and documents may name their ids.
    `settings` decide what a record gets if nobody says it (`default_category`). `theme` and `plugins` have
    their versions. `front` is the id of the front page, 0 if the list of posts is the front, and None if that
    is not known.
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
    users: tuple[LiveUser, ...] = ()
    terms: Mapping[str, tuple[Term, ...]] | None = None
    records: tuple[Record, ...] = ()
    gone: frozenset[int] = frozenset()
    files: tuple[LibraryFile, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    unread: tuple[Unread, ...] = ()

    @property
    def was_read(self) -> bool:
        """Whether the site answered at all."""
        return bool(self.home)


class SiteReader(Protocol):
    """Reads a site with GET alone."""

    def read(self, planned: PlannedRun, state: State) -> LiveSite:
        """Read what a sync of this plan will meet. A part that cannot be read is never an error.

        :raises ConfigError: a sync could not begin either, because the dialect is wrong.
        :raises Refused: a sync could not begin either, because the site refuses the credentials.
        """

    def answering(self, addresses: Collection[str]) -> frozenset[str]:
        """Tell which of these addresses of the site a visitor can open: links may lead to records of others.

        An address that could not be asked does not count.
        """


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
    users = tuple(
        LiveUser(number, text, slug, login=text, role="administrator")
        for text, number in ids.items()
        if (slug := f"user-{number}")
    )
    return replace(live, users=users)
