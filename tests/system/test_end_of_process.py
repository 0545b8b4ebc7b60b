"""How a process of pressync ends: at once, unless something has to be done at the end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


def test_a_name_that_the_locale_cannot_write_is_an_error_with_the_remedy() -> None:
    """Python itself goes over to UTF-8 in the locale C, unless somebody forbids it."""
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    program = 'import pressync.cli.main as cli; cli.pressync = lambda **_: open("\\xfc")'
    words = [sys.executable, "-c", f"{program}\nfrom pressync.__main__ import main\nmain()"]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "Error: the locale of this system writes names in ascii, and a name here needs UTF-8; "
        "set PYTHONUTF8=1 ('\\xfc')\n"
    )


def test_a_function_that_was_registered_for_the_end_is_called() -> None:
    assert _said("--version", "atexit.register(print, 'bye')") == (0, ["bye", "freed"])


def test_a_thread_is_waited_for() -> None:
    waits = "threading.Thread(target=lambda: (threading.main_thread().join(), print('done'))).start()"
    assert _said("--version", waits) == (0, ["done", "freed"])


@pytest.mark.parametrize(
    ("words", "full", "code"), [(["schema", "plan"], "stdout", 1), (["plan"], "stderr", 2)]
)
def test_a_full_disk_behind_an_output_is_not_a_traceback(
    tmp_path: Path, words: list[str], full: str, code: int
) -> None:
    """A document that cannot be written is an error; a log that cannot be written says nothing of the run."""
    program = "from pressync.__main__ import main; main()"
    with Path("/dev/full").open("w", encoding="utf-8") as device:
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            stdout=device if full == "stdout" else subprocess.PIPE,
            stderr=device if full == "stderr" else subprocess.PIPE,
            cwd=tmp_path,
            text=True,
            check=False,
        )
    assert done.returncode == code
    if full == "stdout":
        assert done.stderr.startswith("Error: ")
        assert "No space left on device" in done.stderr
        assert "Exception ignored" not in done.stderr
