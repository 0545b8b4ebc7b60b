"""What all tests of the doctor need: a repository's findings, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync import doctor
from pressync.config import Flags
from pressync.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.repository import SampleRepository

    from pressync.doctor import Finding


def findings(
    repository: SampleRepository, environ: Mapping[str, str] | None = None, site: str | None = None
) -> dict[str, Finding]:
    """Examine a repository; every name stands for one finding."""
    found = list(
        doctor.examine(
            lambda: Workspace(repository.root, flags=Flags(site=site), environ=environ or {}, wait=0)
        )
    )
    named = {finding.name: finding for finding in found}
    assert len(named) == len(found)
    return named


def verdicts(named: Mapping[str, Finding]) -> dict[str, str]:
    """Give the verdicts alone."""
    return {name: finding.verdict.value for name, finding in named.items()}
