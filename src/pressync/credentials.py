"""Where a secret comes from: the environment, a command, or the system keyring. Never a file or a flag.

It must not know requests; what it returns is wrapped so that no log, message or traceback shows it.
Asked for only by commands that are about to speak to a service.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from pressync.errors import ConfigError
from pressync.service.credentials import Secret, basic, bearer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.config import Site

# A command that asks a password manager may wait for a fingerprint, but not for ever.
_COMMAND_SECONDS = 60


def authorization(site: Site, environ: Mapping[str, str]) -> Secret | None:
    """The Authorization header for a site; None when no credentials are configured.

    :raises ConfigError: a user is named and no password can be found, or the command fails.
    """
    if environ.get("PRESSYNC_TOKEN"):
        return bearer(environ["PRESSYNC_TOKEN"])
    password = environ.get("PRESSYNC_PASSWORD") or _from_command(site) or _from_keyring(site)
    if site.user and password:
        return basic(site.user, password)
    if site.user:
        raise ConfigError(
            f"no password for {site.user} on site '{site.name}'",
            todo="set PRESSYNC_PASSWORD, or `password_command`, or store it in the keyring under 'pressync'",
        )
    if password:
        raise ConfigError("a password without a user", todo="set PRESSYNC_USER or `user`")
    return None


def _from_command(site: Site) -> str | None:
    if not site.password_command:
        return None
    first, *rest = site.password_command
    # One string is a shell line, as in Git's own credential and editor settings; a list is run as it is.
    arguments = ["/bin/sh", "-c", first] if not rest else [first, *rest]
    try:
        done = subprocess.run(arguments, capture_output=True, check=True, timeout=_COMMAND_SECONDS, text=True)
    except (OSError, subprocess.SubprocessError) as error:
        # The command's own output may hold the secret: only the kind of failure is told.
        raise ConfigError(
            f"`password_command` of site '{site.name}' failed ({type(error).__name__})", todo="run it by hand"
        ) from None
    return done.stdout.splitlines()[0] if done.stdout.strip() else None


def _from_keyring(site: Site) -> str | None:
    if not site.user or not site.url:
        return None
    try:
        import keyring  # noqa: PLC0415 - optional, and slow to load
    except ImportError:
        return None
    try:
        found: str | None = keyring.get_password("pressync", f"{site.user}@{site.url}")
    except keyring.errors.KeyringError:
        return None
    return found
