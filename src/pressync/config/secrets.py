"""Gets the secret of a machine, and decides whether it may be used with the settings of a repository.

A secret comes from the environment, a command or the system keyring, and never from a file or a flag.
Everybody who may push can write `pressync.toml`. That file names an address, a command and a user, but the
secret belongs to the machine. A server uses its secret only if it names the address itself. A clone uses its
secret with settings that a person of it has agreed to.

Only this module uses the optional package `keyring`. A server often has the package and no keyring service,
so the backend is looked at before anybody is asked to make a password.
"""

from __future__ import annotations

import subprocess
from contextlib import suppress
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Any

from pressync.client.credentials import Secret, basic, bearer
from pressync.client.dialects import dialect_of
from pressync.config.environment import AGENT_PASSWORD, AGENT_USER, CREDENTIALS
from pressync.config.settings import FILE_NAME, Settings, Site, without_query
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.config.used_settings import UsedSettings


# A password manager may wait for a fingerprint, but the wait has to end.
_COMMAND_SECONDS = 60

# The machine names its address in this variable, or in a file for `--config`, which is never a pushed file.
_OWN = "PRESSYNC_URL"
_TODO = "set PRESSYNC_URL on this machine, or keep the settings in a file on it, for `--config FILE`"


def authorization(site: Site, environ: Mapping[str, str]) -> Secret | None:
    """Give the Authorization header for a site; None if no credentials are configured.

    A token comes before a password. A password comes from the environment, the command or the keyring. Where
    the dialect takes tokens, a password without a user is one.

    :raises ConfigError: a user has no password, a password has no user, or the command fails.
    """
    if environ.get("PRESSYNC_TOKEN"):
        return bearer(environ["PRESSYNC_TOKEN"])
    password = environ.get("PRESSYNC_PASSWORD") or _from_command(site) or stored_password(site)
    if site.user and password:
        return basic(site.user, password)
    if password and dialect_of(site.dialect).takes_token:
        return bearer(password)
    if site.user:
        login = "run `pressync login`"
        if not _keyring():
            login = f"{_INSTALL} and {login}"
        raise ConfigError(
            f"no password for {site.user} on site '{site.name}'",
            todo=f"set PRESSYNC_PASSWORD or `password_command`, or {login}",
        )
    if password:
        raise ConfigError("a password is set, but not a user", todo="set PRESSYNC_USER or `user`")
    return None


def agents_authorization(site: Site, environ: Mapping[str, str]) -> Secret | None:
    """Give the Authorization header of the agent's own account; None if there is none."""
    user, password = environ.get(AGENT_USER), environ.get(AGENT_PASSWORD)
    if user and password:
        return basic(user, password)
    user, _, password = (_kept(agents_account(site)) or "").partition(":")
    return basic(user, password) if user and password else None


def is_stored(site: Site, environ: Mapping[str, str]) -> bool:
    """Tell whether the credentials of a site are those that `pressync login` has stored."""
    elsewhere = site.password_command or _has_secret(environ)
    return not elsewhere and stored_password(site) is not None


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


@dataclass(frozen=True, slots=True)
class CredentialPolicy:
    """The settings of one site, and what is known of where they came from.

    `is_pushed` tells that a push brought them to this machine. `used` knows the settings that a person agreed
    to; it is None for settings in a file that the command line names. A tool of an agent (`is_tools`)
    that writes (`is_agents`) has the account of the agent alone.
    """

    settings: Settings
    environ: Mapping[str, str]
    is_pushed: bool
    used: UsedSettings | None = None
    is_agents: bool = False
    is_tools: bool = False

    @property
    def allow_http(self) -> bool:
        """Whether credentials may be sent without encryption; pushed settings cannot allow it."""
        return self.settings.site.allow_http and not self.is_pushed

    def authorization(self) -> Secret | None:
        """Give the Authorization header for the site of the settings; None if no credentials are configured.

        :raises ConfigError: credentials cannot be found, or nobody agreed to where they would go.
        """
        site = self.settings.site
        if self.used and not self.is_pushed:
            self.used.begin()
        if not site.url:
            return None
        if self.is_agents:
            return self._of_agent()
        if self.is_tools:
            return self._for_reading()
        if self.is_pushed and site.password_command:
            # Otherwise everybody who may push could run any command on this machine.
            raise ConfigError(
                "pressync does not run a `password_command` that was pushed",
                where=FILE_NAME,
                todo="set PRESSYNC_PASSWORD here, or keep settings on this machine, for `--config`",
            )
        if self.is_pushed:
            # With a user alone, pressync would ask the keyring for an address that a stranger wrote.
            if not self._is_own_address and (site.user or has_account(site) or _has_secret(self.environ)):
                raise self._of_strangers()
        elif self.used and (site.password_command or _has_secret(self.environ)):
            # The keyring has a password for one address, so it needs no further check.
            self.used.require(self.settings, names_address=not self._is_own_address)
        return authorization(site, self.environ)

    def _of_agent(self) -> Secret:
        """Give the account of the agent; no person's credentials are looked for.

        :raises ConfigError: there is none, or nobody agreed to where it would go.
        """
        site = self.settings.site
        if secret := agents_authorization(site, self.environ):
            # The keyring has the account for one address, so it needs no further check.
            if self.used and self.environ.get(AGENT_PASSWORD) and not self._is_own_address:
                self.used.require(
                    self.settings._replace(site=site._replace(password_command=())), names_address=True
                )
            return secret
        raise ConfigError(
            f"there is no account of an agent for site '{site.name}'",
            todo=f"a person sets {AGENT_USER} and {AGENT_PASSWORD}, or runs `pressync login --agent`",
        )

    def _for_reading(self) -> Secret | None:
        """Give what a tool that only reads may use: a person's after an agreement, else the agent's."""
        site = self.settings.site
        has_own = bool(site.password_command or _has_secret(self.environ) or stored_password(site))
        if not has_own and agents_authorization(site, self.environ):
            return self._of_agent()
        if has_own and self.used:
            self.used.require(self.settings, names_address=not self._is_own_address)
        return authorization(site, self.environ) if has_own else None

    def require_own_address(self) -> None:
        """Refuse an address that strangers may have pushed, before a password is made for it.

        :raises ConfigError: the machine itself does not name the address.
        """
        if self.is_pushed and not self._is_own_address:
            raise self._of_strangers()

    def refuses_drawing(self) -> str:
        """Say why the command that draws diagrams may not run here; "" if it may."""
        if self.is_pushed:
            return "pressync does not run a command that was pushed"
        if self.used and not self.used.allows(self.settings.markdown.mermaid):
            name = quote(self.settings.site.name)
            return f"nobody agreed to the command `mermaid` here; run `pressync --site {name} config --trust`"
        return ""

    def trust(self) -> str:
        """Remember that a person agreed to the address and the command of the settings; say to what.

        :raises ConfigError: a push brought them, or the command line names their file, which needs no trust.
        """
        if self.is_pushed or self.used is None:
            raise ConfigError("a clone can trust the settings of its own working tree only", todo=_TODO)
        return self.used.trust(self.settings)

    @property
    def _is_own_address(self) -> bool:
        return self.settings.origins.get("url") == _OWN

    def _of_strangers(self) -> ConfigError:
        return ConfigError(
            "pressync does not send this machine's credentials to "
            f"{without_query(self.settings.site.url or '')}, because that `url` was pushed",
            where=self.settings.origins.get("url", FILE_NAME),
            todo=_TODO,
        )


