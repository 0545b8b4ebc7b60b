"""Remembers the addresses, commands and policies of agents to which a person of this clone has agreed.

Everybody who may push can change `url`, `password_command` and `agents`, and nothing in Git tells who did. So
a new one is used only after a person has said so once: at a question, with `pressync config --trust`, or in
the settings of the first use. The parsed settings are compared, because one value has many spellings in TOML.
"""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pressync.client import address
from pressync.config import settings_file
from pressync.config.settings import (
    FILE_NAME,
    AgentPolicy,
    Settings,
    agent_policy,
    base_address,
    command_words,
    markdown_forms,
    without_query,
)
from pressync.model.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pressync.repo.repository import Repository

# An address, and the command that gives the password for it; or the name of a table, and its values.
_Pair = tuple[str, tuple[str, ...]]
_AGENTS, _DRAWING = "[agents]", "[markdown]"
# The port that an address need not name.
_PORTS = {"https": ":443", "http": ":80"}


@dataclass(frozen=True, slots=True)
class UsedSettings:
    """The pairs of address and command that a person agreed to; `text` is the settings file now.

    Without its file, this clone has not used any settings yet. `agree` asks the person a question.
    """

    repository: Repository
    text: str | None
    agree: Callable[[str], bool] = lambda _question: False

    def begin(self) -> None:
        """Note the settings of the first use of this clone, whether it needs credentials or not."""
        if self._known() is None:
            # A Git directory that cannot be written has no place for a memory either.
            with suppress(StorageError):
                self._add(_pairs(self.text or ""))

    def require(self, settings: Settings, *, names_address: bool) -> None:
        """Ask about an address or a command that is new to this clone, and remember that a person agreed.

        If the environment has the address, `names_address` is False, and only the command is checked.

        :raises ConfigError: nobody agreed to these settings.
        """
        url, command = _pair(settings)
        known = self._known()
        if known is None or not (names_address or command):
            return
        places = {_one_spelling(place) for place, _ in known}
        commands = {
            run for place, run in known if not names_address or _one_spelling(place) == _one_spelling(url)
        }
        is_new_place = names_address and _one_spelling(url) not in places
        is_new_command = bool(command) and command not in commands
        if not is_new_place and not is_new_command:
            return
        done = [f"sent its credentials to {without_query(url)}"] * is_new_place
        done += [f"run this `password_command` for {without_query(url)}"] * is_new_command
        what = f"this clone has not {' or '.join(done)} before"
        where = settings.origins.get("url", FILE_NAME)
        if not self._agreed(where, what, command * is_new_command, (url, command)):
            name = shlex.quote(settings.site.name)
            todo = f"look at the settings; if they are right, run `pressync --site {name} config --trust`"
            raise ConfigError(what, where=where, todo=todo)

    def allows(self, command: tuple[str, ...]) -> bool:
        """Tell whether a person agreed to the command that draws diagrams; ask if it is new here."""
        self.begin()
        what = "this clone has not run this command for the pictures of diagrams before"
        pair = (_DRAWING, command)
        return pair in (self._known() or ()) or self._agreed(FILE_NAME, what, command, pair)

    def _agreed(self, where: str, what: str, command: tuple[str, ...], new: _Pair) -> bool:
        """Ask about a `new` pair, of which the question shows the command; remember that a person agreed."""
        used = {without_query(place) for place, _ in self._known() or () if place not in {"", _AGENTS}}
        places = ", ".join(sorted(used)) or "no address"
        run = f" It is `{shown(command)}`." if command else ""
        asked = f"{what}.{run} So far it has used {places}. Go on with these settings from now on?"
        if not self.agree(f"{where}: {asked}"):
            return False
        with suppress(StorageError):
            self._add([new])
        return True

    def require_agents(self, policy: AgentPolicy) -> None:
        """Refuse a policy of agents that is new to this clone: an agent could have written it.

        :raises ConfigError: nobody agreed to it.
        """
        known = self._known()
        if policy.may and known is not None and _agents(policy) not in known:
            raise ConfigError(
                "nobody has agreed to this policy of agents in this clone",
                where=f"{FILE_NAME} {_AGENTS}",
                todo="a person looks at it, and runs `pressync config --trust`",
            )

    def trust(self, settings: Settings) -> str:
        """Remember that a person agreed to the settings of a site; give the sentence that says to what.

        :raises StorageError: the Git directory cannot be written.
        """
        url, command = _pair(settings)
        policy, drawing = settings.agents, settings.markdown.mermaid
        self._add([(url, command), *_of_tables(policy, drawing)])
        more = f" It runs `{shown(drawing)}` for the pictures of diagrams." if drawing else ""
        more += f" Agents may send {', '.join(policy.may)}: {policy.most} in a run." if policy.may else ""
        if not url:
            return f"The embedded service gets no credentials.{more}"
        run = f" It runs `{shown(command)}` for the password." if command else ""
        return f"From now on, this clone sends its credentials to {without_query(url)}.{run}{more}"

    def extend(self) -> None:
        """Remember settings that a person has just given to `init`, if this clone has used others before.

        :raises StorageError: the Git directory cannot be written.
        """
        if self._known() is not None:
            self._add(_pairs(self.text or ""))

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
        known: list[_Pair] = []
        for line in lines:
            # A killed process may not have finished its last line.
            with suppress(ValueError, TypeError, KeyError):
                found = json.loads(line)
                known.append((str(found["url"]), tuple(map(str, found["password_command"]))))
        return known

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


def shown(command: tuple[str, ...]) -> str:
    """Write a command for the person who decides about it."""
    return command[2] if command[:2] == ("/bin/sh", "-c") else shlex.join(command)


def _pair(settings: Settings) -> _Pair:
    return settings.site.url or "", settings.site.password_command


def _pairs(text: str) -> list[_Pair]:
    """Give the pairs of all sites of a settings file; the environment may have the address of a command.

    :raises ConfigError: it has problems, so nobody can tell what it says.
    """
    tables = settings_file.read(text, FILE_NAME)
    sites = [
        (base_address(table.get("url", "")), command_words(table.get("password_command", ())))
        for table in tables.get("sites", {}).values()
        if table.get("url") or table.get("password_command")
    ]
    return [*sites, *_of_tables(agent_policy(tables), markdown_forms(tables).mermaid)]


def _of_tables(policy: AgentPolicy, drawing: tuple[str, ...]) -> list[_Pair]:
    """Give the pairs of what belongs to no site."""
    return [*([_agents(policy)] if policy.may else []), *([(_DRAWING, drawing)] if drawing else [])]


def _agents(policy: AgentPolicy) -> _Pair:
    return _AGENTS, (*policy.may, str(policy.most))


def _one_spelling(url: str) -> str:
    """Write an address so that two spellings of it are equal: `HTTPS://Example.org:443/` is one of them."""
    try:
        found = address.parse(url)
    except ConfigError:
        return url
    return replace(found, host=found.host.removesuffix(_PORTS[found.scheme])).join("")
