"""Remembers the addresses and commands that this clone has used with credentials.

A pull can bring settings in which somebody else changed `url` or `password_command`. The password stays on
this machine until a person of this clone has agreed to them: by using them for the first time, by writing
them, or with `pressync config --trust`.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING

from pressync.config import settings_file
from pressync.config.settings import FILE_NAME, Flags, load
from pressync.model.errors import ConfigError, StorageError
from pressync.repo.run_git import rows

if TYPE_CHECKING:
    from collections.abc import Iterable
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

    def require(self, settings: Settings, *, names_address: bool) -> None:
        """Refuse an address or a command that came from elsewhere; remember those of a first use.

        If the environment has the address, `names_address` is False, and only the command is checked.

        :raises ConfigError: this clone has neither used nor written these settings.
        """
        known, (url, command) = self._known(), _pair(settings)
        if known is None:
            # A Git directory that cannot be written has no place for a memory either.
            with suppress(StorageError):
                self.trust(settings)
            return
        if names_address and command:
            is_known = (url, command) in known
        elif names_address:
            is_known = any(url == address for address, _ in known)
        else:
            is_known = not command or any(command == each for _, each in known)
        if not is_known and not self._is_written_here():
            raise _unknown(settings, {address for address, _ in known})

    def trust(self, settings: Settings | None = None) -> None:
        """Remember the settings of a site; at the first use, or without `settings`, those of all sites.

        :raises StorageError: the Git directory cannot be written.
        """
        known = self._known()
        pairs = [_pair(settings)] if settings else []
        if settings is None or known is None:
            pairs += _all_pairs(self.text)
        self._add(pair for pair in dict.fromkeys(pairs) if pair not in (known or ()))

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
        values = ({"url": url, "password_command": command} for url, command in pairs)
        lines = "".join(f"{json.dumps(value)}\n" for value in values)
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as file:
                file.write(lines)
        except OSError as error:
            raise StorageError(f"{self._file} cannot be written: {error}") from error

    def _is_written_here(self) -> bool:
        """Tell whether this clone wrote the settings: as an edit, or in a commit that was made here."""
        repository, path = self.repository, FILE_NAME
        if (repository.git_directory / "MERGE_HEAD").exists():
            # A merge that is not concluded has the settings of the other side in the working tree.
            return False
        status, listed, _ = repository.ask("ls-tree", "--full-tree", "HEAD", "--", path)
        if status or not listed or repository.ask("diff", "--quiet", "HEAD", "--", path)[0]:
            return True
        commit = repository.ask("log", "-1", "--format=%H", "HEAD", "--", path)[1]
        # The reflog has "commit", "commit (amend)" and so on for what was committed here. Nobody can push it.
        made = repository.ask("log", "--walk-reflogs", "--all", "--format=%H %gs")[1]
        return any(row.startswith((f"{commit} commit:", f"{commit} commit (")) for row in rows(made))


def _pair(settings: Settings) -> _Pair:
    return settings.site.url or "", settings.site.password_command


def _all_pairs(text: str | None) -> list[_Pair]:
    """Give the pairs of all sites of a settings file."""
    names = settings_file.read(text or "", FILE_NAME).get("sites", {})
    sites = [
        load(text, where=FILE_NAME, environ={}, flags=Flags(name))
        for name, table in names.items()
        if table.get("url")
    ]
    return [_pair(each) for each in sites]


def _parsed(line: str) -> _Pair | None:
    """Read one line; None for one that a killed process did not finish."""
    try:
        found = json.loads(line)
        return str(found["url"]), tuple(map(str, found["password_command"]))
    except (ValueError, TypeError, KeyError):
        return None


def _unknown(settings: Settings, addresses: set[str]) -> ConfigError:
    url, command = _pair(settings)
    what = "run this `password_command`" if command else f"sent its credentials to {url.partition('?')[0]}"
    if command and url not in addresses:
        what += f" for {url.partition('?')[0]}"
    return ConfigError(
        f"this clone has not {what} before, and somebody else wrote these settings",
        where=settings.origins.get("url", FILE_NAME),
        todo=f"look at them; if they are right, `pressync --site {quote(settings.site.name)} config --trust`",
    )
