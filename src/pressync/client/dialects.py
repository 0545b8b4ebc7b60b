"""The registry of the dialects: the name of each, the capabilities of its services, and its words for people.

A plan opens no socket and encodes nothing, but it asks for capabilities. They are in this module, because
loading the two dialects (forms, JSON, HTML, e-mail headers) takes as long as loading Click. Outside of the
client and the stage, nothing asks for a dialect by name: it asks for a capability.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from pressync.model.errors import ConfigError
from pressync.model.interface import DOCUMENTED_TYPES

if TYPE_CHECKING:
    from collections.abc import Container, Mapping


class Capabilities(NamedTuple):
    """The abilities of the service behind the port; the planner reads them and never names a dialect.

    `create` are the kinds that it can create, None for all. `names` are the fields whose ids the service can
    look up by name, beside the taxonomies of a schema. `files` are the endings of the files
    that it accepts, in lower case and without the dot. `front_page` tells that a page can be made the front
    page of its site. `passwords` tells that a user can make a password for a program, and `blocks` that
    bodies can be blocks of an editor. `notifies` tells that the site may tell people of new posts, and
    `lists_routes` that the root of the interface lists its routes.
    """

    create: frozenset[str] | None
    read: bool = False
    batch: int = 1
    names: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    front_page: bool = False
    passwords: bool = False
    blocks: bool = False
    notifies: bool = False
    lists_routes: bool = False

    def creates(self, kind: str) -> bool:
        """Tell whether the service can create a record of this kind."""
        return self.create is None or kind in self.create

    def finds(self, field: str, taxonomies: Container[str]) -> bool:
        """Tell whether the service can look up the ids of a field by name; the site has these taxonomies."""
        return field in self.names or (bool(self.names) and field in taxonomies)


class UserRights(NamedTuple):
    """The id of our user, and the rights for records that this user lacks, by the service's own names."""

    user: int
    lacking: frozenset[str] = frozenset()


class DialectRow(NamedTuple):
    """One dialect: its name in settings, its capabilities, and the credentials that a user makes there.

    `opener` names a function as `MODULE:NAME`, which makes the service of a transport, the types of a site,
    and this row. It is loaded when a service is opened. `encoder` likewise names what makes the stored values
    of the fields of a record. `no_user` is the advice where a site answers as to a visitor. With
    `through_script`, an address may be that of a script, which takes the path of a request as a parameter.
    `route` is the form of a path where one host has many sites, with the places `{site}`, `{namespace}` and
    `{rest}`: the first two in any order. The address of a site is all before `{rest}`, without a namespace at
    its end. A stage in the place of the site speaks the dialect `staged`, "" for this one. With
    `takes_token`, a password without a user is a token.

    A package of its own names its row as an entry point of the group `pressync.dialects`, by the same name.
    """

    name: str
    capabilities: Capabilities
    credentials: str = ""
    opener: str = ""
    encoder: str = "pressync.client.documented:body"
    no_user: str = ""
    through_script: bool = False
    route: str = ""
    staged: str = ""
    takes_token: bool = False

    @property
    def setting(self) -> str:
        """The line of a site's table that chooses it."""
        return f'dialect = "{self.name}"'


# The most calls in one request to /batch/v1: `maxItems` in its own description, in every version so far.
BATCH = 25

# The file types that stock WordPress takes as uploads. It refuses SVG, which may have scripts in it.
FILES = frozenset(
    """
    jpg jpeg png gif webp avif bmp tif tiff ico heic
    pdf doc docx odt ppt pptx odp xls xlsx ods key rtf csv
    zip gz tar rar 7z ics vtt mp3 m4a aac flac ogg oga wav wma mid midi
    mp4 m4v mov webm ogv avi mpg mpeg mkv wmv 3gp 3g2
    """.split()  # noqa: SIM905 - sixty quoted words would be harder to read
)

# Section 1 of the document shows neither reads nor the creation of a post.
DOCUMENTED = DialectRow(
    "documented",
    Capabilities(create=frozenset(kind for kind in DOCUMENTED_TYPES.kinds if "create" in kind.row.verbs)),
    opener="pressync.client.documented:opened",
)
WORDPRESS = DialectRow(
    "wordpress",
    Capabilities(
        create=None,
        read=True,
        batch=BATCH,
        names=frozenset({"author", "categories", "tags"}),
        files=FILES,
        front_page=True,
        passwords=True,
        blocks=True,
        notifies=True,
        lists_routes=True,
    ),
    credentials="an application password: Users → Profile → Application Passwords",
    opener="pressync.client.wordpress.service:WordPressService",
    encoder="pressync.client.wordpress.record:body",
    no_user=(
        "WordPress ignores wrong credentials: check the user (`pressync config` shows it, and where it is "
        "set), and that the password is an application password (Users → Profile → Application Passwords), "
        "not the login password; if both are right, the web server does not pass the Authorization header on"
    ),
    through_script=True,
)
# One host with many sites: links and files are at the address of the site, and only the interface is here. No
# public description shows batches there, or a page that makes a password.
WORDPRESS_COM = DialectRow(
    "wordpress.com",
    WORDPRESS.capabilities._replace(batch=1, passwords=False, lists_routes=False),
    credentials="a token of WordPress.com for this site, or an application password",
    opener=WORDPRESS.opener,
    encoder=WORDPRESS.encoder,
    no_user="check the token, or the user and the application password: their user must be one of this site",
    route="{namespace}/sites/{site}{rest}",
    staged=WORDPRESS.name,
    takes_token=True,
)
GROUP = "pressync.dialects"
# Ours come first: no package can take one of these names.
DIALECTS: Mapping[str, DialectRow] = {row.name: row for row in (DOCUMENTED, WORDPRESS, WORDPRESS_COM)}
# The dialect of a site whose settings do not name one.
DEFAULT = DOCUMENTED
# The embedded service speaks every dialect, and this one can do most.
MOST_CAPABLE = WORDPRESS


def unknown(name: str) -> tuple[str, str]:
    """Say that there is no such dialect, and what to do."""
    return f"dialect '{name}' is unknown", f"use one of {', '.join(DIALECTS)}"


def is_known(name: str) -> bool:
    """Tell whether there is a dialect of this name, here or in another package."""
    return name in DIALECTS or _of_package(name) is not None


def dialect_of(name: str, where: str = "") -> DialectRow:
    """Give the dialect of this name; ConfigError if there is none, and `where` is the place of the name."""
    row = DIALECTS.get(name) or _of_package(name)
    if row is None:
        problem, todo = unknown(name)
        raise ConfigError(problem, where=where, todo=todo)
    return row


@cache
def _of_package(name: str) -> DialectRow | None:
    """Load the row of another package. The packages stay the same while a process runs."""
    # It takes 60 ms to read what is installed, and our own names need it not.
    from importlib.metadata import entry_points  # noqa: PLC0415 - as above

    points = [*entry_points(group=GROUP, name=name)]
    if not points:
        return None
    packages = ", ".join(sorted(point.dist.name if point.dist else point.value for point in points))
    try:
        (point,) = points
        row: DialectRow = point.load()
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        problem = f"the dialect '{name}' of the package {packages} cannot be loaded: {why}"
        raise ConfigError(problem, todo="tell the makers of the package, or remove it") from error
    return row


def capabilities_of(dialect: str) -> Capabilities:
    """Give the capabilities of the services of this dialect; ConfigError if there is no such dialect."""
    return dialect_of(dialect).capabilities
