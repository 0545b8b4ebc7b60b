"""Support for the tests of the doctor: a repository's findings, by name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pressync.app.doctor import examine
from pressync.app.workspace import Workspace
from pressync.stage.embedded import EMBEDDED_SERVICE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.support.repository import SampleRepository

    from pressync.app.doctor.site_checks import Finding


def findings(
    repository: SampleRepository, environ: Mapping[str, str] | None = None, site: str | None = None
) -> dict[str, Finding]:
    """Examine a repository; each name has one finding."""
    opening = partial(
        Workspace.open,
        repository.root,
        site=site,
        environ=environ or {},
        wait=0,
        embedded=EMBEDDED_SERVICE,
    )
    found = list(examine.examine(opening))
    named = {finding.name: finding for finding in found}
    assert len(named) == len(found)
    return named


def verdicts(named: Mapping[str, Finding]) -> dict[str, str]:
    """Give the verdicts alone."""
    return {name: finding.verdict.value for name, finding in named.items()}
