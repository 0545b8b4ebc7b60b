"""What all commands share: options before and after the command, colour, and examples that can be run."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from pressync.cli import command
from pressync.cli.main import COMMANDS, Globals, pressync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.terminal import Terminal

WIDTH = 80


def every_command() -> Iterator[tuple[str, command.Command]]:
    """Give each command and each command of a group, with the words that call it."""
    yield "pressync", pressync
    for name in COMMANDS:
        found = pressync.get_command(click.Context(pressync), name)
        assert isinstance(found, command.Command)
        yield f"pressync {name}", found
        below = found.commands.items() if isinstance(found, click.Group) else ()
        for inner, inner_command in below:
            assert isinstance(inner_command, command.Command)
            yield f"pressync {name} {inner}", inner_command


EVERY_COMMAND = dict(every_command())
EXAMPLES = [example for each in EVERY_COMMAND.values() for example in each.examples]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Globals]:
    """Collect the globals of the commands that are called, and run none of them."""
    called: list[Globals] = []

    def note(_: click.Command, ctx: click.Context) -> None:
        if not isinstance(ctx.command, click.Group):
            called.append(ctx.obj)

    monkeypatch.setattr(click.Command, "invoke", note)
    return called


def call(*words: str | Path) -> str:
    """Run pressync with these words, which Click must accept."""
    result = CliRunner().invoke(pressync, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("-q",), Globals(quiet=True)),
        (("--verbose",), Globals(verbose=True)),
        (("--site", "live"), Globals(site="live")),
        (("--log-format", "json"), Globals(log_format="json")),
        (("--color=never",), Globals(color="never")),
    ],
)
@pytest.mark.parametrize("called", [("plan",), ("manifest", "show"), ("hook", "status")])
def test_an_option_means_the_same_before_and_after_every_command(
    seen: list[Globals], called: tuple[str, ...], words: tuple[str, ...], meant: Globals
) -> None:
    for place in range(len(called) + 1):
        call(*called[:place], *words, *called[place:])
    assert seen == [meant] * (len(called) + 1)


def test_the_later_option_wins(seen: list[Globals]) -> None:
    call("--site", "live", "-q", "plan", "-v", "--site", "test", "--color", "never", "--color", "always")
    assert seen == [Globals(site="test", verbose=True, color="always")]


def test_paths_are_relative_to_the_folder_wherever_it_stands(seen: list[Globals], tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "other.toml").touch()
    call("--config", "other.toml", "-C", tmp_path, "plan", "-C", "site")
    call("plan", "--config", "other.toml", "-C", tmp_path / "site")
    assert seen == [Globals(tmp_path / "site", config_file=tmp_path / "site" / "other.toml")] * 2


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("-C", "none"), "Invalid value for '-C': Directory 'none' does not exist."),
        (("--config", "none.toml"), "Invalid value for '--config': File 'none.toml' does not exist."),
    ],
)
def test_a_folder_or_settings_file_that_is_missing_is_a_usage_error(
    words: tuple[str, ...], what: str
) -> None:
    for called in ([*words, "plan"], ["plan", *words]):
        result = CliRunner().invoke(pressync, called)
        assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"Error: {what}")


@pytest.mark.parametrize("words", [("--bogus", "plan"), ("plan", "--bogus"), ("plam",)])
@pytest.mark.parametrize("form", [("--log-format", "json"), ("--log-format=json",)])
def test_a_usage_error_is_an_object_where_json_is_asked_for(
    words: tuple[str, ...], form: tuple[str, ...]
) -> None:
    result = CliRunner().invoke(pressync, [*words, *form])
    assert result.exit_code == 2
    assert json.loads(result.stderr)["level"] == "error"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("stauts",), "`pressync status`?"),
        (("push",), "`pressync sync`?"),
        (("verify",), "`pressync manifest verify`?"),
        (("content/posts", "plan"), "`pressync plan content/posts`?"),
        (("hook", "instal"), "`pressync hook install`"),
        (("plan", "--worktee"), "'--worktree'?"),
        (("plan", "--colour", "never"), "'--color'"),
    ],
)
def test_a_word_that_is_wrong_is_told_with_what_was_meant(words: tuple[str, ...], meant: str) -> None:
    result = CliRunner().invoke(pressync, words)
    assert result.exit_code == 2
    assert "Did you mean" in result.stderr
    assert meant in result.stderr


@pytest.mark.parametrize(
    ("words", "right"),
    [
        (("--yes", "sync"), "pressync sync --yes"),
        (("manifest", "--remote", "verify"), "pressync manifest verify --remote"),
        (("--format", "json", "plan"), "pressync plan --format json"),
        (("--format=json", "plan"), "pressync plan --format=json"),
        (("--format", "plan"), "pressync plan --format"),
        (("--plan", "my plan.json", "sync"), "pressync sync --plan 'my plan.json'"),
    ],
)
def test_an_option_before_its_command_is_told_where_it_belongs(words: tuple[str, ...], right: str) -> None:
    result = CliRunner().invoke(pressync, words)
    assert result.exit_code == 2
    assert result.stderr.endswith(f"Write it after the command: `{right}`\n")


def test_a_word_like_no_command_gets_no_guess() -> None:
    assert CliRunner().invoke(pressync, ["xyzzy"]).stderr.endswith("Error: No such command 'xyzzy'.\n")


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_help_has_a_section_of_its_own_for_the_options_of_every_command_and_fits(name: str) -> None:
    text = call(*name.split()[1:], "--help")
    own, _, shared = text.partition("\nOptions of every command:\n")
    assert "--log-format" in shared.partition("\nExamples:\n")[0]
    assert "--log-format" not in own
    assert [line for line in text.splitlines() if len(line) > WIDTH] == []


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_every_command_has_examples_of_itself(name: str) -> None:
    examples = EVERY_COMMAND[name].examples
    assert examples
    assert all(re.search(rf"\b{name}\b", example) for example in examples)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_is_a_command_line(seen: list[Globals], tmp_path: Path, example: str) -> None:
    for name in ("plan.json", "export.xml", "sitemap.xml"):
        (tmp_path / name).touch()
    (tmp_path.parent / "another-clone").mkdir(exist_ok=True)
    (tmp_path / ".pressync/import").mkdir(parents=True)
    lines = re.findall(r"pressync [^|)<>]+", example.partition("  #")[0].replace("&&", "|"))
    for line in lines:
        call("-C", tmp_path, *shlex.split(line)[1:])
    assert len(seen) == len(lines) > 0


@pytest.mark.parametrize(
    ("choice", "environ", "decided"),
    [
        ("auto", {}, None),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ("auto", {"NO_COLOR": ""}, None),
        ("auto", {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ("auto", {"CLICOLOR_FORCE": "1"}, True),
        ("auto", {"CLICOLOR_FORCE": "0", "FORCE_COLOR": ""}, None),
        ("auto", {"TERM": "dumb"}, False),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_the_option_and_then_the_environment_decide_about_colour(
    monkeypatch: pytest.MonkeyPatch, choice: str, environ: dict[str, str], decided: bool | None
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert command.colour(choice) is decided


@pytest.mark.parametrize("words", [("--color", "always"), ("--color=always", "-q")])
def test_colour_goes_through_a_pipe_if_somebody_wants_it(terminal: Terminal, words: tuple[str, ...]) -> None:
    assert "\x1b[" not in terminal.run("plan").stdout
    assert "\x1b[32m+" in terminal.run("plan", *words).stdout
    assert "\x1b[32m+" in terminal.run(*words, "plan").stdout
    assert "\x1b[" not in terminal.run("plan", "--format", "json", *words).stdout
