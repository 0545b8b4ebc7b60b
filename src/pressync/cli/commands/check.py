"""`pressync check`: finds the problems of the content, as text, JSON, annotations of GitHub, or SARIF 2.1.0.

Programs want every place, so nothing is grouped for them. SARIF has a rule for each code that was found, with
a help text for the list of alerts.
"""

from __future__ import annotations

from contextlib import ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from pressync import __version__
from pressync.cli import console, options
from pressync.cli.command import Command
from pressync.cli.report import documents, github, groups
from pressync.cli.report.text import counted
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.app.check import Checked
    from pressync.cli.main import Globals
    from pressync.model.errors import Problem


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
    from pressync.app import check
    from pressync.app.revision import Revision
    from pressync.cli.plan import tell_uncommitted

    revision = Revision(ref, worktree=worktree, staged=staged, needs_commit=False)
    found = {}
    with ExitStack() as opened:
        for each in console.for_each_site(globals_):
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
    problems = checked.marked(sites)
    if form == "text":
        console.tell_problems(globals_, problems)
        errors = groups.count_problems([each for each in problems if not each.warning], "problem")
        warnings = groups.count_problems([each for each in problems if each.warning], "warning")
        about = f" for {len(sites)} sites ({one_line(', '.join(sites))})" if len(sites) > 1 else ""
        click.echo(f"{counted(len(checked.documents), 'document')}{about}: {errors}, {warnings}.")
        if problems:
            names = ", ".join(sorted({problem.code for problem in problems}))
            console.tell(globals_, f"`pressync help NAME` explains a problem; these are: {names}.")
        return
    match form:
        case "json":
            printed = document(len(checked.documents), checked.problems, checked.sites)
        case "github":
            printed = workflow_commands(problems)
        case _:
            printed = sarif(problems)
    click.echo(printed, nl=False)


_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


_NONE: Mapping[Problem, Sequence[str]] = MappingProxyType({})


def document(count: int, problems: Sequence[Problem], sites: Mapping[Problem, Sequence[str]] = _NONE) -> str:
    """Write the output of `check --format json`; `sites` has those of each problem, if there are several."""
    rows = [
        {
            "path": each.path,
            "line": each.line,
            "code": each.code.value,
            "severity": each.severity,
            "message": one_line(each.message),
            **({"sites": sites[each]} if each in sites else {}),
        }
        for each in problems
    ]
    return documents.text({"version": documents.VERSION, "documents": count, "problems": rows})


def workflow_commands(problems: Sequence[Problem]) -> str:
    """Write a workflow command of GitHub for each problem, with its file and line."""
    return "".join(f"{line}\n" for line in github.problems(problems))


def sarif(problems: Sequence[Problem]) -> str:
    """Write a SARIF log with one run."""
    codes = sorted({each.code for each in problems})
    rules = [
        {"id": code.value, "shortDescription": {"text": code.help}, "help": {"text": code.help}}
        for code in codes
    ]
    driver = {"name": "pressync", "version": __version__, "rules": rules}
    results = [
        {
            "ruleId": each.code.value,
            "ruleIndex": codes.index(each.code),
            "level": each.severity,
            "message": {"text": one_line(each.message)},
            "locations": [{"physicalLocation": _location(each)}],
        }
        for each in problems
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return documents.text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _location(problem: Problem) -> dict[str, object]:
    uri = quote(problem.path, errors="surrogatepass")
    region = {"region": {"startLine": problem.line}} if problem.line else {}
    return {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}, **region}
