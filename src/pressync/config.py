"""pressync.toml, PRESSYNC_* and flags -> frozen Settings, with the origin of every value.

It must not open Git or the network, and never holds a secret: a password or token is asked for where
it is used, in `credentials`. What decided its shape: `pressync config` prints each value with the place
it came from, so every value is looked up in one function, flag over environment over file over default.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pressync.errors import ConfigError, Problem

FILE_NAME = "pressync.toml"
DIALECTS = ("documented", "wordpress")
# The site that there is when nothing is configured: the embedded service of this clone.
EMBEDDED = "embedded"
# The site that a URL in the environment makes when no file names one.
UNNAMED = "default"

_TOP: Mapping[str, type] = {"content": str, "templates": str, "sites": dict, "defaults": dict}
_SITE: Mapping[str, type | tuple[type, ...]] = {
    "url": str,
    "dialect": str,
    "user": str,
    "manifest": str,
    "branch": str,
    "defaults": dict,
    "password_command": (str, list),
    "allow_http": bool,
}
# A table in `defaults` is a folder's own defaults, except for the one field that is an object.
_OBJECT_FIELDS = frozenset({"meta"})


@dataclass(frozen=True, slots=True)
class Site:
    """One target. `url` is None for the embedded service; `manifest` is a path from the repository's root."""

    name: str
    url: str | None
    dialect: str
    user: str | None
    manifest: str
    branch: str | None = None
    password_command: tuple[str, ...] = ()
    allow_http: bool = False
    defaults: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

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
    flags = flags or Flags()
    file = _parse(text or "", where)
    sites: dict[str, dict[str, Any]] = file.get("sites", {})
    name, chosen_by = _choose(tuple(sites), where, environ, flags)
    origins = {"site": chosen_by}
    table = sites.get(name, {})
    place = f"{where} [sites.{name}]"

    def pick(key: str, variable: str | None, default: Any) -> Any:
        if variable and environ.get(variable):
            origins[key] = variable
            return environ[variable]
        origins[key] = place if key in table else "default"
        return table.get(key, default)

    content = _folder(file.get("content", "content"))
    templates = _folder(file.get("templates", "templates"))
    for key in ("content", "templates"):
        origins[key] = where if key in file else "default"
    url = None if name == EMBEDDED else pick("url", "PRESSYNC_URL", None)
    if url is None and name != EMBEDDED:
        raise ConfigError(f"site '{name}' has no url", where=place, todo=f'add `url = "https://…/wp-json"` to [sites.{name}]')
    dialect = "documented" if name == EMBEDDED else pick("dialect", "PRESSYNC_DIALECT", "documented")
    if dialect not in DIALECTS:
        raise ConfigError(
            f"dialect '{dialect}' is unknown", where=origins["dialect"], todo=f"use one of {', '.join(DIALECTS)}"
        )
    command = pick("password_command", None, ())
    site = Site(
        name=name,
        url=url.rstrip("/") if url and "?" not in url else url,
        dialect=dialect,
        user=pick("user", "PRESSYNC_USER", None),
        manifest=pick("manifest", None, f".pressync/{name}.json"),
        branch=pick("branch", None, None),
        password_command=(command,) if isinstance(command, str) else tuple(command),
        allow_http=pick("allow_http", None, default=False),
        defaults=_defaults(file.get("defaults", {}), table.get("defaults", {})),
    )
    origins["defaults"] = place if table.get("defaults") else where if file.get("defaults") else "default"
    return Settings(content, templates, site, tuple(sites), origins)


def _choose(
    names: tuple[str, ...], where: str, environ: Mapping[str, str], flags: Flags
) -> tuple[str, str]:
    wanted, origin = (flags.site, "--site") if flags.site else (environ.get("PRESSYNC_SITE"), "PRESSYNC_SITE")
    if wanted:
        if wanted in names or wanted == EMBEDDED or (wanted == UNNAMED and environ.get("PRESSYNC_URL")):
            return wanted, origin
        known = ", ".join(names) or "none"
        raise ConfigError(f"there is no site '{wanted}' (known: {known})", where=origin, todo=f"add it to {where}")
    if len(names) == 1:
        return names[0], where
    if names:
        raise ConfigError(
            f"{where} has {len(names)} sites: {', '.join(names)}", todo="choose one with `--site NAME` or PRESSYNC_SITE"
        )
    if environ.get("PRESSYNC_URL"):
        return UNNAMED, "PRESSYNC_URL"
    return EMBEDDED, "default"


def _parse(text: str, where: str) -> dict[str, Any]:
    try:
        file = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column \d+\)", str(error))
        problem = Problem(where, int(found[1]) if found else 0, f"not TOML: {error}", "correct the line")
        raise ConfigError(str(problem)) from error
    problems = [*_wrong(file, _TOP, text, where)]
    for name, table in file.get("sites", {}).items() if isinstance(file.get("sites", {}), dict) else ():
        if not isinstance(table, dict):
            problems.append(Problem(where, _line(text, name), f"'{name}' is no table", f"write [sites.{name}]"))
        elif not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name) or name == EMBEDDED:
            problems.append(
                Problem(where, _line(text, name), f"a site cannot be called '{name}'", "use letters, digits, . _ -")
            )
        else:
            problems += _wrong(table, _SITE, text, where)
            problems += _unsafe_manifest(table.get("manifest"), text, where)
    if problems:
        raise ConfigError("\n".join(map(str, problems)))
    return file


def _wrong(
    table: Mapping[str, Any], known: Mapping[str, type | tuple[type, ...]], text: str, where: str
) -> list[Problem]:
    problems = []
    for key, value in table.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            todo = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known)}"
            secret = key in {"password", "token"}
            todo = "secrets stay out of files: use PRESSYNC_PASSWORD or `password_command`" if secret else todo
            problems.append(Problem(where, _line(text, key), f"unknown key '{key}'", todo))
        elif not isinstance(value, known[key]):
            wanted = known[key]
            names = " or ".join(t.__name__ for t in (wanted if isinstance(wanted, tuple) else (wanted,)))
            problems.append(Problem(where, _line(text, key), f"'{key}' is no {names}", "correct its value"))
    return problems


def _unsafe_manifest(manifest: object, text: str, where: str) -> list[Problem]:
    if isinstance(manifest, str) and (manifest.startswith("/") or ".." in manifest.split("/")):
        return [Problem(where, _line(text, "manifest"), "the manifest must be inside the repository", "use a relative path")]
    return []


def _line(text: str, key: str) -> int:
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(rf'\s*(\[[\w.]*\.)?"?{re.escape(key)}"?\s*(=|\])', line):
            return number
    return 0


def _folder(path: str) -> str:
    clean = path.strip("/").removeprefix("./")
    if ".." in clean.split("/"):
        raise ConfigError(f"the folder '{path}' leaves the repository", todo="use a path below its root")
    return "" if clean == "." else clean


def _defaults(*tables: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    """Folder -> front matter; the empty folder is everywhere. Later tables win key by key."""
    result: dict[str, dict[str, object]] = {}
    for table in tables:
        for key, value in table.items():
            if isinstance(value, dict) and key not in _OBJECT_FIELDS:
                result.setdefault(key.strip("/"), {}).update(value)
            else:
                result.setdefault("", {})[key] = value
    return result
