"""Where a secret comes from, that it shows nowhere on its way, and whose settings may use it."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import traceback
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from tests.support.keyrings import Keyring, installed

from pressync.config import secrets, settings
from pressync.config.secrets import CredentialPolicy, authorization
from pressync.config.settings import Site
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


SECRET = "hunter2"
SITE = Site("production", "https://example.org/wp-json", "documented", "editor", ".pressync/production.json")


def basic(password: str, user: str = "editor") -> str:
    """Give the header that a user and a password make."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def revealed(site: Site, environ: dict[str, str] | None = None) -> str | None:
    """Ask for the credentials of a site and reveal them."""
    found = authorization(site, environ or {})
    return found.reveal() if found else None


def refused(site: Site, environ: dict[str, str] | None = None) -> str:
    """Ask for credentials that cannot be had; give everything that a person or a log could see of it."""
    with pytest.raises(ConfigError) as caught:
        authorization(site, environ or {})
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown
    assert caught.value.__cause__ is None
    return str(caught.value)


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the keyring of the person who runs the tests."""
    monkeypatch.setitem(sys.modules, "keyring", None)


@pytest.fixture
def command(tmp_path: Path) -> Callable[[str], Site]:
    """Make a site whose password comes from a script."""

    def site(script: str) -> Site:
        file = tmp_path / "ask for it.sh"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        return replace(SITE, password_command=(str(file), "production"))

    return site


def test_a_token_goes_before_a_password_and_needs_no_user() -> None:
    environ = {"PRESSYNC_TOKEN": "abc.def", "PRESSYNC_PASSWORD": SECRET}
    assert revealed(replace(SITE, user=None), environ) == "Bearer abc.def"


def test_what_is_found_hides_itself() -> None:
    found = authorization(SITE, {"PRESSYNC_PASSWORD": SECRET})
    assert SECRET not in repr(found) + str(found) + f"{found}"
    assert basic(SECRET) not in repr(found) + str(found)


def test_a_user_without_a_password_is_told_the_three_places() -> None:
    said = refused(SITE)
    assert said == (
        "no password for editor on site 'production'; set PRESSYNC_PASSWORD or `password_command`, "
        "or install `keyring` beside pressync (`pip install keyring`, or `pipx inject pressync keyring`) "
        "and run `pressync login`"
    )


def test_a_password_without_a_user_is_refused_and_not_repeated() -> None:
    said = refused(replace(SITE, user=None), {"PRESSYNC_PASSWORD": SECRET})
    assert said == "a password is set, but not a user; set PRESSYNC_USER or `user`"


@pytest.mark.parametrize("environ", [{"PRESSYNC_PASSWORD": f"{SECRET}\n"}, {"PRESSYNC_TOKEN": f"{SECRET} x"}])
def test_a_secret_that_cannot_be_sent_is_refused_and_not_repeated(environ: dict[str, str]) -> None:
    assert "check PRESSYNC_" in refused(SITE, environ)


class TestCommand:
    """The password may be the first line of what a command prints."""

    def test_a_list_of_words_is_run_without_a_shell(self, command: Callable[[str], Site]) -> None:
        assert revealed(command('echo "$1;$#"')) == basic("production;1")

    def test_one_string_is_a_shell_line(self) -> None:
        line = f"printf '%s' {SECRET}; echo"
        text = (
            f'[sites.a]\nurl = "https://example.org/wp-json"\nuser = "editor"\npassword_command = "{line}"\n'
        )
        assert revealed(settings.load(text, where="pressync.toml", environ={}).site) == basic(SECRET)

    def test_a_command_whose_path_has_a_blank_is_run(self, tmp_path: Path) -> None:
        file = tmp_path / "the password"
        file.write_text(f"#!/bin/sh\necho {SECRET}\n", encoding="utf-8")
        file.chmod(0o755)
        assert revealed(replace(SITE, password_command=(str(file),))) == basic(SECRET)

    def test_only_the_first_line_counts(self, command: Callable[[str], Site]) -> None:
        assert revealed(command(rf"printf '{SECRET} \r\nuser: editor\n'")) == basic(f"{SECRET} ")

    def test_a_command_that_prints_nothing_gives_no_password(self, command: Callable[[str], Site]) -> None:
        assert refused(command("echo")).startswith("no password for editor")

    def test_a_failing_command_is_told_without_what_it_said(self, command: Callable[[str], Site]) -> None:
        said = refused(command(f"echo {SECRET}; echo {SECRET} >&2; exit 3"))
        assert said == "`password_command` of site 'production' failed with exit code 3; run it by hand"

    def test_what_a_command_complains_of_does_not_reach_the_log(
        self, command: Callable[[str], Site], capfd: pytest.CaptureFixture[str]
    ) -> None:
        revealed(command(f"echo {SECRET} >&2; echo {SECRET}"))
        assert SECRET not in "".join(capfd.readouterr())

    def test_a_command_that_is_not_there_is_told(self) -> None:
        said = refused(replace(SITE, password_command=("/nowhere/pass", SECRET)))
        assert said == "`password_command` of site 'production' failed (FileNotFoundError); run it by hand"

    def test_a_command_that_prints_no_text_is_told(self, command: Callable[[str], Site]) -> None:
        said = refused(command(rf"printf '{SECRET}\377\n'"))
        assert said.startswith("`password_command` of site 'production' failed: its output is not UTF-8")

    def test_it_does_not_eat_what_a_hook_is_given_to_read(
        self, command: Callable[[str], Site], tmp_path: Path
    ) -> None:
        (tmp_path / "pushed").write_text("what was pushed\n")
        before = os.dup(0)
        with (tmp_path / "pushed").open() as pushed:
            os.dup2(pushed.fileno(), 0)
            try:
                assert refused(command("head -1")).startswith("no password")
            finally:
                os.dup2(before, 0)
                os.close(before)


class TestKeyring:
    """The system's keyring is asked last, if the machine has one."""

    class KeyringError(Exception):
        """What keyring raises when no service answers."""

    @pytest.fixture
    def keyring(self, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
        """Put a keyring in place that holds what the test writes into it."""
        stored: dict[tuple[str, str], str] = {}

        def get_password(service: str, name: str) -> str | None:
            if not stored:
                raise self.KeyringError
            return stored.get((service, name))

        module, errors = ModuleType("keyring"), ModuleType("keyring.errors")
        vars(module)["get_password"] = get_password
        vars(errors)["KeyringError"] = self.KeyringError
        monkeypatch.setitem(sys.modules, "keyring", module)
        vars(module)["errors"] = errors
        monkeypatch.setitem(sys.modules, "keyring.errors", errors)
        return stored

    def test_it_is_asked_by_user_and_address(self, keyring: dict[tuple[str, str], str]) -> None:
        keyring["pressync", "editor@https://example.org/wp-json"] = SECRET
        assert revealed(SITE) == basic(SECRET)

    def test_another_sites_password_is_not_taken(self, keyring: dict[tuple[str, str], str]) -> None:
        keyring["pressync", "editor@https://staging.example.org/wp-json"] = SECRET
        assert refused(SITE).endswith("or `password_command`, or run `pressync login`")

    @pytest.mark.usefixtures("keyring")
    def test_one_that_does_not_answer_is_an_empty_one(self) -> None:
        assert refused(SITE).startswith("no password for editor")

    def test_the_command_goes_before_it(
        self, keyring: dict[tuple[str, str], str], command: Callable[[str], Site]
    ) -> None:
        keyring["pressync", "editor@https://example.org/wp-json"] = "other"
        assert revealed(command(f"echo {SECRET}")) == basic(SECRET)


OURS, THEIRS = "https://ours.example/wp-json", "https://theirs.example/wp-json"
PASSWORD = {"PRESSYNC_USER": "anna", "PRESSYNC_PASSWORD": "hunter2"}
TOKEN = {"PRESSYNC_TOKEN": "hunter2"}


def settings_of(environ: dict[str, str], more: str = "", url: str = THEIRS) -> settings.Settings:
    """Read the settings of a site that names an address."""
    return settings.load(f'[sites.live]\nurl = "{url}"\n{more}', where="pressync.toml", environ=environ)


@pytest.mark.parametrize("secret", [PASSWORD, TOKEN, {"PRESSYNC_PASSWORD": "hunter2"}])
def test_no_secret_of_the_environment_goes_to_an_address_that_was_pushed(secret: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as refused:
        CredentialPolicy(settings_of(secret), secret, is_pushed=True).authorization()
    assert str(refused.value) == (
        f"pressync.toml [sites.live]: pressync does not send this machine's credentials to {THEIRS}, "
        "because that `url` was pushed; set PRESSYNC_URL on this machine, or keep the settings in a file "
        "on it, for `--config FILE`"
    )
    assert refused.value.exit_code == 2


def test_a_pushed_user_does_not_make_us_ask_the_keyring_for_a_pushed_address() -> None:
    with pytest.raises(ConfigError, match="was pushed"):
        CredentialPolicy(settings_of({}, 'user = "anna"\n'), {}, is_pushed=True).authorization()


@pytest.mark.parametrize("secret", [PASSWORD, TOKEN])
def test_an_address_of_the_environment_gets_it_whatever_was_pushed(secret: dict[str, str]) -> None:
    environ = {**secret, "PRESSYNC_URL": OURS}
    found = settings_of(environ, 'user = "mallory"\n')
    assert found.site.url == OURS
    assert CredentialPolicy(found, environ, is_pushed=True).authorization() is not None


def test_an_empty_address_of_the_environment_is_not_one() -> None:
    environ = {**PASSWORD, "PRESSYNC_URL": ""}
    with pytest.raises(ConfigError, match="was pushed"):
        CredentialPolicy(settings_of(environ), environ, is_pushed=True).authorization()


@pytest.mark.parametrize("name", ["PRESSYNC_URL", "default"])
def test_no_name_of_a_site_passes_for_the_environment(name: str) -> None:
    found = settings.load(f'[sites.{name}]\nurl = "{THEIRS}"\n', where="pressync.toml", environ=PASSWORD)
    with pytest.raises(ConfigError, match="was pushed"):
        CredentialPolicy(found, PASSWORD, is_pushed=True).authorization()


def test_a_pushed_command_is_not_run() -> None:
    environ = {**PASSWORD, "PRESSYNC_URL": OURS}
    with pytest.raises(ConfigError, match="does not run a `password_command` that was pushed"):
        CredentialPolicy(
            settings_of(environ, 'password_command = "true"\n'), environ, is_pushed=True
        ).authorization()


def test_pushed_settings_do_not_allow_credentials_in_the_clear() -> None:
    found = settings_of({}, "allow_http = true\n")
    assert CredentialPolicy(found, {}, is_pushed=False).allow_http
    assert not CredentialPolicy(found, {}, is_pushed=True).allow_http


def test_an_address_that_wants_no_credentials_needs_none() -> None:
    assert CredentialPolicy(settings_of({}), {}, is_pushed=True).authorization() is None


def test_settings_of_the_machine_itself_are_obeyed() -> None:
    assert CredentialPolicy(settings_of(PASSWORD), PASSWORD, is_pushed=False).authorization() is not None


IN_KEYRING = Site("production", "https://example.org/wp-json", "wordpress", "editor", ".pressync/p.json")
KEPT = "abcd efgh"
_BACKEND = """\
from pathlib import Path
from keyring.backend import KeyringBackend

class InFile(KeyringBackend):
    name = "a keyring in a file"
    priority = 1
    file = Path(__file__).with_suffix(".txt")

    def get_password(self, service, username):
        return self.file.read_text() if self.file.exists() else None

    def set_password(self, service, username, password):
        self.file.write_text(password)

    def delete_password(self, service, username):
        self.file.unlink()
"""
_USED = """\
from pressync.config import secrets
from pressync.config.settings import Site
site = Site("p", "https://example.org/wp-json", "wordpress", "editor", "p.json")
print(secrets.keyring_name())
secrets.store_password(site, "abcd efgh")
print(secrets.stored_password(site))
secrets.remove_password(site)
print(secrets.stored_password(site))
"""


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    return installed(monkeypatch, Keyring())


def test_a_password_is_kept_by_user_and_address_and_removed(keyring: Keyring) -> None:
    assert secrets.keyring_name() == "a keyring in memory"
    secrets.store_password(IN_KEYRING, KEPT)
    assert keyring.kept == {("pressync", "editor@https://example.org/wp-json"): KEPT}
    assert secrets.stored_password(IN_KEYRING) == KEPT
    secrets.remove_password(IN_KEYRING)
    secrets.remove_password(IN_KEYRING)
    assert secrets.stored_password(IN_KEYRING) is None


def test_a_locked_keyring_is_told_without_the_words_of_the_error(keyring: Keyring) -> None:
    keyring.is_locked = True
    assert secrets.stored_password(IN_KEYRING) is None
    with pytest.raises(ConfigError) as caught:
        secrets.store_password(IN_KEYRING, KEPT)
    assert "the keyring took no password (KeyringError); unlock it, or set `password_command`" in str(
        caught.value
    )
    assert "the secret of the error" not in str(caught.value)


def test_a_keyring_that_loses_what_it_takes_is_told(keyring: Keyring) -> None:
    keyring.loses = True
    with pytest.raises(ConfigError, match="did not give back the password"):
        secrets.store_password(IN_KEYRING, KEPT)


def test_without_the_package_the_next_step_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ConfigError, match="`pip install keyring`, or `pipx inject"):
        secrets.keyring_name()
    assert secrets.stored_password(IN_KEYRING) is None


@pytest.mark.parametrize("module", ["keyring.backends.fail", "keyring.backends.null"])
def test_a_backend_that_stores_nothing_is_not_a_keyring(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    kind = type("Empty", (Keyring,), {"__module__": module})
    installed(monkeypatch, kind())
    with pytest.raises(ConfigError, match="no keyring service that runs"):
        secrets.keyring_name()


def test_a_chain_without_a_backend_is_not_a_keyring(keyring: Keyring) -> None:
    vars(keyring)["backends"] = ()
    with pytest.raises(ConfigError, match="no keyring service that runs"):
        secrets.keyring_name()


def test_the_real_package_keeps_a_password_in_the_backend_of_its_variable(tmp_path: Path) -> None:
    pytest.importorskip("keyring", reason="the package `keyring` is optional")
    (tmp_path / "in_file.py").write_text(_BACKEND)
    environ = {"PYTHONPATH": str(tmp_path), "PYTHON_KEYRING_BACKEND": "in_file.InFile"}
    done = subprocess.run(
        [sys.executable, "-c", _USED], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:3] == ["a keyring in a file", KEPT, "None"]
