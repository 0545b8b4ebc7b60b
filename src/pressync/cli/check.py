"""`pressync check`: the content's problems, and nothing else."""

from __future__ import annotations

import click

from pressync.cli import Globals, options


@click.command()
@options.paths
@options.strict
@options.revision
@click.pass_obj
def command(given: Globals, paths: tuple[str, ...], strict: bool, ref: str, worktree: bool) -> None:
    """Find the problems of the content at PATH, or of all of it: no network, no manifest."""
    from pressync.cli import console  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.workspace import Revision  # noqa: PLC0415

    with console.open_workspace(given) as workspace:
        chosen = tuple(workspace.path(path) for path in paths)
        with console.Meter(given) as meter:
            revision = Revision(ref, worktree=worktree)
            found, documents = workspace.check(revision, strict=strict, progress=meter.of("Reading"))
    problems = tuple(
        p for p in found if not chosen or any(p.path == c or p.path.startswith(f"{c}/") for c in chosen)
    )
    console.tell_problems(problems)
    errors = sum(not problem.warning for problem in problems)
    warnings = len(problems) - errors
    click.echo(f"{documents} documents: {errors} problems, {warnings} warnings.")
    if errors:
        raise SystemExit(console.WRONG)
