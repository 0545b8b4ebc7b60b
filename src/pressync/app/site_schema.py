"""Reads the schema of a site, compares it with the committed one, and writes its file; it sends GET alone."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from pressync.app.editors import PATIENCE, opened
from pressync.app.init import write_files
from pressync.client.responses import left_out
from pressync.client.retry import Retry
from pressync.config.settings import committed_schema, schema_path
from pressync.model import site_schema
from pressync.model.bounds import SCHEMA
from pressync.model.errors import ConfigError, NoAnswer, ServiceError
from pressync.model.interface import OBJECTS, SiteTypes
from pressync.plan.schema_changes import SchemaDifference, differences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.client.abilities import SiteFacts
    from pressync.model.site_schema import SiteSchema


class Look(NamedTuple):
    """The answer of a site: its schema, the text of the file, and the rows of its kinds.

    `before` is the text of the file as it is, "" without one. `differences` are those from its schema; None
    if there is no file, or if it cannot be read.
    """

    path: str
    schema: SiteSchema
    text: str
    types: SiteTypes
    before: str
    differences: list[SchemaDifference] | None

    @property
    def differs(self) -> bool:
        """Whether the file has to be written."""
        return self.text != self.before


def look(workspace: Workspace, say: Callable[[str], None]) -> Look:
    """Read the site; `say` gets a sentence on each type that is left out.

    :raises ConfigError: the dialect shows no types, or the kinds of the site cannot be told apart.
    :raises ServiceError: the site does not answer, or does not show its types to this account.
    """
    settings = workspace.settings
    if not workspace.capabilities.read:
        problem = f"the {settings.site.dialect} dialect shows neither types nor fields"
        todo = 'if the site is WordPress, set `dialect = "wordpress"`; `pressync doctor` tells'
        raise ConfigError(problem, where=f"site '{settings.site.name}'", todo=todo)
    path = schema_path(settings.site.name)
    retry = Retry(PATIENCE, threading.Event().wait, say)
    with opened(workspace) as facts:
        try:
            schema, told = retry.run(lambda: read(facts, settings.site.types), harmless=True)
        except ServiceError as error:
            error.where = error.where or f"the types and fields of site '{settings.site.name}'"
            if isinstance(error, NoAnswer):
                error.todo = error.todo or "the error log of its web server says why"
            raise
    for sentence in told:
        say(sentence)
    text = site_schema.encode(schema)
    SCHEMA.check(len(text.encode()), path)
    types = site_schema.site_types(schema, settings.site.types, where=path)
    root, common = workspace.repository.root, workspace.repository.common_directory
    before, differing = committed_schema(path, root, common) or b"", None
    # The file may be damaged.
    with suppress(ConfigError):
        differing = differences(site_schema.decode(before, where=path), schema) if before else None
    return Look(path, schema, text, types, before.decode(errors="replace"), differing)


def write(workspace: Workspace, seen: Look) -> None:
    """Write the file of the schema in the work tree, in one step.

    :raises RepositoryError: the repository is bare.
    :raises ConfigError: the file would be written through a link.
    :raises StorageError: the file cannot be written.
    """
    todo = "read the schema in a clone, commit it there, and push"
    root = workspace.repository.require_root(todo, where=seen.path)
    write_files(root, [(seen.path, seen.text)])


def listed(seen: Look, content: str) -> Iterator[str]:
    """Tell what the site has, a line each: types with their folder and fields, and taxonomies."""
    below = f"{content}/" if content else ""
    for kind in seen.types.kinds:
        # An account that may not edit pages, such as a Contributor's, does not see their type.
        if (fields := seen.schema.types.get(str(kind))) is None:
            continue
        own = [f"{len(members)} in `{name}`" for name in OBJECTS if (members := getattr(fields, name))]
        terms = [f"taxonomies {', '.join(fields.taxonomies)}"] if fields.taxonomies else []
        standard = f"{len(fields.fields)} fields"
        yield f"{kind}: {below}{kind.row.folder}/, {', '.join((standard, *own, *terms))}"
    for name, taxonomy in seen.schema.taxonomies.items():
        shape = "terms have parents" if taxonomy.hierarchical else "terms have no parents"
        yield f"{name}: a taxonomy at {taxonomy.route}, whose {shape}"


def sentences(seen: Look) -> list[str]:
    """Tell how the file differs from the site, a sentence each; at least one."""
    if not seen.differs:
        return [f"{seen.path} is as the site is."]
    if not seen.before:
        return [f"There is no {seen.path} yet."]
    if seen.differences is None:
        return [f"{seen.path} is not the schema of a site."]
    told = [f"{str(difference)[0].upper()}{str(difference)[1:]}." for difference in seen.differences]
    return told or [f"{seen.path} is not written as pressync writes it."]


def read(
    facts: SiteFacts, folders: Mapping[str, str], *, visitor: bool = False
) -> tuple[SiteSchema, list[str]]:
    """Read the schema of a site as its file has it; give also a sentence on each type that is left out.

    `folders` has the folders of types that settings name.
    """
    told: list[str] = []
    schema = facts.whole_schema(told.append, visitor=visitor)
    schema, shared = site_schema.without_shared_folders(schema, folders)
    return schema, [*told, *(left_out("type", name, why) for name, why in shared)]
