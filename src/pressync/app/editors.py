"""Makes the files of a repository that editors read: JSON schemas, and the settings of Visual Studio Code.

A schema has no address that lasts, so a repository keeps its own copy. The names of a site are offered and
never required: a sync makes missing terms. So a site that cannot be read leaves out names, and is not an
error.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pressync.app.revision import Revision
from pressync.client.port import require_facts
from pressync.client.retry import Patience, Retry
from pressync.client.terms import paths_of
from pressync.config.keys import EMBEDDED, MARKDOWN, SITE, SITE_NAME, TERM, TERM_TODO, TOP, Key
from pressync.content.front_matter import schema as front_matter
from pressync.content.front_matter.keys import REST, UNIQUE
from pressync.model.errors import ConfigError, Refused, ServiceError
from pressync.model.interface import DOCUMENTED_TYPES, Kind, SiteTypes, Taxonomy
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.client.abilities import SiteFacts, WholeSite
    from pressync.content.content import Content
    from pressync.content.front_matter.schema import Schema

    # The names of a site, sorted, by key of front matter.
    SiteNames = Mapping[str, tuple[str, ...]]

CONFIG, FRONT_MATTER = "config", "front-matter"
_NONE: SiteNames = MappingProxyType({})


def schema_path(document: str) -> str:
    """Give the path of a schema from the repository's root."""
    return f".pressync/schemas/{document}.json"


# The first line of pressync.toml: with it, a language server for TOML finds the schema.
DIRECTIVE = f"#:schema {schema_path(CONFIG)}\n"


def schema_text(
    document: str, kind: Kind | None = None, names: SiteNames = _NONE, types: SiteTypes = DOCUMENTED_TYPES
) -> str:
    """Write the schema of pressync.toml or of front matter, with the names of a site."""
    schema = (
        settings_schema(names, types) if document == CONFIG else front_matter.front_matter(kind, names, types)
    )
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


# `--format github` writes each problem on a line of its own, and a terminal does not wrap it.
_PLACED = r"^::(error|warning) file=([^,]+),line=(\d+)::(.*)$"
_UNPLACED = r"^::(error|warning) file=([^,]+)::(.*)$"
_MATCHER: Mapping[str, object] = {"owner": "pressync", "fileLocation": ["relative", "${workspaceFolder}"]}
_TASK: Mapping[str, object] = {
    "label": "pressync check",
    "type": "shell",
    "command": "pressync check --format github",
    "group": {"kind": "test", "isDefault": True},
    "presentation": {"reveal": "never"},
    # One for the problems of a line, and one for those of a whole file.
    "problemMatcher": [
        {**_MATCHER, "pattern": {"regexp": _PLACED, "severity": 1, "file": 2, "line": 3, "message": 4}},
        {
            **_MATCHER,
            "pattern": {"regexp": _UNPLACED, "kind": "file", "severity": 1, "file": 2, "message": 3},
        },
    ],
}


def of_vscode() -> dict[str, str]:
    """Give the files of Visual Studio Code by path: the extension for TOML, and the task `pressync check`."""
    files = {
        "extensions": {"recommendations": ["tamasfe.even-better-toml"]},
        "tasks": {"version": "2.0.0", "tasks": [_TASK]},
    }
    return {f".vscode/{name}.json": json.dumps(value, indent=2) + "\n" for name, value in files.items()}


_TYPES = {str: "string", dict: "object", bool: "boolean", list: "array"}
_FOLDER = {"$ref": "#/definitions/folder"}


def _never(why: str) -> Schema:
    """Refuse every value. `"additionalProperties": false` would mark a whole table, and not its key."""
    return {"enum": [why], "description": f"{why}."}


_UNKNOWN = _never("pressync does not have this key")
_UNNAMED = _never("A site cannot have this name")
_UNIQUE = _never("Two records cannot share this: name it in the file")
_USERS = {"type": "object", "additionalProperties": {"type": ["string", "integer"], "minimum": 1}}
_NAMES = {
    "type": "object",
    "patternProperties": {TERM: {"type": "string", "pattern": "\\S"}},
    "additionalProperties": _never(TERM_TODO.capitalize()),
}
_COMMAND = {
    "anyOf": [
        {"type": "string", "minLength": 1},
        {"type": "array", "minItems": 1, "items": {"type": "string"}},
    ]
}


def settings_schema(names: SiteNames = _NONE, types: SiteTypes = DOCUMENTED_TYPES) -> Schema:
    """Give the schema; `names` are the site's own, which its defaults offer as values of their key."""
    top = _table(TOP)
    top["properties"]["sites"] |= {
        "patternProperties": {f"^(?!{EMBEDDED}$){SITE_NAME}$": {"$ref": "#/definitions/site"}},
        "additionalProperties": _UNNAMED,
    }
    unique = dict.fromkeys(sorted(UNIQUE), _UNIQUE)
    folder = {"properties": {**front_matter.properties(names=names, types=types), **unique}}
    return {
        "$schema": front_matter.DRAFT,
        "title": "The settings of pressync, pressync.toml",
        **top,
        "definitions": {
            "site": _table(SITE),
            "markdown": _table(MARKDOWN),
            "defaults": _defaults(names, types),
            "folder": folder,
        },
    }


