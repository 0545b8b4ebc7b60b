"""What all commands share: options and words, colour, examples that can be run, and the entry point."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click
import pytest
from click.testing import CliRunner
from tests.support.terminal import Terminal

from pressync.cli import options
from pressync.cli.commands import plan, sync
from pressync.cli.main import COMMANDS, Globals, pressync
from pressync.cli.options import PlanCommandOptions, SyncOptions, complete_sites, covers_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.support.repository import SampleRepository


WIDTH = 80


def every_command() -> Iterator[tuple[str, options.Command]]:
    """Give each command and each command of a group, with the words that call it."""
    yield "pressync", pressync
    for name in COMMANDS:
        found = pressync.get_command(click.Context(pressync), name)
        assert isinstance(found, options.Command)
        yield f"pressync {name}", found
        below = found.commands.items() if isinstance(found, click.Group) else ()
        for inner, inner_command in below:
            assert isinstance(inner_command, options.Command)
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
    assert options.colour(choice) is decided


@pytest.mark.parametrize("words", [("--color", "always"), ("--color=always", "-q")])
def test_colour_goes_through_a_pipe_if_somebody_wants_it(terminal: Terminal, words: tuple[str, ...]) -> None:
    assert "\x1b[" not in terminal.run("plan").stdout
    assert "\x1b[32m+" in terminal.run("plan", *words).stdout
    assert "\x1b[32m+" in terminal.run(*words, "plan").stdout
    assert "\x1b[" not in terminal.run("plan", "--format", "json", *words).stdout


def ended(
    terminal: Terminal, *arguments: str, before: Sequence[str] = (), output: BinaryIO | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run pressync in a process of its own."""
    command = [*before, sys.executable, "-m", "pressync", "-C", str(terminal.repository.root), *arguments]
    environ = {**os.environ, **terminal.environ}
    return subprocess.run(command, env=environ, check=False, stdout=output, stderr=subprocess.PIPE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no file that is always full")
@pytest.mark.sweep
def test_a_full_disk_behind_standard_output_is_told(terminal: Terminal) -> None:
    with Path("/dev/full").open("wb") as full:
        told = ended(terminal, "plan", output=full)
    assert told.returncode == 1
    assert told.stderr.startswith(b"Error: No space left on device")


@pytest.mark.sweep
def test_with_its_standard_files_closed_a_sync_is_done(terminal: Terminal) -> None:
    closed = ("/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh")
    assert ended(terminal, "sync", "--yes", before=closed).returncode == 0
    assert "Nothing to do" in terminal.run("plan").stdout


def test_problems_that_end_a_sync_are_grouped_as_those_of_check_are(repository: SampleRepository) -> None:
    terminal = Terminal(repository, {})
    posts = {f"content/posts/p{n}.md": "---\nauthor: Nobody Here\n---\n# A post\n" for n in range(9)}
    terminal.repository.commit(posts)
    told = terminal.run("sync", "--yes", exits=2).stderr
    assert told.count("'Nobody Here'") == 1
    assert "and 6 more" in " ".join(told.split())


SITES = '[sites.live]\nurl = "https://a.test/"\n[sites.local]\nurl = "https://b.test/"\n[sites.test]\n'


def offered(directory: Path, begun: str = "", *options: str) -> list[str]:
    """Complete `--site` for somebody who stands in a folder."""
    root = pressync.make_context("pressync", ["-C", str(directory), *options, "plan"])
    with click.Context(click.Command("plan"), parent=root) as ctx:
        return complete_sites(ctx, click.Option(["--site"]), begun)


def test_the_sites_of_the_settings_that_commands_read_are_offered(repository: SampleRepository) -> None:
    below = repository.root / "content" / "pages"
    below.mkdir(parents=True)
    repository.write("pressync.toml", SITES)
    assert offered(below, "l") == ["live", "local"]
    repository.write("content/pressync.toml", "[sites.other]\n")
    assert offered(below, "l") == ["live", "local"]


def test_the_sites_of_the_settings_that_the_command_line_names_are_offered(
    repository: SampleRepository,
) -> None:
    repository.write("pressync.toml", SITES)
    repository.write("team/other.toml", "[sites.other]\n")
    assert offered(repository.root, "", "--config", "team/other.toml") == ["other"]
    repository.write("team/broken.toml", "[sites.")
    assert offered(repository.root, "", "--config", "team/broken.toml") == []


def test_a_name_that_is_nearly_right_gets_the_right_one_and_usage_is_not_broken_inside_a_word() -> None:
    said = CliRunner().invoke(pressync, ["schema", "frontmatter"]).stderr
    assert said.endswith("'frontmatter' is not one of them. Did you mean 'front-matter'?\n")
    assert max(map(len, said.splitlines()[:2])) <= 80
    assert "'rehearse'" in CliRunner().invoke(pressync, ["schema", "zzz"]).stderr


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (["sync", "--delete-unused-media"], "delete files in the media library of the site"),
        (["sync", "--report", "a.md"], "`--format json` or `--format markdown` prints the run"),
    ],
)
def test_an_option_of_an_earlier_version_is_refused_with_the_way_that_is_left(
    words: list[str], instead: str
) -> None:
    said = CliRunner().invoke(pressync, words)
    assert said.exit_code == 2
    assert said.stderr.endswith(f"Error: {words[1]} is not an option any more; {instead}\n")
    assert words[1] not in CliRunner().invoke(pressync, [words[0], "--help"]).stdout


