"""`pressync schema`: prints the JSON schemas of what pressync prints, and of the files that people write."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals

_DOCUMENTS = (
    "plan",
    "rehearse",
    "sync",
    "rollback",
    "status",
    "explain",
    "check",
    "doctor",
    "redirects",
    "import",
    "import-report",
)
_FRONT_MATTER = "front-matter"
_WRITTEN = ("config", _FRONT_MATTER)


@click.command(
    cls=Command,
    examples=(
        "pressync schema plan",
        "pressync schema config > .pressync/schemas/config.json",
        "pressync schema front-matter --kind post --site production",
    ),
)
@click.argument("document", metavar="DOCUMENT", type=options.KnownName((*_DOCUMENTS, *_WRITTEN)))
@click.option("--kind", type=click.Choice(("page", "post")), help="Front matter of this kind. Default: both.")
@click.pass_obj
def command(globals_: Globals, document: str, kind: str | None) -> None:
    """Print the JSON schema of a document that pressync prints with `--format json`, or that people write.

    DOCUMENT is plan, rehearse, sync, rollback, status, explain, check, doctor, redirects, import,
    import-report, config or front-matter. `import-report` is what `import` prints. `config` is pressync.toml,
    and `front-matter` the head of a document, for editors. With --site, the names of that site are in both:
    its terms, its users, its templates and your layouts. pressync reads the site for that.
    """
    if kind and document != _FRONT_MATTER:
        raise click.UsageError(f"--kind is an option of `pressync schema {_FRONT_MATTER}`")
    if document in _WRITTEN:
        click.echo(_written(globals_, document, kind), nl=False)
        return
    from importlib.resources import files

    click.echo(
        files("pressync").joinpath("schemas", f"{document}.json").read_text(encoding="utf-8"), nl=False
    )


def _written(globals_: Globals, document: str, kind: str | None) -> str:
    """Write the schema of pressync.toml or of front matter; with `--site`, it has the names of that site."""
    from pressync.app import editors
    from pressync.model.interface import Kind

    names = {}
    if globals_.site:
        with console.open_workspace(globals_) as workspace:
            names = dict(editors.site_names(workspace, partial(console.tell, globals_)))
    return editors.schema_text(document, Kind(kind) if kind else None, names)
