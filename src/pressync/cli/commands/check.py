"""`pressync check` and `doctor`: the problems of the content, and whether a sync would work from here.

The problems are written as text, JSON, annotations of GitHub, or SARIF 2.1.0. Programs want every place, so
nothing is grouped for them. SARIF has a rule for each code that was found, with a help text for the list of
alerts. `doctor` shows the evidence of each of its checks.
"""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from pressync import __version__
from pressync.cli import console, log, options
from pressync.cli.report import documents, layout, words
from pressync.model.printable import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.app.check import Checked
    from pressync.app.doctor.site_checks import Finding
    from pressync.model.errors import Problem


# The columns of the evidence and of the next step.
_INDENT, _TODO_INDENT = 23, 11
_FORMATS = ("text", "json", "github", "sarif")


@options.command(
    "pressync check",
    "pressync check content/posts",
    "pressync check --staged --strict       # in a pre-commit hook",
    "pressync check --ref HEAD --format sarif > pressync.sarif",
)
@options.paths
@options.strict
@options.flag("--worktree", help="Read what is saved: the default, but for a job of CI.")
@click.option("--ref", metavar="REV", help="Read this commit. A job of CI and a bare repository: HEAD.")
@options.flag("--as-agent", help="Also find what `sync --as-agent` cannot make: new terms and pictures.")
@options.flag("--staged", help="Read the content of the next commit: the index.")
@options.one_of(
    "--format", "form", of=_FORMATS, help="How to print; github annotates lines, sarif is for code scanning."
)
def command(
    globals_: options.Globals,
    paths: tuple[str, ...],
    *,
    strict: bool,
    ref: str | None,
    worktree: bool,
    staged: bool,
    as_agent: bool,
    form: str,
) -> None:
    """Find the problems of the content at PATH, or of all content. Needs neither network nor manifest.

    It reads what is saved: tracked files, and new files that Git does not ignore. Without `--site`, the
    content is checked for each site of the settings.
    """
    from pressync.app import check, revision

    if as_agent:
        options.as_tool(globals_)
    named = [
        name for name, given in (("--ref", ref), ("--staged", staged), ("--worktree", worktree)) if given
    ]
    if len(named) > 1:
        raise click.UsageError(f"{' and '.join(named)} name different files; leave one of them out")
    checks = {}
    with ExitStack() as opened:
        for of_site in console.for_each_site(globals_):
            site = opened.enter_context(console.open_site(of_site))
            repository, environ = site.workspace.repository, globals_.environ
            read = revision.to_check(repository, environ, ref=ref, worktree=worktree, staged=staged)
            with console.Meter(globals_) as meter:
                checked = site.checked(paths, read, meter.of("Reading"), strict=strict, as_agent=as_agent)
            checks[site.name] = checked
        checked = check.Checked.of_sites(checks) if len(checks) > 1 else checked
        _print(globals_, form, checked, tuple(checks))
    if any(not problem.warning for problem in checked.problems):
        raise SystemExit(console.WRONG)


def _print(globals_: options.Globals, form: str, checked: Checked, sites: Sequence[str]) -> None:
    """Print the problems: for people to standard error with a summary, for programs to standard output."""
    problems = checked.marked(sites)
    if form == "text":
        about = f" for {len(sites)} sites ({one_line(', '.join(sites))})" if len(sites) > 1 else ""
        documents_of_these = len(checked.uncommitted.intersection(checked.documents))
        uncommitted = documents_of_these, len(checked.uncommitted) - documents_of_these
        tell(globals_, len(checked.documents), problems, uncommitted, about)
        return
    match form:
        case "json":
            printed = document(checked)
        case "github":
            from pressync.cli.report import github

            printed = "".join(f"{line}\n" for line in github.problems(problems))
        case _:
            printed = sarif(problems)
    click.echo(printed, nl=False)


_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def tell(
    globals_: options.Globals,
    count: int,
    problems: Sequence[Problem],
    uncommitted: tuple[int, int],
    about: str = "",
) -> None:
    """Print the problems of so many documents for people; the rest is as for `log.checked`."""
    console.tell_problems(globals_, problems)
    errors = words.count_problems([problem for problem in problems if not problem.warning], "problem")
    warnings = words.count_problems([problem for problem in problems if problem.warning], "warning")
    click.echo(log.checked(count, (errors, warnings), uncommitted, about), nl=False)
    if problems:
        names = ", ".join(sorted({problem.code for problem in problems}))
        console.tell(globals_, f"`pressync help NAME` explains a problem; these are: {names}.")
        if len(problems) > len(words.grouped_problems(problems)):
            console.tell(globals_, "`pressync check --format json` lists every place.")


