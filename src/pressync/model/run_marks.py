"""The id of a run, and the mark that a rollback leaves in the manifest.

An id begins with the time, to a thousandth of a second, so that ids sort as the runs of a clone did. Two
machines can begin at the same time, so it ends with random characters.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import msgspec

# In the order of ASCII, without two letters that look like digits.
_LETTERS = "23456789abcdefghijkmnpqrstuvwxyz"
_RANDOM = 3
_ID = re.compile(r"\d{8}-\d{6}-[a-z0-9]{5}")


class RolledBack(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A run that was rolled back, while the files still say what it sent.

    `content` is a digest of the content at HEAD: until it differs, a sync would do the run again. `commit` is
    the commit of the last run. `since` is a commit with the files of before, "" if unknown.
    """

    run: str
    commit: str
    content: str
    since: str = ""


def new_id() -> str:
    """Make the id of a run that begins now."""
    import secrets  # noqa: PLC0415 - it takes 4 ms to load, and every run loads this module

    now = datetime.now(UTC)
    high, low = divmod(now.microsecond * len(_LETTERS) ** 2 // 1_000_000, len(_LETTERS))
    end = "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM))
    return f"{now:%Y%m%d-%H%M%S}-{_LETTERS[high]}{_LETTERS[low]}{end}"


def is_id(text: str) -> bool:
    """Tell whether a text is the id of a run; only such a text is the name of a file."""
    return _ID.fullmatch(text) is not None
