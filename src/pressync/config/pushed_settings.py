"""The credentials of a machine, where settings were pushed to it: they go to the machine's own address.

Everybody who may push to a server's repository writes its `pressync.toml`. That file names an address, a
command and a user, and the secret is the server's. So a secret is given only where the machine itself names
the address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.config.secrets import authorization
from pressync.config.settings import FILE_NAME
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.credentials import Secret
    from pressync.config.settings import Settings

# Where the machine itself can say an address; `--config FILE` is no pushed file to begin with.
_OWN = "PRESSYNC_URL"
_TODO = "set PRESSYNC_URL on this machine, or keep the settings in a file on it, for `--config FILE`"


def secret_for(settings: Settings, environ: Mapping[str, str], *, is_pushed: bool) -> Secret | None:
    """Give the Authorization header for the site of the settings; None if no credentials are configured.

    :raises ConfigError: credentials cannot be found, or the settings were pushed and would lead them astray.
    """
    site = settings.site
    if not site.url:
        return None
    if not is_pushed:
        return authorization(site, environ)
    if site.password_command:
        # Everybody who may push could otherwise run any command on the machine that is pushed to.
        raise ConfigError(
            "a `password_command` that was pushed is not run",
            where=FILE_NAME,
            todo="set PRESSYNC_PASSWORD here, or keep settings on this machine, for `--config`",
        )
    if settings.origins.get("url") == _OWN:
        return authorization(site, environ)
    # A user alone would make us ask the keyring, for an address that a stranger wrote.
    if site.user or _has_secret(environ):
        raise ConfigError(
            f"the credentials of this machine are not sent to {_named(site.url)}: that `url` was pushed",
            where=settings.origins.get("url", FILE_NAME),
            todo=_TODO,
        )
    return None


def may_use_http(settings: Settings, *, is_pushed: bool) -> bool:
    """Tell whether credentials may cross a network in the clear; pushed settings cannot allow it."""
    return settings.site.allow_http and not is_pushed


def _has_secret(environ: Mapping[str, str]) -> bool:
    """Tell whether the environment holds a secret for a service."""
    return any(environ.get(name) for name in ("PRESSYNC_TOKEN", "PRESSYNC_PASSWORD"))


def _named(url: str) -> str:
    return url.partition("?")[0]
