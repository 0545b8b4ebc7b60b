"""Writes the text of a hook: one shell script for every type, and the command that fills it.

The hook must find the program that wrote it, whatever PATH Git has. Paths may have blanks and quotes, so the
words of the command are quoted once, here, and the shell parses nothing.
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
# This text identifies our hook in any version.
MARK = "# A hook of pressync, "


def program() -> list[str]:
    """Give the words that start this installation of pressync: its command, or its Python."""
    beside_python = Path(sys.executable).with_name("pressync")
    for candidate in (Path(sys.argv[0]), beside_python):
        if candidate.name == "pressync" and candidate.is_file() and os.access(candidate, os.X_OK):
            return [str(candidate.absolute())]
    return python()


def python() -> list[str]:
    """Give the words that start pressync in this Python; `-P` stops imports from the current folder."""
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
    for placeholder, words in filled.items():
        script = script.replace(placeholder, words)
    return script


def is_ours(file: Path) -> bool:
    """Tell whether a file is our hook; a symbolic link to our hook is somebody else's."""
    try:
        return not file.is_symlink() and MARK.encode() in file.read_bytes()[:4096]
    except OSError:
        return False


def words_of(file: Path) -> list[str]:
    """Read the words of the command in our hook; the first one is the program."""
    for line in file.read_text(encoding="utf-8", errors="surrogateescape").split("\n"):
        _, found, command = line.partition('printf %s "$input" | ')
        if found and command.endswith(' "$@"') and "$before" not in line:
            with suppress(ValueError):  # somebody edited it and left a quotation open
                return shlex.split(command.removesuffix(' "$@"'))
    return []
