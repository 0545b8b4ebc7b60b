"""Gets a secret from the environment, a command or the system keyring, and never from a file or a flag.

The secret is wrapped, so that no log, message or traceback shows it. Only commands that are about to send a
request to a service ask for it.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from pressync.client.credentials import basic, bearer
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.credentials import Secret
    from pressync.config.settings import Site

# A password manager may wait for a fingerprint, but the wait has to end.
_COMMAND_SECONDS = 60
# The name of pressync in the keyring.
_KEYRING = "pressync"


def authorization(site: Site, environ: Mapping[str, str]) -> Secret | None:
    """Give the Authorization header for a site; None if no credentials are configured.

    A token comes before a password. A password comes from the environment, the command or the keyring.

    :raises ConfigError: a user has no password, a password has no user, or the command fails.
    """
    if environ.get("PRESSYNC_TOKEN"):
        return bearer(environ["PRESSYNC_TOKEN"])
    password = environ.get("PRESSYNC_PASSWORD") or _from_command(site) or _from_keyring(site)
    if site.user and password:
        return basic(site.user, password)
    if site.user:
        store = f"store it with `keyring set {_KEYRING} {site.user}@{site.url}`"
        if not _has_keyring():
            store = f"install `keyring` beside pressync (`pip install keyring`) and {store}"
        raise ConfigError(
            f"no password for {site.user} on site '{site.name}'",
            todo=f"set PRESSYNC_PASSWORD or `password_command`, or {store}",
        )
    if password:
        raise ConfigError("a password is set, but not a user", todo="set PRESSYNC_USER or `user`")
    return None


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


def _has_keyring() -> bool:
    try:
        import keyring  # noqa: F401, PLC0415 - optional, and slow to load
    except ImportError:
        return False
    return True


def _from_keyring(site: Site) -> str | None:
    if not site.user or not site.url:
        return None
    try:
        import keyring  # noqa: PLC0415 - optional, and slow to load
        from keyring.errors import KeyringError  # noqa: PLC0415
    except ImportError:
        return None
    try:
        found: str | None = keyring.get_password(_KEYRING, f"{site.user}@{site.url}")
    except KeyringError:
        # A machine without a keyring service counts as one with an empty keyring.
        return None
    return found