def _table(keys: Mapping[str, Key]) -> Schema:
    properties = {name: _property(name, key) for name, key in keys.items()}
    return {"type": "object", "additionalProperties": _UNKNOWN, "properties": properties}


def _property(name: str, key: Key) -> Schema:
    described: dict[str, Any] = {"description": key.description}
    if key.examples:
        described["examples"] = [*key.examples]
    if key.default is not None:
        described["default"] = key.default
    return {**described, **_shape(name, key)}


def _shape(name: str, key: Key) -> Schema:
    match name:
        case "authors" | "terms":
            return _USERS if name == "authors" else _NAMES
        case "defaults" | "markdown":
            return {"type": "object", "allOf": [{"$ref": f"#/definitions/{name}"}]}
        case "password_command" | "mermaid":
            return _COMMAND
    (type_,) = key.types
    pattern = {"pattern": key.shape} if key.shape else {}
    if key.choices:
        return {"enum": [*key.choices]}
    if type_ is list:
        return {"type": "array", "items": {"type": "string", **pattern}}
    return {"type": _TYPES[type_], **pattern}


def _defaults(names: SiteNames, types: SiteTypes) -> Schema:
    """Give the schema of a table of defaults; each key takes a table too, as the name of a folder."""
    table = {"type": "object", "allOf": [_FOLDER]}
    keys = front_matter.properties(names=names, types=types)
    values = {
        key: {**shape, "anyOf": [*map(_but_tables, shape["anyOf"]), table]}
        for key, shape in keys.items()
        if key != "meta" and "anyOf" in shape
    }
    return {
        "properties": {**keys, **values, **{key: {"anyOf": [table]} for key in sorted(UNIQUE)}},
        # It checks tables alone: other tools and templates may have any key.
        "additionalProperties": _FOLDER,
    }


def _but_tables(shape: Schema) -> Schema:
    """Accept the same values, but no table: a table names a folder."""
    return {"allOf": [shape], "not": {"type": "object"}} if {"not", "required"} & shape.keys() else shape


PATIENCE = Patience(unsent_attempts=2, unanswered_attempts=2, budget=30.0)
# A list for a person to choose from; a schema with more of them makes an editor slow.
_MOST = 2_000


def known_names(workspace: Workspace, content: Content) -> SiteNames:
    """Give the names that this clone knows, by key of front matter, sorted.

    :raises ManifestError: the manifest cannot be read.
    """
    return _sorted(_known(workspace, content))


def site_names(workspace: Workspace, say: Callable[[str], None]) -> SiteNames:
    """Give the names of the site, too; `say` gets a sentence on what could not be read.

    :raises ManifestError: the manifest cannot be read.
    """
    names = _known(workspace, workspace.content(Revision()))
    if workspace.capabilities.read:
        try:
            _read_site(workspace, names, say)
        except (ServiceError, ConfigError) as error:
            say(f"The site was not read, so only the names that this clone knows are there: {error}")
    return _sorted(names)


def _known(workspace: Workspace, content: Content) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {
        key: set() for key in (*workspace.settings.types.taxonomies, "author", "template", "layout")
    }
    with workspace.reading() as state:
        for name in state.manifest.names:
            # A taxonomy that the site had may be gone.
            names.setdefault(name.field, set()).add(name.text)
    names["author"].update(workspace.settings.authors.keys() - {REST})
    if folder := workspace.settings.templates:
        files = [file for file in content.tree.files if file.endswith(".html")]
        below = [file.removeprefix(f"{folder}/") for file in files if file.startswith(f"{folder}/")]
        names["layout"].update(name.removesuffix(".html") for name in below)
    return names


def _sorted(names: Mapping[str, set[str]]) -> SiteNames:
    # A file has a name as one line.
    lines = {key: sorted(name for name in texts if name == one_line(name)) for key, texts in names.items()}
    return {key: some for key, texts in lines.items() if (some := tuple(filter(None, texts))[:_MOST])}


def _read_site(workspace: Workspace, names: dict[str, set[str]], say: Callable[[str], None]) -> None:
    with opened(workspace) as facts:
        retry = Retry(PATIENCE, threading.Event().wait, say)
        whole = facts.everything(retry)
        taxonomies = whole.types.taxonomies.items()
        parts: dict[str, Callable[[], Iterable[str]]] = {
            field: partial(_terms, whole, taxonomy) for field, taxonomy in taxonomies
        }
        parts["author"] = lambda: [person.login or person.slug for person in facts.people()]
        parts["template"] = facts.templates
        for key, read in parts.items():
            try:
                names[key].update(retry.run(read, harmless=True))
            except Refused as error:
                say(f"The site does not show this account what `{key}` may be: {error.what}")


@contextmanager
def opened(workspace: Workspace) -> Iterator[SiteFacts]:
    """Open the site with a transport that only reads; start the embedded service if it does not run."""
    clone = workspace.clone
    with clone.opened(clone.credentials.authorization(), only_reads=True) as service:
        yield require_facts(service)


def _terms(whole: WholeSite, taxonomy: Taxonomy) -> list[str]:
    """Name the terms of a taxonomy; those that have parents by their path, `News/Local`."""
    return [*paths_of(whole.terms(taxonomy), nested=taxonomy.hierarchical).values()]
