"""The arguments that a program gives to a site: its account, paths, and the flags of the commands."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from pressync.config.environment import SECRETS

if TYPE_CHECKING:
    from collections.abc import Collection

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


def listed_paths(paths: PathNames) -> list[str]:
    """List the paths of a program's argument; one path alone is a list of one."""
    if isinstance(paths, str | os.PathLike):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]
