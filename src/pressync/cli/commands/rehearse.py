"""`pressync rehearse`: the sync of a commit on a stage of one's own, and the account of it.

The account says what needs a person first, then the dead links, then the numbers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from pressync.cli import console, options
from pressync.cli.options import RehearseOptions
from pressync.cli.report import documents, text, words
from pressync.cli.report.layout import BOLD, RED, YELLOW, fitted, paint
from pressync.config.agreement import Consent
from pressync.model.errors import Code
from pressync.model.printable import counted, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pressync.app.workspace import Workspace
    from pressync.cli.sync import RunDisplay
    from pressync.stage.rehearse.look import SeenPages
    from pressync.stage.rehearse.rehearse import CheckedLinks, Rehearsal, RehearsalRun
    from pressync.stage.rehearse.stage import SiteDifference


@options.command(
    "pressync rehearse                      # look at the site before it is touched",
    "pressync rehearse --site production --keep",
    "pressync rehearse --on wordpress --mount theme=../harbour",
    "pressync rehearse --look pictures      # what readers will see, with Chromium",
    "pressync rehearse --format json",
)
@options.one_of(
    "--on",
    "stage",
    of=("embedded", "wordpress"),
    help="The stage: the embedded service, or real WordPress in the site's version (needs Node.js 20).",
)
@options.mount
@options.flag("--keep", help="Keep the stage, and print how to look at it later.")
@click.option(
    "--look",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Look at the pages in Chromium, and write pictures and a sheet of what is broken to DIR.",
)
@click.option(
    "--look-limit",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    metavar="N",
    help="With --look, look at N pages at most; changed pages come first.",
)
@options.planning
@options.revision
@options.text_or_json
def command(globals_: options.Globals, /, **values: Any) -> None:  # noqa: ANN401 - the fields of the options are typed
    """Sync the commit to a stage on this machine, check every link, and tell what the real sync would do.

    Nothing is written to the site, its manifest or the work tree. At a terminal, the stage answers until you
    press Enter.
    """
    asked = options.gathered(RehearseOptions, values)
    if asked.stage == "embedded" and asked.mount:
        raise click.UsageError("`--mount` is for WordPress; add `--on wordpress`")
    if asked.stage == "wordpress" and asked.keep:
        raise click.UsageError("a WordPress stage ends with the command; `--keep` is for `--on embedded`")
    if asked.look:
        from pressync.stage.rehearse import look

        folder = globals_.directory / asked.look
        look.require(folder)
        asked = asked._replace(look=folder)
    _rehearse(globals_, asked)


def _rehearse(globals_: options.Globals, options: RehearseOptions) -> None:
    """Rehearse, report, and end with the exit code of the account."""
    from pressync.app.revision import Revision
    from pressync.cli.plan import tell_uncommitted, telling_uncommitted
    from pressync.cli.sync import RunDisplay
    from pressync.stage.rehearse import rehearse
    from pressync.stage.rehearse.live_site import reader_of
    from pressync.stage.rehearse.rehearse import RehearsalRun
    from pressync.stage.rehearse.stage import stage_folder
    from pressync.sync.apply import RunListener, RunOptions

    with (
        console.open_site(globals_) as site,
        console.stopping(globals_) as stop,
        telling_uncommitted(globals_, site.workspace, worktree=options.worktree),
        RunDisplay(globals_, stop) as display,
        stage_folder(site.workspace.clone.embedded_home) as folder,
    ):
        console.tell(globals_, "Rehearsing on a stage; nothing is sent to the site.")
        workspace, say, at = site.workspace, display.say, Revision(options.ref, worktree=options.worktree)
        rehearsing = RehearsalRun(
            workspace=workspace,
            stage=rehearse.stage_named(options.stage, workspace, options.mount, stop=stop, say=say),
            reader=reader_of(workspace, say),
            revision=at,
            plan_options=site.plan_options((), at, **options.flags),
            options=RunOptions(overwrite=options.flags["overwrite"]),
            keep_going=options.keep_going,
            stop=stop,
            # The site's own sentences have no such beginning: these are of the sync that is rehearsed.
            listener=RunListener(display.outcome, lambda sentence: say(f"On the stage: {sentence}")),
            progress=display.reading,
            expect=display.expect,
        )
        with rehearsing.rehearsed(folder.path) as account:
            seen = _look(rehearsing, options, account, display) if options.look else None
            code = _exit_code(account, seen, stopped=stop.is_set())
            kept = folder.keep(f"{account.site}-{account.result.plan.commit[:7]}") if options.keep else None
            _tell(globals_, options, account, seen, code=code, kept=kept)
            tell_uncommitted(globals_, workspace, worktree=options.worktree)
            _stay(globals_, options, workspace, account)
    raise SystemExit(code)


def _look(
    rehearsing: RehearsalRun, asked: RehearseOptions, account: Rehearsal, display: RunDisplay
) -> SeenPages:
    """Look at the pages in a browser, and write the sheet with what the sync changes in each."""
    from pressync.app import comparisons
    from pressync.cli.report import look
    from pressync.stage.rehearse.look import LookRun
    from pressync.stage.rehearse.stage import on_disk

    folder, stop = asked.look or Path(), rehearsing.stop
    looking = LookRun(folder=folder, limit=asked.look_limit, stop=stop, progress=display.of("Looking"))
    seen = looking.of(account)
    paths = {page.path for page in seen.pages}
    workspace, revision = rehearsing.workspace, rehearsing.revision
    planned = account.planned or workspace.plan(revision, rehearsing.plan_options, display.reading)
    with comparisons.opened(workspace, revision, planned) as opened:
        changes = [change for change in planned.plan.changes if change.path in paths]
        diffs = {diff.path: diff for diff in opened.of(changes)}
    title = f"pressync: site {account.site} as it will be at {account.result.plan.commit[:10]}"
    with on_disk("the sheet cannot be written", seen.sheet):
        seen.sheet.write_text(look.sheet(seen, title, diffs), encoding="utf-8")
    return seen


def _exit_code(account: Rehearsal, seen: SeenPages | None, *, stopped: bool) -> int:
    """Give 130 if interrupted, 4 if a sync would refuse, 1 if anything is undone, dead or broken, else 0."""
    code = console.run_exit_code(account.result, stopped=stopped)
    wrong = bool(account.links.dead) or bool(seen and seen.faults)
    if code == console.UNCONFIRMED or (code == console.DONE and wrong):
        code = console.FAILED
    return console.REFUSED if account.refusals and code in {console.DONE, console.FAILED} else code


def _tell(
    globals_: options.Globals,
    asked: RehearseOptions,
    account: Rehearsal,
    seen: SeenPages | None,
    *,
    code: int,
    kept: Path | None,
) -> None:
    """Print the problems of the plan and the account, which has the dead links, and tell of a kept stage."""
    places = {(dead.path, dead.line) for dead in account.links.dead}
    links = {Code.BROKEN_LINK, Code.DEAD_ANCHOR, Code.DEAD_ADDRESS}
    told = [p for p in account.result.plan.problems if not (p.code in links and (p.path, p.line) in places)]
    console.tell_problems(globals_, told, warnings=console.SHOWN_WARNINGS)
    if asked.form == "json":
        click.echo(documents.text(account_document(account, code, seen)), nl=False)
    else:
        shown = account_text(account, seen, colour=console.colour_wanted())
        click.echo(fitted(shown, console.columns()), nl=False)
    if kept:
        where = quote(str(kept))
        console.tell(globals_, f"Look at the stage: `pressync serve --data {where}`")
        console.tell(globals_, f"Remove the stage: `rm -r {where}`")


def _stay(
    globals_: options.Globals, asked: RehearseOptions, workspace: Workspace, account: Rehearsal
) -> None:
    """Let the stage answer as long as somebody looks at it."""
    if not asked.keep and asked.form == "text" and console.is_watched(globals_):
        _wait(account)
    if workspace.clone.way is Consent.AGENT:
        _answer_for_a_while()


def _answer_for_a_while() -> None:
    """Let the stage answer until the server of tools closes our input, ten minutes at most."""
    import select

    sys.stdout.flush()
    select.select([sys.stdin], [], [], _TOOL_SECONDS)


def _wait(account: Rehearsal) -> None:
    """Let the stage answer until the person has looked at it; Ctrl-C ends it as Enter does."""
    question = f"Look at the site: {account.address} (Enter ends the rehearsal)"
    with console.asking():
        try:
            click.prompt(question, default="", show_default=False, prompt_suffix=" ", err=True)
        except (click.Abort, KeyboardInterrupt):
            click.echo(err=True)


_TOOL_SECONDS = 600
# A tree of another tool can have thousands of dead links; this many lines of each sort are printed.
_SHOWN = 3
_WORDS = {
    "page": "no page at",
    "file": "no file at",
    "picture": "no picture at",
    "media": "no media file at",
    "anchor": "no such place in the page:",
    "hidden": "visitors do not see",
}


def account_text(account: Rehearsal, seen: SeenPages | None = None, *, colour: bool = False) -> str:
    """Show the account, and what a browser saw."""
    from pressync.cli.report import look

    told = {(dead.path, dead.target) for dead in account.links.dead}
    commit = account.result.plan.commit[:10]
    head = f"Rehearsal of site {one_line(account.site)} at commit {commit}"
    lines = [
        f"{head} on the stage '{account.stage}' ({account.address})",
        "",
        # Nobody has a password for the users of a WordPress stage; the embedded one needs none.
        *text.run_lines(
            console.for_readers(account.on_stage),
            previews=account.stage == "embedded",
            login=False,
            colour=colour,
        ),
        *_dead_lines(account.links, colour=colour),
        *(look.lines(seen, told, colour=colour) if seen else ()),
        *map(_difference, account.differs),
        *(
            paint(f"A sync would refuse: {one_line(str(refusal))}", RED, colour=colour)
            for refusal in account.refusals
        ),
        paint(account_summary(account), BOLD, colour=colour),
    ]
    return "\n".join(lines) + "\n"


def account_summary(account: Rehearsal) -> str:
    """Summarise the account in one sentence."""
    parts = [f"{number} {word}" for word, number in account.counts.items() if number]
    done = ", ".join([*parts, f"{account.result.counts['kept']} up to date"])
    links = account.links
    # A sync of a site that does not answer, or whose interface is elsewhere, ends before its first write.
    unread = "" if account.site_read else "The site was not read. If it answers as its settings say: "
    end = f"{unread}A sync would end so: {done}."
    if not links.checked:
        return f"{end} There was no link of the site to check."
    return f"{end} {counted(links.checked, 'link')} checked, {len(links.dead)} dead."


def _dead_lines(links: CheckedLinks, *, colour: bool) -> Iterator[str]:
    """Name the first dead targets of each sort, each once with its first places, and count the others."""
    groups = words.grouped(links.dead, lambda dead: (dead.kind, dead.target))
    word = paint("dead link", YELLOW, colour=colour)
    for kind in dict.fromkeys(some[0].kind for some in groups):
        own = [some for some in groups if some[0].kind == kind]
        for some in own[:_SHOWN]:
            first, *rest = [f"{dead.path}:{dead.line}" for dead in some]
            target = f"{_WORDS[kind]} `{one_line(some[0].target)}`"
            yield f"{word}: {one_line(first)}: {target}{words.others(rest)}"
        if left := own[_SHOWN:]:
            yield f"… and {counted(len(left), 'more target')} like this; `--format json` lists all of them."


def _difference(row: SiteDifference) -> str:
    subject, site = one_line(row.what), one_line(row.site)
    if site.startswith("not read"):
        return f"Not read of the site: {subject} ({site.removeprefix('not read: ')})."
    there = f"{site} there" if site else "not in this clone"
    return f"The site differs: {subject} is {there}, and {one_line(row.stage)} on the stage."


def account_document(account: Rehearsal, exit_code: int, seen: SeenPages | None) -> dict[str, object]:
    """Make the document of `rehearse --format json`."""
    from pressync.cli.report import look

    run = documents.run_document(console.for_readers(account.on_stage))
    return {
        "version": documents.VERSION,
        "site": account.site,
        "commit": run["commit"],
        "stage": account.stage,
        "address": account.address,
        "counts": account.counts,
        "outcomes": run["outcomes"],
        "links": {
            "checked": account.links.checked,
            "dead": documents.rows(account.links.dead, "path", "line", "target", "kind"),
        },
        "differs": documents.rows(account.differs, "what", "stage", "site"),
        "site_read": account.site_read,
        "look": look.document(seen) if seen else None,
        "exit_code": exit_code,
    }
