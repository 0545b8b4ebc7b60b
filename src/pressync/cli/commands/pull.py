"""`pressync pull`: takes edits that people made on the site into the files, where Git can merge them."""

from __future__ import annotations

import os.path
from shlex import quote
from typing import TYPE_CHECKING

import click

from pressync.cli import console, options
from pressync.cli.report import words
from pressync.model.printable import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    from pressync.app.pull import PullOptions, pull
    from pressync.pull.bounded_diff import unified

    with console.open_workspace(globals_) as workspace:
        request = PullOptions(tuple(workspace.paths(paths)), force=force, look=diff)
        with console.Meter(globals_) as meter:
            done = pull(workspace, request, lambda each: console.tell(globals_, each), meter.of("Pulling"))
        advice = _advice(globals_, workspace)
        folder = _content_folder(globals_, workspace)
    for each in done:
        for line in unified(each.before, each.after, f"a/{each.path}", f"b/{each.path}", 3) if diff else ():
            click.echo(printable(line))
    said = [(each.path, message) for each in done for message in _messages(each, would=diff)]
    for alike in [[each] for each in said] if globals_.verbose else words.grouped_messages(said):
        click.echo(words.group_line(alike), err=diff)
    console.tell(globals_, _summary(done, advice, everything="" if paths else folder, would=diff))
    if not all(each.settled for each in done):
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


def _advice(globals_: options.Globals, workspace: Workspace) -> str:
    """Name the next commands; a diff of the content leaves out the manifest, whose lines are long."""
    from pressync.state import manifest_file

    site, root = workspace.settings.site, workspace.repository.root
    kept = manifest_file.kept(workspace.repository, site)
    if root is None or site.reference or kept is None or kept.committed or kept.ignored:
        return "changed; look at `git diff`, then commit."
    folder = _content_folder(globals_, workspace)
    return f"and the manifest changed; look at `git diff {quote(folder)}`, then commit all of it."


def _content_folder(globals_: options.Globals, workspace: Workspace) -> str:
    """Name the content folder for a command; pressync has refused to pull without a work tree."""
    root = workspace.repository.root or globals_.directory
    return os.path.relpath(root / workspace.settings.content, globals_.directory.absolute())


def _summary(done: Sequence[Pulled], advice: str, *, everything: str, would: bool) -> str:
    if not done:
        return "Nothing to pull: " + (
            f"no sync has met a conflict. `pressync pull {quote(everything)}` looks for edits at each record."
            if everything
            else "nobody has edited these records on the site."
        )
    written = sum(each.before != each.after for each in done)
    if would:
        return f"{counted(written, 'file')} would change; nothing was written."
    return f"{counted(written, 'file')} {advice}" if written else "No file changed."