def test_without_a_repository_no_site_is_offered(tmp_path: Path) -> None:
    (tmp_path / "pressync.toml").write_text(SITES)
    assert offered(tmp_path) == []


@pytest.mark.parametrize("text", ["[sites.", "content = 1", b"\xff".decode("latin-1")])
def test_settings_that_are_wrong_offer_nothing_and_print_nothing(
    repository: SampleRepository, text: str
) -> None:
    repository.write("pressync.toml", text.encode("latin-1"))
    assert offered(repository.root) == []


@pytest.mark.parametrize(
    "words",
    [("sync", "--wait", "nan"), ("sync", "--rate", "NaN"), ("hook", "install", "--time-limit", "nan")],
)
def test_what_is_not_a_number_is_not_a_limit(repository: SampleRepository, words: tuple[str, ...]) -> None:
    ended = CliRunner().invoke(pressync, ["-C", str(repository.root), *words])
    assert ended.exit_code == 2
    assert f"'{words[-1]}' is not a number." in ended.stderr


@pytest.mark.parametrize("command", ["plan", "sync", "rehearse", "rollback"])
def test_a_limit_that_cannot_be_read_is_refused_before_anything_is_looked_at(
    repository: SampleRepository, command: str
) -> None:
    ended = CliRunner().invoke(pressync, ["-C", str(repository.root), command, "--max-delete", "ten"])
    assert ended.exit_code == 2
    assert "--max-delete: 'ten' is not a limit; write a number" in ended.stderr


def plan_options(*words: str) -> PlanCommandOptions:
    """Read the words behind `pressync plan` as Click does."""
    context = plan.command.make_context("plan", list(words), obj=Globals())
    return PlanCommandOptions(**context.params)


def test_each_option_of_a_plan_is_a_field_of_its_name() -> None:
    assert {parameter.name for parameter in plan.command.params} == set(PlanCommandOptions._fields)
    assert plan_options("--diff", "a.md", "b.md") == plan_options("a.md", "b.md")._replace(diff=True)


@pytest.mark.parametrize("words", [(), ("--site", "live"), ("--exit-code",), ("--format", "json")])
def test_a_plain_plan_can_be_answered_from_the_note_of_the_last_run(words: tuple[str, ...]) -> None:
    assert plan_options(*words).is_plain


@pytest.mark.parametrize(
    ("words", "of_head"),
    [
        (("a.md",), False),
        (("--worktree",), False),
        (("--ref", "v1"), False),
        (("--out", "plan.json"), True),
        (("--strict",), True),
        (("--drift",), True),
        (("--format", "html"), True),
    ],
)
def test_another_plan_is_drawn(words: tuple[str, ...], of_head: bool) -> None:
    assert not plan_options(*words).is_plain
    assert covers_head(plan_options(*words)) is of_head


@pytest.mark.parametrize(
    "words", [("--diff",), ("--overwrite",), ("--max-delete", "5"), ("--format", "html")]
)
def test_a_plan_that_shows_or_allows_more_is_not_the_usual_one(words: tuple[str, ...]) -> None:
    assert plan_options("--summary", "--keep-going").is_usual
    assert not plan_options(*words).is_usual


def sync_options(*words: str) -> SyncOptions:
    """Read the words behind `pressync sync` as Click does."""
    context = sync.command.make_context("sync", list(words), obj=Globals())
    return SyncOptions(**context.params)


def test_each_option_of_a_sync_is_a_field_of_its_name() -> None:
    assert [
        parameter.name
        for parameter in sync.command.params
        if parameter.expose_value and parameter.name not in SyncOptions._fields
    ] == []
    assert sync_options("--rate", "2", "a.md", "b.md") == sync_options("a.md", "b.md")._replace(rate=2.0)


@pytest.mark.parametrize("words", [(), ("--yes",), ("--site", "live"), ("--wait", "0")])
def test_options_about_how_to_sync_leave_a_sync_plain(words: tuple[str, ...]) -> None:
    assert sync_options(*words).is_plain


@pytest.mark.parametrize(
    "words",
    [
        ("a.md",),
        ("--worktree",),
        ("--ref", "v1"),
        ("--plan", __file__),
        ("--strict",),
        ("--commit",),
        ("--overwrite",),
        ("--format", "json"),
    ],
)
def test_options_that_ask_for_more_make_a_sync_read_everything(words: tuple[str, ...]) -> None:
    assert not sync_options(*words).is_plain
