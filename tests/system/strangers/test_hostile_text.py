"""Text that was written for the terminal of whoever runs pressync: no command lets it through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from pressync.cli.main import pressync

if TYPE_CHECKING:
    from tests.support.terminal import Terminal

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


@pytest.mark.sweep
def test_a_file_name_never_writes_to_the_terminal(terminal: Terminal) -> None:
    terminal.repository.commit({f"content/pages/{EVIL}.md": "# X\n[x](gone.md)\n"})
    for command in (("plan",), ("check",), ("sync", "--yes")):
        said = terminal.run(*command, exits=2).output
        assert "so a manifest cannot contain it; rename the file" in said
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


@pytest.mark.sweep
def test_what_the_encoding_of_standard_output_does_not_have_is_escaped(
    terminal: Terminal,
) -> None:
    terminal.repository.commit({"content/pages/index.md": "# Home → 家\n"})
    environ = {**os.environ, **terminal.environ, "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "pressync", "-C", str(terminal.repository.root), "plan", "--diff"]
    shown = subprocess.run(command, env=environ, capture_output=True, check=True).stdout
    assert rb"+# Home \u2192 \u5bb6" in shown


COMMAND = "x\\n ::set-output name=stolen::y"


def test_settings_of_a_stranger_give_no_command_to_a_runner(terminal: Terminal) -> None:
    terminal.environ.pop("PRESSYNC_URL", None)
    for settings in (
        f'"{COMMAND}" = 1\n',
        f'content = "../{COMMAND}"\n',
        f'[sites."{COMMAND}"]\nurl = "https://example.org/"\n',
        f'[sites.a]\nurl = "{COMMAND}"\n',
        f'[sites.a]\nurl = "https://example.org/"\nbranch = "{COMMAND}"\n',
        f'[sites.a]\nurl = "https://example.org/"\nmanifest = "../{COMMAND}"\n',
        f'[sites.a]\nurl = "https://example.org/"\nremote = "{COMMAND}"\nmanifest = "ref"\n',
    ):
        terminal.repository.commit({"pressync.toml": settings})
        for command in (
            ("plan",),
            ("plan", "--format", "github"),
            ("check", "--format", "github"),
            ("config",),
            ("sync", "--yes"),
        ):
            assert not commands(anyhow(terminal, *command)), command


def test_a_manifest_of_a_stranger_gives_no_command_to_a_runner(terminal: Terminal) -> None:
    terminal.run("sync", "--yes")
    path = terminal.repository.root / ".pressync/default.json"
    evil = "x\n ::set-output name=stolen::y"
    known = json.loads(path.read_text())
    record = known["records"][0]
    for broken in (
        {**known, "target": evil},
        {**known, "records": [{**record, "path": evil}]},
        {**known, "records": [{**record, evil: 1}]},
        {**known, "records": [{**record, "kind": evil}]},
        {**known, evil: 1},
    ):
        path.write_text(json.dumps(broken))
        for command in (("plan",), ("plan", "--format", "github"), ("status",), ("manifest", "show")):
            assert not commands(anyhow(terminal, *command)), (broken, command)


def test_a_flag_that_is_no_text_is_an_error_and_no_traceback(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `--out` writes where we stand.
    monkeypatch.chdir(terminal.repository.root)
    for command in (
        ("plan", "--ref"),
        ("plan", "--out"),
        ("check", "--ref"),
        ("sync", "--yes"),
        ("adopt", "--from"),
        ("forget",),
        ("manifest", "show", "--ref"),
        ("hook", "run", "post-commit", "--branch"),
        ("init", "--yes", "--content"),
        ("serve", "--host"),
    ):
        for word in ("\0", "a\0b", "\ud800"):
            said = anyhow(terminal, *command, word)
            assert "has a NUL, or half of a character" in said, (command, word)
            assert ascii(word) in said
        anyhow(terminal, *command, "x\udcff")


def test_a_nul_in_the_settings_is_an_error_with_its_line(terminal: Terminal) -> None:
    url = 'sites.a.url = "https://example.org/wp-json"\n'
    for key in ("content", "templates", "sites.a.manifest", "sites.a.branch", "sites.a.remote"):
        terminal.repository.commit({"pressync.toml": f'{url}{key} = "a\\u0000b"\n'})
        for command in (
            ("plan",),
            ("sync", "--yes"),
            ("status",),
            ("doctor",),
            ("init", "--yes"),
            ("hook", "install"),
        ):
            said = anyhow(terminal, *command)
            assert "pressync.toml:2: " in said, (key, command)
            assert "contains a NUL; remove it" in said


def anyhow(terminal: Terminal, *arguments: str) -> str:
    """Run a command, which may fail but not by a mistake of ours; give everything that it printed."""
    words = ["-C", str(terminal.repository.root), *arguments]
    result = CliRunner().invoke(pressync, words, env=terminal.environ)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
    return result.output


def commands(output: str) -> list[str]:
    """List what a runner would take for a command that sets something."""
    return [line for line in output.splitlines() if line.strip().startswith("::set-output") or "##[" in line]
