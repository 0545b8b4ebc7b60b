"""`pressync import`: turns a tree of another tool, an export or a site into files of this repository."""

from __future__ import annotations

import os.path
import posixpath
import shlex
import stat
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from pressync.cli import console, log, options
from pressync.cli.main import INTERRUPTED
from pressync.cli.report.layout import fitted
from pressync.importing import importers
from pressync.model.bounds import names_git
from pressync.model.errors import ConfigError, PressyncError
from pressync.model.printable import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.workspace import Workspace
    from pressync.config.settings import SettingsText
    from pressync.importing.account import Account
    from pressync.importing.sources.item import ImportSource

# Kinds that the text names; `report.md` has all.
_SHOWN = 12
_NAME = "name a folder, a file, or an address that begins with https://"
_INTERRUPTED = "Interrupted: the import is not complete. Run the same command again"
_VISITOR = (
    "Read as a visitor: no site is configured. If this is your own site: `pressync init --url ADDRESS`, "
    "commit, and import again. Then each file has its record."
)


class _Tool(click.ParamType[str]):
    """The name of an importer; those of other packages are looked for only where somebody asks for names."""

    name = "tool"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Accept the name of an importer."""
        if value not in importers.names():
            self.fail(f"{value!r} is not one of {', '.join(importers.names())}.", param, ctx)
        return value

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 - Click's signature
        param: click.Parameter,  # noqa: ARG002 - as `ctx`
        incomplete: str,
    ) -> list[CompletionItem]:
        """Complete the name of an importer."""
        return [CompletionItem(name) for name in importers.names() if name.startswith(incomplete)]


class _ToolOption(click.Option):
    """The option `--as`: its help names all importers."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Give the words of the option, and its help with the names."""
        record = super().get_help_record(ctx)
        return record and (record[0], f"{record[1].rstrip('.')}: {', '.join(importers.names())}.")


