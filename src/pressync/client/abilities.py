"""The abilities that not every service has, each a small protocol, and the values that they give.

`Service` names them as properties, which are None where a dialect has no such ability. All but the resolving
of a note and the revoking of a password change nothing. Every method makes one attempt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterator, Mapping

    from pressync.client.terms import Term
    from pressync.model.errors import Refused
    from pressync.model.interface import Kind, SiteTypes, Taxonomy
    from pressync.model.records import Record
    from pressync.model.site_schema import SiteSchema

    # A row of a list, as the service sends it.
    Row = Mapping[str, object]

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SiteNote:
    """A note or a reply to one (then `parent` is not 0), on the record with the id `post`."""

    id: int
    post: int
    parent: int
    author: str
    date: str
    text: str
    is_open: bool


class EditorsNotes(Protocol):
    """The notes of editors on the records of a site."""

    def open_notes(self) -> list[SiteNote]:
        """Read the open notes, the oldest first; none where the user may not see them."""

    def resolve_note(self, number: int, reply: str) -> bool:
        """Resolve a note with a reply; tell whether it was open. ConfigError if there is no such note."""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """An uploaded file: its id and its address."""

    id: int
    link: str


@dataclass(frozen=True, slots=True)
class Person:
    """A user of the site. Login, e-mail address and role are empty if we may not see them."""

    id: int
    name: str
    slug: str
    login: str = ""
    email: str = ""
    roles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryFile:
    """A file of the media library. No page beside it can have its slug; `parent` is the id of its record."""

    id: int
    slug: str
    parent: int = 0
    link: str = ""
    type: str = ""


@dataclass(frozen=True, slots=True)
class InterfaceRoot:
    """The facts about a site that the root of the interface shows to everybody.

    `timezone` is its name, or the offset from UTC as `+02:00`. `passwords` tells whether the root offers
    application passwords, which it does not over plain http. `is_own` tells whether it is pressync's own
    service. `front` is the id of the front page, 0 if the list of posts is the front, and None if the site
    does not show it, as before WordPress 6.8.
    """

    name: str
    home: str
    timezone: str
    passwords: bool
    is_own: bool
    front: int | None


@dataclass(frozen=True, slots=True)
class Description:
    """The facts about a site; None stands for “the site does not show it to us”.

    `version` is the generator that the front page or the feed names. `user` is the user of `/users/me`, or
    None for a visitor. `trash` is true if there are records in it. `batch` is the most calls in one batch, by
    OPTIONS of `/batch/v1`, and 0 if there is no such route. `filtered` tells whether the site strips the
    texts of this user, by the actions that it offers on a page: the user's rights do not show that a site
    filters everybody. `refusal` is the error of `/users/me`, if it is refused.
    """

    root: InterfaceRoot
    version: str | None
    user: Identity | None
    trash: bool | None
    batch: int
    filtered: bool | None
    refusal: Refused | None = None


def front_of(settings: Mapping[str, object]) -> int | None:
    """Read the id of the front page, 0 for the list of posts; None if these settings do not have it."""
    match settings:
        case {"show_on_front": "page", "page_on_front": int(number)}:
            return number
        case {"show_on_front": str()}:
            return 0
        case _:
            return None


@dataclass(frozen=True, slots=True)
class LastRevision:
    """The newest revision of a record: its moment in GMT, and the id, the name and the slug of its author.

    Name and slug are empty if the site does not show that user.
    """

    moment: str
    author: int
    name: str = ""
    slug: str = ""


@dataclass(frozen=True, slots=True)
class Other:
    """A thing that is not a record of a known kind: its type, its id and its address."""

    type: str
    id: int
    link: str


class Repeats(Protocol):
    """Repeats a read as often as it may."""

    def run(self, attempt: Callable[[], Result], *, harmless: bool) -> Result:
        """Repeat an attempt until it succeeds, or raise its error."""


class WholeSite(Protocol):
    """A site that is read as a whole, page by page; its reads are repeated."""

    @property
    def edit(self) -> bool:
        """Whether the requests have credentials, so that texts come as they are stored."""

    @property
    def types(self) -> SiteTypes:
        """The types of the site."""

    def home(self) -> str:
        """Give the address of the site for visitors; "" if the site does not tell it."""

    def records(self, kind: Kind) -> Iterator[Row]:
        """Read all records of a kind; with credentials in any status and in the trash."""

    def record(self, kind: Kind, row: Row) -> Record:
        """Read a row of `records`, without the places of editors' notes; BadAnswer if it is not a record."""

    def count(self, kind: Kind) -> int:
        """Count the records of a kind, with those that the site does not show to this user."""

    def terms(self, taxonomy: Taxonomy) -> list[Term]:
        """Read all terms of a taxonomy, oldest first."""

    def people(self) -> dict[int, str]:
        """Name the users by id: those whom the site shows."""

    def pictures(self, ids: Collection[int]) -> dict[int, str]:
        """Read the addresses of these files; a file that is gone is absent."""

    def library(self) -> Iterator[Uploaded]:
        """Read the addresses of all files of the media library."""

    def others(self) -> Iterator[Other]:
        """Read what is not a record of a known kind, as far as the site shows it."""


