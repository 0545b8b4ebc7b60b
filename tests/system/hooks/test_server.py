"""The hook of a bare repository: what is pushed there is synced there, whoever pushes."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support.hooked import Hooked
from tests.support.repository import SampleRepository

from pressync.app.hooks import installation
from pressync.cli.main import pressync

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.strict_service import StrictService


class Server:
    """A bare repository with the hook, and clones of it."""

    def __init__(self, hooked: Hooked, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "site.git"
        self.hooked = hooked
        subprocess.run(["git", "clone", "--quiet", "--bare", hooked.root, self.path], check=True)

    def install(self, *options: str) -> str:
        """Install the hook there, and tell what was said."""
        result = CliRunner().invoke(pressync, ["-C", str(self.path), "hook", "install", *options])
        assert result.exit_code == 0, result.output
        return result.output

    def clone(self, name: str) -> Hooked:
        """Clone it, as one of its writers does."""
        subprocess.run(["git", "clone", "--quiet", self.path, self.folder / name], check=True)
        return Hooked(SampleRepository(self.folder / name), self.hooked.starts)


@pytest.fixture
def server(hooked: Hooked, strict: StrictService, tmp_path: Path) -> Server:
    """Make a server with the hook; the site is in its environment."""
    assert strict.url == os.environ["PRESSYNC_URL"]
    made = Server(hooked, tmp_path)
    made.install()
    return made


@pytest.mark.sweep
def test_two_clones_that_push_in_turn_end_with_every_page_once(server: Server, strict: StrictService) -> None:
    anna, ben = server.clone("anna"), server.clone("ben")
    anna.commit("content/pages/anna.md", "# Anna\n")
    said = anna.git("push", "--quiet", "origin", "main")
    assert "remote: pressync: default: 2 done" in said
    ben.commit("content/pages/ben.md", "# Ben\n")
    ben.git("push", "--quiet", "origin", "main", exits=1)
    assert len(strict.pages) == 2
    ben.git("pull", "--quiet", "--no-rebase", "--no-edit")
    assert "1 done, 2 up to date" in ben.git("push", "--quiet", "origin", "main")
    anna.git("pull", "--quiet")
    anna.repository.remove("content/pages/ben.md")
    anna.repository.commit()
    assert "1 done" in anna.git("push", "--quiet", "origin", "main")
    pages = [page["slug"] for page in strict.pages if page["status"] != "trash"]
    assert sorted(pages) == ["anna", "index"]
    assert not strict.violations


@pytest.mark.sweep
def test_only_the_branch_of_the_site_is_synced_and_what_is_pushed_again_starts_nothing(
    server: Server, strict: StrictService
) -> None:
    anna = server.clone("anna")
    anna.repository.git("switch", "--quiet", "--create", "draft/one")
    anna.commit()
    assert anna.git("push", "--quiet", "origin", "draft/one", "HEAD:refs/tags/v1") == ""
    assert not strict.received
    anna.started()
    anna.commit("content/pages/about.md", "# More\n")
    assert anna.git("push", "--quiet", "origin", "draft/one") == ""
    assert anna.git("push", "--quiet", "origin", ":draft/one") == ""
    assert anna.started() == 0
    anna.repository.git("switch", "--quiet", "main")
    anna.commit("notes.txt")
    assert "1 done" in anna.git("push", "--quiet", "origin", "main")
    # The first push that finds all in step notes it, and the next needs no Python.
    for started in (1, 0):
        anna.started()
        anna.commit("notes.txt", f"{started}")
        assert anna.git("push", "--quiet", "origin", "main") == ""
        assert anna.started() == started


def test_a_server_whose_head_is_another_branch_says_what_to_do(
    hooked: Hooked, strict: StrictService, tmp_path: Path
) -> None:
    made = Server(hooked, tmp_path)
    subprocess.run(["git", "-C", made.path, "symbolic-ref", "HEAD", "refs/heads/master"], check=True)
    made.install()
    anna = made.clone("anna")
    anna.repository.git("switch", "--quiet", "main")
    anna.commit()
    said = anna.git("push", "--quiet", "origin", "main")
    assert "git symbolic-ref HEAD refs/heads/main" in said
    assert not strict.received


@pytest.mark.sweep
def test_a_pushed_password_command_is_not_run(server: Server, strict: StrictService) -> None:
    anna = server.clone("anna")
    command = f"touch '{server.folder}/run'"
    settings = f'[sites.live]\nurl = "{strict.url}"\nuser = "anna"\npassword_command = "{command}"\n'
    anna.commit("pressync.toml", settings)
    assert "password_command" in anna.git("push", "--quiet", "origin", "main")
    assert not (server.folder / "run").exists()
    assert not strict.received


@pytest.mark.parametrize(
    "secret",
    [
        {"PRESSYNC_PASSWORD": "hunter2", "PRESSYNC_USER": "anna"},
        {"PRESSYNC_PASSWORD": "hunter2"},
        {"PRESSYNC_TOKEN": "hunter2"},
    ],
)
@pytest.mark.sweep
def test_the_servers_secret_is_not_sent_to_a_pushed_address(
    server: Server, strict: StrictService, monkeypatch: pytest.MonkeyPatch, secret: dict[str, str]
) -> None:
    monkeypatch.delenv("PRESSYNC_URL")
    for name, value in secret.items():
        monkeypatch.setenv(name, value)
    anna = server.clone("anna")
    anna.commit("pressync.toml", f'[sites.live]\nurl = "{strict.url}"\nuser = "anna"\n')
    said = anna.git("push", "--quiet", "origin", "main")
    assert "pressync does not send this machine's credentials to" in said
    assert "PRESSYNC_URL" in said
    assert not strict.received
    result = CliRunner().invoke(pressync, ["-C", str(server.path), "sync", "--yes"])
    assert result.exit_code == 2, result.output
    result = CliRunner().invoke(pressync, ["-C", str(server.path), "doctor"])
    assert "does not send this machine's credentials to" in result.output
    assert not any("Authorization" in request.headers for request in strict.received)


@pytest.mark.sweep
def test_it_is_sent_where_the_server_says_whatever_is_pushed(
    server: Server, strict: StrictService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRESSYNC_TOKEN", "hunter2")
    strict.authorization = "Bearer hunter2"
    anna = server.clone("anna")
    anna.commit("pressync.toml", '[sites.live]\nurl = "https://theirs.example/wp-json"\nallow_http = true\n')
    assert "live: 1 done" in anna.git("push", "--quiet", "origin", "main")
    monkeypatch.delenv("PRESSYNC_URL")
    settings = server.folder / "site.toml"
    settings.write_text(f'[sites.live]\nurl = "{strict.url}"\n', encoding="utf-8")
    CliRunner().invoke(pressync, ["-C", str(server.path), "hook", "uninstall"])
    result = CliRunner().invoke(
        pressync, ["-C", str(server.path), "--config", str(settings), "hook", "install"]
    )
    assert result.exit_code == 0, result.output
    anna.commit("content/pages/more.md", "# More\n")
    assert "live: 1 done" in anna.git("push", "--quiet", "origin", "main")
    assert not strict.violations


@pytest.mark.sweep
def test_a_push_that_changes_a_work_tree_is_somebody_elses_word_too(
    hooked: Hooked, strict: StrictService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked.repository.git("config", "receive.denyCurrentBranch", "updateInstead")
    hook = hooked.hooks / "post-receive"
    command = f"cd .. && exec '{installation.program()[0]}' hook run post-receive"
    hook.write_text(f"#!/bin/sh\n{command}\n", encoding="utf-8")
    hook.chmod(0o755)
    monkeypatch.delenv("PRESSYNC_URL")
    monkeypatch.setenv("PRESSYNC_TOKEN", "hunter2")
    subprocess.run(["git", "clone", "--quiet", hooked.root, tmp_path / "anna"], check=True)
    anna = Hooked(SampleRepository(tmp_path / "anna"), hooked.starts)
    anna.commit("pressync.toml", f'[sites.live]\nurl = "{strict.url}"\nbranch = "main"\n')
    assert "does not send this machine's credentials to" in anna.git("push", "--quiet", "origin", "main")
    assert not strict.received
