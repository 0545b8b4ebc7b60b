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
SECRETS = ("PRESSYNC_PASSWORD", "PRESSYNC_TOKEN", SERVE_TOKEN)

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
