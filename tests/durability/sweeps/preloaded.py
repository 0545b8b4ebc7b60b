"""A process that has loaded pressync, and forks each run that is struck: loading took two thirds of a run.

A forked run stops itself before it begins, so it can be watched from there. A kill hits the forked run alone.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from tests.support.peers import SETTLES_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_FORKING = f"""
import json, os, signal, sys
import git, requests, pressync.cli.commands.sync, pressync.cli.report.text, pressync.cli.sync
import pressync.client.connect, pressync.client.documented, pressync.client.wordpress.service
import pressync.client.wordpress.dialect, pressync.content.render.renderer, pressync.sync.run
{SETTLES_AT_ONCE}
from pressync.__main__ import main

def run(arguments, environ, said):
    os.environ.clear()
    os.environ.update(environ)
    nothing = os.open(os.devnull, os.O_RDWR)
    for mine, given in ((0, nothing), (1, nothing), (2, os.open(said, os.O_WRONLY | os.O_CREAT))):
        os.dup2(given, mine)
    sys.argv[1:] = arguments
    os.kill(os.getpid(), signal.SIGSTOP)
    main()

for line in sys.stdin:
    if not (child := os.fork()):
        run(**json.loads(line))
    _, status = os.waitpid(child, os.WUNTRACED)
    print(child if os.WIFSTOPPED(status) else 0, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""


@dataclass(frozen=True)
class Preloaded:
    """The process that forks, by its pipes."""

    asks: IO[str]
    answers: IO[str]

    def start(self, arguments: Sequence[str], environ: Mapping[str, str], said: Path) -> int:
        """Fork a run that writes its errors to `said`; give its process, which has stopped itself."""
        print(
            json.dumps({"arguments": arguments, "environ": dict(environ), "said": str(said)}),
            file=self.asks,
            flush=True,
        )
        process = int(self.answers.readline())
        assert process, "the program ended before it could be watched"
        return process

    def has_ended(self) -> bool:
        """Tell whether the run has ended, so that `wait` returns at once."""
        return bool(select.select([self.answers], [], [], 0)[0])

    def wait(self) -> int:
        """Wait for the run, and give its exit code; that of a killed run is negative."""
        return int(self.answers.readline())


@contextmanager
def preloaded() -> Iterator[Preloaded]:
    """Load pressync in a process of its own."""
    with subprocess.Popen(
        [sys.executable, "-c", _FORKING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        yield Preloaded(process.stdin, process.stdout)
        process.stdin.close()
