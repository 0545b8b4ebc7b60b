"""Strikes a process from outside, with strace: a signal or an error in place of one chosen system call.

No code of the process takes part. strace counts calls thread by thread, so a point is the n-th call of
some thread, and with one file named only the calls on that file are counted.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tests.durability.sweeps.preloaded import Preloaded

# What stores, and what speaks. A machine without one of them (arm64 has no rename) is not asked for it.
STORING = (
    *("openat", "write", "pwrite64", "ftruncate", "fdatasync", "fsync", "flock"),
    *("rename", "renameat", "unlink", "unlinkat"),
)
SPEAKING = ("connect", "sendto", "recvfrom")

# `4711 pwrite64(3</a/file>, …`, and not `4711 <... pwrite64 resumed>…`.
_LINE = re.compile(r"(?P<thread>\d+) +(?P<call>\w+)\((?P<rest>.*)")
# The file is the open one, or else the first that is named.
_FILE = re.compile(r"^\d+<(?P<open>/[^>]*)>|\"(?P<named>/[^\"]*)\"")


@dataclass(frozen=True)
class Point:
    """The `number`-th time that a thread makes this system call, on this file if one is named."""

    call: str
    number: int
    file: Path | None = None


@dataclass(frozen=True)
class Watched:
    """A command of pressync that is run, and struck, by the process that has loaded it."""

    program: Preloaded
    arguments: Sequence[str]
    environ: Mapping[str, str]


@cache
def is_allowed() -> bool:
    """Whether strace is here and may look into other processes."""
    if shutil.which("strace") is None:
        return False
    with subprocess.Popen(["sleep", "60"]) as other:
        tried = subprocess.Popen(["strace", "-qq", "-b", "execve", "-o", "/dev/null", "-p", str(other.pid)])
        with tried:
            while tried.poll() is None and not _is_traced(other.pid):
                pass
            other.kill()
    return tried.returncode == 0


def points(watched: Watched, log: Path, files: Collection[Path]) -> list[Point]:
    """Run a command to its end, and name every point at which it can be struck."""
    options = [f"?{call}" for call in (*STORING, *SPEAKING)]
    done = _run(watched, log, ["-y", "-e", f"trace={','.join(options)}"])
    assert done.returncode == 0, done.stderr
    counts: Counter[tuple[str, str, Path | None]] = Counter()
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        made = _LINE.match(line)
        if made is None:
            continue
        if made["call"] in SPEAKING:
            counts[made["thread"], made["call"], None] += 1
            continue
        found = _FILE.search(made["rest"])
        name = found and (found["open"] or found["named"])
        for each in files:
            counts[made["thread"], made["call"], each] += str(each) == name
    most: dict[tuple[str, Path | None], int] = {}
    for (_, call, file), count in counts.items():
        most[call, file] = max(count, most.get((call, file), 0))
    return [Point(call, n, file) for (call, file), count in most.items() for n in range(1, count + 1)]


def strike(watched: Watched, log: Path, point: Point, effect: str) -> subprocess.CompletedProcess[str]:
    """Run a command that is struck at a point (`signal=KILL`, `error=EIO`), and tell how it ended."""
    inject = f"{point.call}:{effect}:when={point.number}"
    options = ["-e", f"trace={point.call}", "-e", f"inject={inject}"]
    if point.file:
        options += ["-P", str(point.file)]
    return _run(watched, log, options)


def _run(watched: Watched, log: Path, options: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command that has stopped itself before it begins; strace slows each call from there."""
    # The children are Git's, and nobody's business: each is let go when it becomes Git.
    traced = ["strace", "-f", "-qq", "-b", "execve", "-e", "signal=none", "-o", str(log), *options]
    said = log.with_suffix(".said")
    said.write_text("", encoding="utf-8")
    process = watched.program.start(watched.arguments, watched.environ, said)
    with subprocess.Popen([*traced, "-p", str(process)], stderr=subprocess.PIPE, text=True) as tracer:
        while not _is_traced(process):
            assert tracer.poll() is None, tracer.communicate()[1]
        os.kill(process, signal.SIGCONT)
        code = watched.program.wait()
        tracer.wait(100)
    return subprocess.CompletedProcess(watched.arguments, code, "", said.read_text(encoding="utf-8"))


def _is_traced(process: int) -> bool:
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    return "TracerPid:\t0\n" not in status