@options.command(
    "pressync import ../hugo-site           # says what it is, writes into content/",
    "pressync import blog.WordPress.xml",
    "pressync import https://example.org --all-statuses",
    "pressync import https://example.org --under /docs/ --dry-run",
    "pressync import pages.jsonl --to site  # what any tool says of itself",
)
@click.argument("source")
@click.option("--to", metavar="DIR", help="The content folder to write into. Default: the setting `content`.")
@click.option(
    "--as",
    "tool",
    type=_Tool(),
    cls=_ToolOption,
    metavar="TOOL",
    help="What SOURCE is, if pressync takes it for another.",
)
@click.option(
    "--media",
    type=options.File(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A copy of wp-content/uploads: its pictures are imported, too.",
)
@click.option(
    "--under",
    metavar="ADDRESS",
    multiple=True,
    help="Import only what is at or below this address, like /docs/. Repeatable.",
)
@click.option(
    "--without",
    metavar="ADDRESS",
    multiple=True,
    help="Leave out what is at or below this address. Repeatable.",
)
@options.flag("--forgotten", help="Import records again that had a file here, and were forgotten.")
@options.flag("--all-statuses", help="Import drafts, private and protected items as well.")
@options.flag("--lenient", help="Leave out an item of a WordPress export that cannot be read, and name it.")
@options.flag("--dry-run", help="Read the source, print the account, and write nothing.")
@options.flag("--no-compare", help="Do not compare with the built site that lies in SOURCE.")
@options.text_or_json
def command(globals_: options.Globals, /, *, form: str, **values: Any) -> None:  # noqa: ANN401 - `Wish` has the types
    """Turn SOURCE into files of the work tree, and account for all of it in .pressync/import.

    SOURCE is a folder of Hugo, Jekyll, Docusaurus, Astro, MkDocs or Hexo, a vault of Obsidian, a clone of
    Push MD, an export of WordPress or Ghost, the address of a WordPress site, or JSON lines. Nothing is
    committed, and no service is written to: look at `git diff`.
    """
    wish = Wish(**values)
    try:
        is_complete = _imported(globals_, wish, form)
    except KeyboardInterrupt:
        # The person is still in the folder of the command.
        prefix = f"pressync -C {shlex.quote(str(Path.cwd()))} "
        command = wish.command(globals_).replace(prefix, "pressync ", 1)
        log.write(globals_.log_format, f"{_INTERRUPTED}: `{printable(command)}`")
        raise SystemExit(INTERRUPTED) from None
    if not is_complete:
        raise SystemExit(console.FAILED)


class Wish(NamedTuple):
    """The words of the command line."""

    source: str
    to: str | None
    tool: str | None
    media: Path | None
    under: tuple[str, ...]
    without: tuple[str, ...]
    forgotten: bool
    all_statuses: bool
    lenient: bool
    dry_run: bool
    no_compare: bool

    def command(self, globals_: options.Globals) -> str:
        """Give the words of the command line again, so that they mean the same in every folder."""
        # Click has joined these two to the folder of `-C` already.
        media, config = (path and path.absolute() for path in (self.media, globals_.config_file))
        given = [("--to", self.to), ("--as", self.tool), ("--media", media)]
        given += [("--config", config), ("--site", globals_.site)]
        given += [("--under", value) for value in self.under]
        given += [("--without", value) for value in self.without]
        named = [f"{name}={value}" for name, value in given if value]
        named += ["--all-statuses"] * self.all_statuses + ["--forgotten"] * self.forgotten
        named += ["--lenient"] * self.lenient
        named += ["--dry-run"] * self.dry_run + ["--no-compare"] * self.no_compare
        directory = os.path.abspath(globals_.directory)  # noqa: PTH100 - `..` in a typed path is noise
        ends_options = ["--"] * self.source.startswith("-")
        return shlex.join(["pressync", "-C", directory, "import", *named, *ends_options, self.source])


def _imported(globals_: options.Globals, wish: Wish, form: str) -> bool:
    from pressync.cli.report import documents
    from pressync.importing.account import document, write_choices
    from pressync.importing.run import ImportRequest, import_source
    from pressync.importing.selection import Part

    with console.open_workspace(globals_) as workspace:
        source = _source(globals_, workspace, wish)
        content = workspace.settings.content if wish.to is None else _folder(globals_, workspace, wish.to)
        part = Part(wish.under, wish.without)
        request = ImportRequest(source, wish.tool or "", content, part, wish.forgotten, wish.dry_run)
        with console.Meter(globals_) as meter:
            account = import_source(workspace.repository, workspace.settings, request, meter.of)
        console.tell(globals_, f"Read {account.source} as {account.tool}; `--as` says otherwise.")
        if form == "json":
            click.echo(documents.text(document(account)), nl=False)
        else:
            for line in _text(account, content, source, workspace.clone.settings_text, dry_run=wish.dry_run):
                click.echo(fitted(printable(line), console.columns()))
            if not wish.dry_run:
                click.echo(fitted(printable(_next(account, content, workspace)), console.columns()))
        if wish.dry_run:
            return account.is_complete
        # The next plan reads the schema that was written, and so must this manifest.
        with console.open_workspace(globals_) if account.schema else nullcontext(workspace) as typed:
            is_bound = _bind(typed, source, account)
        try:
            write_choices(workspace.repository, globals_.config_file, account)
        except ConfigError as error:
            click.echo(fitted(printable(str(error)), console.columns(err=True)), err=True)
    if form == "text" and source.path is not None and source.path.is_dir():
        _prove(globals_, wish, source.path, account.tool, is_read=content == workspace.settings.content)
    return account.is_complete and is_bound


def _prove(globals_: options.Globals, wish: Wish, source: Path, tool: str, *, is_read: bool) -> None:
    """Compare with the built site where it lies in the source, else name the command that does so.

    The account is written, so a comparison that fails is a sentence.
    """
    from pressync.cli.commands import compare
    from pressync.importing.built import build_of

    try:
        build = build_of(source.absolute(), tool)
        if build is None:
            return
        old = os.path.relpath(build.folder, globals_.directory.absolute())
        if build.is_there and is_read and not wish.no_compare:
            click.echo(fitted(printable(f"Beside the built site in {old}:"), console.columns()))
            compare.run(globals_, compare.CompareRequest(old, worktree=True, reads_site=False))
            return
        first = "" if build.is_there else "build the old site, and then "
        proof = f"Proof: {first}`pressync compare --worktree {shlex.quote(old)}`."
        click.echo(fitted(printable(proof), console.columns()))
    except PressyncError as error:
        console.tell(globals_, printable(f"Not compared with the old site: {error}"))


def _bind(workspace: Workspace, source: ImportSource, account: Account) -> bool:
    """Bind the files of the own site, and say how other files get their records."""
    from pressync.importing import own_site

    bound = own_site.bind(workspace, source.own, account)
    if bound is None:
        if account.tool == "wordpress" and workspace.settings.site.url is None:
            click.echo(_VISITOR, err=True)
        elif source.own is not None:
            click.echo(
                "If the site has these pages already: `pressync adopt --from-site` binds them.", err=True
            )
        return True
    if bound.bound:
        files = counted(bound.bound, "file has its record", "files have their records")
        told = f"{files} in the manifest: a sync sends only what somebody edits in them."
        click.echo(fitted(told, console.columns(err=True)), err=True)
    for path, why in sorted(bound.unbound.items()):
        said = printable(f"{path} has no record: {why}")
        click.echo(fitted(said, console.columns(err=True)), err=True)
    return not bound.unbound and not bound.conflicts


def _source(globals_: options.Globals, workspace: Workspace, wish: Wish) -> ImportSource:
    from pressync.client.retry import READS
    from pressync.importing import own_site
    from pressync.importing.sources.item import ImportSource

    path = None
    if "://" not in wish.source:
        path = globals_.directory / wish.source
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            raise ConfigError("there is no such file or folder", where=wish.source, todo=_NAME) from None
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            problem = "this is neither a file nor a folder, but a pipe, a socket or a device"
            raise ConfigError(problem, where=wish.source, todo=_NAME)
    if wish.media is not None and names_git(wish.media.as_posix()):
        raise ConfigError("the folder belongs to Git", where="--media", todo="name another folder")
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
        lenient=wish.lenient,
    )


