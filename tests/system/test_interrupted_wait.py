"""Ctrl-C during the wait for an unconfirmed create: the rest is done, and the create stays unconfirmed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support import embedded_wordpress
from tests.support.states import unconfirmed_in
from tests.support.syncing import Bound

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

LOST = "content/pages/lost.md"
SENT = {"title": "Lost", "slug": "lost", "status": "publish"}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of POSIX")
@pytest.mark.sweep
def test_an_interruption_of_the_last_wait_ends_with_5_and_what_was_made_is_known(
    repository: SampleRepository,
) -> None:
    repository.commit({LOST: "# Lost\n", "content/pages/a.md": "# A\n"})
    with embedded_wordpress.serving() as wordpress:
        site = Bound(repository.root, wordpress.url, environ=embedded_wordpress.ENVIRON)
        with site.workspace() as workspace, workspace.state(writable=True) as state:
            unconfirmed_in(state, LOST, SENT, commit=repository.head())
            state.save()
        process = subprocess.Popen(
            [sys.executable, "-m", "pressync", "-C", str(repository.root), "sync", "--yes"],
            env={**os.environ, "PRESSYNC_URL": site.url, **site.environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr
        heard = next(line for line in process.stderr if line.startswith("Waiting "))
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
        made = [page["slug"] for page in wordpress.pages]
    assert "checking whether 1 unconfirmed create succeeded." in heard
    assert process.returncode == 5, out
    assert made == ["a"]
    assert "1 done, 1 unconfirmed" in out
    with site.workspace() as workspace, workspace.reading() as state:
        assert set(state.unconfirmed) == {LOST}
    assert set(site.entries()) == {"content/pages/a.md"}
