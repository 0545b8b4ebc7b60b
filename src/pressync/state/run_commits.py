"""The commits from which this clone's runs sent something, read from the beginnings of their records.

A plan asks for them each time, and the record of a run with many pages is large. So only the beginning of
each file is read.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# The commit comes before the records. The address of the site is before it.
_BEGINNING = 4096
_COMMIT = re.compile(rb'"commit":"([0-9a-f]+)"')


def read(folder: Path) -> dict[str, str]:
    """Give the commit of each run, the oldest run first; a file that cannot be read is left out."""
    found = {}
    for file in sorted(folder.glob("*.run")):
        with contextlib.suppress(OSError), file.open("rb") as record:
            if commit := _COMMIT.search(record.read(_BEGINNING)):
                found[file.stem] = commit[1].decode()
    return found
