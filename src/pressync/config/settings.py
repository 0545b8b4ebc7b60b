"""Makes frozen Settings of pressync.toml, PRESSYNC_* variables and flags, with the origin of every value.

Every value is looked up in one way: flag, then environment, then file, then default. Settings never contain a
secret; `secrets` gets it when it is needed. A bare repository has no files, so its settings are those of
HEAD, which somebody pushed.
"""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pressync.client.dialects import DEFAULT, MOST_CAPABLE, capabilities_of, dialect_of
from pressync.config.keys import EMBEDDED, folder, named_types
from pressync.model import bounds
from pressync.model.bounds import FileBound, FileTooLarge
from pressync.model.errors import ConfigError
from pressync.model.fingerprint import small_digest
from pressync.model.interface import DOCUMENTED_TYPES, SiteTypes
from pressync.repo import discover, work_tree
from pressync.repo.discover import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pressync.client.dialects import Capabilities
    from pressync.model.site_schema import SiteSchema
    from pressync.repo.repository import Repository


FILE_NAME = SETTINGS
# The name of the site that PRESSYNC_URL makes if the file has no site.
UNNAMED = "default"
# The value of `manifest` for a manifest in a Git reference, `refs/pressync/NAME`.
_IN_A_REFERENCE = "ref"

# A table in `defaults` has the defaults of a folder, except for these keys, whose value is an object.
_OBJECT_FIELDS = frozenset({"meta", "acf", "seo"})


_NOTHING: Mapping[str, Any] = MappingProxyType({})


# A dataclass would load `dataclasses` and `inspect`, which takes 5 ms of a plan with nothing to do.
class Site(NamedTuple):
    """One target. `url` is None for the embedded service.

    `config.keys` says what each key means. `manifest` is a path from the repository's root, or "ref". With
    "ref", a `remote` of None means `origin` if it exists, and "" means no remote. `defaults` has front matter
    for folders below the content folder; "" is for all folders.
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
    front_page: bool = False
    notify: bool = False
    approve: bool = False
    defaults: Mapping[str, Mapping[str, object]] = _NOTHING
    types: Mapping[str, str] = _NOTHING
    seo: Mapping[str, str] = _NOTHING

    @property
    def reference(self) -> str | None:
        """The Git reference with the manifest; None if the manifest is a file."""
        return f"refs/pressync/{self.name}" if self.manifest == _IN_A_REFERENCE else None

    @property
    def file(self) -> str:
        """The path of the manifest's file from the root; for one in a reference, the path it would have."""
        return f".pressync/{self.name}.json" if self.reference else self.manifest

    @property
    def target(self) -> str:
        """The name of the service in the manifest: its address, or "embedded"."""
        return self.url if self.url is not None else EMBEDDED

    @property
    def home(self) -> str:
        """The address of its pages, as far as that of the service shows it; maybe ""."""
        from pressync.client import address  # noqa: PLC0415 - a run with nothing to do does not need it

        return address.home_of(self.url, dialect_of(self.dialect).route) if self.url else ""


class MarkdownForms(NamedTuple):
    """The forms of Markdown beyond CommonMark and GitHub's additions; `config.keys` says what each means."""

    math: bool = False
    mermaid: tuple[str, ...] = ()
    highlight: str = ""
    dialect: str = ""
    vault: str = ""
    hashtags: bool = False
    embeds: bool = False
    galleries: bool = False

    def chosen(self) -> list[str]:
        """Write each form that is on, as the settings have it."""
        on = self._asdict()
        # The digest of a page has these words, and every machine may have another command.
        on["mermaid"] = bool(self.mermaid)
        return [f"{name} = {value}" for name, value in on.items() if value]

    @property
    def left_out(self) -> tuple[str, ...]:
        """Patterns, as in `exclude`, of the files of a vault that are not documents: Obsidian's templates."""
        folders = [part for part in self.vault.split("/") if part not in {"", "."}] + ["[Tt]emplates"]
        return (f"/{'/'.join(folders)}/",) if self.dialect else ()


NO_FORMS = MarkdownForms()


