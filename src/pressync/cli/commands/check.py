"""`pressync check`: finds the problems of the content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pressync.cli import options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.cli.main import Globals


@click.command(
    cls=Command,
    examples=(
        "pressync check",
        "pressync check --staged --strict       # in a pre-commit hook",
        "pressync check content/posts --worktree",
    ),
)
@options.paths
@options.strict
@options.revision
@click.option("--staged", is_flag=True, help="Read the content of the next commit: the index.")
@click.pass_obj
def command(
    globals_: Globals, paths: tuple[str, ...], *, strict: bool, ref: str, worktree: bool, staged: bool
) -> None:
    """Find the problems of the content at PATH, or of all content. Needs neither network nor manifest."""
    from pressync.app.revision import Revision  # noqa: PLC0415
    from pressync.cli import console  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.cli.plan import tell_uncommitted  # noqa: PLC0415
    from pressync.repo.paths import is_below  # noqa: PLC0415

    with console.open_workspace(globals_) as workspace:
        revision = Revision(ref, worktree=worktree, staged=staged)
        chosen = workspace.paths(paths, revision)
        with console.Meter(globals_) as meter:
            found, documents = workspace.check(revision, strict=strict, progress=meter.of("Reading"))
        read = {path for path in documents if not chosen or is_below(path, chosen)}
        # A problem of a template or of the settings concerns every document.
        problems = tuple(each for each in found if each.path in read or each.path not in documents)
        console.tell_problems(globals_, problems)
        errors = sum(not problem.warning for problem in problems)
        counts = ((len(read), "document"), (errors, "problem"), (len(problems) - errors, "warning"))
        parts = [f"{count} {word if count == 1 else f'{word}s'}" for count, word in counts]
        click.echo(f"{parts[0]}: {parts[1]}, {parts[2]}.")
        tell_uncommitted(globals_, workspace, worktree=worktree or staged)
    if errors:
        raise SystemExit(console.WRONG)
