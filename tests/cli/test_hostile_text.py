"""Text that was written for the terminal of whoever runs pressync: no command lets it through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.terminal import Terminal

# Clears the screen, sets the title of the window, turns the text around, ends a line.
EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202egpj.exe\r"


def test_a_title_never_writes_to_the_terminal(terminal: Terminal) -> None:
    title = json.dumps(EVIL)
    terminal.repository.commit(
        {"content/pages/evil.md": f"{{{json.dumps('title')}: {title}}}\n[x](gone.md)\n"}
    )
    for command in (
        ("plan",),
        ("plan", "--diff"),
        ("plan", "--format", "markdown"),
        ("plan", "--format", "github"),
        ("plan", "--format", "json"),
        ("check",),
        ("sync", "--yes"),
        ("status",),
        ("redirects",),
    ):
        said = terminal.run(*command).output
        assert not set(said) & set("\x1b\x07\x9b\u202e\r"), command


def test_a_file_name_never_writes_to_the_terminal(terminal: Terminal) -> None:
    terminal.repository.commit({f"content/pages/{EVIL}.md": "# X\n[x](gone.md)\n"})
    for command in (("plan",), ("check",), ("sync", "--yes")):
        said = terminal.run(*command, exits=2).output
        assert "so no manifest can hold it; rename the file" in said
        assert not set(said) & set("\x1b\x07\x9b\u202e\r"), command
    terminal.run("sync", "--yes", "--keep-going", exits=1)
    states = json.loads(terminal.run("status", "--format", "json").output)
    assert "in_step" in str(states)


def test_a_strangers_manifest_never_writes_to_the_terminal(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    path = terminal.repository.root / ".pressync/default.json"
    known = json.loads(path.read_text())
    for record in known["records"]:
        record.update(slug=EVIL, link=f"https://x/{EVIL}", layout=EVIL, former=[f"https://y/{EVIL}"])
        record.update(bent={"slug": EVIL}, conflict={"title": EVIL}, aliases=[f"/{EVIL}"])
    path.write_text(json.dumps(known))
    for command, exits in (
        (("plan", "--diff"), 0),
        (("status",), 0),
        (("redirects",), 0),
        (("doctor",), 0),
    ):
        said = terminal.run(*command, exits=exits).output
        assert not set(said) & set("\x1b\x07\x9b\u202e\r"), command


def test_what_the_encoding_of_standard_output_does_not_have_is_escaped(
    terminal: Terminal,
) -> None:
    terminal.repository.commit({"content/pages/index.md": "# Home → 家\n"})
    environ = {**os.environ, **terminal.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "pressync", "-C", str(terminal.repository.root), "plan", "--diff"]
    shown = subprocess.run(command, env=environ, capture_output=True, check=True).stdout
    assert rb"+# Home \u2192 \u5bb6" in shown
