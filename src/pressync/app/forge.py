"""Tells which forge has the repository, and how a branch becomes a request to merge it there.

A job is known by the variables of its runner, and any other clone by the host of its remote. A token goes to
the server of its own variable alone: an address of somebody else in the remote gets none. Every later step of
a job could read a token in the clone's settings. So only the Git that this process starts has it, and
credentials that the clone already has are used instead.
"""

from __future__ import annotations

import base64
import re
from contextlib import contextmanager
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Self
from urllib.parse import quote as in_address

from pressync.app.forge_api import FORGEJO, FORGEJO_JOB, GITHUB, GITLAB, Forge, ForgeApi
from pressync.model.errors import ServiceError
from pressync.model.web_address import split
from pressync.repo.push import REMOTE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pressync.repo.repository import Repository


_FORGES = (GITLAB, FORGEJO_JOB, FORGEJO, GITHUB)
TOKENS = (*GITLAB.tokens, *FORGEJO_JOB.tokens)
# GitHub shows this author for commits of a workflow: the account of its token, by its number.
COMMITTER = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")

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
                return cls(host, environ.get(forge.path) or path, forge, forge.server(environ), in_job=True)
        for forge in _FORGES:
            parts = split(server := forge.server(environ))
            if host and parts and parts.hostname == host:
                return cls(host, path, forge, server)
        return cls(host, path)

    @property
    def committer(self) -> tuple[str, str]:
        """Give the name and the mail of commits in a job that names none."""
        if self.forge in {None, GITHUB}:
            return COMMITTER
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
        if self.forge in {FORGEJO, FORGEJO_JOB}:
            return ForgeApi.at(f"{self.server}/api/v1", self.path, token, FORGEJO)
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


@contextmanager
def with_token(
    repository: Repository, environ: Mapping[str, str], committer: tuple[str, str] = COMMITTER
) -> Iterator[None]:
    """Let Git alone push with the token of `environ`, as the account of the workflow."""
    port, git = repository.port, repository.environment
    has_header = port.setting("http.extraheader", GITHUB.server(environ)) is not None
    has_author = port.setting("user.email") is not None
    variables = missing_variables(environ, committer, has_header=has_header, has_author=has_author)
    before = {name: git[name] for name in variables if name in git}
    git.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del git[name]
        git.update(before)


def missing_variables(
    environ: Mapping[str, str], committer: tuple[str, str] = COMMITTER, *, has_header: bool, has_author: bool
) -> dict[str, str]:
    """Give the variables that Git needs and that neither the clone nor the environment has.

    `has_header`: the clone has credentials for the server. `has_author`: the clone names an author.
    """
    token = environ.get("GITHUB_TOKEN", "")
    who: dict[str, str] = {}
    for role in ("AUTHOR", "COMMITTER"):
        who[f"GIT_{role}_NAME"], who[f"GIT_{role}_EMAIL"] = committer
    missing = {} if has_author else {name: value for name, value in who.items() if name not in environ}
    if token and not has_header:
        # actions/checkout does the same. GitHub answers 400 to a header that is sent twice, and
        # `has_header` rules that out.
        secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        number = int(environ.get("GIT_CONFIG_COUNT") or 0)
        missing |= {
            "GIT_CONFIG_COUNT": str(number + 1),
            f"GIT_CONFIG_KEY_{number}": f"http.{GITHUB.server(environ)}/.extraheader",
            f"GIT_CONFIG_VALUE_{number}": f"AUTHORIZATION: basic {secret}",
        }
    # In a job nobody can type a password.
    return {**missing, "GIT_TERMINAL_PROMPT": "0"}
