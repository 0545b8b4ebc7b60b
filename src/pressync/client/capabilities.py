"""What the service of each dialect can do: all that a plan asks, and nothing of how a dialect is spoken.

Pure. What decided its shape: a plan opens no socket and encodes nothing, so it must not have to load the
two dialects (forms, JSON, HTML, e-mail headers: as long as Click) to learn that one of them has no reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError
from pressync.model.interface import Kind
from pressync.model.records import Capabilities

if TYPE_CHECKING:
    from collections.abc import Mapping

# Section 1: creating a post is "not shown", and so are reads.
DOCUMENTED = Capabilities(create=frozenset({Kind.PAGE}))

# What one call of /batch/v1 may hold (`maxItems` in its own description, on every version so far).
BATCH = 25

# What stock WordPress takes as an upload; SVG is refused for the scripts that it may hold.
FILES = frozenset(
    """
    jpg jpeg png gif webp avif bmp tif tiff ico heic
    pdf doc docx odt ppt pptx odp xls xlsx ods key rtf csv
    zip gz tar rar 7z mp3 m4a ogg wav mp4 m4v mov webm ogv avi mpg
    """.split()  # noqa: SIM905 - forty quoted words would be harder to read
)

WORDPRESS = Capabilities(
    create=frozenset({Kind.PAGE, Kind.POST}),
    read=True,
    batch=BATCH,
    names=frozenset({"author", "categories", "tags"}),
    files=FILES,
)

_BY_DIALECT: Mapping[str, Capabilities] = {"documented": DOCUMENTED, "wordpress": WORDPRESS}


def capabilities_of(dialect: str) -> Capabilities:
    """Tell what a service of this dialect can do.

    :raises ConfigError: there is no such dialect; it lists those there are.
    """
    try:
        return _BY_DIALECT[dialect]
    except KeyError:
        raise ConfigError(
            f"there is no dialect “{dialect}”", todo=f"set `dialect` to one of: {', '.join(_BY_DIALECT)}"
        ) from None