def _has_secret(environ: Mapping[str, str]) -> bool:
    return any(environ.get(name) for name in CREDENTIALS)


# The name of pressync in the keyring.
SERVICE = "pressync"
# The backends of `keyring` that store nothing.
_EMPTY = ("keyring.backends.fail", "keyring.backends.null")
_ELSEWHERE = "set `password_command` or PRESSYNC_PASSWORD"
_INSTALL = (
    "install the extra `keyring` (`pip install 'pressync[keyring]'`, or `pipx inject pressync keyring`)"
)


def _keyring() -> Any:  # noqa: ANN401 - an optional module
    """Give the package, and None without it. The module of its errors is `errors`."""
    try:
        import keyring.errors  # noqa: PLC0415 - optional, and slow to load
    except ImportError:
        return None
    return keyring


def account(site: Site) -> str:
    """Give the name under which the keyring has the password of a site's user, or the token of a site."""
    return f"{site.user or 'token'}@{site.url}"


def has_account(site: Site) -> bool:
    """Tell whether the keyring can have credentials of a site: of its user, or a token without one."""
    return bool(site.url and (site.user or dialect_of(site.dialect).takes_token))


def keyring_name() -> str:
    """Name the keyring that would store a password; ConfigError if there is none that stores anything."""
    if not (keyring := _keyring()):
        raise ConfigError("the package `keyring` is not installed", todo=f"{_INSTALL}, or {_ELSEWHERE}")
    backend = keyring.get_keyring()
    chained = getattr(backend, "backends", None)
    if type(backend).__module__.startswith(_EMPTY) or (chained is not None and not list(chained)):
        raise ConfigError("this machine has no keyring service that runs", todo=f"start one, or {_ELSEWHERE}")
    return str(getattr(backend, "name", "") or type(backend).__name__)


def stored_password(site: Site) -> str | None:
    """Look a password up; None if there is none, or no keyring."""
    return _kept(account(site)) if has_account(site) else None


def agents_account(site: Site) -> str:
    """Give the name under which the keyring has the user and the password of an agent."""
    return f"agent of {site.url}"


def _kept(name: str) -> str | None:
    if not (keyring := _keyring()):
        return None
    secret: str | None = None
    # A machine without a keyring service counts as one with an empty keyring.
    with suppress(keyring.errors.KeyringError):
        secret = keyring.get_password(SERVICE, name)
    return secret


def store(name: str, secret: str) -> None:
    """Store the password of an account, in the place of an earlier one.

    :raises ConfigError: the keyring refuses it, or does not give it back.
    """
    keyring = _keyring()
    try:
        keyring.set_password(SERVICE, name, secret)
    except keyring.errors.KeyringError as error:
        raise _failed("took no password", error) from None
    if _kept(name) != secret:
        raise ConfigError("the keyring did not give back the password that it took", todo=_ELSEWHERE)


def remove(name: str) -> bool:
    """Remove the password of an account, and tell whether there was one; ConfigError if it is refused."""
    if _kept(name) is None:
        return False
    keyring = _keyring()
    try:
        keyring.delete_password(SERVICE, name)
    except keyring.errors.KeyringError as error:
        raise _failed("did not remove the password", error) from None
    return True


def _failed(fault: str, error: Exception) -> ConfigError:
    # Only the type: a message of a backend may have the password in it.
    return ConfigError(f"the keyring {fault} ({type(error).__name__})", todo=f"unlock it, or {_ELSEWHERE}")
