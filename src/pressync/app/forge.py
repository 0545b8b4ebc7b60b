"""Tells which forge has the repository, and how a branch becomes a request to merge it there.

A job is known by the variables of its runner, and any other clone by the host of its remote. A token goes to
the server of its own variable alone: an address of somebody else in the remote gets none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Self
from urllib.parse import quote as in_address

from pressync.app import forge_api
from pressync.app.forge_api import ForgeApi, Interface
from pressync.app.github import push_manifest
from pressync.model.errors import ServiceError
from pressync.model.web_address import split
from pressync.repo.push import REMOTE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.repo.repository import Repository


@dataclass(frozen=True, slots=True)
class Forge:
    """A forge: the variables that tell a job of it, its server and its token; each list is in order.

    Without an interface, Git's push opens the request.
    """

    name: str
    request: str
    jobs: tuple[str, ...]
    servers: tuple[str, ...]
    tokens: tuple[str, ...]
    # The server that is meant if no variable names one.
    public: str
    # The variable of a job with the path of the repository.
    path: str
    interface: Interface | None = None


_REQUEST = "pull request"
GITLAB = Forge(
    "GitLab",
    "merge request",
    ("GITLAB_CI",),
    ("CI_SERVER_URL",),
    ("GITLAB_TOKEN",),
    "https://gitlab.com",
    "CI_PROJECT_PATH",
)
FORGEJO = Forge(
    "Forgejo",
    _REQUEST,
    (),
    ("FORGEJO_SERVER_URL", "GITEA_SERVER_URL"),
    ("FORGEJO_TOKEN", "GITEA_TOKEN"),
    "https://codeberg.org",
    "",
    forge_api.FORGEJO,
)
# The runners of Forgejo and Gitea set the variables of GitHub's, too.
_FORGEJO_JOB = Forge(
    "Forgejo",
    _REQUEST,
    ("FORGEJO_ACTIONS", "GITEA_ACTIONS"),
    ("GITHUB_SERVER_URL",),
    (*FORGEJO.tokens, "GITHUB_TOKEN"),
    FORGEJO.public,
    "GITHUB_REPOSITORY",
    forge_api.FORGEJO,
)
GITHUB = Forge(
    "GitHub",
    _REQUEST,
    ("GITHUB_REPOSITORY",),
    ("GITHUB_SERVER_URL",),
    ("GITHUB_TOKEN",),
    "https://github.com",
    "GITHUB_REPOSITORY",
    forge_api.GITHUB,
)
_FORGES = (GITLAB, _FORGEJO_JOB, FORGEJO, GITHUB)
TOKENS = (*GITLAB.tokens, *_FORGEJO_JOB.tokens)

# `https://HOST/PATH`, `ssh://git@HOST:PORT/PATH` and `git@HOST:PATH`.
_REMOTE = re.compile(
    # Without a scheme, Git takes `a/b/c` for a folder, and only `a:b/c` has a host.
    r"(?P<scheme>(?:https?|ssh|git)://)?(?:[^@/\s]*@)?(?P<host>[\w.-]+)(?(scheme)(?::\d+)?(?=/)|:)/?"
    r"(?P<path>[\w.~-]+(?:/[\w.~-]+)+)/?"
)
# GitLab writes these into its response to a push.
_ADDRESS = re.compile(r"View merge request for \S+ (https?://\S+)")
_WARNING = re.compile(r"Error encountered with push options .*?': (.*?)(?: ==| View merge| To create a|$)")


@dataclass(frozen=True, slots=True)
class Hosting:
    """The host of a remote and the path of the repository there, "" for a folder; its forge and server."""

    host: str
    path: str
    forge: Forge | None = None
    server: str = ""
    in_job: bool = False

    @classmethod
    def of(cls, repository: Repository, environ: Mapping[str, str]) -> Self:
        """Read the address of the remote, and the variables of a job."""
        read = _REMOTE.fullmatch(repository.port.setting(f"remote.{REMOTE}.url") or "")
        host, path = (read["host"].lower(), read["path"].removesuffix(".git")) if read else ("", "")
        for forge in _FORGES:
            if any(map(environ.get, forge.jobs)):
                own = environ.get(forge.path) or path
                return cls(host, own, forge, _server(forge, environ), in_job=True)
        for forge in _FORGES:
            parts = split(server := _server(forge, environ))
            if host and parts and parts.hostname == host:
                return cls(host, path, forge, server)
        return cls(host, path)

    @property
    def committer(self) -> tuple[str, str]:
        """Give the name and the mail of commits in a job that names none."""
        if self.forge in {None, GITHUB}:
            return push_manifest.COMMITTER
        return "pressync", f"pressync@users.noreply.{self.host or 'localhost'}"

    @property
    def _is_gitlab(self) -> bool:
        # The server of an organisation is known only by its name.
        return self.forge is GITLAB or "gitlab" in self.host

    def token(self, tokens: Mapping[str, str]) -> str:
        """Give the token of this forge; "" if there is none."""
        return next(filter(None, map(tokens.get, self.forge.tokens)), "") if self.forge else ""

    def interface(self, environ: Mapping[str, str], token: str) -> ForgeApi:
        """Open the interface of the forge for this repository.

        :raises ConfigError: the token would be sent unencrypted.
        """
        if self.forge and self.forge.interface is forge_api.FORGEJO:
            return ForgeApi.at(f"{self.server}/api/v1", self.path, token, forge_api.FORGEJO)
        return ForgeApi.of(environ, self.path, token)

    def push(self, branch: str, into: str, title: str) -> str:
        """Give the command that pushes the branch; on GitLab it also opens the merge request."""
        options = push_options(into, title) if self._is_gitlab else ()
        given = "".join(f"-o {quote(option)} " for option in options)
        return f"git push --force-with-lease {given}{REMOTE} {branch}"

    def page(self, branch: str, into: str) -> str:
        """Give the address of the form for a pull request; "" where it is not known."""
        if not self.host or self._is_gitlab:
            return ""
        compared = f"{in_address(into)}...{in_address(branch)}"
        form = "?expand=1" if self.forge is GITHUB else ""
        return f"https://{self.host}/{self.path}/compare/{compared}{form}"


def push_options(into: str, title: str) -> tuple[str, ...]:
    """Give the options of a push that opens a merge request on GitLab, or changes the one that is open."""
    return "merge_request.create", f"merge_request.target={into}", f"merge_request.title={title}"


def opened_by_push(said: str) -> str:
    """Read the address of the merge request out of GitLab's response to a push; "" if it names none.

    :raises ServiceError: GitLab took the branch, and not the options.
    """
    text = " ".join(re.sub(r"(?m)^remote:", "", said).split())
    if warning := _WARNING.search(text):
        raise ServiceError(
            f"{REMOTE} took the branch, and GitLab did not open the merge request: {warning[1]}",
            todo="open it by hand",
        )
    address = _ADDRESS.search(text)
    return address[1] if address else ""


def _server(forge: Forge, environ: Mapping[str, str]) -> str:
    return (next(filter(None, map(environ.get, forge.servers)), "") or forge.public).rstrip("/")
