"""`pressync check`: finds the problems of the content."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from pressync.cli import options
from pressync.cli.command import Command
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.app.check import Checked
    from pressync.cli.main import Globals

_FORMATS = ("text", "json", "github", "sarif")


@click.command(
    cls=Command,
    examples=(
        "pressync check",
        "pressync check --staged --strict       # in a pre-commit hook",
        "pressync check content/posts --worktree",
        "pressync check --format sarif > pressync.sarif",
    ),
)
@options.paths
@options.strict
@options.revision
@click.option("--staged", is_flag=True, help="Read the content of the next commit: the index.")
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="How to print; github annotates lines, sarif is for code scanning.",
)
@click.pass_obj
def command(
    globals_: Globals,
    paths: tuple[str, ...],
    *,
    strict: bool,
    ref: str,
    worktree: bool,
    staged: bool,
    form: str,
) -> None:
    """Find the problems of the content at PATH, or of all content. Needs neither network nor manifest.

    Without `--site`, the content is checked for each site of the settings.
    """
    from pressync.app import check  # noqa: PLC0415 - `--help` loads nothing else
    from pressync.app.revision import Revision  # noqa: PLC0415
    from pressync.cli import console, site_choice  # noqa: PLC0415
    from pressync.cli.plan import tell_uncommitted  # noqa: PLC0415

    revision = Revision(ref, worktree=worktree, staged=staged, needs_commit=False)
    found = {}
    with ExitStack() as opened:
        for each in site_choice.for_each_site(globals_):
            workspace = opened.enter_context(console.open_workspace(each))
            chosen = workspace.paths(paths, revision)
            with console.Meter(globals_) as meter:
                checked = check.check(workspace, revision, strict=strict, progress=meter.of("Reading"))
            found[workspace.settings.site.name] = checked = checked.at(chosen)
        checked = check.Checked.of_sites(found) if len(found) > 1 else checked
        _print(globals_, form, checked, tuple(found))
        tell_uncommitted(globals_, workspace, worktree=worktree or staged)
    if any(not problem.warning for problem in checked.problems):
        raise SystemExit(console.WRONG)


def _print(globals_: Globals, form: str, checked: Checked, sites: Sequence[str]) -> None:
    """Print the problems: for people to standard error with a summary, for programs to standard output."""
    from pressync.cli import console  # noqa: PLC0415
    from pressync.cli.report import problem_groups  # noqa: PLC0415
    from pressync.cli.report.text import counted  # noqa: PLC0415

    problems = checked.marked(sites)
    if form == "text":
        console.tell_problems(globals_, problems)
        errors = problem_groups.count([each for each in problems if not each.warning], "problem")
        warnings = problem_groups.count([each for each in problems if each.warning], "warning")
        about = f" for {len(sites)} sites ({one_line(', '.join(sites))})" if len(sites) > 1 else ""
        click.echo(f"{counted(len(checked.documents), 'document')}{about}: {errors}, {warnings}.")
        if problems:
            names = ", ".join(sorted({problem.code for problem in problems}))
            console.tell(globals_, f"`pressync help NAME` explains a problem; these are: {names}.")
        return
    from pressync.cli.report import check  # noqa: PLC0415 - people read text

    match form:
        case "json":
            printed = check.document(len(checked.documents), checked.problems, checked.sites)
        case "github":
            printed = check.workflow_commands(problems)
        case _:
            printed = check.sarif(problems)
    click.echo(printed, nl=False)
