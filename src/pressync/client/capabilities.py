"""The capabilities of the services of each dialect.

A plan opens no socket and encodes nothing, but it asks for capabilities. They are in this module, because
loading the two dialects (forms, JSON, HTML, e-mail headers) takes as long as loading Click.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pressync.model.errors import ConfigError
from pressync.model.interface import KINDS, Kind

if TYPE_CHECKING:
    from collections.abc import Mapping


class Capabilities(NamedTuple):
    """The abilities of the service behind the port; the planner reads them and never names a dialect.

    `names` are the fields whose ids the service can look up by name. `files` are the endings of the files
    that it accepts, in lower case and without the dot. `front_page` tells that a page can be made the front
    page of its site.
    """

    create: frozenset[Kind]
    read: bool = False
    batch: int = 1
    names: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    front_page: bool = False


class UserRights(NamedTuple):
    """The id of the user whom the credentials belong to, and the rights for records that this user lacks.

    The rights have the service's own names.
    """

    user: int
    lacking: frozenset[str] = frozenset()


# Section 1 of the document shows neither reads nor the creation of a post.
DOCUMENTED = Capabilities(create=frozenset(kind for kind, row in KINDS.items() if "create" in row.verbs))

# The most calls in one request to /batch/v1: `maxItems` in its own description, in every version so far.
BATCH = 25

# The file types that stock WordPress takes as uploads. It refuses SVG, which may have scripts in it.
FILES = frozenset(
    """
    jpg jpeg png gif webp avif bmp tif tiff ico heic
    pdf doc docx odt ppt pptx odp xls xlsx ods key rtf csv
    zip gz tar rar 7z mp3 m4a ogg wav mp4 m4v mov webm ogv avi mpg
    """.split()  # noqa: SIM905 - forty quoted words would be harder to read
)

WORDPRESS = Capabilities(
    create=frozenset(Kind),
    read=True,
    batch=BATCH,
    names=frozenset({"author", "categories", "tags"}),
    files=FILES,
    front_page=True,
)

_BY_DIALECT: Mapping[str, Capabilities] = {"documented": DOCUMENTED, "wordpress": WORDPRESS}


def capabilities_of(dialect: str) -> Capabilities:
    """Give the capabilities of the services of this dialect.

    :raises ConfigError: there is no such dialect; the message lists the dialects.
    """
    try:
        return _BY_DIALECT[dialect]
    except KeyError:
        raise ConfigError(
            f"there is no dialect “{dialect}”", todo=f"set `dialect` to one of: {', '.join(_BY_DIALECT)}"
        ) from None
