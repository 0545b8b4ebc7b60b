"""The environment in which Git may push from a workflow: the job's token, and whose commits they are.

It must not know what is pushed. What decided its shape: a token in the clone's own settings is there for
every later step to read, so ours is in the environment of the Git that this process starts, and nowhere
else; and credentials that the clone has were chosen by whoever wrote the workflow, and go first.
"""

from __future__ import annotations

import base64
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, MutableMapping

    AskGit = Callable[..., tuple[int, str, str]]

# Who GitHub shows for commits that a workflow makes: the account of its token, by its number.
_NAME = "github-actions[bot]"
_EMAIL = "41898282+github-actions[bot]@users.noreply.github.com"
_IDENTITY = {
    "GIT_AUTHOR_NAME": _NAME,
    "GIT_AUTHOR_EMAIL": _EMAIL,
    "GIT_COMMITTER_NAME": _NAME,
    "GIT_COMMITTER_EMAIL": _EMAIL,
}


def server_url(environ: Mapping[str, str]) -> str:
    """Give the address of the server that the repository is on."""
    return environ.get("GITHUB_SERVER_URL") or "https://github.com"


@contextmanager
def with_token(ask: AskGit, environ: Mapping[str, str], git: MutableMapping[str, str]) -> Iterator[None]:
    """Let the Git that is started in this block push with the job's token, as the workflow's account.

    `ask` runs Git in the clone and gives its exit code first; `environ` has the token, and `git` is what Git
    is started with beside this process's environment, which every other child gets, too.
    """
    has_header = not ask("config", "--get-urlmatch", "http.extraheader", server_url(environ))[0]
    has_author = not ask("config", "user.email")[0]
    found = missing_variables(environ, has_header=has_header, has_author=has_author)
    before = {name: git.get(name) for name in found}
    git.update(found)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del git[name]
            else:
                git[name] = value


def missing_variables(environ: Mapping[str, str], *, has_header: bool, has_author: bool) -> dict[str, str]:
    """Give what Git needs and neither the clone nor the environment has.

    `has_header`: the clone has credentials for the server; `has_author`: it names an author.
    """
    token = environ.get("GITHUB_TOKEN", "")
    found = {} if has_author else {name: value for name, value in _IDENTITY.items() if name not in environ}
    if token and not has_header:
        # As actions/checkout does it. Of a header given twice GitHub answers 400; there is none here.
        secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
        number = int(environ.get("GIT_CONFIG_COUNT") or 0)
        found |= {
            "GIT_CONFIG_COUNT": str(number + 1),
            f"GIT_CONFIG_KEY_{number}": f"http.{server_url(environ).rstrip('/')}/.extraheader",
            f"GIT_CONFIG_VALUE_{number}": f"AUTHORIZATION: basic {secret}",
        }
    # In a job there is nobody to ask for a password.
    return {**found, "GIT_TERMINAL_PROMPT": "0"}
