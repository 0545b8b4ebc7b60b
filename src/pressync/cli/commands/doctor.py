"""`pressync doctor`: checks whether a sync would work from here, and shows the evidence of each check."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pressync.app.doctor.examine import Finding
    from pressync.cli.main import Globals

# The columns of the evidence and of the next step.
_INDENT, _TODO_INDENT = 23, 11


@click.command(
    cls=Command,
    examples=("pressync doctor", "pressync doctor --site staging", "pressync doctor --format json"),
)
@options.text_or_json
@click.pass_obj
def command(globals_: Globals, form: str) -> None:
    """Check everything that a sync needs: repository, manifest, address, credentials, dialect, rights.

    Each line says ok, wrong or unknown, with its evidence and the next step. The command changes nothing. It
    ends with 1 if anything is wrong.
    """
    import json

    from pressync.app.doctor.examine import Verdict, document, examine
    from pressync.cli.report.layout import BOLD, paint
    from pressync.model.printable import printable

    findings = []
    for finding in examine(lambda: console.open_workspace(globals_, wait=0)):
        findings.append(finding)
        if form == "text":
            # Printed one by one: people read the first findings while a slow site makes the next one wait.
            click.echo(lines(_short(findings), colour=console.colour_wanted(), columns=console.columns()))
    counts = Counter(finding.verdict for finding in findings)
    if form == "json":
        click.echo(printable(json.dumps(document(findings), indent=2)))
    else:
        summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict)
        click.echo("\n" + paint(f"{summary}.", BOLD, colour=console.colour_wanted()))
    if counts[Verdict.WRONG]:
        raise SystemExit(console.FAILED)


def _short(findings: Sequence[Finding]) -> Finding:
    """Give the last finding; if an earlier one has the same cause, name that one instead of the cause."""
    from dataclasses import replace

    *earlier, last = findings
    for each in earlier:
        if last.todo and (each.evidence, each.todo) == (last.evidence, last.todo):
            return replace(last, evidence=f"for the reason of {each.name}", todo="")
    return last


def lines(finding: Finding, *, colour: bool, columns: int | None) -> str:
    """Write a finding as a row of verdict, name and evidence, and its next step below."""
    from pressync.cli.report import layout
    from pressync.model.printable import one_line

    word = str(finding.verdict)
    code = {"ok": layout.GREEN, "wrong": layout.RED}.get(word, layout.YELLOW)
    row = layout.wrapped(f"{word:<8} {finding.name + ':':<13} {one_line(finding.evidence)}", columns, _INDENT)
    lines = [layout.paint(word, code, colour=colour) + row.removeprefix(word)]
    if finding.todo:
        lines.append(layout.wrapped(f"{'':<8} → {one_line(finding.todo)}", columns, _TODO_INDENT))
    return "\n".join(lines)
