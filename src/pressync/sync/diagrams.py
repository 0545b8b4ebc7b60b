"""Runs the command of `[markdown] mermaid` that makes the picture of a diagram, and keeps the picture.

The command reads a stranger's text, starts a browser, and may hang. So it gets a folder of its own, a minute,
and no input, and everything that it started ends with it.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pressync.model.bounds import MIB
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 60
# The most bytes of a picture.
_LARGEST = 20 * MIB
_PNG = b"\x89PNG\r\n\x1a\n"


def picture(command: Sequence[str], text: str, blob: str, common: Path) -> bytes:
    """Give the picture of a diagram: the one that this clone keeps below `common`, or a new one.

    :raises ConfigError: the command does not make it.
    """
    kept = common / "pressync" / "diagrams" / f"{blob}.png"
    with suppress(OSError):
        return kept.read_bytes()
    with tempfile.TemporaryDirectory(prefix="pressync-diagram-") as folder:
        written, made = Path(folder) / "diagram.mmd", Path(folder) / "diagram.png"
        written.write_text(text, encoding="utf-8", errors="replace")
        words = [*command]
        if words[:2] == ["/bin/sh", "-c"]:
            # A shell line gets the arguments behind its own words.
            words = [*words[:2], f'{words[2]} "$@"', words[0]]
        _run([*words, "-i", str(written), "-o", str(made)], folder)
        size = made.stat().st_size if made.is_file() and not made.is_symlink() else 0
        data = made.read_bytes() if size <= _LARGEST and size else b""
        if not data.startswith(_PNG):
            raise ConfigError(f"the command `mermaid` made no PNG picture of at most {_LARGEST // MIB} MiB")
        # A disk that is full, or a Git directory that cannot be written, only costs the picture's time again.
        with suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(made, kept)
    return data


def _run(words: Sequence[str], folder: str) -> None:
    try:
        process = subprocess.Popen(
            words,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        problem = f"the command `mermaid` cannot be run ({type(error).__name__})"
        raise ConfigError(problem, todo="install it, or correct `mermaid` below `[markdown]`") from None
    try:
        code = process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        code = None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if code:
        raise ConfigError(f"the command `mermaid` failed with exit code {code}", todo="run it by hand")
    if code is None:
        raise ConfigError(f"the command `mermaid` took more than {_SECONDS} seconds")
