"""A plan that a person reviewed: the file that `plan --out` writes, as `sync --plan` reads it.

The digest in that file covers what would be sent, and its rows are what the person has read. Somebody may
have edited the rows, so both must be those of the plan that runs. A later version may word a reason
differently, so the sentences are compared with the digest of the file alone.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pressync.model.changes import Keep, Plan
from pressync.model.errors import ConfigError
from pressync.model.outcomes import ACTIONS, change_row, is_digest_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


# The version of the document of `plan --format json`.
_VERSION = 1


@dataclass(frozen=True, slots=True)
class ReviewedPlan:
    """A reviewed plan: commit, digest, site, rows, the number of each action, and whether it had drift."""

    commit: str
    digest: str
    site: str
    rows: Sequence[Mapping[str, object]]
    counts: Mapping[str, object]
    drift: bool = False

    def matches(self, plan: Plan) -> bool:
        """Whether a sync of `plan` sends exactly what was reviewed."""
        rows = [change_row(change) for change in plan.changes if not isinstance(change, Keep)]
        counts = Counter(row["action"] for row in rows)
        sent = [word for change, word in ACTIONS.items() if not issubclass(change, Keep)]
        if plan.site != self.site or any(self.counts.get(word) != counts[word] for word in sent):
            return False
        if [_shown(row) for row in rows] != [_shown(row) for row in self.rows]:
            return False
        return is_digest_of(self.digest, plan, self.rows)


def read(file: Path) -> ReviewedPlan:
    """Read the file of a reviewed plan.

    :raises ConfigError: the file cannot be read, or it does not hold a plan.
    """
    try:
        return parse(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(
            "this is not a plan", where=str(file), todo="write one with `pressync plan --out FILE`"
        ) from error


def parse(document: Mapping[str, Any]) -> ReviewedPlan:
    """Make the reviewed plan of the document of `plan --format json`.

    :raises KeyError: it is not such a document; TypeError and ValueError likewise.
    """
    if document["version"] != _VERSION:
        raise ValueError("a document of another version")
    rows = [dict(row) for row in document["changes"]]
    for row in rows:
        _ = _shown(row), row["reason"]
    commit, approved, site = (str(document[key]) for key in ("commit", "digest", "site"))
    # An earlier version had one digest, which is not that of an approval.
    whole = str(document.get("file_digest", approved))
    return ReviewedPlan(commit, whole, site, rows, dict(document["counts"]), document.get("drift") is True)


def _shown(row: Mapping[str, object]) -> dict[str, object]:
    """Give what a row shows, without the reason; the other members are about who sees the record."""
    return {key: row[key] for key in ("action", "path", "kind", "id", "fields")}
