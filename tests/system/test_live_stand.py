"""The stand of the live tests leaves nothing of its caller to the daemons that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

APART = Path(__file__).parents[1] / "live/stand/apart"


@pytest.mark.skipif(sys.platform != "linux", reason="the stand needs Linux")
def test_a_daemon_inherits_no_open_file_of_the_caller() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as ours:
        try:
            daemon = [str(APART), "sleep", "60"]
            started = subprocess.Popen(daemon, pass_fds=(writing,), stderr=subprocess.PIPE)
        finally:
            os.close(writing)
        with started:
            # The end of the pipe comes when the last process closes it: a daemon that has it gives no end.
            assert ours.read() == b""
            assert started.poll() is None
            started.kill()
