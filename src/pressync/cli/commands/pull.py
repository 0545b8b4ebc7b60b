"""`pressync pull`, `propose` and `notes`: what people changed or wrote on the site, and the ways into Git."""

from __future__ import annotations

import os
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.cli.report import words
from pressync.model.printable import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pressync.app.forge import Hosting
    from pressync.app.propose import Proposal
    from pressync.app.workspace import Workspace
    from pressync.pull.puller import Pulled


@options.command(
    "pressync pull                          # all edits that are known",
    "pressync pull --diff                   # look first",
    "pressync pull content/pages/about.md",
)
@options.paths
@options.flag("--diff", help="Show what would change in the files, and write nothing.")
@options.flag("--force", help="Merge into files with uncommitted changes as well.")
def command(globals_: options.Globals, *, paths: tuple[str, ...], diff: bool, force: bool) -> None:
    """Take edits made on the site into the files at PATH, or into all files whose records are in conflict.

    It touches only what was edited on the site. Look at `git diff`, then commit. The site is not changed.
    """
    from pressync.app.pull import PullOptions, pull, unfinished
    from pressync.pull.bounded_diff import unified

    with console.open_workspace(globals_) as workspace:
        request = PullOptions(tuple(workspace.paths(paths)), force=force, look=diff)
        with console.Meter(globals_) as meter:
            done = pull(workspace, request, partial(console.tell, globals_), meter.of("Pulling"))
        changed = _changed(globals_, workspace, done)
        folder = _content_folder(globals_, workspace)
        # The site has not changed since, so this pull alone would say that all is well.
        left = unfinished(workspace, request.paths) if request.paths and not done else []
    for pulled in done if diff else ():
        for line in unified(pulled.before, pulled.after, f"a/{pulled.path}", f"b/{pulled.path}", 3):
            click.echo(printable(line))
    said = [(pulled.path, message) for pulled in done for message in _messages(pulled, would=diff)]
    for alike in [[pair] for pair in said] if globals_.verbose else words.grouped_messages(said):
        click.echo(words.group_line(alike), err=diff)
    console.tell(globals_, _summary(done, changed, everything="" if paths else folder, would=diff))
    console.tell_problems(globals_, left)
    if left or not all(pulled.settled for pulled in done):
        raise SystemExit(console.FAILED)


def _messages(pulled: Pulled, *, would: bool) -> Iterator[str]:
    if pulled.taken:
        fields = ", ".join(pulled.taken)
        if pulled.before == pulled.after:
            yield f"the file already has the site's text of {fields}"
        else:
            yield f"{'would take' if would else 'took'} {fields} from the site"
    if pulled.conflicts:
        places = "place" if pulled.conflicts == 1 else f"{pulled.conflicts} places"
        yield f"both sides changed the same {places}; choose between Git's marks in the file"
    yield from pulled.problems


def _changed(globals_: options.Globals, workspace: Workspace, done: Sequence[Pulled]) -> str:
    """Say what changed, and the next commands; a diff of the content leaves out the manifest's long lines."""
    site, root = workspace.settings.site, workspace.repository.root
    kept, written = workspace.kept_manifest, _written(done)
    files = counted(written, "file")
    if root is None or site.reference or kept is None or kept.committed or kept.ignored:
        return f"{files} changed; look at `git diff`, then commit." if written else "No file changed."
    if not written:
        # A file that had the site's text already is remembered as pulled.
        noted = any(pulled.taken for pulled in done)
        return "No file changed, but the manifest did; commit it." if noted else "No file changed."
    folder = _content_folder(globals_, workspace)
    return f"{files} and the manifest changed; look at `git diff {quote(folder)}`, then commit all of it."


def _content_folder(globals_: options.Globals, workspace: Workspace) -> str:
    """Name the content folder for a command; pressync has refused to pull without a work tree."""
    root = workspace.repository.root or globals_.directory
    return os.path.relpath(root / workspace.settings.content, globals_.directory.absolute())


def _written(done: Sequence[Pulled]) -> int:
    return sum(pulled.before != pulled.after for pulled in done)


def _summary(done: Sequence[Pulled], changed: str, *, everything: str, would: bool) -> str:
    if not done:
        return "Nothing to pull: " + (
            f"no sync has met a conflict. `pressync pull {quote(everything)}` looks for edits at each record."
            if everything
            else "nobody has edited these records on the site."
        )
    return f"{counted(_written(done), 'file')} would change; nothing was written." if would else changed


