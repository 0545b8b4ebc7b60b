"""Names the host of a repository, and the ways in which people ask there that a branch be merged.

GitHub takes a pull request by its interface, which `app/github` speaks. The others take one with a push, or
from a form at an address.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Self
from urllib.parse import quote as in_address

from pressync.repo.push import REMOTE

if TYPE_CHECKING:
    from pressync.repo.repository import Repository

# `https://HOST/PATH`, `ssh://git@HOST:PORT/PATH` and `git@HOST:PATH`.
_REMOTE = re.compile(
    r"(?:(?:https?|ssh|git)://)?(?:[^@/\s]*@)?(?P<host>[\w.-]+)(?::\d+(?=/)|(?=/)|:)/?"
    r"(?P<path>[\w.~-]+(?:/[\w.~-]+)+)/?"
)
GITHUB = "github.com"


@dataclass(frozen=True, slots=True)
class Hosting:
    """The host of a remote and the path of the repository there; both are "" for a folder."""

    host: str
    path: str

    @classmethod
    def of(cls, repository: Repository) -> Self:
        """Read the address of the remote."""
        found = _REMOTE.fullmatch(repository.port.setting(f"remote.{REMOTE}.url") or "")
        return cls(found["host"].lower(), found["path"].removesuffix(".git")) if found else cls("", "")

    def push(self, branch: str, into: str, title: str) -> str:
        """Give the command that pushes the branch; on GitLab it also opens the merge request."""
        options = ["merge_request.create", f"merge_request.target={into}", f"merge_request.title={title}"]
        given = "".join(f"-o {quote(each)} " for each in options) if "gitlab" in self.host else ""
        return f"git push --force-with-lease {given}{REMOTE} {branch}"

    def page(self, branch: str, into: str) -> str:
        """Give the address of the form for a pull request; "" where it is not known."""
        if not self.host or "gitlab" in self.host:
            return ""
        compared = f"{in_address(into)}...{in_address(branch)}"
        form = "?expand=1" if self.host == GITHUB else ""
        return f"https://{self.host}/{self.path}/compare/{compared}{form}"
