"""The entry point of `pressync` and `python -m pressync`."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Python collects garbage after this many new objects. A manifest of 10,000 records has 30,000 objects that
# live to the end. With Python's default of 700, collections take an eighth of the time of a plan.
THRESHOLDS = (50_000, 20, 20)
_INTERRUPTED = 130


def main() -> None:
    """Run the command line and end the process with its exit code."""
    # With Python's default, garbage is collected thirty times while Click is loaded.
    gc.set_threshold(*THRESHOLDS)
    from pressync.config import environment  # noqa: PLC0415

    _open_closed_streams()
    environ = environment.take_secrets()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Content can have any character, and some terminals have 256. Others are escaped, as in stderr.
        sys.stdout.reconfigure(errors="backslashreplace")
    from pressync.cli import log  # noqa: PLC0415 - the streams are open by now

    try:
        word = _only_word(environ)
        if word and (code := _quick_answer(word, environ)) is not None:
            sys.exit(code)
        from pressync.cli.main import pressync  # noqa: PLC0415 - a plain plan with nothing to do needs no Click
        from pressync.cli.options import Globals  # noqa: PLC0415 - as above

        pressync(prog_name="pressync", obj=Globals(environ=environ, looked=word == "plan"))
    except KeyboardInterrupt:
        log.write(log.TEXT, "Interrupted.")
        sys.exit(_INTERRUPTED)
    except SystemExit as end:
        end.code = _written(end.code)
        _end_at_once(end.code)
        raise
    except UnicodeEncodeError as error:
        encoding = sys.getfilesystemencoding()
        if encoding == "utf-8":
            raise
        what = f"the locale of this system writes names in {encoding}, and a name here needs UTF-8"
        sys.stderr.write(f"Error: {what}; set PYTHONUTF8=1 ({error.object[:200]!a})\n")
        sys.exit(2)


def _only_word(environ: Mapping[str, str]) -> str:
    """Give the command of a command line without a further word; shells ask for completions by a variable."""
    return "" if len(sys.argv) != 2 or "_PRESSYNC_COMPLETE" in environ else sys.argv[1]  # noqa: PLR2004


def _quick_answer(word: str, environ: Mapping[str, str]) -> int | None:
    """Answer a command without Click, and give the exit code; None where that is not possible."""
    if word not in {"plan", "check"}:
        return None
    from pressync.cli import plain  # noqa: PLC0415 - another command does not need it

    return plain.plan(environ) if word == "plan" else plain.check(environ)


def _written(code: str | int | None) -> str | int | None:
    """Write what the streams still hold, and give the exit code: 1 if standard output lacks a part.

    Python itself would end with 120 and a traceback, although everything was sent.
    """
    for stream, number in ((sys.stderr, 2), (sys.stdout, 1)):
        try:
            stream.flush()
        except (OSError, ValueError) as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
            if stream is sys.stdout and not isinstance(error, BrokenPipeError):
                sys.stderr.write(f"Error: standard output cannot be written: {error}\n")
                code = code or 1
    return code


def _end_at_once(code: object) -> None:
    """End the process, if nothing but memory is left to be freed.

    Python frees every object before it ends. For a run with nothing to do, that is an eighth of the work.
    A thread, or a function that somebody registered for the end, needs Python's own end.
    """
    if isinstance(code, int) and threading.active_count() == 1 and not atexit._ncallbacks():  # noqa: SLF001
        with suppress(OSError, ValueError):
            sys.stderr.flush()
            os._exit(code)


def _open_closed_streams() -> None:
    """Open the standard streams that a scheduler closed; else the journal could get one of their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nothing = open(os.devnull, mode, encoding="utf-8")  # noqa: PTH123, SIM115 - the stream stays open
            os.set_inheritable(nothing.fileno(), True)  # noqa: FBT003 - its own signature
            setattr(sys, name, nothing)


if __name__ == "__main__":
    main()
