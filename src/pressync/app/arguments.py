"""The arguments that a program gives to a site: its account, paths, and the flags of the commands."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from pressync.config.environment import SECRETS
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    # One path alone, or several of them.
    PathName = str | os.PathLike[str]
    PathNames = PathName | Collection[PathName]

# The variables by which a machine names an account.
ACCOUNT = frozenset({*SECRETS, "PRESSYNC_USER"})


@dataclass(frozen=True, slots=True)
class Credentials:
    """The account of a site: a user with an application password, or a token. Its `repr` hides the secret."""

    user: str = ""
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)

    def variables(self) -> dict[str, str]:
        """Give the variables that say the same; an empty member has none."""
        named = {"PRESSYNC_USER": self.user, "PRESSYNC_PASSWORD": self.password, "PRESSYNC_TOKEN": self.token}
        return {name: value for name, value in named.items() if value}


class PlanFlags(TypedDict, total=False):
    """The flags of `pressync plan` that decide which changes a plan has, with their names and values."""

    overwrite: bool
    strict: bool
    renew: bool
    allow_rewind: bool
    new_manifest: bool
    max_delete: str | None
    permanent: bool


class SyncFlags(PlanFlags, total=False):
    """The flags of `pressync sync`, with their names and values."""

    create_anyway: Collection[str]
    limit: int | None
    again: bool
    notify: bool
    keep_going: bool
    concurrency: int
    rate: float | None
    max_failures: int | None


# The most connections that a sync may open at a time, as `--concurrency` has it.
MOST_CONNECTIONS = 64


def check_flags(flags: Mapping[str, object], kind: type[PlanFlags]) -> None:
    """Refuse a name that is not a flag, and a number that the flag of the command refuses, too.

    :raises TypeError: `kind` does not have such a flag.
    :raises ConfigError: a number is out of the range of its flag.
    """
    if unknown := sorted(flags.keys() - kind.__annotations__.keys()):
        raise TypeError(f"{unknown[0]!r} is not a flag; these are: {', '.join(sorted(kind.__annotations__))}")
    for name, most in (("concurrency", MOST_CONNECTIONS), ("limit", None), ("max_failures", None)):
        number = flags.get(name)
        is_whole = isinstance(number, int) and 1 <= number <= (most or number)
        if number is not None and not is_whole:
            bound = f"from 1 to {most}" if most else "of at least 1"
            raise ConfigError(f"{number!r} is out of range", where=name, todo=f"give a whole number {bound}")
    rate = flags.get("rate")
    if rate is not None and not (isinstance(rate, int | float) and rate > 0):
        raise ConfigError(f"{rate!r} is out of range", where="rate", todo="give a number above 0")


def listed_paths(paths: PathNames) -> list[str]:
    """List the paths of a program's argument; one path alone is a list of one."""
    if isinstance(paths, str | os.PathLike):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]
