"""The options that several commands share: completion, refusals, and the tuples of `plan` and `sync`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from pressync.cli.commands import plan, sync
from pressync.cli.main import Globals, pressync
from pressync.cli.options import PlanCommandOptions, SyncOptions, complete_sites

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.repository import SampleRepository

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
    ("words", "covers_head"),
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
def test_another_plan_is_drawn(words: tuple[str, ...], covers_head: bool) -> None:
    assert not plan_options(*words).is_plain
    assert plan_options(*words).covers_head is covers_head


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