@options.command(
    "pressync propose                       # the edits of the site, on a branch",
    "GITHUB_TOKEN=… pressync propose        # and its pull request on GitHub",
)
def propose(globals_: options.Globals, /) -> None:
    """Take the edits that people made on the site into one branch, and propose it for a merge.

    There is a commit for each record. Your files and the site are not changed. With a token of GitHub,
    GitLab, Forgejo or Gitea, and in a job of GitLab, the command pushes the branch, and opens, renews or
    closes its request. Elsewhere it prints the commands.
    """
    from pressync.app import forge

    given = {name: os.environ.pop(name) for name in forge.TOKENS if name in os.environ}
    with console.open_workspace(globals_) as workspace:
        hosting = forge.Hosting.of(workspace.repository, os.environ)
        token = hosting.token(given)
        # Git sends it to this server alone.
        job = {**os.environ, "GITHUB_TOKEN": token, "GITHUB_SERVER_URL": hosting.server}
        with forge.with_token(workspace.repository, job, hosting.committer):
            made, lines = proposed(globals_, workspace, None, token)
    for line in lines:
        click.echo(printable(line))
    if made.left:
        raise SystemExit(console.FAILED)


def proposed(
    globals_: options.Globals, workspace: Workspace, default_branch: str | None, token: str
) -> tuple[Proposal, list[str]]:
    """Make the branch and what follows from it; give also the lines that tell of it."""
    from pressync.app import forge, forge_api
    from pressync.app import propose as proposing
    from pressync.cli.report import text

    made = proposing.proposal(workspace, default_branch, lambda said: console.tell(globals_, said))
    title = f"Edits made on the site {made.site}"
    hosting, place = forge.Hosting.of(workspace.repository, os.environ), proposing.BRANCH
    lines = text.proposal(made)
    if hosting.forge is forge_api.GITLAB and (token or hosting.in_job):
        said = proposing.publish(workspace, made, forge.push_options(made.into, title))
        address = forge.opened_by_push(said or "")
        if said is not None:
            lines.append(f"The merge request: {address or f'of the branch {place}, as it was'}")
    elif token and hosting.path and hosting.forge:
        lines += _requested(workspace, made, title, hosting, token)
    elif proposing.keep(workspace, made):
        page = hosting.page(place, made.into)
        lines += [f"They are on the branch {place} of this clone. To propose it:", ""]
        lines += [f"  {hosting.push(place, made.into, title)}", *([f"  {page}"] if page else [])]
    return made, lines


def _requested(
    workspace: Workspace, made: Proposal, title: str, hosting: Hosting, token: str
) -> Iterator[str]:
    """Push the branch, and open, renew or close its pull request by the interface of the forge."""
    from pressync.app import propose as proposing
    from pressync.app.forge_api import close_pull_request, put_pull_request
    from pressync.cli.report import markdown

    is_there = proposing.publish(workspace, made) is not None
    with hosting.interface(os.environ, token) as interface:
        if is_there:
            where = put_pull_request(interface, proposing.BRANCH, made.into, title, markdown.proposal(made))
            yield f"The pull request: {where}"
        elif closed := close_pull_request(interface, proposing.BRANCH):
            yield f"Closed, because nothing differs: {closed}"


@click.group(cls=options.Group, invoke_without_command=True, examples=("pressync notes resolve 12",))
@options.text_or_json
@click.pass_context
def notes(context: click.Context, /, *, form: str) -> None:
    """List the open notes that editors put on records in WordPress, with file and line.

    Notes are part of WordPress since version 6.9. Nothing is changed. A commit with the line
    `Resolves-Note: ID` resolves a note, after the sync of a page that the commit changed.
    """
    if context.invoked_subcommand is None:
        _list_notes(context.obj, form)


def _list_notes(globals_: options.Globals, form: str) -> None:
    from pressync.app import notes as editor_notes
    from pressync.app.revision import Revision
    from pressync.cli.report import documents, text

    with console.open_workspace(globals_) as workspace:
        with workspace.reading() as state:
            manifest = state.manifest
        content = workspace.content(Revision(), manifest=manifest)
        open_notes = editor_notes.listed(workspace, content, manifest.entries)
        name = workspace.settings.site.name
    if form == "json":
        rows = [documents.note_row(note) for note in open_notes]
        click.echo(documents.text({"version": documents.VERSION, "site": name, "notes": rows}), nl=False)
        return
    for line in text.editor_notes(open_notes) or [
        "No open notes of editors, as far as this account may see them."
    ]:
        click.echo(line)


@notes.below("pressync notes resolve 12")
@click.argument("number", metavar="ID", type=click.IntRange(1))
def resolve(globals_: options.Globals, /, *, number: int) -> None:
    """Resolve the note ID on the site, with a reply that names the commit at HEAD."""
    from pressync.app import notes as editor_notes

    with console.open_workspace(globals_) as workspace:
        was_open = editor_notes.resolve(workspace, number, workspace.repository.commit())
    console.tell(
        globals_, f"Note {number} is resolved." if was_open else f"Note {number} was resolved before."
    )
