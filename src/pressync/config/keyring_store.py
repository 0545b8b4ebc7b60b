"""Keeps passwords in the system keyring. No other module uses the package `keyring`, which is optional.

A server or a container often has the package and no keyring service. Then `keyring` has a backend that fails
at each call. So the backend is looked at before anybody is asked to make a password.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from pressync.config.settings import Site

# The name of pressync in the keyring.
SERVICE = "pressync"
# The backends of `keyring` that store nothing.
_EMPTY = ("keyring.backends.fail", "keyring.backends.null")
_ELSEWHERE = "set `password_command` or PRESSYNC_PASSWORD"
INSTALL = "install `keyring` beside pressync (`pip install keyring`, or `pipx inject pressync keyring`)"


def is_installed() -> bool:
    """Tell whether the package is there."""
    try:
        import keyring  # noqa: F401, PLC0415 - optional, and slow to load
    except ImportError:
        return False
    return True


def account(site: Site) -> str:
    """Give the name under which the keyring has the password of a site's user."""
    return f"{site.user}@{site.url}"


def place() -> str:
    """Name the keyring that would store a password.

    :raises ConfigError: there is none that stores anything.
    """
    if not is_installed():
        raise ConfigError("the package `keyring` is not installed", todo=f"{INSTALL}, or {_ELSEWHERE}")
    import keyring  # noqa: PLC0415 - optional, and slow to load

    backend = keyring.get_keyring()
    chained = getattr(backend, "backends", None)
    if type(backend).__module__.startswith(_EMPTY) or (chained is not None and not list(chained)):
        raise ConfigError("this machine has no keyring service that runs", todo=f"start one, or {_ELSEWHERE}")
    return str(getattr(backend, "name", "") or type(backend).__name__)


def password(site: Site) -> str | None:
    """Look a password up; None if there is none, or no keyring."""
    if not (site.user and site.url and is_installed()):
        return None
    import keyring  # noqa: PLC0415 - optional, and slow to load
    from keyring.errors import KeyringError  # noqa: PLC0415

    try:
        found: str | None = keyring.get_password(SERVICE, account(site))
    except KeyringError:
        # A machine without a keyring service counts as one with an empty keyring.
        return None
    return found


def store(site: Site, secret: str) -> None:
    """Store a password, in the place of an earlier one.

    :raises ConfigError: the keyring refuses it, or does not give it back.
    """
    import keyring  # noqa: PLC0415 - optional, and slow to load
    from keyring.errors import KeyringError  # noqa: PLC0415

    try:
        keyring.set_password(SERVICE, account(site), secret)
    except KeyringError as error:
        raise _failed("took no password", error) from None
    if password(site) != secret:
        raise ConfigError("the keyring did not give back the password that it took", todo=_ELSEWHERE)


def remove(site: Site) -> None:
    """Remove a password, if there is one.

    :raises ConfigError: the keyring refuses it.
    """
    if password(site) is None:
        return
    import keyring  # noqa: PLC0415 - optional, and slow to load
    from keyring.errors import KeyringError  # noqa: PLC0415

    try:
        keyring.delete_password(SERVICE, account(site))
    except KeyringError as error:
        raise _failed("did not remove the password", error) from None


def _failed(what: str, error: Exception) -> ConfigError:
    # Only the type: a message of a backend may have the password in it.
    return ConfigError(f"the keyring {what} ({type(error).__name__})", todo=f"unlock it, or {_ELSEWHERE}")
