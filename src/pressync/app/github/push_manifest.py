"""Pushes the manifest that a run wrote to the branch of the run, with the token of the workflow's job.

The run has already changed the site, so its new ids must not be lost when another run pushed meanwhile. Every
later step could read a token in the clone's settings. So only the Git that this process starts has it.
Credentials that the clone already has are used instead.
"""

from __future__ import annotations

import base64
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from pressync.model.errors import ManifestError
from pressync.repo.push import RemoteBranch, commit_file
from pressync.state.manifest.codec import decode
from pressync.state.manifest.merge import merge

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pressync.model.records import Manifest
    from pressync.repo.repository import Repository

# GitHub shows this author for commits of a workflow: the account of its token, by its number.
COMMITTER = ("github-actions[bot]", "41898282+github-actions[bot]@users.noreply.github.com")
_PARTS = ("NAME", "EMAIL")


def server_url(environ: Mapping[str, str]) -> str:
    """Give the address of the server that has the repository."""
    return environ.get("GITHUB_SERVER_URL") or "https://github.com"


@contextmanager
def with_token(
    repository: Repository, environ: Mapping[str, str], committer: tuple[str, str] = COMMITTER
) -> Iterator[None]:
    """Let Git alone push with the token of `environ`, as the account of the workflow."""
    port, git = repository.port, repository.environment
    has_header = port.setting("http.extraheader", server_url(environ)) is not None
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
    both = ("GIT_AUTHOR", "GIT_COMMITTER")
    who = {f"{role}_{part}": value for role in both for part, value in zip(_PARTS, committer, strict=True)}
    missing = {} if has_author else {name: value for name, value in who.items() if name not in environ}
    if token and not has_header:
        # actions/checkout does the same. GitHub answers 400 to a header that is sent twice, and
        # `has_header` rules that out.
        secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        number = int(environ.get("GIT_CONFIG_COUNT") or 0)
        missing |= {
            "GIT_CONFIG_COUNT": str(number + 1),
            f"GIT_CONFIG_KEY_{number}": f"http.{server_url(environ).rstrip('/')}/.extraheader",
            f"GIT_CONFIG_VALUE_{number}": f"AUTHORIZATION: basic {secret}",
        }
    # In a job nobody can type a password.
    return {**missing, "GIT_TERMINAL_PROMPT": "0"}


def require_push(repository: Repository, branch: str) -> None:
    """Refuse a run whose manifest could not be pushed to a branch.

    :raises RepositoryError: the remote refuses.
    """
    RemoteBranch(repository, branch).require_push()


def commit_and_push(repository: Repository, manifest: Path, branch: str, message: str) -> str | None:
    """Commit and push the manifest; give the commit on the branch, None if the manifest has no change.

    :raises RepositoryError: Git or the remote refused; the commit stays in this clone.
    :raises ManifestError: another run pushed a manifest that contradicts ours.
    """
    made = commit_file(repository, manifest, message)
    if made is None or repository.root is None:
        return None
    file = manifest.relative_to(repository.root).as_posix()
    return RemoteBranch(repository, branch).publish(made, file, partial(_merged, file))


def _merged(file: str, base: bytes | None, ours: bytes, theirs: bytes | None) -> bytes:
    if theirs is None or theirs == base:
        return ours
    both = merge(_read(base, file) if base else None, _read(ours, file), _read(theirs, file))
    if both.clashes:
        raise ManifestError(
            f"another run pushed a manifest meanwhile, and {both.clashes[0].what}",
            where=file,
            todo="delete one of the two on the site, and bind the file to the other (`pressync adopt`)",
        )
    return both.text.encode()


def _read(data: bytes, file: str) -> Manifest:
    return decode(data.decode(errors="replace"), where=file)
