"""`pressync import` at work: imports, and prints the account as text or JSON."""

from __future__ import annotations

import os.path
import posixpath
import shlex
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pressync.app.import_site import account_files, own_site, unfinished
from pressync.app.import_site.account import WORST_FIRST, Carried
from pressync.app.import_site.account_files import WORDS
from pressync.app.import_site.part import Part
from pressync.app.import_site.run import UNCOMMITTED, ImportRequest, import_source
from pressync.app.import_site.unfinished import ImportNote
from pressync.cli import console, log
from pressync.cli.main import INTERRUPTED
from pressync.cli.report import json as json_report
from pressync.cli.report.layout import fitted
from pressync.client.wordpress.whole_site import READS
from pressync.content.import_tables import AUTHORS
from pressync.importers.item import ImportSource
from pressync.model.errors import ConfigError
from pressync.model.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.import_site.account import Account
    from pressync.app.workspace import Workspace
    from pressync.cli.main import Globals

# Kinds that the text names; `report.md` has all.
_SHOWN = 12
_VISITOR = (
    "Read as a visitor: no site is configured. If this is your own site: `pressync init --url ADDRESS`, "
    "commit, and import again. Then each file has its record."
)


@dataclass(frozen=True, slots=True)
class Wish:
    """The words of the command line."""

    source: str
    to: str | None
    tool: str
    media: Path | None
    all_statuses: bool = False
    part: Part = field(default_factory=Part)
    forgotten: bool = False
    dry_run: bool = False

    def note(self, globals_: Globals) -> ImportNote:
        """Give the words of the command line again, so that they mean the same in every folder."""
        # Click has joined these two to the folder of `-C` already.
        media, config = (given and given.absolute() for given in (self.media, globals_.config_file))
        options = [("--to", self.to), ("--as", self.tool), ("--media", media)]
        options += [("--config", config), ("--site", globals_.site)]
        options += [("--under", each) for each in self.part.under]
        options += [("--without", each) for each in self.part.without]
        flags = {
            "--all-statuses": self.all_statuses,
            "--forgotten": self.forgotten,
            "--dry-run": self.dry_run,
        }
        named = [f"{name}={value}" for name, value in options if value]
        named += [name for name, given in flags.items() if given]
        directory = os.path.abspath(globals_.directory)  # noqa: PTH100 - `..` in a typed path is noise
        ends_options = ["--"] * self.source.startswith("-")
        words = ["pressync", "-C", directory, "import", *named, *ends_options, self.source]
        is_address = "://" in self.source
        source = self.source if is_address else os.path.normpath(os.path.join(directory, self.source))  # noqa: PTH118
        to = self.to and os.path.normpath(os.path.join(directory, self.to))  # noqa: PTH118
        return ImportNote(repr((source, to, self.part)), shlex.join(words))


def run(globals_: Globals, wish: Wish, form: str) -> None:
    """Import, print the account, and end with 1 if something was left out or verbatim, or is a conflict."""
    note = wish.note(globals_)
    try:
        is_complete = _run(globals_, wish, form, note)
    except KeyboardInterrupt:
        # The person is still in the folder of the command.
        here = f"pressync -C {shlex.quote(str(Path.cwd()))} "
        command = note.command.replace(here, "pressync ", 1)
        log.write(globals_.log_format, f"Interrupted. `{printable(command)}` goes on after what was read.")
        raise SystemExit(INTERRUPTED) from None
    if not is_complete:
        raise SystemExit(console.FAILED)


def _run(globals_: Globals, wish: Wish, form: str, note: ImportNote) -> bool:
    with console.open_workspace(globals_, importing=note.key) as workspace:
        source = _source(globals_, workspace, wish)
        content = workspace.settings.content if wish.to is None else _folder(globals_, workspace, wish.to)
        request = ImportRequest(
            source, wish.tool, content, wish.part, wish.forgotten, wish.dry_run, note=note
        )
        with console.Meter(globals_) as meter:
            account = import_source(workspace.repository, workspace.settings, request, meter.of)
        console.tell(globals_, f"Read {account.source} as {account.tool}; `--as` says otherwise.")
        if form == "json":
            click.echo(json_report.text(account_files.document(account)), nl=False)
        else:
            for line in _text(account, content, source, dry_run=wish.dry_run):
                click.echo(fitted(printable(line), console.columns()))
        if wish.dry_run:
            return account.is_complete
        is_bound = _bind(workspace, source, account)
        unfinished.end(workspace.repository.git_directory, note.key)
        return account.is_complete and is_bound