class SiteFacts(Protocol):
    """What a site tells of itself, of its users and of what decides how a sync ends there."""

    @property
    def is_user(self) -> bool:
        """Whether the requests have credentials; the site may still ignore them."""

    def describe(self) -> Description:
        """Read what the site tells of itself; WrongInterface if it is not that of the dialect."""

    def root(self) -> InterfaceRoot:
        """Read the facts that the site shows to everybody; WrongInterface as `describe`."""

    def ourselves(self) -> Person:
        """Read our user; Refused if the site sees a visitor."""

    def people(self) -> tuple[Person, ...]:
        """Read all users; if we may not list them, those who have published something."""

    def templates(self) -> tuple[str, ...]:
        """Name the templates of the theme that an editor may choose; a classic theme lists none."""

    def theme(self) -> str:
        """Give the name and the version of the theme; Refused if our user may not edit posts."""

    def plugins(self) -> tuple[str, ...]:
        """Give the active plugins and their versions; Refused if our user is not an administrator."""

    def settings(self) -> Row:
        """Read the settings of the site; Refused if our user is not an administrator."""

    def library_files(self) -> tuple[LibraryFile, ...]:
        """Read the files of the media library; a visitor does not see those of drafts."""

    def newest_posts(self) -> list[Row]:
        """Read the newest published posts, whose addresses show the permalink structure."""

    def taken(self, kind: Kind, slugs: Collection[str], *, also: Container[str] = ()) -> list[int]:
        """Give the ids of the records that have one of these slugs, also with a number or in the trash.

        The ids whose fingerprints are in `also` are among them: a plan has only the fingerprints of parents.
        A visitor sees those that are published.
        """

    def shown(self, kind: Kind, ids: Collection[int]) -> list[Record]:
        """Read the published ones of these records as a visitor, with the texts as they are shown."""

    def rendered(self, kind: Kind, *, hidden: bool) -> Iterator[Row]:
        """Read the addresses and the rendered texts of all published records, or of all that are `hidden`."""

    def last_revision(self, kind: Kind, number: int) -> LastRevision | None:
        """Read the newest revision of a record; None if the site shows none."""

    def whole_schema(self, say: Callable[[str], None], *, visitor: bool = False) -> SiteSchema:
        """Read all types of the site, as a user or as a visitor; `say` gets a sentence on each left out."""

    def everything(self, retry: Repeats, types: SiteTypes | None = None) -> WholeSite:
        """Open the whole site, with other types if they are given."""


# The rights to publish, change and delete records, our own and those of others.
_NEEDED = (
    "edit_{}",
    "edit_others_{}",
    "edit_published_{}",
    "publish_{}",
    "delete_{}",
    "delete_others_{}",
    "delete_published_{}",
)


@dataclass(frozen=True, slots=True)
class Identity:
    """The user whom the credentials belong to; `capabilities` has WordPress's names of the user's rights."""

    id: int
    name: str
    slug: str
    roles: tuple[str, ...]
    capabilities: frozenset[str]

    @property
    def filtered(self) -> bool:
        """Whether WordPress strips scripts, forms and styles from the texts of this user.

        That is only a warning, because the response shows what was stripped. A site may filter the texts of
        every user.
        """
        return "unfiltered_html" not in self.capabilities

    def missing_rights(self, kind: Kind) -> tuple[str, ...]:
        """Name the rights that a sync of this kind of record needs and the user lacks."""
        needed = (right.format(kind.row.rights) for right in _NEEDED)
        return tuple(right for right in needed if right not in self.capabilities)


# WordPress shows the passwords of one program by this UUID.
_PROGRAM = "6f0b1d52-2f0a-4b9e-9d1c-6c1d8a3f5e27"


@dataclass(frozen=True, slots=True)
class ApprovalPage:
    """The page on which a person approves a program, the address of the site, and of its front."""

    address: str
    site_url: str
    home: str

    def address_for(self, program: str, success_url: str = "") -> str:
        """Give the address of the page for a program; it then leads to `success_url`, if there is one."""
        query = {"app_name": program, "app_id": _PROGRAM}
        query |= {"success_url": success_url} if success_url else {}
        return f"{self.address}{'&' if '?' in self.address else '?'}{urlencode(query)}"


class Accounts(Protocol):
    """The account whose credentials the requests have, and its passwords for programs."""

    def identity(self) -> Identity:
        """Read the user whom the credentials belong to; Refused if they belong to nobody."""

    def approval_page(self) -> ApprovalPage:
        """Read where a person makes an application password; ConfigError if the site accepts none."""

    def revoke_password(self) -> str:
        """Delete the application password with which these requests are sent, and give its name."""
