"""`pressync compare`: the pages of the old site beside the records of the new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from pressync.cli import console, options
from pressync.cli.main import INTERRUPTED
from pressync.cli.report.layout import fitted

if TYPE_CHECKING:
    import threading
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pressync.app.workspace import Workspace
    from pressync.stage.compare.new_site import NewSite
    from pressync.stage.compare.old_site import OldSite


@options.command(
    "pressync compare ../hugo-site/public",
    "pressync compare https://old.example.org --limit 200",
    "pressync compare ../blog/_site --format html > compare.html",
    "pressync compare ../site site          # beside the site as it is now",
)
@click.argument("old")
@click.argument("new", type=click.Choice(("stage", "site")), default="stage", metavar="[NEW]")
@click.option(
    "--selector",
    default="",
    metavar="CSS",
    help="The part of an old page with its text.  [default: main, article]",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="N",
    help="Read at most N pages of a live site.",
)
@options.rate
@options.flag("--worktree", help="Include edits that are not committed.")
@options.one_of("--format", "form", of=("text", "json", "html"), help="How to print.")
def command(globals_: options.Globals, /, **values: Any) -> None:  # noqa: ANN401 - `CompareRequest` has the types
    """Compare each page of the OLD site with the record that answers at its address.

    OLD is a folder of built HTML, that of the tool which builds it, or the address of a live site or of its
    sitemap. NEW is `stage`, a rehearsal of this commit, or `site`. Nothing is written to either. Ends with 3
    if a page differs or has no address.
    """
    raise SystemExit(run(globals_, CompareRequest(**values)))


class CompareRequest(NamedTuple):
    """The words of the command line."""

    old: str
    new: str = "stage"
    selector: str = ""
    limit: int = 1000
    rate: float | None = None
    worktree: bool = False
    form: str = "text"
    reads_site: bool = True


def run(globals_: options.Globals, wish: CompareRequest) -> int:
    """Compare, print the result, and give the exit code."""
    from pressync.cli.report import comparison
    from pressync.stage.compare.compare import SiteComparison
    from pressync.stage.compare.old_addresses import Imports

    with console.open_workspace(globals_) as workspace, console.stopping(globals_) as stop:
        with console.Meter(globals_) as meter:
            old = _old(globals_, workspace, wish, stop, meter)
        with console.Meter(globals_) as meter, _new(workspace, wish, stop, meter) as new:
            compared = SiteComparison(
                old,
                new,
                imports=Imports.of(workspace.repository.root),
                selector=wish.selector,
                keep_sides=wish.form == "html",
                progress=meter.of("Comparing"),
                stopped=stop.is_set,
            ).run()
        code = console.DONE if compared.is_same else console.PENDING
        code = INTERRUPTED if stop.is_set() else code
        new_name = f"{wish.new} of {workspace.settings.site.name}"
        if wish.form == "json":
            click.echo(comparison.as_json(compared, wish.old, wish.new, code), nl=False)
        elif wish.form == "html":
            click.echo(comparison.as_html(compared, wish.old, new_name), nl=False)
            console.tell(globals_, comparison.summary(compared))
        else:
            told = comparison.text(compared, colour=console.colour_wanted())
            click.echo(fitted(told, console.columns()), nl=False)
    return code


def _old(
    globals_: options.Globals,
    workspace: Workspace,
    wish: CompareRequest,
    stop: threading.Event,
    meter: console.Meter,
) -> OldSite:
    from pressync.importing.built import built_of
    from pressync.model.errors import ConfigError
    from pressync.model.printable import one_line
    from pressync.stage.compare.old_folder import old_folder

    if "://" in wish.old:
        return _live(globals_, workspace, wish, stop, meter)
    folder: Path = globals_.directory / wish.old
    if not folder.is_dir():
        todo = "name a folder of built HTML, or an address that begins with https://"
        raise ConfigError("there is no such folder", where=wish.old, todo=todo)
    built, newer = built_of(folder, wish.old)
    if newer:
        told = f"Note: {built.name} is older than {newer}: build the site again, or that is a difference."
        console.tell(globals_, one_line(told))
    return old_folder(built, wish.old)


def _live(
    globals_: options.Globals,
    workspace: Workspace,
    wish: CompareRequest,
    stop: threading.Event,
    meter: console.Meter,
) -> OldSite:
    from pressync.model.printable import one_line
    from pressync.stage.compare.old_live import LiveReader, kept_folder

    kept = kept_folder(workspace.clone.embedded_home, wish.old)
    reader = LiveReader(wish.old, kept, stop.wait, wish.limit, wish.rate, meter.of("Reading the old site"))
    old = reader.read()
    console.tell(globals_, f"Kept in {one_line(str(kept))}; without this folder, the site is asked again.")
    for some in old.passed_over:
        console.tell(globals_, f"Not read: {some}")
    return old


def _new(
    workspace: Workspace, wish: CompareRequest, stop: threading.Event, meter: console.Meter
) -> AbstractContextManager[NewSite]:
    from pressync.app.revision import Revision
    from pressync.stage.compare import new_site
    from pressync.stage.rehearse.live_site import reader_of

    if wish.new == "site":
        return new_site.as_it_is(workspace)
    revision = Revision(worktree=wish.worktree)
    reader = reader_of(workspace) if wish.reads_site else None
    return new_site.rehearsed(workspace, revision, reader, stop=stop, progress=meter.of("Rehearsing"))
