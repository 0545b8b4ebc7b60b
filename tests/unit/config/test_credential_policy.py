"""The credentials of a machine, beside settings that somebody pushed to it."""

from __future__ import annotations

import pytest

from pressync.config import settings as config
from pressync.config.credential_policy import CredentialPolicy
from pressync.model.errors import ConfigError

OURS, THEIRS = "https://ours.example/wp-json", "https://theirs.example/wp-json"
PASSWORD = {"PRESSYNC_USER": "anna", "PRESSYNC_PASSWORD": "hunter2"}
TOKEN = {"PRESSYNC_TOKEN": "hunter2"}


def settings(environ: dict[str, str], more: str = "", url: str = THEIRS) -> config.Settings:
    """Read the settings of a site that names an address."""
    return config.load(f'[sites.live]\nurl = "{url}"\n{more}', where="pressync.toml", environ=environ)


@pytest.mark.parametrize("secret", [PASSWORD, TOKEN, {"PRESSYNC_PASSWORD": "hunter2"}])
def test_no_secret_of_the_environment_goes_to_an_address_that_was_pushed(secret: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as refused:
        CredentialPolicy(settings(secret), secret, is_pushed=True).authorization()
    assert str(refused.value) == (
        f"pressync.toml [sites.live]: pressync does not send this machine's credentials to {THEIRS}, "
        "because that `url` was pushed; set PRESSYNC_URL on this machine, or keep the settings in a file "
        "on it, for `--config FILE`"
    )
    assert refused.value.exit_code == 2


def test_a_pushed_user_does_not_make_us_ask_the_keyring_for_a_pushed_address() -> None:
    with pytest.raises(ConfigError, match="was pushed"):
        CredentialPolicy(settings({}, 'user = "anna"\n'), {}, is_pushed=True).authorization()


@pytest.mark.parametrize("secret", [PASSWORD, TOKEN])
def test_an_address_of_the_environment_gets_it_whatever_was_pushed(secret: dict[str, str]) -> None:
    environ = {**secret, "PRESSYNC_URL": OURS}
    found = settings(environ, 'user = "mallory"\n')
    assert found.site.url == OURS
    assert CredentialPolicy(found, environ, is_pushed=True).authorization() is not None


def test_an_empty_address_of_the_environment_is_not_one() -> None:
    environ = {**PASSWORD, "PRESSYNC_URL": ""}
    with pytest.raises(ConfigError, match="was pushed"):
        CredentialPolicy(settings(environ), environ, is_pushed=True).authorization()


@pytest.mark.parametrize("name", ["PRESSYNC_URL", "default"])
def test_no_name_of_a_site_passes_for_the_environment(name: str) -> None:
    found = config.load(f'[sites.{name}]\nurl = "{THEIRS}"\n', where="pressync.toml", environ=PASSWORD)
    with pytest.raises(ConfigError, match="was pushed"):
        CredentialPolicy(found, PASSWORD, is_pushed=True).authorization()


def test_a_pushed_command_is_not_run() -> None:
    environ = {**PASSWORD, "PRESSYNC_URL": OURS}
    with pytest.raises(ConfigError, match="does not run a `password_command` that was pushed"):
        CredentialPolicy(
            settings(environ, 'password_command = "true"\n'), environ, is_pushed=True
        ).authorization()


def test_pushed_settings_do_not_allow_credentials_in_the_clear() -> None:
    found = settings({}, "allow_http = true\n")
    assert CredentialPolicy(found, {}, is_pushed=False).allow_http
    assert not CredentialPolicy(found, {}, is_pushed=True).allow_http


def test_an_address_that_wants_no_credentials_needs_none() -> None:
    assert CredentialPolicy(settings({}), {}, is_pushed=True).authorization() is None


def test_settings_of_the_machine_itself_are_obeyed() -> None:
    assert CredentialPolicy(settings(PASSWORD), PASSWORD, is_pushed=False).authorization() is not None
