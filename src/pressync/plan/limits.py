"""The safety limits that stop a run before its first call. Pure: they turn numbers into sentences.

Each sentence has the numbers and the option that lifts the limit, because the reader must decide at once
whether the limit or the commit is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection

# A percentage of few records means little, so the default limit needs at least this many records.
FLOOR = 10


@dataclass(frozen=True, slots=True)
class DeleteLimit:
    """How many records one run may delete: a count, or a percentage of all records."""

    count: int | None = None
    percent: float | None = None
    by_default: bool = False

    @classmethod
    def parse(cls, text: str) -> DeleteLimit:
        """Read `N` or `N%`.

        :raises ConfigError: the text is neither.
        """
        found = re.fullmatch(r"(\d+(?:\.\d+)?)%|(\d+)", text.strip())
        if not found:
            raise ConfigError(
                f"'{text}' is not a limit",
                where="--max-delete",
                todo="write a number, or a percentage like 50%",
            )
        return cls(percent=float(found[1])) if found[1] else cls(count=int(found[2]))

    def exceeded(self, deletes: int, records: int) -> str | None:
        """Give the sentence that refuses the deletes, or None."""
        if not deletes:
            return None
        if self.count is not None:
            allowed, limit = self.count, f"{self.count}"
        elif self.by_default and records < FLOOR:
            return None
        else:
            percent = self.percent or 0.0
            allowed, limit = int(records * percent / 100), f"{percent:g} % of {records}"
        if deletes <= allowed:
            return None
        share = 100 * deletes / max(records, 1)
        return (
            f"it would delete {deletes} of {records} records ({share:.0f} %), and the limit is {limit}; "
            f"if this is intended, `pressync sync --max-delete {deletes}`"
        )


DEFAULT_LIMIT = DeleteLimit(percent=30, by_default=True)


def empty_source(documents: int, records: int, content: str, commit: str) -> str | None:
    """Refuse to treat an empty content folder as "delete everything"."""
    if documents or not records:
        return None
    folder = f"{content}/" if content else "the root"
    return (
        f"there is no document below {folder} in commit {commit[:10]}, but the manifest has {records} "
        "records; correct `content` in pressync.toml, or drop records one by one with `pressync forget`"
    )


def rewound(strays: Collection[str], head: str) -> str | None:
    """Refuse a HEAD that does not descend from all commits that were synced."""
    if not strays:
        return None
    example = min(strays)[:10]
    many = f" and {len(strays) - 1} more" if len(strays) > 1 else ""
    return (
        f"HEAD {head[:10]} does not descend from commit {example}{many}, which was synced before: "
        "it is another branch, a reset or a rewritten history; if this is intended, "
        "`pressync sync --allow-rewind`"
    )


def lost_manifest(name: str, place: str, records: int, command: str) -> str:
    """Refuse to create if this site had a manifest: `place` has it, and `command` restores it."""
    return (
        f"the manifest {name} is not here, and {place} has it with {_counted(records)}: a sync would "
        f"create them again; `{command}` restores it, `pressync sync --new-manifest` starts a new one"
    )


def not_pulled(place: str, records: int, command: str) -> str:
    """Refuse to create if the upstream's manifest has records that ours does not have."""
    return f"run `{command}` first: {place} has {records} more {_noun(records)}"


def _counted(records: int) -> str:
    return f"{records} {_noun(records)}"


def _noun(records: int) -> str:
    return "record" if records == 1 else "records"