def _folder(globals_: options.Globals, workspace: Workspace, to: str) -> str:
    """Give a typed folder as a path from the repository's root; "" for the root."""
    inner = os.path.relpath((globals_.directory / to).absolute(), workspace.repository.root or Path())
    if inner.startswith(".."):
        raise ConfigError(
            "the folder is outside of the repository", where="--to", todo="name one inside of it"
        )
    if names_git(inner):
        raise ConfigError("the folder belongs to Git", where="--to", todo="name another folder")
    return "" if inner == "." else Path(inner).as_posix()


def _authors(account: Account, settings: SettingsText) -> str:
    count = len({file.item.author for file in account.files} - {""})
    them = "them" if count == len(account.without_user) else f"{len(account.without_user)} of them"
    first = "" if settings.text is not None else " To get their rows, run `pressync init`, and import again."
    place = f"below `[authors]` in {settings.where}"
    all_of_them = 'One row settles all: `"*" = "LOGIN"`.'
    return f"Authors: {count}. Choose users of the new site for {them} {place}. {all_of_them}{first}"


def _text(
    account: Account, content: str, source: ImportSource, settings: SettingsText, *, dry_run: bool
) -> Iterator[str]:
    from pressync.importing.account import WORDS, WORST_FIRST, Carried

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
    # The own site has its users.
    if account.without_user and account.own is None:
        yield _authors(account, settings)
    files = counted(account.changed, "file")
    if dry_run:
        yield f"{files} would be written below {content or '.'}/. Nothing was written."
        return
    yield f"{files} written below {content or '.'}/; the account is {account.folder}/report.md."


def _next(account: Account, content: str, workspace: Workspace) -> str:
    """Name the next steps; files outside of the content folder of the settings are not documents yet."""
    from pressync.importing.account import Carried
    from pressync.importing.run import UNCOMMITTED

    if waiting := len(account.kinds.get((Carried.LEFT_OUT, UNCOMMITTED), ())):
        files = counted(waiting, "file here is", "files here are")
        return (
            f"{files} not committed, and stayed as before.\n"
            "Next: `git status`, then commit, and import again: `git diff` shows the difference."
        )
    if workspace.settings.content == content:
        return "Next: `git status`, `pressync check`, then commit."
    name = shlex.quote(content or ".")
    step = f'`content = "{content or "."}"` at the top of pressync.toml'
    if workspace.clone.settings_text.text is None:
        step = f"`pressync init --content {name}`"
    return f"Next: {step}, for nothing is synced from there yet; `pressync check`, then commit."