class Settings(NamedTuple):
    """The settings of one site; `origins` has the origin of each value, and `config.keys` their meaning.

    `schema` is a digest of the committed schema of the site, which is `site_schema`; without that file they
    are "" and None, and `types` are the documented kinds. `has_agents` tells of a table that an earlier
    version read.
    """

    content: str
    templates: str
    site: Site
    sites: tuple[str, ...]
    origins: Mapping[str, str]
    exclude: tuple[str, ...] = ()
    authors: Mapping[str, str | int] = _NOTHING
    terms: Mapping[str, str] = _NOTHING
    folders: str = ""
    markdown: MarkdownForms = NO_FORMS
    has_agents: bool = False
    schema: str = ""
    types: SiteTypes = DOCUMENTED_TYPES
    site_schema: SiteSchema | None = None

    @property
    def left_out(self) -> tuple[str, ...]:
        """All patterns of files that are not documents."""
        return (*self.markdown.left_out, *self.exclude)


def load(text: str | None, *, where: str, environ: Mapping[str, str], site: str | None = None) -> Settings:
    """Read the settings of one site, by default the only one; `text` is None without a file `where`.

    :raises ConfigError: the file has problems (the message has all of them), or no site can be chosen.
    """
    tables = _tables(text, where, site or environ.get("PRESSYNC_SITE"))
    sites: dict[str, dict[str, Any]] = tables.get("sites", {})
    name, chosen_by = _choose(tuple(sites), where, environ, site)
    values = _Values(sites.get(name, {}), f"{where} [sites.{name}]", environ)
    values.origins["site"] = chosen_by
    usual = MOST_CAPABLE if name == EMBEDDED else DEFAULT
    dialect = str(values.pick("dialect", usual.name, "PRESSYNC_DIALECT"))
    able = dialect_of(dialect, values.origins["dialect"]).capabilities
    # A table that names the default dialect and no address means the embedded service too.
    is_embedded = sites.get(name, {}).get("dialect") == dialect == DEFAULT.name
    chosen = Site(
        name=name,
        url=_service(name, values, is_embedded=is_embedded),
        dialect=dialect,
        user=values.pick("user", None, "PRESSYNC_USER"),
        manifest=values.pick("manifest", f".pressync/{name}.json"),
        branch=values.pick("branch", None) or None,
        remote=values.pick("remote", None),
        password_command=command_words(values.pick("password_command", ())),
        allow_http=values.pick("allow_http", default=False),
        blocks=_switch("blocks", values, dialect, able=able.blocks),
        front_page=_switch("front_page", values, dialect, able=able.front_page),
        notify=_switch("notify", values, dialect, able=able.notifies),
        approve=values.pick("approve", default=False),
        defaults=_defaults(tables.get("defaults", {}), values.pick("defaults", {})),
        types={kind: table["folder"] for kind, table in values.pick("types", {}).items()},
        seo=values.pick("seo", {}),
    )
    tree = _tree(tables, values)
    values.complete(tables, where)
    return Settings(
        content=folder(tables.get("content", "content")) or "",
        templates=folder(tables.get("templates", "templates")) or "",
        site=chosen,
        sites=tuple(sites),
        origins=values.origins,
        **tree,
        markdown=markdown_forms(tables, able),
        has_agents="agents" in tables,
    )


def _tree(tables: Mapping[str, Any], values: _Values) -> dict[str, Any]:
    """Look up how a tree is read: a site adds rows to two tables, and its other values win."""
    added = {key: {**tables.get(key, {}), **values.pick(key, {})} for key in ("authors", "terms")}
    exclude, folders = (values.pick(key, tables.get(key, "")) for key in ("exclude", "folders"))
    return {"exclude": tuple(exclude), "folders": folders, **added}


def markdown_forms(tables: Mapping[str, Any], able: Capabilities) -> MarkdownForms:
    """Give the forms of Markdown that the tables of a settings file turn on.

    Readers would see bare addresses where a site makes no players and galleries.
    """
    table = tables.get("markdown", {})
    forms = MarkdownForms(**{**table, "mermaid": command_words(table.get("mermaid", ()))})
    return forms if able.blocks else forms._replace(embeds=False, galleries=False)


def _tables(text: str | None, where: str, site: str | None = None) -> dict[str, Any]:
    if not text:
        return {}
    from pressync.config import settings_file  # noqa: PLC0415 - a site without settings does not need it

    return settings_file.read(text, where, site)


class _Values:
    """Looks up one site's values: first in the environment, then in the site's table, then the default."""

    def __init__(self, table: Mapping[str, Any], where: str, environ: Mapping[str, str]) -> None:
        self._table = table
        self._environ = environ
        self.where = where
        self.origins: dict[str, str] = {}

    def pick(self, key: str, default: object, variable: str | None = None) -> Any:  # noqa: ANN401
        """Look a value up and note its origin; its type was checked when the file was read."""
        if variable and self._environ.get(variable):
            self.origins[key] = variable
            return self._environ[variable]
        self.origins[key] = self.where if key in self._table else "default"
        return self._table.get(key, default)

    def complete(self, tables: Mapping[str, Any], where: str) -> None:
        """Note the origin of the keys that all sites can share, where the site does not have them."""
        shared = ("content", "templates", "defaults", "exclude", "authors", "terms", "folders")
        for key in (*shared, "markdown"):
            if self.origins.get(key, "default") == "default":
                self.origins[key] = where if key in tables else "default"


