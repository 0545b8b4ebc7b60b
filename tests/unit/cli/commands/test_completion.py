"""`pressync completion`: a real bash completes with the script that it prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.terminal import Terminal

_SITES = '[sites.live]\nurl = "https://a.example/"\n[sites.local]\nurl = "https://b.example/"\n'
# What bash does when somebody presses the key behind these words.
_PRESSED = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_pressync_completion "$1" "${COMP_WORDS[COMP_CWORD]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_commands_options_types_and_sites(terminal: Terminal, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("pressync")
    script = tmp_path / "completion.bash"
    script.write_text(terminal.run("completion", "bash").stdout, encoding="utf-8")
    terminal.repository.write("pressync.toml", _SITES)

    def pressed(*words: str) -> list[str]:
        done = subprocess.run(
            ["bash", "-c", _PRESSED, "bash", script, program, *words],
            cwd=terminal.repository.root / "content",
            env=dict(os.environ),
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    assert pressed("re") == ["rehearse", "resolve", "redirects"]
    assert pressed("hook", "install", "--type", "post-m") == ["post-merge"]
    assert pressed("sync", "--site", "l") == ["live", "local"]
    assert pressed("explain", "pages/ab") == ["pages/about.md", "pages/about/history.md"]


@pytest.mark.parametrize(("shell", "word"), [("zsh", "#compdef pressync"), ("fish", "complete --no-files")])
def test_other_shells_get_a_script_of_their_own(terminal: Terminal, shell: str, word: str) -> None:
    shown = terminal.run("completion", shell).stdout
    assert word in shown
    assert "_PRESSYNC_COMPLETE" in shown


def test_an_unknown_shell_is_a_mistake(terminal: Terminal) -> None:
    assert "'bash'" in terminal.run("completion", "tcsh", exits=2).stderr
