"""`pressync schema`: prints the JSON schemas of the JSON documents."""

from __future__ import annotations

import click

from pressync.cli.command import Command

_DOCUMENTS = ("plan", "rehearse", "sync", "status", "check", "redirects", "import", "import-report")


@click.command(cls=Command, examples=("pressync schema plan", "pressync schema status > status.schema.json"))
@click.argument("document", type=click.Choice(_DOCUMENTS))
def command(document: str) -> None:
    """Print the JSON schema (draft 2020-12) of a document that pressync prints with `--format json`.

    `import-report` is what `import` prints.
    """
    from importlib.resources import files  # noqa: PLC0415 - `--help` loads nothing else

    click.echo(
        files("pressync").joinpath("schemas", f"{document}.json").read_text(encoding="utf-8"), nl=False
    )
