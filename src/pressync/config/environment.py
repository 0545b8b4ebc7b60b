"""Takes the secrets out of this process's environment once at the start, and gives them to the caller.

A process hands its environment to everything that it starts: Git, Git's hooks and credential helpers, a
`password_command`, a server in the background. So `main` takes the secrets out before it starts a process.
The commands get the environment with the secrets as one of the options of every command.
"""

from __future__ import annotations

import os
from collections import ChainMap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SERVE_TOKEN = "PRESSYNC_SERVE_TOKEN"  # noqa: S105 - the name of a variable
CREDENTIALS = ("PRESSYNC_PASSWORD", "PRESSYNC_TOKEN")
# The account of an agent alone; its user is not a secret.
AGENT_USER = "PRESSYNC_AGENT_USER"
AGENT_PASSWORD = "PRESSYNC_AGENT_PASSWORD"  # noqa: S105 - the name of a variable
SECRETS = (*CREDENTIALS, AGENT_PASSWORD, SERVE_TOKEN)

# By these a program finds its files and the network, and speaks the language of its user.
_PLAIN = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "XDG_CACHE_HOME"}
    | {"SSL_CERT_FILE", "SSL_CERT_DIR"}
)
_PROXIES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy"})


class _WithSecrets(ChainMap[str, str]):
    """The environment, and the secrets that were taken out of it; it does not show them in a message."""

    def __repr__(self) -> str:
        return "the environment"


def take_secrets() -> Mapping[str, str]:
    """Take the secrets out before any process is started; give the environment with them."""
    held = {name: os.environ.pop(name) for name in SECRETS if name in os.environ}
    return _WithSecrets(os.environ, held)


def for_others(*more: str) -> dict[str, str]:
    """Give the few variables that any program needs, and those of these names, to a program that is not ours.

    Git and a `password_command` are chosen by the user, and may need a token of another service. A relative
    folder of PATH is left out: it may be one of the work tree.
    """
    given = {
        name: value
        for name, value in os.environ.items()
        if name in _PLAIN or name in more or name.lower() in _PROXIES
    }
    folders = filter(os.path.isabs, given.get("PATH", os.defpath).split(os.pathsep))
    return {**given, "PATH": os.pathsep.join(folders)}


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """Give the folder for what pressync can make again for this user; None without a home."""
    from pathlib import Path  # noqa: PLC0415 - a run with nothing to do needs none

    for folder in (environ.get("XDG_CACHE_HOME", ""), os.path.join(environ.get("HOME", ""), ".cache")):  # noqa: PTH118 - as above
        if os.path.isabs(folder):  # noqa: PTH117 - as above
            return Path(folder, "pressync")
    return None
