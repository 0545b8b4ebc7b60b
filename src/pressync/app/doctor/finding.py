"""One finding of `pressync doctor`: what was checked, and the result.

"unknown" is a verdict of its own, because a service without reads cannot answer most questions. A guess that
is reported as "ok" would mislead people.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.model.errors import PressyncError


class Verdict(StrEnum):
    """The result of a check: it works, it does not work, or the check cannot tell."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """The name of a check, the verdict, the evidence (the question and the response), the next step."""

    name: str
    verdict: Verdict
    evidence: str
    todo: str = ""


def ok(name: str, evidence: str, todo: str = "") -> Finding:
    """Report that it works; `todo` is a hint that is not urgent."""
    return Finding(name, Verdict.OK, evidence, todo)


def wrong(name: str, evidence: str, todo: str) -> Finding:
    """Report that a sync would not work, and say what to do."""
    return Finding(name, Verdict.WRONG, evidence, todo)


def unknown(name: str, evidence: str, todo: str = "") -> Finding:
    """Report that the check cannot tell."""
    return Finding(name, Verdict.UNKNOWN, evidence, todo)


def failed(name: str, error: PressyncError) -> Finding:
    """Report an error in its own words."""
    place = f"{error.where}: " if error.where else ""
    return Finding(name, Verdict.WRONG, f"{place}{error.what}", error.todo)


def document(findings: Sequence[Finding]) -> dict[str, object]:
    """Make the document that `doctor --format json` prints."""
    counts = Counter(finding.verdict for finding in findings)
    return {
        "version": 1,
        "counts": {verdict.value: counts[verdict] for verdict in Verdict},
        "findings": [asdict(finding) for finding in findings],
    }
