"""How a process of pressync ends: at once, unless something has to be done at the end."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import atexit, sys, threading
from pressync.__main__ import main
class Held:
    def __del__(self):
        print("freed")
held = Held()
{before}
sys.argv = ["pressync", {argument!r}]
main()
"""


def _said(argument: str, before: str = "") -> tuple[int, list[str]]:
    program = _PROGRAM.format(before=before, argument=argument)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.returncode, [line for line in done.stdout.splitlines() if not line.startswith("pressync,")]


@pytest.mark.parametrize(("argument", "code"), [("--version", 0), ("--unknown", 2)])
def test_a_process_that_holds_nothing_but_memory_ends_without_freeing_it(argument: str, code: int) -> None:
    assert _said(argument) == (code, [])


def test_a_function_that_was_registered_for_the_end_is_called() -> None:
    assert _said("--version", "atexit.register(print, 'bye')") == (0, ["bye", "freed"])


def test_a_thread_is_waited_for() -> None:
    waits = "threading.Thread(target=lambda: (threading.main_thread().join(), print('done'))).start()"
    assert _said("--version", waits) == (0, ["done", "freed"])
