"""The embedded service as a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from pressync.app.rehearse.embedded_stage import EmbeddedStage
from pressync.app.rehearse.live_site import LiveSite

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository
    from tests.unit.app.rehearse.conftest import Embedded


def test_nobody_else_on_the_machine_may_write_to_a_stage(
    repository: SampleRepository, embedded: Embedded
) -> None:
    repository.commit({"content/pages/a.md": "# A\n"})
    with embedded.workspace() as site:
        stage = EmbeddedStage(site)
        with stage.running(repository.root / ".git" / "stage", LiveSite()) as running:
            request = Request(f"{running.url}/wp/v2/pages", data=b"title=x", method="POST")  # noqa: S310 - loopback
            with pytest.raises(HTTPError, match="401"):
                urlopen(request, timeout=60)  # noqa: S310 - loopback
            with urlopen(running.address, timeout=60) as page:  # noqa: S310 - loopback
                assert page.status == 200
