"""The text of a hook: a short shell script that is the same for every type, and the words it is filled with.

It must not touch a hooks folder. What decided its shape: the hook must find the very program that wrote
it, whatever PATH Git was called with, and paths may hold blanks and quotes, so the words are quoted once,
here, and nothing is parsed in the shell.
"""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pressync.app.hooks.setup import Setup

_TEMPLATE = Path(__file__).with_name("hook.sh")
# The line by which a hook of ours is known, in any version.
MARK = "# A hook of pressync, "


def program() -> list[str]:
    """Give the words that start this very pressync: its command, or the Python that it runs in."""
    beside_python = Path(sys.executable).with_name("pressync")
    for candidate in (Path(sys.argv[0]), beside_python):
        if candidate.name == "pressync" and candidate.is_file() and os.access(candidate, os.X_OK):
            return [str(candidate.absolute())]
    return python()


def python() -> list[str]:
    """Give the words that start pressync in this Python; `-P`: no module is searched where Git stands."""
    return [sys.executable, "-P", "-m", "pressync"]


def text(hook_type: str, setup: Setup) -> str:
    """Write the hook of one type."""
    command = program()
    config_file = ["--config", str(setup.config_file.absolute())] if setup.config_file else []
    arguments = [*config_file, "hook", "run", hook_type, *setup.words]
    filled = {
        "@TYPE@": hook_type,
        "@EXECUTABLE@": shlex.quote(command[0]),
        "@COMMAND@": shlex.join([*command, *arguments]),
        "@ARGUMENTS@": shlex.join(arguments),
    }
    script = _TEMPLATE.read_text(encoding="utf-8")
    for place, words in filled.items():
        script = script.replace(place, words)
    return script


def is_ours(file: Path) -> bool:
    """Tell whether a file is a hook of ours; a link to one is somebody else's."""
    try:
        return not file.is_symlink() and MARK.encode() in file.read_bytes()[:4096]
    except OSError:
        return False


def words_of(file: Path) -> list[str]:
    """Read from a hook of ours the words of its command, from the program on."""
    for line in file.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        _, found, command = line.partition('printf %s "$input" | ')
        if found and command.endswith(' "$@"') and "$before" not in line:
            with suppress(ValueError):  # somebody edited it, and a quotation does not end
                return shlex.split(command.removesuffix(' "$@"'))
    return []
