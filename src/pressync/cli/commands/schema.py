"""`pressync schema`: prints the JSON schemas of the JSON documents."""

from __future__ import annotations

import click

from pressync.cli.command import Command

_DOCUMENTS = ("plan", "sync", "status", "check")


@click.command(cls=Command, examples=("pressync schema plan", "pressync schema status > status.schema.json"))
@click.argument("document", type=click.Choice(_DOCUMENTS))
def command(document: str) -> None:
    """Print the JSON schema (draft 2020-12) of the JSON that `plan`, `sync`, `status` or `check` prints."""
    from importlib.resources import files  # noqa: PLC0415 - `--help` loads nothing else

    click.echo(
        files("pressync").joinpath("schemas", f"{document}.json").read_text(encoding="utf-8"), nl=False
    )
