"""`pressync config` and `schema`: the settings in force, each with its origin, and the JSON schemas.

The schemas describe what pressync prints and the files that people write.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.config.environment import CREDENTIALS
from pressync.model.errors import ConfigError, RepositoryError
from pressync.model.interface import DOCUMENTED_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pressync.app.workspace import Workspace

    _Row = tuple[str, str | tuple[str, ...], str]

_DOCUMENTS = (
    *("plan", "rehearse", "sync", "rollback", "status", "explain"),
    *("check", "doctor", "redirects", "compare", "import", "import-report", "all-sites"),
)
_FRONT_MATTER = "front-matter"
_WRITTEN = ("config", _FRONT_MATTER)
_SITE = "site"


@options.command("pressync config", "pressync config --site staging --format json")
@options.text_or_json
@options.flag(
    "--trust", help="Let this clone send its credentials to this `url`, and run this `password_command`."
)
def command(globals_: options.Globals, form: str, *, trust: bool) -> None:
    """Show the settings in force and where each came from. Of a secret it shows only that it is set.

    With several sites, of which none is chosen, it lists the sites alone.
    """
    from pressync.cli.report import documents
    from pressync.model.printable import one_line

    names, where = console.sites(globals_)
    sites: _Row = ("sites", names, where)
    alone = len(names) > 1 and not console.is_site_chosen(globals_)
    if alone and trust:
        raise ConfigError("--trust is about one site", todo="choose it with `--site NAME`")
    if alone:
        rows = [sites]
    else:
        with console.open_workspace(globals_) as workspace:
            if trust:
                console.tell(globals_, one_line(workspace.clone.credentials.trust()))
            rows = [*_rows(workspace), sites]
    if form == "json":
        values = {name: {"value": value, "from": origin} for name, value, origin in rows}
        click.echo(documents.text({"version": 1, **values}), nl=False)
        return
    width = max(len(name) for name, _, _ in rows)
    for name, value, origin in rows:
        text = value if isinstance(value, str) else ", ".join(value)
        click.echo(f"{name:<{width}}  {one_line(text) or 'none'}  ({one_line(origin)})")
    if alone:
        console.tell(globals_, "`pressync --site NAME config` shows the settings of one site.")


# The words for a setting without a value.
_WITHOUT = {
    "content": ".",
    "templates": ".",
    "url": "the embedded service",
    "remote": "none",
    "branch": "any",
}


def _pairs(table: Mapping[str, str | int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in table.items())


def _rows(workspace: Workspace) -> list[_Row]:
    """Write the settings in force as rows of name, value and origin; of a secret only that it is set."""
    settings, site, origins = workspace.settings, workspace.settings.site, workspace.settings.origins
    kept = workspace.manifest_reference
    written = {
        "site": site.name,
        "content": settings.content,
        "templates": settings.templates,
        "exclude": ", ".join(settings.exclude),
        "folders": settings.folders,
        "authors": _pairs(settings.authors),
        "terms": _pairs(settings.terms),
        "markdown": ", ".join(settings.markdown.chosen()),
        "url": site.url,
        "dialect": site.dialect,
        "user": site.user,
        "manifest": workspace.manifest_place,
        "remote": kept.reference.remote if kept else None,
        "branch": site.branch,
    }
    values = {name: value or _WITHOUT.get(name, "") for name, value in written.items()}
    for switch in ("blocks", "front_page", "notify", "approve"):
        values[switch] = "true" if getattr(site, switch) else "false"
    rows: list[_Row] = [(key, value, origins.get(key, "default")) for key, value in values.items()]
    if site.reference is None:
        rows = [row for row in rows if row[0] != "remote"]
    rows += [
        (variable.removeprefix("PRESSYNC_").lower(), "is set", variable)
        for variable in CREDENTIALS
        if workspace.environ.get(variable)
    ]
    if site.password_command:
        rows.append(("password_command", "is set", origins["password_command"]))
    return rows


@options.command(
    "pressync schema plan",
    "pressync schema config > .pressync/schemas/config.json",
    "pressync schema front-matter --kind post --site production",
    "pressync schema site --check",
)
@click.argument("document", metavar="DOCUMENT", type=options.KnownName((*_DOCUMENTS, *_WRITTEN, _SITE)))
@click.option("--kind", metavar="TYPE", help="Front matter of this type, such as page. Default: of any type.")
@options.flag(
    "--check", help="With `site`: write nothing, and exit with 3 if the file is not as the site is."
)
def schema(globals_: options.Globals, document: str, kind: str | None, *, check: bool) -> None:
    """Print the JSON schema of a document that pressync prints with `--format json`, or that people write.

    DOCUMENT is plan, rehearse, sync, rollback, status, explain, check, doctor, redirects, import,
    import-report, config or front-matter. `import-report` is what `import` prints. `config` is pressync.toml,
    and `front-matter` the head of a document, for editors. With --site, the names of that site are in both:
    its terms, its users, its templates and your layouts. pressync reads the site for that.

    `pressync schema site` is another thing: it reads the types, the taxonomies and the fields that the site
    has, and writes them to .pressync/NAME.schema.json. Commit that file: files of these types are then
    checked and synced as pages are. It needs an account that may edit the records of each type.
    """
    if kind and document != _FRONT_MATTER:
        raise click.UsageError(f"--kind is an option of `pressync schema {_FRONT_MATTER}`")
    if check and document != _SITE:
        raise click.UsageError(f"--check is an option of `pressync schema {_SITE}`")
    if document == _SITE:
        _of_site(globals_, check=check)
        return
    if document in _WRITTEN:
        click.echo(_written_schema(globals_, document, kind), nl=False)
        return
    click.echo(schema_text(document), nl=False)


def schema_text(document: str) -> str:
    """Give the schema of a document that pressync prints."""
    from importlib.resources import files

    return files("pressync").joinpath("schemas", f"{document}.json").read_text(encoding="utf-8")


def _written_schema(globals_: options.Globals, document: str, kind: str | None) -> str:
    """Write the schema of pressync.toml or of front matter; with `--site`, it has the names of that site."""
    from pressync.app import editors

    names, types = {}, DOCUMENTED_TYPES
    # Without a site, the schema needs no settings. Those that can be read tell the types of their site.
    told = () if globals_.site else (ConfigError, RepositoryError)
    with suppress(*told), console.open_workspace(globals_) as workspace:
        types = workspace.settings.types
        if globals_.site:
            names = dict(editors.site_names(workspace, partial(console.tell, globals_)))
    if kind and kind not in types.by_name:
        todo = f"use one of {', '.join(types.kinds)}"
        raise ConfigError(f"{kind} is not a type", where="--kind", todo=todo)
    return editors.schema_text(document, types.by_name.get(kind or ""), names, types)


def _of_site(globals_: options.Globals, *, check: bool) -> None:
    """Write the schema of the site, or compare it with the committed one; tell what was found."""
    from pressync.app import site_schema

    # A damaged file is read from the site again, so it must not stop this.
    with console.open_workspace(globals_, typed=False) as workspace:
        look = site_schema.look(workspace, partial(console.tell, globals_))
        for line in site_schema.sentences(look):
            click.echo(line)
        if not check:
            site_schema.write(workspace, look)
            for line in site_schema.listed(look, workspace.settings.content):
                click.echo(line)
    if not check and look.differs:
        console.tell(globals_, f"{look.path} is written: commit it.")
    if check and look.differs:
        console.tell(globals_, "`pressync schema site` writes it anew; look at it with `git diff`.")
        raise click.exceptions.Exit(3)
