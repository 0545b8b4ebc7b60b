"""pressync.toml, PRESSYNC_* and flags -> frozen Settings, with the origin of every value.

It must not open Git or the network, and never holds a secret: a password or token is asked for where
it is used, in `secrets`. What decided its shape: `pressync config` prints each value with the place
it came from, so every value is looked up in one way, flag over environment over file over default.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pressync.client import address
from pressync.config import settings_file
from pressync.config.settings_file import DIALECTS, EMBEDDED, WORDPRESS
from pressync.model.errors import ConfigError
from pressync.repo.discover import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE_NAME = SETTINGS
# The site that a URL in the environment makes when no file names one.
UNNAMED = "default"
# The manifest lives in a Git reference of its own, `refs/pressync/NAME`.
_IN_A_REFERENCE = "ref"

# A table in `defaults` is a folder's own defaults, except for the one field that is an object.
_OBJECT_FIELDS = frozenset({"meta"})


@dataclass(frozen=True, slots=True)
class Site:
    """One target. `url` is None for the embedded service.

    `manifest` is a path from the repository's root, or "ref"; then `remote` names the Git remote that shares
    the reference: None is `origin` if there is one, "" none. `defaults` are front matter, by folder below
    the content folder; "" is all of it. With `blocks` bodies are sent as blocks of the WordPress editor.
    """

    name: str
    url: str | None
    dialect: str
    user: str | None
    manifest: str
    branch: str | None = None
    remote: str | None = None
    password_command: tuple[str, ...] = ()
    allow_http: bool = False
    blocks: bool = False
    defaults: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    @property
    def reference(self) -> str | None:
        """The Git reference that holds the manifest; None if a file does."""
        return f"refs/pressync/{self.name}" if self.manifest == _IN_A_REFERENCE else None

    @property
    def file(self) -> str:
        """The manifest's file, from the repository's root; of one in a reference, what it would be."""
        return f".pressync/{self.name}.json" if self.reference else self.manifest

    @property
    def target(self) -> str:
        """What the manifest calls this site's far side: its address, or "embedded"."""
        return self.url if self.url is not None else EMBEDDED


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a command needs to know; `origins` tells where each value came from."""

    content: str
    templates: str
    site: Site
    sites: tuple[str, ...]
    origins: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Flags:
    """The values that the command line may set."""

    site: str | None = None


def load(text: str | None, *, where: str, environ: Mapping[str, str], flags: Flags | None = None) -> Settings:
    """Read one site's settings.

    `text` is the configuration file's, None when there is none; `where` its name for messages.

    :raises ConfigError: with every problem of the file, or with the one of the choice of a site.
    """
    tables = settings_file.read(text or "", where)
    sites: dict[str, dict[str, Any]] = tables.get("sites", {})
    name, chosen_by = _choose(tuple(sites), where, environ, flags or Flags())
    values = _Values(sites.get(name, {}), f"{where} [sites.{name}]", environ)
    values.origins["site"] = chosen_by
    url, dialect = (None, DIALECTS[0]) if name == EMBEDDED else _far_side(name, values)
    command = values.pick("password_command", ())
    site = Site(
        name=name,
        url=url,
        dialect=dialect,
        user=values.pick("user", None, "PRESSYNC_USER"),
        manifest=values.pick("manifest", f".pressync/{name}.json"),
        branch=values.pick("branch", None) or None,
        remote=values.pick("remote", None),
        # One string is a shell line, as in Git's own credential and editor settings; a list is run as it is.
        password_command=("/bin/sh", "-c", command) if isinstance(command, str) else tuple(command),
        allow_http=values.pick("allow_http", default=False),
        blocks=_blocks(values, dialect),
        defaults=_defaults(tables.get("defaults", {}), values.pick("defaults", {})),
    )
    for key in ("content", "templates", "defaults"):
        if values.origins.get(key, "default") == "default":
            values.origins[key] = where if key in tables else "default"
    return Settings(
        content=settings_file.folder(tables.get("content", "content")) or "",
        templates=settings_file.folder(tables.get("templates", "templates")) or "",
        site=site,
        sites=tuple(sites),
        origins=values.origins,
    )


class _Values:
    """One site's values, each looked up in the environment, in the site's table, and by default."""

    def __init__(self, table: Mapping[str, Any], place: str, environ: Mapping[str, str]) -> None:
        self._table = table
        self._environ = environ
        self.place = place
        self.origins: dict[str, str] = {}

    def pick(self, key: str, default: object, variable: str | None = None) -> Any:  # noqa: ANN401
        """Look a value up and note its origin; its type was checked when the file was read."""
        if variable and self._environ.get(variable):
            self.origins[key] = variable
            return self._environ[variable]
        self.origins[key] = self.place if key in self._table else "default"
        return self._table.get(key, default)


def _far_side(name: str, values: _Values) -> tuple[str, str]:
    """Look up the address and the dialect; what the environment says is checked here, the file is already."""
    url = values.pick("url", "", "PRESSYNC_URL")
    if not url:
        raise ConfigError(
            f"site '{name}' has no url",
            where=values.place,
            todo='add `url = "https://…/wp-json"`, or set PRESSYNC_URL',
        )
    try:
        address.parse(url)
    except ConfigError as error:
        raise ConfigError(error.what, where=values.origins["url"], todo=error.todo) from None
    dialect = values.pick("dialect", DIALECTS[0], "PRESSYNC_DIALECT")
    if dialect not in DIALECTS:
        raise ConfigError(
            f"dialect '{dialect}' is unknown",
            where=values.origins["dialect"],
            todo=f"use one of {', '.join(DIALECTS)}",
        )
    # In a query the slash belongs to the value: `?rest_route=/`.
    return url if "?" in url else url.rstrip("/"), dialect


def _blocks(values: _Values, dialect: str) -> bool:
    """Look up whether bodies are sent as blocks, which mean something to WordPress alone."""
    blocks = bool(values.pick("blocks", default=False))
    if blocks and dialect != WORDPRESS:
        raise ConfigError(
            f"`blocks = true` is for WordPress, and this site's dialect is '{dialect}'",
            where=values.origins["blocks"],
            todo='set `dialect = "wordpress"`, or leave `blocks` out',
        )
    return blocks


def _choose(names: tuple[str, ...], where: str, environ: Mapping[str, str], flags: Flags) -> tuple[str, str]:
    """Choose the site: its name, and who named it."""
    wanted, origin = (flags.site, "--site") if flags.site else (environ.get("PRESSYNC_SITE"), "PRESSYNC_SITE")
    in_environment = bool(environ.get("PRESSYNC_URL"))
    if wanted:
        if wanted in names or wanted == EMBEDDED or (wanted == UNNAMED and in_environment):
            return wanted, origin
        known = ", ".join(names) or "none"
        raise ConfigError(
            f"there is no site '{wanted}' (known: {known})", where=origin, todo=f"add it to {where}"
        )
    if len(names) > 1:
        raise ConfigError(
            f"there are {len(names)} sites: {', '.join(names)}",
            where=where,
            todo="choose one with `--site NAME` or PRESSYNC_SITE",
        )
    if names:
        return names[0], where
    return (UNNAMED, "PRESSYNC_URL") if in_environment else (EMBEDDED, "default")


def _defaults(*tables: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    """Sort defaults by folder; later tables win key by key."""
    result: dict[str, dict[str, object]] = {}
    for table in tables:
        for key, value in table.items():
            if isinstance(value, dict) and key not in _OBJECT_FIELDS:
                result.setdefault(key.strip("/"), {}).update(value)
            else:
                result.setdefault("", {})[key] = value
    return result