def _service(name: str, values: _Values, *, is_embedded: bool) -> str | None:
    """Look up the address; without one, `is_embedded` decides. Values of the file are checked before."""
    if name == EMBEDDED:
        return None
    url = str(values.pick("url", "", "PRESSYNC_URL"))
    if not url and is_embedded:
        return None
    if not url:
        raise ConfigError(
            f"site '{name}' has no url",
            where=values.where,
            todo='add `url = "https://…/wp-json"`, or set PRESSYNC_URL',
        )
    from pressync.client import address  # noqa: PLC0415 - the embedded service does not need it

    try:
        address.parse(url)
    except ConfigError as error:
        raise ConfigError(error.what, where=values.origins["url"], todo=error.todo) from None
    return base_address(url)


def base_address(url: str) -> str:
    """Write the address of a service as the manifest has it."""
    # In a query, a slash at the end belongs to the value: `?rest_route=/`.
    return url if "?" in url else url.rstrip("/")


def without_query(url: str) -> str:
    """Write an address for a message: a query may have a secret in it."""
    return url.partition("?")[0]


def command_words(command: str | Sequence[str]) -> tuple[str, ...]:
    """Give the words of a command: a string runs in a shell, as in Git, and a list does not."""
    return ("/bin/sh", "-c", command) if isinstance(command, str) else tuple(command)


def _switch(key: str, values: _Values, dialect: str, *, able: bool) -> bool:
    """Look up a switch for something that not every service can do; `able` tells whether this one can."""
    switch = bool(values.pick(key, default=False))
    if switch and not able:
        raise ConfigError(
            f"`{key} = true` needs WordPress, but this site's dialect is '{dialect}'",
            where=values.origins[key],
            todo=f"set `{MOST_CAPABLE.setting}`, or leave `{key}` out",
        )
    return switch


def _choose(
    names: tuple[str, ...], where: str, environ: Mapping[str, str], named: str | None
) -> tuple[str, str]:
    """Choose the site: give its name and the origin of the choice."""
    wanted, origin = (named, "--site") if named else (environ.get("PRESSYNC_SITE"), "PRESSYNC_SITE")
    in_environment = bool(environ.get("PRESSYNC_URL"))
    if wanted:
        if wanted in names or wanted == EMBEDDED or (wanted == UNNAMED and in_environment):
            return wanted, origin
        import difflib  # noqa: PLC0415 - only an error needs it

        listed = ", ".join(names) or "none"
        meant = difflib.get_close_matches(wanted, (*names, EMBEDDED), n=1)
        raise ConfigError(
            f"site '{wanted}' does not exist (known: {listed})",
            where=origin,
            todo=f"did you mean '{meant[0]}'? If not, add it to {where}" if meant else f"add it to {where}",
        )
    if len(names) > 1:
        raise ConfigError(
            f"there are {len(names)} sites: {', '.join(names)}",
            where=where,
            todo="choose one with `--site NAME` or PRESSYNC_SITE; `plan` and `sync` have `--all-sites`",
        )
    if names:
        return names[0], where
    return (UNNAMED, "PRESSYNC_URL") if in_environment else (EMBEDDED, "default")


