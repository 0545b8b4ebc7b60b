"""Settings that a pull brings get this clone's password only after a person of this clone has agreed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from tests.support.repository import SampleRepository

from pressync.app.hooks import installation
from pressync.app.hooks.dispatch import begin_with_settings
from pressync.app.hooks.installation import Setup
from pressync.config.secrets import CredentialPolicy
from pressync.config.settings import find_text, load
from pressync.config.used_settings import UsedSettings
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
    asked: list[str] = field(default_factory=list)

    def pull(self, text: str, *options: str) -> None:
        """Take over settings that somebody else has pushed."""
        self.upstream.commit({FILE: text})
        self.clone.git("pull", "--quiet", *options)

    @property
    def memory(self) -> Path:
        """The file with the settings that this clone has used."""
        return self.clone.root / ".git/pressync/used-settings"

    def hook_is_installed(self) -> None:
        """Take over the settings as `pressync hook install` does."""
        begin_with_settings(installation.find(self.clone.root), Setup())

    def allowed(
        self, environ: dict[str, str] | None = None, site: str | None = "live", *, answer: bool = False
    ) -> bool:
        """Ask for the credentials as a run does; tell whether the policy gives them.

        A person who is asked gives `answer`.
        """

        def agree(question: str) -> bool:
            self.asked.append(question)
            return answer

        environ = PASSWORD if environ is None else environ
        with Repository(self.clone.root) as repository:
            found = find_text(repository, None)
            chosen = load(found.text, where=found.where, environ=environ, site=site)
            policy = CredentialPolicy(
                chosen, environ, found.is_pushed, UsedSettings(repository, found.text, agree)
            )
            try:
                return policy.authorization() is not None
            except ConfigError as error:
                if error.exit_code != 2 or "config --trust" not in str(error):
                    raise
                return False

    def trust(self, site: str = "live") -> None:
        """Agree to the settings as they are."""
        with Repository(self.clone.root) as repository:
            found = find_text(repository, None)
            chosen = load(found.text, where=found.where, environ={}, site=site)
            CredentialPolicy(chosen, {}, found.is_pushed, UsedSettings(repository, found.text)).trust()


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


@pytest.mark.parametrize(
    "spelled",
    [
        pytest.param('[sites.live]\n"u\\u0072l" = "\\u0068ttps://theirs.example/wp-json"\n', id="escapes"),
        pytest.param(f'sites.live.url = "{THEIRS}"\n', id="dotted"),
        pytest.param(f'sites = {{live = {{url = "{THEIRS}"}}}}\n', id="inline"),
        pytest.param(f"[sites.'live']\nurl = '''\n{THEIRS}'''\n", id="literal"),
        pytest.param("\ufeff" + settings(THEIRS).replace("\n", "\r\n"), id="crlf"),
        pytest.param(
            f'[sites.live]\nurl = "{OURS}"\n"password\\u005fcommand" = "t\\u0072ue"\n', id="command"
        ),
        pytest.param(f'[sites.live]\nurl = "{OURS}"\npassword_command = ["tr\\u0075e"]\n', id="words"),
    ],
)
def test_a_line_that_cannot_be_read_hides_nothing(desk: Desk, spelled: str) -> None:
    """Somebody deletes the bad line of a pulled file, commits that, and syncs."""
    assert desk.allowed()
    for bad in ("colour = 1\n", "[broken\n", "\0\n"):
        desk.pull(bad + spelled, "--rebase")
        with pytest.raises(ConfigError):
            desk.allowed()
    desk.clone.commit({FILE: spelled})
    assert not desk.allowed()
    desk.clone.git("commit", "--quiet", "--amend", "--message", "Without the bad line")
    assert not desk.allowed()
    desk.trust()
    assert desk.allowed()


def test_settings_in_another_encoding_or_behind_a_link_are_compared_by_their_text(desk: Desk) -> None:
    assert desk.allowed()
    file = desk.clone.root / FILE
    file.write_bytes(settings(THEIRS).encode("utf-16"))
    with pytest.raises(ConfigError, match="cannot be read"):
        desk.allowed()
    desk.clone.commit({"elsewhere.toml": settings(THEIRS)})
    file.unlink()
    file.symlink_to("elsewhere.toml")
    assert not desk.allowed()


def test_a_hook_is_a_first_use_of_what_can_be_read_and_no_word_for_new_settings(desk: Desk) -> None:
    desk.pull(f"colour = 1\n{settings(THEIRS)}")
    for use in (desk.allowed, desk.hook_is_installed):
        with pytest.raises(ConfigError, match="colour"):
            use()
    assert not desk.memory.exists()
    desk.pull(settings(OURS))
    desk.hook_is_installed()
    desk.pull(settings(THEIRS))
    assert not desk.allowed()
    desk.hook_is_installed()
    assert not desk.allowed()


@pytest.mark.parametrize(
    ("spelled", "same"),
    [
        ("HTTPS://ours.example/wp-json", True),
        ("https://OURS.example:443/wp-json/", True),
        ("http://ours.example/wp-json", False),
        ("https://ours.example:8443/wp-json", False),
        ("https://ours.example/wp-json/eve", False),
    ],
)
def test_another_spelling_of_an_address_is_the_same_one(desk: Desk, spelled: str, *, same: bool) -> None:
    assert desk.allowed()
    desk.pull(settings(spelled, "allow_http = true\n"))
    assert desk.allowed() is same


def test_a_person_is_asked_once(desk: Desk) -> None:
    assert desk.allowed()
    desk.pull(settings(THEIRS, "password_command = 'echo \"hunter2\"'\nuser = 'anna'\n"))
    assert not desk.allowed({}, answer=False)
    assert desk.allowed({}, answer=True)
    (question, *others) = desk.asked
    assert question == (
        f"{FILE} [sites.live]: this clone has not sent its credentials to {THEIRS} or run this "
        f'`password_command` for {THEIRS} before. It is `echo "hunter2"`. So far it has used {OURS}. '
        "Go on with these settings from now on?"
    )
    assert others == [question]
    assert desk.allowed({})


def test_a_command_that_belongs_to_another_address_is_new_there(desk: Desk, tmp_path: Path) -> None:
    command = f"password_command = 'touch {tmp_path / 'ran'}; echo hunter2'\nuser = 'anna'\n"
    desk.pull(settings(OURS, command) + settings(THEIRS, name="trial"))
    assert desk.allowed(site="trial")
    desk.pull(settings(THEIRS, command))
    assert not desk.allowed({})
    assert not (tmp_path / "ran").exists()


def test_a_clone_with_an_address_of_its_environment_asks_about_what_was_pulled(desk: Desk) -> None:
    """A pushed table becomes the only site, and so the default one."""
    here = {**PASSWORD, "PRESSYNC_URL": OURS}
    desk.pull("exclude = []\n")
    assert desk.allowed(here, site=None)
    desk.pull(settings(THEIRS, name="evil"))
    assert not desk.allowed(site=None)


def test_a_command_of_the_first_use_may_have_its_address_in_the_environment(desk: Desk) -> None:
    for secret, allowed in (("hunter2", True), ("hunter3", False)):
        desk.pull(f"[sites.live]\nuser = 'anna'\npassword_command = 'echo {secret}'\n")
        assert desk.allowed({"PRESSYNC_URL": OURS}) is allowed


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


def test_a_clone_that_needed_no_password_has_used_its_settings(desk: Desk) -> None:
    assert not desk.allowed({})
    desk.pull(settings(THEIRS) + settings("https://third.example/wp-json", name="trial"))
    assert not desk.allowed()
    assert desk.allowed({**PASSWORD, "PRESSYNC_URL": "https://mine.example/wp-json"})
    desk.trust()
    assert desk.allowed()
    assert not desk.allowed(site="trial"), "one site was agreed to"


def test_a_site_that_needs_the_environment_too_is_one_of_the_first_use(desk: Desk) -> None:
    desk.pull(settings(OURS) + settings(f"{THEIRS}/", "blocks = true\n", name="trial"))
    assert desk.allowed(site="live")
    assert desk.allowed({**PASSWORD, "PRESSYNC_DIALECT": "wordpress"}, site="trial")


def test_a_line_that_a_killed_process_left_is_passed_over(desk: Desk) -> None:
    assert desk.allowed()
    file = desk.memory
    assert [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n")[:-1]] == [
        {"url": OURS, "password_command": [], "site": "live"}
    ]
    file.write_text('{"url": "https://ours\n[]\n' + file.read_text(encoding="utf-8"), encoding="utf-8")
    assert desk.allowed()
    desk.pull(settings(THEIRS))
    assert not desk.allowed()
