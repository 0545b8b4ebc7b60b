"""The system keyring: what it keeps, and what is said where a machine has none."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.keyrings import Keyring, installed

from pressync.config import keyring_store
from pressync.config.settings import Site
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

SITE = Site("production", "https://example.org/wp-json", "wordpress", "editor", ".pressync/p.json")
SECRET = "abcd efgh"
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
from pressync.config import keyring_store
from pressync.config.settings import Site
site = Site("p", "https://example.org/wp-json", "wordpress", "editor", "p.json")
print(keyring_store.place())
keyring_store.store(site, "abcd efgh")
print(keyring_store.password(site))
keyring_store.remove(site)
print(keyring_store.password(site))
"""


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> Keyring:
    return installed(monkeypatch, Keyring())


def test_a_password_is_kept_by_user_and_address_and_removed(keyring: Keyring) -> None:
    assert keyring_store.place() == "a keyring in memory"
    keyring_store.store(SITE, SECRET)
    assert keyring.kept == {("pressync", "editor@https://example.org/wp-json"): SECRET}
    assert keyring_store.password(SITE) == SECRET
    keyring_store.remove(SITE)
    keyring_store.remove(SITE)
    assert keyring_store.password(SITE) is None


def test_a_locked_keyring_is_told_without_the_words_of_the_error(keyring: Keyring) -> None:
    keyring.is_locked = True
    assert keyring_store.password(SITE) is None
    with pytest.raises(ConfigError) as caught:
        keyring_store.store(SITE, SECRET)
    assert "the keyring took no password (KeyringError); unlock it, or set `password_command`" in str(
        caught.value
    )
    assert "the secret of the error" not in str(caught.value)


def test_a_keyring_that_loses_what_it_takes_is_told(keyring: Keyring) -> None:
    keyring.loses = True
    with pytest.raises(ConfigError, match="did not give back the password"):
        keyring_store.store(SITE, SECRET)


def test_without_the_package_the_next_step_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(ConfigError, match="`pip install keyring`, or `pipx inject"):
        keyring_store.place()
    assert keyring_store.password(SITE) is None


@pytest.mark.parametrize("module", ["keyring.backends.fail", "keyring.backends.null"])
def test_a_backend_that_stores_nothing_is_not_a_keyring(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    kind = type("Empty", (Keyring,), {"__module__": module})
    installed(monkeypatch, kind())
    with pytest.raises(ConfigError, match="no keyring service that runs"):
        keyring_store.place()


def test_a_chain_without_a_backend_is_not_a_keyring(keyring: Keyring) -> None:
    vars(keyring)["backends"] = ()
    with pytest.raises(ConfigError, match="no keyring service that runs"):
        keyring_store.place()


def test_the_real_package_keeps_a_password_in_the_backend_of_its_variable(tmp_path: Path) -> None:
    pytest.importorskip("keyring", reason="the package `keyring` is optional")
    (tmp_path / "in_file.py").write_text(_BACKEND)
    environ = {"PYTHONPATH": str(tmp_path), "PYTHON_KEYRING_BACKEND": "in_file.InFile"}
    done = subprocess.run(
        [sys.executable, "-c", _USED], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:3] == ["a keyring in a file", SECRET, "None"]
