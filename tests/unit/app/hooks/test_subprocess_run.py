"""A command whose time is limited: a real process that is asked to stop."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from pressync.app.hooks import subprocess_run
from pressync.app.hooks.subprocess_run import CommandResult

if TYPE_CHECKING:
    from pathlib import Path


def test_a_command_that_ends_by_itself_is_told_with_all_that_it_said() -> None:
    ended = subprocess_run.run(["--version"], os.environ, time.monotonic() + 60)
    assert (ended.code, ended.stopped, ended.errors) == (0, False, "")
    assert ended.printed.startswith("pressync")
    assert ended.document is None
    assert subprocess_run.run(["--no-such"], os.environ, time.monotonic() + 60).code == 2


def test_a_command_whose_time_is_up_is_asked_to_stop(tmp_path: Path) -> None:
    ended = subprocess_run.run(
        ["serve", "--data", str(tmp_path), "--port", "0"], os.environ, time.monotonic() + 1
    )
    assert ended.stopped
    assert ended.code is not None


def test_only_an_object_is_a_document() -> None:
    assert CommandResult(0, '{"version": 1}', "").document == {"version": 1}
    assert CommandResult(0, "[]", "").document is None
