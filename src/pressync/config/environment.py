"""The secrets of this process's environment: taken out once at the start, and kept here.

A process hands its environment to all that it starts: Git, Git's hooks and credential helpers, a
`password_command`, a server in the background. `main` therefore takes the secrets out before anything is
started. `whole` shows the environment as it was to the few that need them.
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
    """Take the secrets out of the environment; to be called once, before any process is started."""
    for name in SECRETS:
        value = os.environ.pop(name, None)
        if value is not None:
            _HELD[name] = value


def whole() -> Mapping[str, str]:
    """Give the environment with the secrets that were taken out of it."""
    return ChainMap(os.environ, _HELD)
