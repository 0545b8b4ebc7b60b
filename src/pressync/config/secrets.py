"""Gets a secret from the environment, a command or the system keyring, and never from a file or a flag.

The secret is wrapped, so that no log, message or traceback shows it. Only commands that are about to send a
request to a service ask for it.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from pressync.client.credentials import basic, bearer
from pressync.config import keyring_store
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.credentials import Secret
    from pressync.config.settings import Site

# A password manager may wait for a fingerprint, but the wait has to end.
_COMMAND_SECONDS = 60


def authorization(site: Site, environ: Mapping[str, str]) -> Secret | None:
    """Give the Authorization header for a site; None if no credentials are configured.

    A token comes before a password. A password comes from the environment, the command or the keyring.

    :raises ConfigError: a user has no password, a password has no user, or the command fails.
    """
    if environ.get("PRESSYNC_TOKEN"):
        return bearer(environ["PRESSYNC_TOKEN"])
    password = environ.get("PRESSYNC_PASSWORD") or _from_command(site) or keyring_store.password(site)
    if site.user and password:
        return basic(site.user, password)
    if site.user:
        login = "run `pressync login`"
        if not keyring_store.is_installed():
            login = f"{keyring_store.INSTALL} and {login}"
        raise ConfigError(
            f"no password for {site.user} on site '{site.name}'",
            todo=f"set PRESSYNC_PASSWORD or `password_command`, or {login}",
        )
    if password:
        raise ConfigError("a password is set, but not a user", todo="set PRESSYNC_USER or `user`")
    return None


def is_stored(site: Site, environ: Mapping[str, str]) -> bool:
    """Tell whether the credentials of a site are those that `pressync login` has stored."""
    elsewhere = site.password_command or any(map(environ.get, ("PRESSYNC_TOKEN", "PRESSYNC_PASSWORD")))
    return not elsewhere and keyring_store.password(site) is not None


def _from_command(site: Site) -> str | None:
    """Run the site's command; the password is the first line of its output, as with `pass`."""
    if not site.password_command:
        return None
    failed = f"`password_command` of site '{site.name}' failed"
    try:
        done = subprocess.run(
            site.password_command,
            # In a hook, standard input is Git's list of pushed references.
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=_COMMAND_SECONDS,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        # Not `from error`: the command line and the output so far may contain the secret.
        raise ConfigError(f"{failed} ({type(error).__name__})", todo="run it by hand") from None
    if done.returncode:
        raise ConfigError(f"{failed} with exit code {done.returncode}", todo="run it by hand")
    try:
        return done.stdout.decode().partition("\n")[0].rstrip("\r") or None
    except UnicodeDecodeError:
        raise ConfigError(f"{failed}: its output is not UTF-8", todo="run it by hand") from None
