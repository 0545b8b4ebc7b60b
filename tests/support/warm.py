"""Programs that are pressync, each run in a process of its own, but one whose imports are done already.

Hooks and workflows start pressync again and again, and nine tenths of each start are imports. Here they are
paid once: a process that has loaded everything forks one for each start, which gets the arguments, the
environment, the folder and the three streams of whoever started the program, and goes on as `__main__` does.
What a start loads is test_import_budget's; who kills processes starts them without this.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import gc
import importlib
import os
import pkgutil
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pressync
from pressync.__main__ import main
from pressync.app.hooks import installation

if TYPE_CHECKING:
    from collections.abc import Iterator

# It loads next to nothing, hands on what it is asked to end with, and ends as the process that it asked for.
_PROGRAM = """#!{python} -IS
import os, signal, socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect({address!r})
start = repr((sys.argv[1:], dict(os.environ), os.getcwd())).encode()
socket.send_fds(line, [len(start).to_bytes(4, "big")], [0, 1, 2])
line.sendall(start)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, _: line.sendall(bytes([number])))
code = line.recv(1)
sys.exit(code[0] if code else 99)
"""


@contextlib.contextmanager
def warm_program() -> Iterator[Path]:
    """Give the path of such a program; it works until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        address, program = Path(folder, "line"), Path(folder, "pressync")
        program.write_text(_PROGRAM.format(python=sys.executable, address=str(address)), encoding="utf-8")
        program.chmod(0o755)
        roots = [str(Path(__file__).parents[2]), *filter(None, sys.path)]
        with subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.support.warm", str(address), str(program)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(roots)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as nursery:
            assert nursery.stdout
            assert nursery.stdout.readline() == b"ready\n"
            yield program
            nursery.terminate()


class _Nursery:
    """Forks a process for each start. `run` returns in the forked ones; the nursery ends with its stdin."""

    def __init__(self, address: str) -> None:
        self._selector = selectors.DefaultSelector()
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(address)
        self._listening.listen(64)
        self._starters: dict[int, socket.socket] = {}

    def run(self) -> None:
        """Wait for starts and for ends."""
        woken, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.set_wakeup_fd(wakes)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for one in (0, woken, self._listening):
            self._selector.register(one, selectors.EVENT_READ)
        while True:
            ready = {key.fd for key, _ in self._selector.select()}
            if 0 in ready:
                os._exit(0)
            if woken in ready:
                os.read(woken, 4096)
                self._bury()
            for process, starter in list(self._starters.items()):
                if starter.fileno() in ready:
                    self._strike(process, starter)
            if self._listening.fileno() in ready and self._start():
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                self._selector.close()
                return

    def _strike(self, process: int, starter: socket.socket) -> None:
        """Hand a signal on; who was killed takes its process along."""
        numbers = starter.recv(16)
        for number in numbers or [signal.SIGKILL]:
            os.kill(process, number)
        if not numbers:
            self._selector.unregister(starter)

    def _start(self) -> bool:
        """Fork; true in the new process, which has become what was asked for."""
        starter, _ = self._listening.accept()
        length, streams, _, _ = socket.recv_fds(starter, 4, 3)
        text = starter.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL)
        if not text.endswith(b")"):
            # Killed before it could say what it wants.
            starter.close()
            for stream in streams:
                os.close(stream)
            return False
        arguments, environ, folder = _read(text)
        process = os.fork()
        if process:
            self._starters[process] = starter
            self._selector.register(starter, selectors.EVENT_READ)
            for stream in streams:
                os.close(stream)
            return False
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
            os.close(stream)
        for other in (starter, self._listening, *self._starters.values()):
            other.close()
        os.environ.clear()
        os.environ.update(environ)
        os.chdir(folder)
        sys.argv[1:] = arguments
        return True

    def _bury(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                code = os.waitstatus_to_exitcode(ended[1])
                with contextlib.suppress(OSError), self._starters.pop(ended[0]) as starter:
                    with contextlib.suppress(KeyError):
                        self._selector.unregister(starter)
                    # As a shell says it of a process that a signal ended.
                    starter.sendall(bytes([code if code >= 0 else 128 - code]))


def _read(text: bytes) -> tuple[list[str], dict[str, str], str]:
    return cast("tuple[list[str], dict[str, str], str]", ast.literal_eval(text.decode()))


def _load_everything() -> None:
    for module in pkgutil.walk_packages(pressync.__path__, "pressync."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    importlib.import_module("git")
    importlib.import_module("requests")
    # What is there is not written to by the collector, and so is shared by all.
    gc.freeze()
    # `__main__` ends a process at once unless a module that it loaded has registered something for the end.
    # Here all modules are loaded. Python would free each of their objects, in each process again.
    atexit._clear()  # noqa: SLF001 - the public way to take a function back needs the function


if __name__ == "__main__":
    _load_everything()
    # What a hook starts is started in the same way.
    own = sys.argv[2:3]
    installation.python = lambda: own
    nursery = _Nursery(sys.argv[1])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    nursery.run()
    main()
