"""`pressync logout` as it is typed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.embedded_wordpress import PASSWORD, USER
from tests.support.keyrings import Keyring, installed
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from tests.support.repository import SampleRepository

URL = "https://example.org/wp-json"
KEY = ("pressync", f"{USER}@{URL}")


@pytest.fixture
def terminal(repository: SampleRepository) -> Terminal:
    settings = f'[sites.a]\nurl = "{URL}"\ndialect = "wordpress"\nuser = "{USER}"\n'
    repository.commit({"pressync.toml": settings})
    return Terminal(repository, {})


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    return installed(monkeypatch, Keyring(kept={KEY: PASSWORD}))


def test_a_removed_password_still_works_at_the_site_and_that_is_said(
    terminal: Terminal, keyring: Keyring
) -> None:
    assert "The site still accepts it: revoke it there" in terminal.run("logout").stdout
    assert not keyring.kept
    assert f"The keyring has no password of {USER}@{URL}." in terminal.run("logout").stdout


@pytest.mark.parametrize("arguments", [(), ("--revoke",)])
def test_without_a_keyring_nobody_can_say_that_it_has_no_password(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert "the package `keyring` is not installed" in terminal.run("logout", *arguments, exits=2).stderr


@pytest.mark.parametrize(
    ("name", "said"), [("mine", "Revoked “mine” at the site"), ("", "no longer accepted")]
)
def test_a_password_is_revoked_at_the_site(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, keyring: Keyring, name: str, said: str
) -> None:
    monkeypatch.setattr("pressync.app.login.login._revoked", lambda _service: name)
    assert said in terminal.run("logout", "--revoke").stdout
    assert not keyring.kept
