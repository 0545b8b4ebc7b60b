"""A keyring in memory, in the place of the package `keyring`, which is optional."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


class KeyringError(Exception):
    """The error that the package raises."""


@dataclass
class Keyring:
    """A backend that keeps passwords by service and account; with `is_locked` it refuses each call."""

    name: str = "a keyring in memory"
    priority: int = 1
    is_locked: bool = False
    loses: bool = False
    kept: dict[tuple[str, str], str] = field(default_factory=dict)
    error: type[Exception] = KeyringError

    def get_keyring(self) -> Keyring:
        """Give the backend, as the package does."""
        return self

    def get_password(self, service: str, username: str) -> str | None:
        """Look a password up."""
        self._open()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        """Store a password."""
        self._open()
        if not self.loses:
            self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        """Remove a password."""
        self._open()
        del self.kept[service, username]

    def _open(self) -> None:
        if self.is_locked:
            raise self.error("the secret of the error")


def installed(monkeypatch: pytest.MonkeyPatch, keyring: Keyring) -> Keyring:
    """Put a keyring in the place of the machine's."""
    module, errors = ModuleType("keyring"), ModuleType("keyring.errors")
    for name in ("get_keyring", "get_password", "set_password", "delete_password"):
        setattr(module, name, getattr(keyring, name))
    vars(errors)["KeyringError"] = keyring.error
    vars(module)["errors"] = errors
    monkeypatch.setitem(sys.modules, "keyring", module)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    return keyring
