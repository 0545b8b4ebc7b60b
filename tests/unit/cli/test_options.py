"""Shell completion of the options and arguments that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from pressync.cli.main import pressync
from pressync.cli.options import complete_sites

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
