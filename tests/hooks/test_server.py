"""The hook of a bare repository: what is pushed there is synced there, whoever pushes."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.hooks.hooked import Hooked
from tests.repository import SampleRepository

from pressync.cli import pressync

if TYPE_CHECKING:
    from pathlib import Path

    from tests.strict_service import StrictService


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


def test_two_clones_that_push_in_turn_end_with_every_page_once(server: Server, strict: StrictService) -> None:
    anna, ben = server.clone("anna"), server.clone("ben")
    anna.commit("content/pages/anna.md", "# Anna\n")
    said = anna.git("push", "--quiet", "origin", "main")
    assert "remote: pressync: default: 2 done" in said
    ben.commit("content/pages/ben.md", "# Ben\n")
    ben.git("push", "--quiet", "origin", "main", exits=1)
    assert len(strict.pages) == 2
    ben.git("pull", "--quiet", "--no-rebase", "--no-edit")
    assert "1 done, 2 in step" in ben.git("push", "--quiet", "origin", "main")
    anna.git("pull", "--quiet")
    anna.repository.remove("content/pages/ben.md")
    anna.repository.commit()
    assert "1 done" in anna.git("push", "--quiet", "origin", "main")
    pages = [page["slug"] for page in strict.pages if page["status"] != "trash"]
    assert sorted(pages) == ["anna", "index"]
    assert not strict.violations


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


def test_a_pushed_password_command_is_not_run(server: Server, strict: StrictService) -> None:
    anna = server.clone("anna")
    command = f"touch '{server.folder}/run'"
    settings = f'[sites.live]\nurl = "{strict.url}"\nuser = "anna"\npassword_command = "{command}"\n'
    anna.commit("pressync.toml", settings)
    assert "password_command" in anna.git("push", "--quiet", "origin", "main")
    assert not (server.folder / "run").exists()
    assert not strict.received
