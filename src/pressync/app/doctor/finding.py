"""The noun of `pressync doctor`: one thing that was looked at, and what was seen. Pure.

It must not know how anything is looked at. What decided its shape: "unknown" is a verdict of its own,
because a service without reads cannot be asked most questions, and a guess that calls itself "ok" is
what sends people astray.
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
    """What was found: it works, it does not, or nothing here can tell."""

    OK = "ok"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, the verdict, the evidence (what was asked, what came back), the next step."""

    name: str
    verdict: Verdict
    evidence: str
    todo: str = ""


def ok(name: str, evidence: str, todo: str = "") -> Finding:
    """Find that it works; `todo` is a hint and nothing urgent."""
    return Finding(name, Verdict.OK, evidence, todo)


def wrong(name: str, evidence: str, todo: str) -> Finding:
    """Find that a sync would not work, and say what to do."""
    return Finding(name, Verdict.WRONG, evidence, todo)


def unknown(name: str, evidence: str, todo: str = "") -> Finding:
    """Find that nothing here can tell."""
    return Finding(name, Verdict.UNKNOWN, evidence, todo)


def failed(name: str, error: PressyncError) -> Finding:
    """Find what an error says, in its own words."""
    place = f"{error.where}: " if error.where else ""
    return Finding(name, Verdict.WRONG, f"{place}{error.what}", error.todo)


def document(findings: Sequence[Finding]) -> dict[str, object]:
    """Gather what `doctor --format json` prints."""
    counts = Counter(finding.verdict for finding in findings)
    return {
        "version": 1,
        "counts": {verdict.value: counts[verdict] for verdict in Verdict},
        "findings": [asdict(finding) for finding in findings],
    }
