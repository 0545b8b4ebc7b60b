"""`pressync notes`: the open notes of editors, with the place in the file; and `notes resolve`."""

from __future__ import annotations

import click

from pressync.cli import console, options


@click.group(cls=options.Group, invoke_without_command=True, examples=("pressync notes resolve 12",))
@options.text_or_json
@click.pass_context
def command(context: click.Context, /, *, form: str) -> None:
    """List the open notes that editors put on records in WordPress, with file and line.

    Notes are part of WordPress since version 6.9. Nothing is changed. A commit with the line
    `Resolves-Note: ID` resolves a note, after the sync of a page that the commit changed.
    """
    if context.invoked_subcommand is None:
        _list(context.obj, form)


def _list(globals_: options.Globals, form: str) -> None:
    from pressync.app import notes
    from pressync.app.revision import Revision
    from pressync.cli.report import documents, text

    with console.open_workspace(globals_) as workspace:
        with workspace.reading() as state:
            known = state.manifest
        content = workspace.content(Revision(), manifest=known)
        found = notes.listed(workspace, content, known.entries)
        name = workspace.settings.site.name
    if form == "json":
        rows = [documents.note_row(note) for note in found]
        click.echo(documents.text({"version": documents.VERSION, "site": name, "notes": rows}), nl=False)
        return
    for line in text.editor_notes(found) or [
        "No open notes of editors, as far as this account may see them."
    ]:
        click.echo(line)


@command.below("pressync notes resolve 12")
@click.argument("number", metavar="ID", type=click.IntRange(1))
def resolve(globals_: options.Globals, /, *, number: int) -> None:
    """Resolve the note ID on the site, with a reply that names the commit at HEAD."""
    from pressync.app import notes

    with console.open_workspace(globals_) as workspace:
        was_open = notes.resolve(workspace, number, workspace.repository.commit())
    console.tell(
        globals_, f"Note {number} is resolved." if was_open else f"Note {number} was resolved before."
    )
