"""Decides whether a machine's credentials may be used with settings that were pushed to it.

Everybody who may push to a server's repository can write its `pressync.toml`. That file names an address, a
command and a user, but the secret belongs to the server. So pressync uses the secret only if the machine
itself names the address.
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

# The machine names its address in this variable, or in a file for `--config`, which is never a pushed file.
_OWN = "PRESSYNC_URL"
_TODO = "set PRESSYNC_URL on this machine, or keep the settings in a file on it, for `--config FILE`"


def secret_for(settings: Settings, environ: Mapping[str, str], *, is_pushed: bool) -> Secret | None:
    """Give the Authorization header for the site of the settings; None if no credentials are configured.

    :raises ConfigError: credentials cannot be found, or pushed settings would send them to another address.
    """
    site = settings.site
    if not site.url:
        return None
    if not is_pushed:
        return authorization(site, environ)
    if site.password_command:
        # Otherwise everybody who may push could run any command on this machine.
        raise ConfigError(
            "pressync does not run a `password_command` that was pushed",
            where=FILE_NAME,
            todo="set PRESSYNC_PASSWORD here, or keep settings on this machine, for `--config`",
        )
    if settings.origins.get("url") == _OWN:
        return authorization(site, environ)
    # With a user alone, pressync would ask the keyring for an address that a stranger wrote.
    if site.user or _has_secret(environ):
        raise _of_strangers(settings)
    return None


def require_own_address(settings: Settings, *, is_pushed: bool) -> None:
    """Refuse an address that strangers may have pushed, before a password is made for it.

    :raises ConfigError: the machine itself does not name the address.
    """
    if is_pushed and settings.origins.get("url") != _OWN:
        raise _of_strangers(settings)


def _of_strangers(settings: Settings) -> ConfigError:
    return ConfigError(
        f"pressync does not send this machine's credentials to {_without_query(settings.site.url or '')}, "
        "because that `url` was pushed",
        where=settings.origins.get("url", FILE_NAME),
        todo=_TODO,
    )


def may_use_http(settings: Settings, *, is_pushed: bool) -> bool:
    """Whether credentials may be sent without encryption; pushed settings cannot allow it."""
    return settings.site.allow_http and not is_pushed


def _has_secret(environ: Mapping[str, str]) -> bool:
    """Whether the environment has a secret for a service."""
    return any(environ.get(name) for name in ("PRESSYNC_TOKEN", "PRESSYNC_PASSWORD"))


def _without_query(url: str) -> str:
    return url.partition("?")[0]
