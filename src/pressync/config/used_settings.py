"""Remembers the addresses and commands to which a person of this clone has agreed.

Everybody who may push can change `url` and `password_command`, and nothing in Git tells who did. So
a new one is used only after a person has said so once: at a question, with `pressync config --trust`, or in
the settings of the first use. The parsed settings are compared, because one value has many spellings in TOML.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pressync.client import address
from pressync.config import settings_file
from pressync.config.agreement import Consent, Guard, lifts
from pressync.config.settings import FILE_NAME, Settings, base_address, command_words, without_query
from pressync.model.errors import ConfigError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

    from pressync.repo.repository import Repository


class _Use(NamedTuple):
    """An address, and the command that gives the password for it; or the name of a table, and its command.

    `site` is the name of the site in the settings; "" in a line of an earlier version, and for a drawing.
    """

    place: str
    command: tuple[str, ...]
    site: str = ""


_DRAWING = "[markdown]"
# An earlier version noted the policy of agents, too.
_NO_ADDRESS = frozenset({"", _DRAWING, "[agents]"})
# The port that an address need not name.
_PORTS = {"https": ":443", "http": ":80"}


@dataclass(frozen=True, slots=True)
class UsedSettings:
    """The pairs of address and command that a person agreed to; `text` is the settings file now.

    Without its file, this clone has not used any settings yet. `agree` asks the person a question, where the
    `way` in which somebody agrees here lifts the guard.
    """

    repository: Repository
    text: str | None
    agree: Callable[[str], bool] = lambda _question: False
    way: Consent = Consent.TERMINAL

    def begin(self) -> None:
        """Note the settings of the first use of this clone, whether it needs credentials or not."""
        if self._known() is None and lifts(self.way, Guard.FIRST_USE):
            # A Git directory that cannot be written has no place for a memory either.
            with suppress(StorageError):
                self._add(_pairs(self.text or ""))

    def require(self, settings: Settings, *, names_address: bool) -> None:
        """Ask about an address or a command that is new to this clone, and remember that a person agreed.

        If the environment has the address, `names_address` is False, and only the command is checked.

        :raises ConfigError: nobody agreed to these settings.
        """
        use, uses = _use(settings), self._known()
        if self.way is Consent.AGENT:
            self._require_exactly(settings, use, names_address=names_address)
            return
        if uses is None or not (names_address or use.command):
            return
        url, command = use.place, use.command
        places = {_one_spelling(used.place) for used in uses}
        there = [used for used in uses if _one_spelling(used.place) == _one_spelling(url)]
        commands = {used.command for used in (there if names_address else uses)}
        is_new_place = names_address and _one_spelling(url) not in places
        is_new_command = bool(command) and command not in commands
        if not is_new_place and not is_new_command:
            return
        done = [f"sent its credentials to {without_query(url)}"] * is_new_place
        done += [f"run this `password_command` for {without_query(url)}"] * is_new_command
        problem = f"this clone has not {' or '.join(done)} before"
        where = settings.origins.get("url", FILE_NAME)
        guards = {Guard.COMMAND} if is_new_command else {Guard.ADDRESS}
        if not self._agreed(where, problem, command * is_new_command, use, guards):
            name = shlex.quote(settings.site.name)
            todo = f"look at the settings; if they are right, run `pressync --site {name} config --trust`"
            raise ConfigError(problem, where=where, todo=todo)

    def _require_exactly(self, settings: Settings, use: _Use, *, names_address: bool) -> None:
        """Refuse what a person has not agreed to in just this way: site, address and command.

        :raises ConfigError: nobody has, or the command lies in the work tree, where an agent writes.
        """
        uses = [used for used in self._known() or () if (used.command, used.site) == (use.command, use.site)]
        place = _one_spelling(use.place)
        agreed = any(not names_address or _one_spelling(used.place) == place for used in uses)
        if (names_address or use.command) and not agreed:
            problem = f"no person of this clone has agreed to site '{use.site}' with these settings"
            name = shlex.quote(use.site)
            raise ConfigError(
                problem,
                where=settings.origins.get("url", FILE_NAME),
                todo=f"a person looks at them, and runs `pressync --site {name} config --trust`",
            )
        if file := self.inside(use.command):
            problem = f"a tool runs no command of the work tree, and `password_command` names {file}"
            raise ConfigError(problem, where=FILE_NAME, todo="keep the program outside of the repository")

    def inside(self, command: tuple[str, ...]) -> str:
        """Name the word of a command that is a file of the work tree; "" if there is none.

        Everybody who may push writes these files, and so does an agent.
        """
        root = self.repository.root
        words = [word for text in command[-1:] for word in _words(text)] if _is_shell(command) else command
        return next((word for word in words if root and _leads_into(root, word)), "")

    def allows(self, command: tuple[str, ...]) -> bool:
        """Tell whether a person agreed to the command that draws diagrams; ask if it is new here."""
        self.begin()
        if self.way is Consent.AGENT and self.inside(command):
            return False
        problem = "this clone has not run this command for the pictures of diagrams before"
        use = _Use(_DRAWING, command)
        agreed = any((used.place, used.command) == (_DRAWING, command) for used in self._known() or ())
        return agreed or self._agreed(FILE_NAME, problem, command, use, {Guard.DRAWING})

    def _agreed(
        self, where: str, problem: str, command: tuple[str, ...], new: _Use, guards: Collection[Guard]
    ) -> bool:
        """Ask about a `new` use, of which the question shows the command; remember that a person agreed."""
        if not all(lifts(self.way, guard) for guard in guards):
            return False
        used = {without_query(row.place) for row in self._known() or () if row.place not in _NO_ADDRESS}
        places = ", ".join(sorted(used)) or "no address"
        run = f" It is `{shown(command)}`." if command else ""
        asked = f"{problem}.{run} So far it has used {places}. Go on with these settings from now on?"
        if not self.agree(f"{where}: {asked}"):
            return False
        with suppress(StorageError):
            self._add([new])
        return True

    def trust(self, settings: Settings) -> str:
        """Remember that a person agreed to the settings of a site; give the sentence that says to what.

        :raises ConfigError: a tool of an agent asks for it.
        :raises StorageError: the Git directory cannot be written.
        """
        if not lifts(self.way, Guard.TRUST):
            raise ConfigError("a tool agrees to nothing", todo="a person runs `pressync config --trust`")
        use, drawing = _use(settings), settings.markdown.mermaid
        url, command = use.place, use.command
        self._add([use, *_of_drawing(drawing)])
        more = f" It runs `{shown(drawing)}` for the pictures of diagrams." if drawing else ""
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

    def _known(self) -> list[_Use] | None:
        try:
            lines = self._file.read_text(encoding="utf-8").split("\n")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StorageError(f"{self._file} cannot be read: {error}") from error
        uses: list[_Use] = []
        for line in lines:
            # A killed process may not have finished its last line.
            with suppress(ValueError, TypeError, KeyError):
                row = json.loads(line)
                command = tuple(map(str, row["password_command"]))
                uses.append(_Use(str(row["url"]), command, str(row.get("site", ""))))
        return uses

    def _add(self, uses: Iterable[_Use]) -> None:
        """Write the file anew, with further pairs; a full disk or a kill leaves the one before."""
        values = (
            {"url": use.place, "password_command": use.command, "site": use.site}
            for use in dict.fromkeys((*(self._known() or ()), *uses))
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
    return command[2] if _is_shell(command) else shlex.join(command)


def _is_shell(command: tuple[str, ...]) -> bool:
    return command[:2] == ("/bin/sh", "-c")


def _words(text: str) -> list[str]:
    """Give the words of a shell line; one that the shell would refuse is cut at blanks."""
    try:
        return list(shlex.shlex(text, posix=True, punctuation_chars=True))
    except ValueError:
        return text.split()


def _leads_into(root: Path, word: str) -> bool:
    """Tell whether a word of a command is a file of the work tree, or a program on PATH that lies there."""
    # `--config=tools/x.json` names a file as well.
    for part in (word, word.rpartition("=")[2]):
        program = shutil.which(part) if "/" not in part else part
        path = root / (program or part)
        with suppress(OSError, ValueError):
            if part and path.exists() and path.resolve().is_relative_to(root.resolve()):
                return True
    return False


def _use(settings: Settings) -> _Use:
    return _Use(settings.site.url or "", settings.site.password_command, settings.site.name)


def _pairs(text: str) -> list[_Use]:
    """Give the uses of all sites of a settings file; the environment may have the address of a command.

    A site whose table has problems uses nothing.

    :raises ConfigError: the rest of the file has problems, so nobody can tell what it says.
    """
    tables = settings_file.read(text, FILE_NAME, "")
    sites = [
        _Use(base_address(table.get("url", "")), command_words(table.get("password_command", ())), name)
        for name, table in settings_file.right_sites(tables).items()
        if table.get("url") or table.get("password_command")
    ]
    return [*sites, *_of_drawing(command_words(tables.get("markdown", {}).get("mermaid", ())))]


def _of_drawing(drawing: tuple[str, ...]) -> list[_Use]:
    """Give the use of the command for diagrams, which belongs to no site."""
    return [_Use(_DRAWING, drawing)] if drawing else []


def _one_spelling(url: str) -> str:
    """Write an address so that two spellings of it are equal: `HTTPS://Example.org:443/` is one of them."""
    try:
        parts = address.parse(url)
    except ConfigError:
        return url
    return parts._replace(host=parts.host.removesuffix(_PORTS[parts.scheme])).join("")
