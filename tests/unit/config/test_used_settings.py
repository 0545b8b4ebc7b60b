"""Settings that a pull brings get this clone's password only after a person of this clone has agreed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.config import location
from pressync.config.credential_policy import CredentialPolicy
from pressync.config.settings import Flags, load
from pressync.model.errors import ConfigError
from pressync.repo.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

OURS, THEIRS = "https://ours.example/wp-json", "https://theirs.example/wp-json"
PASSWORD = {"PRESSYNC_USER": "anna", "PRESSYNC_PASSWORD": "hunter2"}
FILE = "pressync.toml"


def settings(url: str, more: str = "", name: str = "live") -> str:
    """Write the settings of a site."""
    return f'[sites.{name}]\nurl = "{url}"\n{more}'


@dataclass
class Desk:
    """Anna's clone, and the repository that she pulls from."""

    upstream: SampleRepository
    clone: SampleRepository

    def pull(self, text: str, *options: str) -> None:
        """Take over settings that somebody else has pushed."""
        self.upstream.commit({FILE: text})
        self.clone.git("pull", "--quiet", *options)

    def allowed(self, environ: dict[str, str] | None = None, site: str = "live") -> bool:
        """Ask for the credentials as a run does; tell whether the policy gives them."""
        environ = PASSWORD if environ is None else environ
        with Repository(self.clone.root) as repository:
            found = location.find(repository, None)
            chosen = load(found.text, where=found.where, environ=environ, flags=Flags(site))
            policy = CredentialPolicy.of(repository, chosen, environ, found)
            try:
                return policy.authorization() is not None
            except ConfigError as error:
                if error.exit_code != 2 or "these settings came from elsewhere" not in str(error):
                    raise
                return False

    def trust(self, site: str = "live") -> None:
        """Agree to the settings as they are."""
        with Repository(self.clone.root) as repository:
            found = location.find(repository, None)
            chosen = load(found.text, where=found.where, environ={}, flags=Flags(site))
            CredentialPolicy.of(repository, chosen, {}, found).trust()


@pytest.fixture
def desk(repository: SampleRepository, tmp_path: Path) -> Desk:
    """Clone a repository with settings."""
    repository.commit({FILE: settings(OURS)})
    repository.git("clone", "--quiet", str(repository.root), str(tmp_path / "clone"))
    return Desk(repository, SampleRepository(tmp_path / "clone"))


def test_the_first_use_is_believed_and_another_address_that_was_pulled_is_not(desk: Desk) -> None:
    assert desk.allowed()
    desk.pull(settings(THEIRS))
    assert not desk.allowed()
    assert not desk.allowed({"PRESSYNC_TOKEN": "hunter2"})
    desk.pull(settings(OURS, "blocks = true\ndialect = 'wordpress'\n"))
    assert desk.allowed(), "the address is the one that was used"


def test_a_site_with_another_name_is_not_believed_either(desk: Desk) -> None:
    assert desk.allowed()
    desk.pull(settings(THEIRS, name="other"))
    assert not desk.allowed(site="other")


def test_all_sites_of_the_first_use_are_believed(desk: Desk) -> None:
    desk.pull(settings(OURS) + settings(THEIRS, name="trial"))
    assert desk.allowed(site="live")
    assert desk.allowed(site="trial")
    desk.pull(settings(OURS) + settings("https://third.example/wp-json", name="trial"))
    assert desk.allowed(site="live")
    assert not desk.allowed(site="trial")


def test_settings_that_were_written_here_are_believed(desk: Desk) -> None:
    assert desk.allowed()
    desk.clone.write(FILE, settings(THEIRS))
    assert desk.allowed(), "an edit that nobody has committed"
    desk.clone.commit()
    assert desk.allowed(), "a commit of this clone"
    desk.clone.git("commit", "--quiet", "--amend", "--message", "Another address")
    assert desk.allowed(), "an amended commit of this clone"


def test_a_merge_that_is_not_concluded_has_the_settings_of_others(desk: Desk) -> None:
    assert desk.allowed()
    desk.clone.commit({"content/pages/a.md": "# A\n"})
    desk.pull(settings(THEIRS), "--no-rebase", "--no-commit", "--no-ff")
    assert (desk.clone.root / FILE).read_text(encoding="utf-8") == settings(THEIRS)
    assert not desk.allowed()


def test_a_commit_with_the_name_and_the_address_of_this_person_is_not_of_this_clone(desk: Desk) -> None:
    assert desk.allowed()
    desk.upstream.commit({FILE: settings(THEIRS)}, message="commit: Another address")
    desk.clone.git("fetch", "--quiet")
    desk.clone.git("reset", "--quiet", "--hard", "origin/main")
    assert not desk.allowed()


def test_trust_ends_the_question_for_one_site(desk: Desk) -> None:
    assert desk.allowed()
    desk.pull(settings(THEIRS) + settings("https://third.example/wp-json", name="trial"))
    desk.trust()
    assert desk.allowed()
    assert not desk.allowed(site="trial")


def test_a_command_that_was_pulled_is_not_run(desk: Desk, tmp_path: Path) -> None:
    assert desk.allowed()
    ran = tmp_path / "ran"
    command = f"password_command = 'touch {ran}; echo hunter2'\nuser = 'anna'\n"
    desk.pull(settings(OURS, command))
    assert not desk.allowed({})
    assert not desk.allowed({"PRESSYNC_URL": THEIRS})
    assert not ran.exists()
    desk.trust()
    assert desk.allowed({})
    assert ran.exists()


def test_an_address_of_the_environment_is_this_machines_own(desk: Desk) -> None:
    assert desk.allowed()
    desk.pull(settings(THEIRS))
    assert desk.allowed({**PASSWORD, "PRESSYNC_URL": "https://mine.example/wp-json"})


def test_a_site_that_needs_the_environment_too_is_one_of_the_first_use(desk: Desk) -> None:
    desk.pull(settings(OURS) + settings(f"{THEIRS}/", "blocks = true\n", name="trial"))
    assert desk.allowed(site="live")
    assert desk.allowed({**PASSWORD, "PRESSYNC_DIALECT": "wordpress"}, site="trial")


def test_a_clone_that_needed_no_password_has_used_its_settings_too(desk: Desk) -> None:
    assert not desk.allowed({})
    desk.pull(settings(THEIRS))
    assert not desk.allowed()


def test_a_line_that_a_killed_process_left_is_passed_over(desk: Desk) -> None:
    assert desk.allowed()
    file = desk.clone.root / ".git/pressync/used-settings"
    assert [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n")[:-1]] == [
        {"url": OURS, "password_command": []}
    ]
    file.write_text('{"url": "https://ours\n[]\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert desk.allowed()
    desk.pull(settings(THEIRS))
    assert not desk.allowed()