def document(checked: Checked) -> str:
    """Write the output of `check --format json`; a problem names its sites, if several were checked."""
    sites = checked.sites
    rows = [
        {
            "path": problem.path,
            "line": problem.line,
            "code": problem.code.value,
            "severity": problem.severity,
            "message": one_line(problem.message),
            **({"sites": sites[problem]} if problem in sites else {}),
        }
        for problem in checked.problems
    ]
    uncommitted = {"uncommitted": sorted(checked.uncommitted)} if checked.place == "worktree" else {}
    return documents.text(
        {
            "version": documents.VERSION,
            "read": checked.place,
            "commit": checked.commit or None,
            **uncommitted,
            "documents": len(checked.documents),
            "problems": rows,
        }
    )


def sarif(problems: Sequence[Problem]) -> str:
    """Write a SARIF log with one run."""
    codes = sorted({problem.code for problem in problems})
    rules = [
        {"id": code.value, "shortDescription": {"text": code.help}, "help": {"text": code.help}}
        for code in codes
    ]
    driver = {"name": "pressync", "version": __version__, "rules": rules}
    results = []
    for problem in problems:
        uri = quote(problem.path, errors="surrogatepass")
        place: dict[str, object] = {"artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"}}
        place |= {"region": {"startLine": problem.line}} if problem.line else {}
        results.append(
            {
                "ruleId": problem.code.value,
                "ruleIndex": codes.index(problem.code),
                "level": problem.severity,
                "message": {"text": one_line(problem.message)},
                "locations": [{"physicalLocation": place}],
            }
        )
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return documents.text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


@options.command("pressync doctor", "pressync doctor --site staging", "pressync doctor --format json")
@options.text_or_json
def doctor(globals_: options.Globals, form: str) -> None:
    """Check everything that a sync needs: repository, manifest, address, credentials, dialect, rights.

    Each line says ok, wrong or unknown, with its evidence and the next step. The command changes nothing. It
    ends with 1 if anything is wrong.
    """
    from pressync.app.doctor.examine import examine
    from pressync.app.doctor.site_checks import Verdict
    from pressync.app.doctor.site_checks import document as findings_document

    findings = []
    for finding in examine(lambda: console.open_workspace(globals_, wait=0)):
        findings.append(finding)
        if form == "text":
            # Printed one by one: people read the first findings while a slow site makes the next one wait.
            click.echo(
                finding_text(_short(findings), colour=console.colour_wanted(), columns=console.columns())
            )
    counts = Counter(finding.verdict for finding in findings)
    if form == "json":
        click.echo(documents.text(findings_document(findings)), nl=False)
    else:
        summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict)
        click.echo("\n" + layout.paint(f"{summary}.", layout.BOLD, colour=console.colour_wanted()))
    if counts[Verdict.WRONG]:
        raise SystemExit(console.FAILED)


def _short(findings: Sequence[Finding]) -> Finding:
    """Give the last finding; if an earlier one has the same cause, name that one instead of the cause."""
    from dataclasses import replace

    *earlier, last = findings
    for finding in earlier:
        if last.todo and (finding.evidence, finding.todo) == (last.evidence, last.todo):
            return replace(last, evidence=f"for the reason of {finding.name}", todo="")
    return last


def finding_text(finding: Finding, *, colour: bool, columns: int | None) -> str:
    """Write a finding as a row of verdict, name and evidence, and its next step below."""
    word = str(finding.verdict)
    code = {"ok": layout.GREEN, "wrong": layout.RED}.get(word, layout.YELLOW)
    # Settings may have several problems.
    first, *further = finding.evidence.splitlines() or [""]
    row = layout.wrapped(f"{word:<8} {finding.name + ':':<13} {one_line(first)}", columns, _INDENT)
    lines = [layout.paint(word, code, colour=colour) + row.removeprefix(word)]
    lines += [layout.wrapped(f"{'':<{_INDENT}}{one_line(line)}", columns, _INDENT) for line in further]
    if finding.todo:
        lines.append(layout.wrapped(f"{'':<8} → {one_line(finding.todo)}", columns, _TODO_INDENT))
    return "\n".join(lines)
