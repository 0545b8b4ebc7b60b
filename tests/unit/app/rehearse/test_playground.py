"""Running WordPress Playground: what it needs, what it is told, and that it ends.

`npx` is a small program here. The real one runs in tests/live.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from pressync.app.rehearse import playground
from pressync.app.rehearse.playground import FILES, PACKAGE, Mounted
from pressync.model.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

# It notes how it was started, answers as WordPress does, and has a child, as npx has. Both hold the lock.
SERVER = """
import fcntl, http.server, json, os, subprocess, sys
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], pass_fds=[lock.fileno()])
with open("started.json", "w") as file:
    json.dump({"arguments": sys.argv[1:], "environ": dict(os.environ)}, file)
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *_):
        pass
port = int(sys.argv[sys.argv.index("--port") + 1])
http.server.HTTPServer(("127.0.0.1", port), Answer).serve_forever()
"""


@pytest.fixture(autouse=True)
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill at once: the small program does not read the pipe."""
    monkeypatch.setattr(playground, "_GRACE", 0.0)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give PATH these programs alone; the text of `npx` is Python."""

    def give(*, node: str | None = "v22.1.0", npx: str | None = SERVER) -> None:
        place = tmp_path / "programs"
        place.mkdir()
        monkeypatch.setenv("PATH", str(place))
        if node is not None:
            (place / "node").write_text(f"#!/bin/sh\necho {node}\n")
        if npx is not None:
            (place / "npx").write_text(f"#!{sys.executable}\n{npx}")
        for file in place.iterdir():
            file.chmod(0o755)

    return give


def start(
    directory: Path, *, stop: threading.Event | None = None, say: Callable[[str], None] = lambda _: None
) -> AbstractContextManager[str]:
    directory.mkdir()
    mounts = [Mounted(directory / "wp", "/wordpress", before=True), Mounted(directory / "mu", "/mu")]
    return playground.running(directory, ["--wp", "6.8"], mounts, stop=stop or threading.Event(), say=say)


def has_ended(directory: Path) -> bool:
    """Tell whether nobody holds the lock any more; a killed process may take a moment."""
    with (directory / "lock").open() as lock:
        for _ in range(600):
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            threading.Event().wait(0.05)
    return False


def test_it_answers_at_its_address_until_the_block_ends_and_its_children_end_too(
    programs: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs()
    monkeypatch.setenv("PRESSYNC_PASSWORD", "secret")
    stage, said = tmp_path / "a stage", list[str]()

    with start(stage, say=said.append) as address:
        assert address.startswith("http://127.0.0.1:")
        started = json.loads((stage / "started.json").read_text())

    port = address.rpartition(":")[2]
    assert started["arguments"] == [
        *("--yes", "--prefer-offline", PACKAGE, "server", "--port", port, "--wp", "6.8"),
        *("--mount-before-install", f"{stage}/wp:/wordpress", "--mount", f"{stage}/mu:/mu"),
        *("--verbosity", "quiet"),
    ]
    assert "PRESSYNC_PASSWORD" not in started["environ"]
    assert started["environ"]["TMPDIR"] == str(stage / "tmp")
    assert "580 MB" in said[0]
    assert has_ended(stage)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"node": None}, "Node.js is not installed"),
        ({"npx": None}, "npx, which comes with npm, is not installed"),
        ({"node": "v18.20.4"}, "Node.js 18.20.4 is too old"),
        ({"node": "unknown"}, "Node.js unknown is too old"),
    ],
)
def test_a_missing_or_old_node_is_named_with_the_next_step(
    programs: Callable[..., None], tmp_path: Path, given: dict[str, str | None], why: str
) -> None:
    programs(**given)

    with pytest.raises(ConfigError, match=why) as raised, start(tmp_path / "stage"):
        pass

    assert raised.value.todo.startswith("install Node.js 20 or later")
    assert "--on embedded" in raised.value.todo


def test_a_program_that_ends_is_told_with_its_last_words(
    programs: Callable[..., None], tmp_path: Path
) -> None:
    programs(npx="print('\\x1b[31mfetch failed')\nraise SystemExit(1)")

    failed = pytest.raises(StorageError, match=r"ended while it started: .*fetch failed")
    with failed as raised, start(tmp_path / "stage"):
        pass

    assert "\x1b" not in str(raised.value)
    assert "--mount wordpress=DIR" in raised.value.todo


def test_the_warnings_of_npm_do_not_hide_why_it_ends(programs: Callable[..., None], tmp_path: Path) -> None:
    told = ["npm warn EBADENGINE   package: 'x'", "npm WARN deprecated y", "npm notice New version"] * 20
    lines = "\n".join([*told, "Error: fetch failed", *told[:3]])
    programs(npx=f"print({lines!r})\nraise SystemExit(1)")

    with pytest.raises(StorageError) as raised, start(tmp_path / "stage"):
        pass

    assert raised.value.what == "WordPress Playground ended while it started: Error: fetch failed"


def test_warnings_are_shown_if_npm_tells_nothing_else(programs: Callable[..., None], tmp_path: Path) -> None:
    programs(npx="print('npm warn no space')\nraise SystemExit(1)")

    with pytest.raises(StorageError, match="npm warn no space"), start(tmp_path / "stage"):
        pass


def test_a_stopped_run_does_not_wait_for_it(programs: Callable[..., None], tmp_path: Path) -> None:
    programs(npx="import time\ntime.sleep(600)")
    stop = threading.Event()
    stop.set()

    with pytest.raises(KeyboardInterrupt), start(tmp_path / "stage", stop=stop):
        pass


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_node_ends_when_the_pipe_of_its_parent_closes() -> None:
    command = ["node", "--require", str(FILES / "end_with_parent.cjs"), "-e", "setInterval(() => {}, 1000)"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin
        process.stdin.close()

        assert process.wait(60) == 0


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_a_short_program_of_node_does_not_wait_for_the_pipe() -> None:
    command = ["node", "--require", str(FILES / "end_with_parent.cjs"), "-e", "console.log(1)"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.wait(60) == 0