def _defaults(*tables: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    """Group defaults by folder; for each key the last table wins."""
    result: dict[str, dict[str, object]] = {}
    for table in tables:
        for key, value in table.items():
            if isinstance(value, dict) and key not in _OBJECT_FIELDS:
                result.setdefault(key.strip("/"), {}).update(value)
            else:
                result.setdefault("", {})[key] = value
    return result


# A hook that Git calls for a push sets this variable to 1 for the commands that it runs. A push may also
# change a work tree (`receive.denyCurrentBranch = updateInstead`), with settings that a stranger wrote.
PUSHED = "PRESSYNC_PUSHED"
_NO = frozenset({"", "0", "false"})


def is_about_commit(environ: Mapping[str, str]) -> bool:
    """Tell whether this is a job, or a hook after a push: these are about a commit, not about what is saved.

    GitHub, GitLab and Forgejo set `CI` in their jobs.
    """
    return environ.get("CI", "").lower() not in _NO or environ.get(PUSHED) == "1"


class SettingsText(NamedTuple):
    """The text of the settings (None without a file), its name for messages, whether it was pushed here.

    `is_own` tells that it is the repository's own file, and not one that the command line names.
    """

    text: str | None
    where: str
    is_pushed: bool
    is_own: bool = True

    @property
    def tables(self) -> dict[str, Any]:
        """The tables of the file.

        :raises ConfigError: the file has problems.
        """
        return _tables(self.text, self.where)

    @property
    def sites(self) -> tuple[str, ...]:
        """The names of the sites, whose own tables may have problems.

        :raises ConfigError: the rest of the file has problems.
        """
        return tuple(_tables(self.text, self.where, "").get("sites", {}))

    def place(self, *keys: str) -> str:
        """Give the place of a key by its path of keys, as `path:line`."""
        from pressync.config import settings_file  # noqa: PLC0415 - few commands name a place

        line = settings_file.line_of(self.text or "", keys)
        return f"{self.where}:{line}" if line else self.where


def find_text(repository: Repository, file: Path | None) -> SettingsText:
    """Find the settings of a repository; `file` is named on the command line and replaces its own file.

    :raises ConfigError: they cannot be read, or are not UTF-8.
    :raises RepositoryError: the repository is bare and has no commit.
    """
    if repository.root is None and file is None:
        repository.commit()
    return read_text(repository.root, repository.common_directory, file)


def read_text(root: Path | None, common: Path, file: Path | None) -> SettingsText:
    """Read the settings of the repository with this working tree (None if bare) and common directory.

    :raises ConfigError: they cannot be read, or are not UTF-8.
    """
    where = str(file) if file is not None else SETTINGS
    todo = "save it as TOML in UTF-8"
    path = discover.settings_file(root, file)
    data = _bytes(path, common, where, bounds.SETTINGS, todo, is_named=file is not None)
    try:
        text = None if data is None else data.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"the file cannot be read: {error}", where=where, todo=todo) from error
    is_pushed = file is None and (root is None or os.environ.get(PUSHED) == "1")
    return SettingsText(text, where, is_pushed=is_pushed, is_own=file is None)


def _bytes(
    path: Path | None, common: Path, where: str, bound: FileBound, todo: str, *, is_named: bool = False
) -> bytes | None:
    """Read a file, or in a bare repository (`path` is None) that of HEAD; only a named one must exist."""
    try:
        if path is None:
            return discover.committed(common, where, bound)
        return work_tree.read(path, bound) if is_named or path.is_file() else None
    except FileTooLarge as error:
        raise ConfigError(error.what, where=where, todo=error.todo) from error
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error}", where=where, todo=todo) from error


def schema_path(site: str) -> str:
    """Give the path of a site's committed schema, from the root of the repository."""
    return f".pressync/{site}.schema.json"


def committed_schema(name: str, root: Path | None, common: Path) -> bytes | None:
    """Read the file of a schema, which may be damaged, as the settings are read; None if there is none.

    :raises ConfigError: it is too large, or cannot be read.
    """
    return _bytes(root / name if root else None, common, name, bounds.SCHEMA, "restore it")


def with_schema(settings: Settings, root: Path | None, common: Path, text: SettingsText) -> Settings:
    """Read the committed schema of the settings' site, and give the settings with its kinds and its digest.

    Without the file, a site has the documented kinds. `root` is None in a bare repository, and `common` is
    the common Git directory.

    :raises ConfigError: the file is not a schema, or a default names a type that the site does not have.
    """
    name = schema_path(settings.site.name)
    has_types = capabilities_of(settings.site.dialect).read
    data = committed_schema(name, root, common) if has_types else None
    if data is not None:
        from pressync.model import site_schema  # noqa: PLC0415 - few sites have types of their own

        schema = site_schema.decode(data, where=name)
        types = site_schema.site_types(schema, settings.site.types, where=name)
        settings = settings._replace(schema=small_digest(data), types=types, site_schema=schema)
    kinds = {str(values["type"]) for values in settings.site.defaults.values() if "type" in values}
    named = named_types(settings.types)
    if not kinds <= set(named) and text.text:
        from pressync.config import settings_file  # noqa: PLC0415 - most settings name known types

        todo = "" if data else "; `pressync schema site` reads the types of the site"
        settings_file.refuse_types(text.text, text.where, settings.site.name, named, todo)
    return settings
