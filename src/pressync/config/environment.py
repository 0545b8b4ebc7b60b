"""Takes the secrets out of this process's environment once at the start, and keeps them here.

A process hands its environment to everything that it starts: Git, Git's hooks and credential helpers, a
`password_command`, a server in the background. So `main` takes the secrets out before it starts a process.
`whole` gives the original environment to the few callers that need a secret.
"""

from __future__ import annotations

import os
from collections import ChainMap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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

_HELD: dict[str, str] = {}


def take_secrets() -> None:
    """Take the secrets out of the environment. Call it once, before any process is started."""
    for name in SECRETS:
        value = os.environ.pop(name, None)
        if value is not None:
            _HELD[name] = value


def whole() -> Mapping[str, str]:
    """Give the environment with the secrets that were taken out of it."""
    return ChainMap(os.environ, _HELD)


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
