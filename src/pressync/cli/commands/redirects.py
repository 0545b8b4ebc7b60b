"""`pressync redirects`: prints rules from the former addresses of records to the present ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.app import old_addresses, redirects
from pressync.app.redirects import FORMATS, CheckedAddress, Fate, Note, Redirect, counts
from pressync.cli import console, options
from pressync.cli.report import words
from pressync.model.errors import ConfigError
from pressync.model.printable import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Sequence


# Hidden and lost addresses that are named beside rules, which go to a file.
_NAMED = 10


@options.command(
    "pressync redirects                     # a table: old address, new address",
    "pressync redirects --format nginx > redirects.conf",
    "pressync redirects --against .pressync/import   # the old addresses",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("nginx", "apache", "csv", "json", "redirection")),
    help="How to print; `redirection` is for the plugin Redirection. Default: csv, with --against text.",
)
@click.option(
    "--against",
    "file",
    type=options.File(exists=True, path_type=Path),
    metavar="FILE",
    help="Say what became of each address in FILE: a sitemap, a table, or .pressync/import for the tables of "
    "all imports. End with 1 if one is hidden or lost.",
)
@click.option(
    "--base",
    metavar="URL",
    help="The site's public address, in place of one on this machine. Default: from `url` in pressync.toml.",
)
def command(globals_: options.Globals, form: str | None, file: Path | None, base: str | None) -> None:
    """Print old address -> new address, from the manifest: former addresses, and `aliases` of front matter.

    If another record has an old address now, or visitors do not see the record, that address is left out with
    a note.
    """
    olds = old_addresses.read(file, str(file)) if file else []
    named = redirects.base_address(base) if base else None
    with console.open_workspace(globals_) as workspace, workspace.reading() as state:
        public = named if base else redirects.public_address(workspace.settings.site)
        manifest = redirects.published(state.manifest, public)
    if file and not manifest.entries:
        name = workspace.settings.site.name
        raise ConfigError(
            f"nothing has been synced to site '{name}' yet, so no address can be compared",
            todo="run `pressync sync` first",
        )
    collected = redirects.collect(manifest, public)
    checked = redirects.against(olds, manifest, collected)
    rules = redirects.together(collected, checked) if file else collected.rules
    text, notes = _text(form, file, rules, checked)
    click.echo(printable(text), nl=False)
    for alike in words.grouped_messages((*collected.notes, *notes, *redirects.without_effect(olds, checked))):
        console.tell(globals_, f"Note: {words.group_line(alike)}")
    if not file:
        return
    if old_addresses.folder_of_imports(file):
        console.tell(
            globals_,
            "Note: another source has a table too; `pressync redirects --against .pressync/import` takes all",
        )
    missing = [address for address in checked if address.fate in {Fate.HIDDEN, Fate.LOST}]
    if form:
        _tell_missing(globals_, missing)
    console.tell(globals_, _summary(checked, has_rules=bool(form)))
    if missing:
        raise SystemExit(console.FAILED)


def _text(
    form: str | None, file: Path | None, rules: Sequence[Redirect], checked: Sequence[CheckedAddress]
) -> tuple[str, tuple[Note, ...]]:
    """Write the redirects in their format; without one, the addresses of a file as a table."""
    if file and form is None:
        return "".join(f"{_row(address)}\n" for address in checked), ()
    if file and form == "json":
        text, notes = FORMATS["json"](rules)
        rows = [{"address": a.old, "state": a.fate.value, "to": a.to or None} for a in checked]
        document = {**json.loads(text), "counts": counts(checked), "addresses": rows}
        return json.dumps(document, indent=2) + "\n", notes
    return FORMATS[form or "csv"](rules)


def _row(address: CheckedAddress) -> str:
    leads = f" -> {address.to}" if address.fate is Fate.REDIRECTED else ""
    return one_line(f"{address.fate.value:<10} {address.old}{leads}")


def _tell_missing(globals_: options.Globals, missing: Sequence[CheckedAddress]) -> None:
    shown = missing if globals_.verbose else missing[:_NAMED]
    for address in shown:
        console.tell(globals_, f"{address.fate.value}: {one_line(address.old)}")
    if len(missing) > len(shown):
        console.tell(globals_, f"… and {len(missing) - len(shown)} more; without `--format` all are listed")


def _summary(checked: Sequence[CheckedAddress], *, has_rules: bool) -> str:
    number = counts(checked)
    shown = [fate for fate in Fate if number[fate.value] or fate is not Fate.HIDDEN]
    sentence = ", ".join(f"{number[fate.value]} {fate.value}" for fate in shown)
    text = f"{len(checked)} addresses of the table: {sentence}."
    if number[Fate.REDIRECTED] and not has_rules:
        text += " A redirected one works once the rules of `--format` are installed."
    if number[Fate.HIDDEN]:
        text += " Visitors do not see the record of a hidden one until it is published."
    if number[Fate.LOST]:
        text += (
            " Name a lost one below `aliases:` of a document, or write its target into the column `to` of a "
            "table."
        )
    return text
