"""Remembers the addresses and commands that this clone has used with credentials.

A pull can bring settings in which somebody else changed `url` or `password_command`. The password stays on
this machine until a person of this clone has agreed to them: by using them for the first time, by writing
them, or with `pressync config --trust`.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from pressync.config import settings_author, settings_file
from pressync.config.settings import FILE_NAME, base_address, command_words, without_query
from pressync.model.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pressync.config.settings import Settings
    from pressync.repo.repository import Repository

# An address, and the command that gives the password for it.
_Pair = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class UsedSettings:
    """The pairs of address and command that this clone has used; `text` is the settings file now.

    Without its file, this clone has not used any settings yet.
    """

    repository: Repository
    text: str | None

    def begin(self) -> None:
        """Note the settings of the first run of this clone, whether it needs credentials or not."""
        if self._known() is None:
            # A Git directory that cannot be written has no place for a memory either.
            with suppress(StorageError):
                self.trust()

    def require(self, settings: Settings, *, names_address: bool) -> None:
        """Refuse an address or a command that came from elsewhere; remember what was written here.

        If the environment has the address, `names_address` is False, and only the command is checked.

        :raises ConfigError: this clone has neither used nor written these settings.
        """
        url, command = _pair(settings)

        def is_it(pair: _Pair) -> bool:
            return (not names_address or pair[0] == url) and (not command or pair[1] == command)

        known = self._known()
        if known is None or any(map(is_it, known)) or not (names_address or command):
            return
        if not settings_author.is_written_here(self.repository, lambda text: _holds(text, is_it, url)):
            raise _unknown(settings, {address for address, _ in known})
        with suppress(StorageError):
            self._add([(url, command)])

    def trust(self, settings: Settings | None = None) -> None:
        """Remember the settings of a site; without `settings`, those of all sites.

        :raises StorageError: the Git directory cannot be written.
        """
        self._add([_pair(settings)] if settings else _pairs(self.text or ""))

    @property
    def _file(self) -> Path:
        return self.repository.common_directory / "pressync" / "used-settings"

    def _known(self) -> list[_Pair] | None:
        try:
            lines = self._file.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StorageError(f"{self._file} cannot be read: {error}") from error
        return [pair for line in lines if (pair := _parsed(line))]

    def _add(self, pairs: Iterable[_Pair]) -> None:
        """Write the file anew, with further pairs; a full disk or a kill leaves the one before."""
        values = (
            {"url": url, "password_command": command}
            for url, command in dict.fromkeys((*(self._known() or ()), *pairs))
        )
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            written = self._file.with_name(f"used-settings.{os.getpid()}.new")
            written.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
            written.replace(self._file)
        except OSError as error:
            raise StorageError(f"{self._file} cannot be written: {error}") from error


def _pair(settings: Settings) -> _Pair:
    return settings.site.url or "", settings.site.password_command


def _pairs(text: str) -> list[_Pair]:
    """Give the pairs of all sites of a settings file."""
    sites = settings_file.read(text, FILE_NAME).get("sites", {})
    return [
        (base_address(table["url"]), command_words(table.get("password_command", ())))
        for table in sites.values()
        if table.get("url")
    ]


def _holds(text: str, is_it: Callable[[_Pair], bool], url: str) -> bool:
    """Tell whether settings have a pair; if they cannot be read, whether they mention the address."""
    try:
        return any(map(is_it, _pairs(text)))
    except ConfigError:
        return url in text


def _parsed(line: str) -> _Pair | None:
    """Read one line; None for one that a killed process did not finish."""
    try:
        found = json.loads(line)
        return str(found["url"]), tuple(map(str, found["password_command"]))
    except (ValueError, TypeError, KeyError):
        return None


def _unknown(settings: Settings, addresses: set[str]) -> ConfigError:
    url, command = _pair(settings)
    shown = without_query(url)
    what = "run this `password_command`" if command else f"sent its credentials to {shown}"
    if command and url not in addresses:
        what += f" for {shown}"
    return ConfigError(
        f"this clone has not {what} before, and these settings came from elsewhere",
        where=settings.origins.get("url", FILE_NAME),
        todo=f"look at them; if they are right, `pressync --site {quote(settings.site.name)} config --trust`",
    )