def _bind(workspace: Workspace, source: ImportSource, account: Account) -> bool:
    """Bind the files of the own site, and say how other files get their records."""
    bound = own_site.bind(workspace, source.own, account)
    if bound is None:
        if account.tool == "wordpress" and workspace.settings.site.url is None:
            click.echo(_VISITOR, err=True)
        elif source.own is not None:
            click.echo(
                "If the site has these pages already: `pressync adopt --from-site` binds them.", err=True
            )
        return True
    state = "file has its record" if bound.bound == 1 else "files have their records"
    if bound.bound:
        told = f"{bound.bound} {state} in the manifest: a sync sends only what somebody edits in them."
        click.echo(fitted(told, console.columns(err=True)), err=True)
    for path, why in sorted(bound.unbound.items()):
        said = printable(f"{path} has no record: {why}")
        click.echo(fitted(said, console.columns(err=True)), err=True)
    return not bound.unbound and not bound.conflicts


def _source(globals_: Globals, workspace: Workspace, wish: Wish) -> ImportSource:
    path = None
    if "://" not in wish.source:
        path = globals_.directory / wish.source
        if not path.exists():
            raise ConfigError(
                "there is no such file or folder",
                where=wish.source,
                todo="name a folder, a file, or an address that begins with https://",
            )
    retry = replace(READS, say=lambda sentence: console.tell(globals_, sentence))
    # Files elsewhere are not documents of the site.
    own = own_site.own_site(workspace, retry) if wish.to is None else None
    return ImportSource(
        wish.source,
        path,
        all_statuses=wish.all_statuses,
        media=wish.media,
        settings=workspace.settings,
        own=own,
        retry=retry,
        keep=unfinished.folder(workspace.repository.git_directory),
    )


def _folder(globals_: Globals, workspace: Workspace, to: str) -> str:
    """Give a typed folder as a path from the repository's root; "" for the root."""
    root = workspace.repository.root or Path()
    inner = os.path.relpath((globals_.directory / to).absolute(), root)
    if inner.startswith(".."):
        raise ConfigError(
            "the folder is outside of the repository", where="--to", todo="name one inside of it"
        )
    return "" if inner == "." else Path(inner).as_posix()


def _text(account: Account, content: str, source: ImportSource, *, dry_run: bool) -> Iterator[str]:
    # The own site has its users.
    is_own = source.own is not None and source.own.is_source
    # A path in the source looks like one of this repository.
    above = source.given if source.path is not None and source.path.is_dir() else ""
    counts = account.counts
    yield f"{account.items} items = " + " + ".join(f"{counts[way]} {WORDS[way]}" for way in Carried)
    kinds = sorted(account.kinds.items(), key=lambda kind: (WORST_FIRST.index(kind[0][0]), -len(kind[1])))
    for (way, kind), places in kinds[:_SHOWN]:
        yield f"  {WORDS[way]}: {kind}, {len(places)} of them, first at {posixpath.join(above, places[0])}"
    if len(kinds) > _SHOWN:
        yield f"  … and {len(kinds) - _SHOWN} more kinds"
    yield from account.notes
    if account.fresh:
        yield (
            f"New here: {len(account.fresh)} that had no file before, first {account.fresh[0]}; `--without "
            "ADDRESS` leaves some out."
        )
    if account.without_user and not is_own:
        count = len({file.item.author for file in account.files} - {""})
        them = "them" if count == len(account.without_user) else f"{len(account.without_user)} of them"
        yield f"Authors: {count}. Choose users of the new site for {them} in {account.folder}/{AUTHORS}."
    if dry_run:
        files = "1 file" if account.changed == 1 else f"{account.changed} files"
        yield f"{files} would be written below {content or '.'}/. Nothing was written."
        return
    files = "1 file" if account.changed == 1 else f"{account.changed} files"
    yield f"{files} written below {content or '.'}/; the account is {account.folder}/report.md."
    if waiting := len(account.kinds.get((Carried.LEFT_OUT, UNCOMMITTED), ())):
        kept = "1 file here is" if waiting == 1 else f"{waiting} files here are"
        yield f"{kept} not committed, and stayed as before."
        yield "Next: `git status`, then commit, and import again: `git diff` shows the difference."
        return
    yield "Next: `git status`, `pressync check --worktree`, then commit."
