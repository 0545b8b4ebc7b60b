"""What all commands share: options and words, colour, examples that can be run, and the entry point."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, BinaryIO

import click
import pytest
from click.testing import CliRunner

from pressync.app.arguments import PlanFlags, SyncFlags
from pressync.cli import completions, options
from pressync.cli.commands import plan, sync
from pressync.cli.main import COMMANDS, GROUPS, pressync
from pressync.cli.options import Globals, PlanCommandOptions, SyncOptions, covers_head, gathered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.support.repository import SampleRepository
    from tests.support.terminal import Terminal


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


def test_the_later_option_wins_and_paths_are_relative_to_it(seen: list[Globals], tmp_path: Path) -> None:
    call("--site", "live", "-q", "plan", "-v", "--site", "test", "--color", "never", "--color", "always")
    assert seen.pop() == Globals(site="test", verbose=True, color="always")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "other.toml").touch()
    call("--config", "other.toml", "-C", tmp_path, "plan", "-C", "site")
    call("plan", "--config", "other.toml", "-C", tmp_path / "site")
    assert seen == [Globals(tmp_path / "site", config_file=tmp_path / "site" / "other.toml")] * 2
    for option, what in (("-C", "Directory 'none'"), ("--config", "File 'none'")):
        wrong = CliRunner().invoke(pressync, ["plan", option, "none"])
        assert (wrong.exit_code, f"{what} does not exist" in wrong.stderr) == (2, True)


@pytest.mark.parametrize("words", [("--bogus", "plan"), ("plan", "--bogus"), ("plam",)])
@pytest.mark.parametrize("form", [("--log-format", "json"), ("--log-format=json",)])
def test_a_usage_error_is_an_object_for_json(words: tuple[str, ...], form: tuple[str, ...]) -> None:
    result = CliRunner().invoke(pressync, [*words, *form])
    assert result.exit_code == 2
    assert json.loads(result.stderr)["level"] == "error"


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("stauts",), "Did you mean `pressync status`?"),
        (("push",), "Did you mean `pressync sync`?"),
        (("undo",), "Did you mean `pressync rollback`?"),
        (("rm", "content/pages/a.md"), "Git does that: `git rm FILE`, commit, and then `pressync sync`."),
        (("version",), "Did you mean `pressync --version`?"),
        (("-V",), "Did you mean `pressync --version`?"),
        (("plan", "--version"), "Did you mean `pressync --version`?"),
        (("sync", "--dry-run"), "Did you mean `pressync plan`?"),
        (("-n", "sync"), "Did you mean `pressync plan`?"),
        (("plan", "--json"), "Did you mean `pressync plan --format json`?"),
        (("--json", "manifest", "show"), "No such option '--json'."),
        (("manifest", "show", "--json"), "Did you mean `pressync manifest show --format json`?"),
        (("hook", "status", "--json"), "No such option '--json'.\n"),
        (("rollback", "-y"), "Did you mean `pressync rollback --yes`?"),
        (("verify",), "Did you mean `pressync manifest verify`?"),
        (("content/posts", "plan"), "Did you mean `pressync plan content/posts`?"),
        (("hook", "instal"), "Did you mean `pressync hook install`"),
        (("plan", "--worktee"), "'--worktree'?"),
        (("plan", "--colour", "never"), "'--color'"),
        (("schema", "frontmatter"), "is not one of them. Did you mean 'front-matter'?"),
        (("schema", "zzz"), "'rehearse'"),
        (("xyzzy",), "Error: No such command 'xyzzy'.\n"),
    ],
)
def test_a_word_that_is_wrong_is_told_with_what_was_meant(words: tuple[str, ...], meant: str) -> None:
    result = CliRunner().invoke(pressync, words)
    assert result.exit_code == 2
    assert meant in result.stderr
    assert max(map(len, result.stderr.splitlines()[:2])) <= WIDTH


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


def test_help_begins_with_the_commands_of_a_day_and_has_each_command_once() -> None:
    days, *others = GROUPS.values()
    assert len(days) == 10
    assert sorted(itertools.chain(days, *others)) == sorted(COMMANDS)
    sections = re.findall(r"^(\S[^\n]*):$", call("--help"), re.MULTILINE)
    assert sections == ["Options", *GROUPS, "Options of every command", "Examples"]


def test_the_manual_page_has_every_command_and_every_option_in_the_language_of_man() -> None:
    page = call("help", "--man")
    assert page.isascii()
    told = page.replace(r"\-", "-")
    for name, command in list(EVERY_COMMAND.items())[1:]:
        assert f'.SS "{name} ' in told
        shown = (each for each in command.params if isinstance(each, click.Option) and not each.hidden)
        assert all(option.opts[0] in told for option in shown)
    assert re.findall(r"^\.B (\d+)$", told.partition("EXIT STATUS")[2], re.MULTILINE)[-1] == "130"
    # A line that begins with a dot is a command of the language, and this page uses these.
    assert {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))} <= {
        *(".TH", ".SH", ".SS", ".PP", ".TP", ".B"),
    }


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_the_manual_page_has_no_fault_for_groff() -> None:
    words = ["groff", "-man", "-Tutf8", "-ww", "-z"]
    done = subprocess.run(words, input=call("help", "--man"), capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_help_has_a_section_for_the_options_of_every_command_and_examples_and_fits(name: str) -> None:
    text = call(*name.split()[1:], "--help")
    own, _, shared = text.partition("\nOptions of every command:\n")
    assert "--log-format" in shared.partition("\nExamples:\n")[0]
    assert "--log-format" not in own
    assert [line for line in text.splitlines() if len(line) > WIDTH] == []
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


@pytest.mark.sweep
def test_with_its_standard_files_closed_a_sync_is_done(terminal: Terminal) -> None:
    closed = ("/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh")
    assert ended(terminal, "sync", "--yes", before=closed).returncode == 0
    assert "Nothing to do" in terminal.run("plan").stdout


SITES = '[sites.live]\nurl = "https://a.test/"\n[sites.local]\nurl = "https://b.test/"\n[sites.test]\n'


def offered(directory: Path, begun: str = "", *options: str) -> list[str]:
    """Complete `--site` for somebody who stands in a folder."""
    root = pressync.make_context("pressync", ["-C", str(directory), *options, "plan"])
    with click.Context(click.Command("plan"), parent=root) as ctx:
        return [item.value for item in completions.sites(ctx, click.Option(["--site"]), begun)]


def test_the_sites_of_the_settings_are_offered(repository: SampleRepository, tmp_path: Path) -> None:
    below = repository.root / "content" / "pages"
    below.mkdir(parents=True)
    repository.write("pressync.toml", SITES)
    repository.write("content/pressync.toml", "[sites.other]\n")
    assert offered(below, "l") == ["live", "local"]
    repository.write("team/other.toml", "[sites.other]\n")
    assert offered(repository.root, "", "--config", "team/other.toml") == ["other"]
    for text in (b"[sites.", b"content = 1", b"\xff"):
        repository.write("pressync.toml", text)
        assert offered(repository.root) == []
    (tmp_path / "pressync.toml").write_text(SITES)
    assert offered(tmp_path) == [], "there is no repository"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sync", "--wait", "nan"), "'nan' is not a number."),
        (("sync", "--rate", "NaN"), "'NaN' is not a number."),
        (("hook", "install", "--time-limit", "nan"), "'nan' is not a number."),
        *(
            ((command, "--max-delete", "ten"), "--max-delete: 'ten' is not a limit; write a number")
            for command in ("plan", "sync", "rehearse", "rollback")
        ),
    ],
)
def test_what_is_not_a_number_is_not_a_limit(
    repository: SampleRepository, words: tuple[str, ...], said: str
) -> None:
    ended = CliRunner().invoke(pressync, ["-C", str(repository.root), *words])
    assert ended.exit_code == 2
    assert said in ended.stderr


def plan_options(*words: str) -> PlanCommandOptions:
    """Read the words behind `pressync plan` as Click does."""
    context = plan.command.make_context("plan", list(words), obj=Globals())
    return gathered(PlanCommandOptions, context.params)


@pytest.mark.parametrize(
    ("words", "plain", "of_head"),
    [
        ("", True, True),
        ("--site live", True, True),
        ("--exit-code", True, True),
        ("--format json", True, True),
        ("--summary --keep-going", None, True),
        ("a.md", False, False),
        ("--worktree", False, False),
        ("--ref v1", False, False),
        ("--out plan.json", False, True),
        ("--strict", False, True),
        ("--drift", False, True),
        ("--format html", False, True),
    ],
)
def test_only_a_plan_that_shows_no_more_is_answered_from_notes(
    words: str, *, plain: bool | None, of_head: bool
) -> None:
    options_ = plan_options(*words.split())
    assert options_.flags.keys() == PlanFlags.__annotations__.keys()
    assert plain in {None, options_.is_plain}
    assert covers_head(options_) is of_head


def sync_options(*words: str) -> SyncOptions:
    """Read the words behind `pressync sync` as Click does."""
    context = sync.command.make_context("sync", list(words), obj=Globals())
    return gathered(SyncOptions, context.params)


@pytest.mark.parametrize(
    ("words", "plain"),
    [
        *((words, True) for words in ("", "--yes", "--site live", "--wait 0")),
        *((words, False) for words in ("a.md", "--worktree", "--ref v1", f"--plan {__file__}", "--strict")),
        *((words, False) for words in ("--commit", "--overwrite", "--format json")),
    ],
)
def test_options_that_ask_for_more_make_a_sync_read_everything(words: str, *, plain: bool) -> None:
    options_ = sync_options(*words.split())
    assert options_.flags.keys() == SyncFlags.__annotations__.keys() | PlanFlags.__annotations__.keys()
    assert options_.is_plain is plain


def test_problems_that_end_a_sync_are_grouped_as_those_of_check_are(terminal: Terminal) -> None:
    posts = {f"content/posts/p{n}.md": "---\nauthor: Nobody Here\n---\n# A post\n" for n in range(9)}
    terminal.repository.commit(posts)
    terminal.environ.clear()
    told = terminal.run("sync", "--yes", exits=2).stderr
    assert told.count("'Nobody Here'") == 1
    assert "and 6 more" in " ".join(told.split())
