"""`pressync doctor`: checks whether a sync would work from here, and shows the evidence of each check."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from pressync.cli import options
from pressync.cli.command import Command

if TYPE_CHECKING:
    from pressync.app.doctor.examine import Finding
    from pressync.cli.main import Globals

_COLOURS = {"ok": "green", "wrong": "red", "unknown": "yellow"}


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
    import json  # noqa: PLC0415 - `--help` loads nothing else

    from pressync.app.doctor.examine import Verdict, document, examine  # noqa: PLC0415
    from pressync.cli import console  # noqa: PLC0415
    from pressync.model.printable import printable  # noqa: PLC0415

    findings = []
    for finding in examine(lambda: console.open_workspace(globals_, wait=0)):
        findings.append(finding)
        if form == "text":
            # Printed one by one: people read the first findings while a slow site makes the next one wait.
            click.echo(_lines(finding, colour=console.colour_wanted()))
    counts = Counter(finding.verdict for finding in findings)
    if form == "json":
        click.echo(printable(json.dumps(document(findings), indent=2)))
    else:
        click.echo("\n" + ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict) + ".")
    if counts[Verdict.WRONG]:
        raise SystemExit(console.FAILED)


def _lines(finding: Finding, *, colour: bool) -> str:
    """Write a finding as a line, and its next step as a second one."""
    from pressync.model.printable import one_line  # noqa: PLC0415

    verdict = f"{finding.verdict:<8}"
    word = click.style(verdict, fg=_COLOURS[finding.verdict]) if colour else verdict
    line = f"{word} {finding.name}: {one_line(finding.evidence)}"
    return f"{line}\n{'':<8} → {one_line(finding.todo)}" if finding.todo else line
