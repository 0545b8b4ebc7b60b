"""Decides whether a machine's credentials may be used with the settings of a repository.

Everybody who may push can write `pressync.toml`. That file names an address, a command and a user, but the
secret belongs to the machine. A server uses its secret only if it names the address itself. A clone uses its
secret with settings that it has used before, and with those that it wrote itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from pressync.config.secrets import authorization
from pressync.config.settings import FILE_NAME, without_query
from pressync.config.used_settings import UsedSettings
from pressync.model.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.client.credentials import Secret
    from pressync.config.location import SettingsText
    from pressync.config.settings import Settings
    from pressync.repo.repository import Repository

# The machine names its address in this variable, or in a file for `--config`, which is never a pushed file.
_OWN = "PRESSYNC_URL"
_TODO = "set PRESSYNC_URL on this machine, or keep the settings in a file on it, for `--config FILE`"


@dataclass(frozen=True, slots=True)
class CredentialPolicy:
    """The settings of one site, and what is known of where they came from.

    `is_pushed` tells that a push brought them to this machine. `used` knows the settings that this clone has
    used; it is None for settings in a file that the command line names.
    """

    settings: Settings
    environ: Mapping[str, str]
    is_pushed: bool
    used: UsedSettings | None = None

    @classmethod
    def of(
        cls, repository: Repository, settings: Settings, environ: Mapping[str, str], found: SettingsText
    ) -> Self:
        """Return the policy for settings that were found in a repository or in a named file."""
        used = UsedSettings(repository, found.text) if found.is_own else None
        return cls(settings, environ, found.is_pushed, used)

    @property
    def allow_http(self) -> bool:
        """Whether credentials may be sent without encryption; pushed settings cannot allow it."""
        return self.settings.site.allow_http and not self.is_pushed

    def authorization(self) -> Secret | None:
        """Give the Authorization header for the site of the settings; None if no credentials are configured.

        :raises ConfigError: credentials cannot be found, or settings of others would send them somewhere.
        """
        site = self.settings.site
        if self.used and not self.is_pushed:
            self.used.begin()
        if not site.url:
            return None
        if self.is_pushed:
            self._refuse_pushed()
        elif self.used and (site.password_command or _has_secret(self.environ)):
            # The keyring has a password for one address, so it needs no further check.
            self.used.require(self.settings, names_address=not self._is_own_address)
        return authorization(site, self.environ)

    def require_own_address(self) -> None:
        """Refuse an address that strangers may have pushed, before a password is made for it.

        :raises ConfigError: the machine itself does not name the address.
        """
        if self.is_pushed and not self._is_own_address:
            raise self._of_strangers()

    def trust(self) -> None:
        """Remember that a person of this clone agreed to the address and the command of the settings.

        :raises ConfigError: a push brought them, or the command line names their file, which needs no trust.
        """
        if self.is_pushed or self.used is None:
            raise ConfigError("a clone can trust the settings of its own working tree only", todo=_TODO)
        self.used.trust(self.settings)

    @property
    def _is_own_address(self) -> bool:
        return self.settings.origins.get("url") == _OWN

    def _refuse_pushed(self) -> None:
        if self.settings.site.password_command:
            # Otherwise everybody who may push could run any command on this machine.
            raise ConfigError(
                "pressync does not run a `password_command` that was pushed",
                where=FILE_NAME,
                todo="set PRESSYNC_PASSWORD here, or keep settings on this machine, for `--config`",
            )
        # With a user alone, pressync would ask the keyring for an address that a stranger wrote.
        if not self._is_own_address and (self.settings.site.user or _has_secret(self.environ)):
            raise self._of_strangers()

    def _of_strangers(self) -> ConfigError:
        return ConfigError(
            "pressync does not send this machine's credentials to "
            f"{without_query(self.settings.site.url or '')}, because that `url` was pushed",
            where=self.settings.origins.get("url", FILE_NAME),
            todo=_TODO,
        )


def _has_secret(environ: Mapping[str, str]) -> bool:
    """Whether the environment has a secret for a service."""
    return any(environ.get(name) for name in ("PRESSYNC_TOKEN", "PRESSYNC_PASSWORD"))
