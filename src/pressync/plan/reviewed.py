"""A plan that a person reviewed: the file that `plan --out` writes, as `sync --plan` reads it.

The digest in that file covers each reason as well, and a later version may word a reason differently. So
the comparison takes each reason from the file: only what would be sent, and to whom, must be the same.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pressync.model.changes import Keep
from pressync.model.errors import ConfigError
from pressync.model.outcomes import action, digest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pressync.model.changes import Change, Plan


@dataclass(frozen=True, slots=True)
class ReviewedPlan:
    """The commit and the digest of a reviewed plan, and the reason of each action on a path.

    A plan of `drift` was built beside every record of the site.
    """

    commit: str
    digest: str
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)
    drift: bool = False

    def matches(self, plan: Plan) -> bool:
        """Whether a sync of `plan` sends exactly what was reviewed."""
        return digest(replace(plan, changes=tuple(map(self._as_worded, plan.changes)))) == self.digest

    def _as_worded(self, change: Change) -> Change:
        if isinstance(change, Keep):
            return change
        return replace(change, reason=self.reasons.get((action(change), change.path), change.reason))


def read(file: Path) -> ReviewedPlan:
    """Read the file of a reviewed plan.

    :raises ConfigError: the file cannot be read, or it does not hold a plan.
    """
    try:
        document = json.loads(file.read_text(encoding="utf-8"))
        reasons = {(row["action"], row["path"]): str(row["reason"]) for row in document["changes"]}
        drift = document.get("drift") is True
        return ReviewedPlan(str(document["commit"]), str(document["digest"]), reasons, drift)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(
            "this is not a plan", where=str(file), todo="write one with `pressync plan --out FILE`"
        ) from error
