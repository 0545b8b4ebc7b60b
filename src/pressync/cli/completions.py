"""Completes documents, unconfirmed creates, unbound files, runs, sites and fields in a shell.

Somebody waits for each key. So nothing here asks the site or a remote: a document is a file that Git lists,
and the manifest is the one that this clone has. Where no path fits, the shell completes the names of files.
"""

from __future__ import annotations

import tomllib
from contextlib import contextmanager
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING, Any

from click.shell_completion import CompletionItem

from pressync.config import keys
from pressync.config.settings import read_text
from pressync.content import sources
from pressync.model.errors import PressyncError
from pressync.repo import discover

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    import click

    from pressync.app.workspace import Workspace
    from pressync.state.state import State

    Finder = Callable[[click.Context], Iterable[str]]
    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

# A shell with more names than this is slow, and nobody reads them.
_MOST = 5_000


def _found(find: Finder, ctx: click.Context) -> list[str]:
    """List the names; none if the settings, the repository or the state cannot be read."""
    try:
        return list(find(ctx))
    except (PressyncError, OSError, ValueError):
        return []


def _names(find: Finder) -> Completer:
    return lambda ctx, _parameter, begun: [
        CompletionItem(name) for name in _found(find, ctx) if name.startswith(begun)
    ]


def _paths(find: Finder) -> Completer:
    """Make the function that completes a path from the root as somebody types it in the current folder."""

    def below_here(ctx: click.Context) -> list[str]:
        folder = discover.prefix(ctx.obj.directory)
        return sorted(path.removeprefix(folder) for path in find(ctx))

    def complete(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        # A shell inserts the words as they are, so a name that needs quotes is left to it.
        fitting = [path for path in _found(below_here, ctx) if path.startswith(begun) and path == quote(path)]
        if not fitting or len(fitting) > _MOST:
            return [CompletionItem(begun, type="file")]
        return [CompletionItem(path) for path in fitting]

    return complete


def _runs(ctx: click.Context) -> list[str]:
    """List the syncs that this clone has a record of, the newest first."""
    from pressync.app.rollback import records_of  # noqa: PLC0415 - it takes longer to load than a key

    with _workspace(ctx) as workspace:
        return [record.run for record in reversed(records_of(workspace).all()) if not record.undoes]


def _fields(ctx: click.Context) -> list[str]:
    """List the fields that the records of the site can have."""
    with _workspace(ctx) as workspace:
        return sorted({field.name for kind in workspace.settings.types.kinds for field in kind.row.body})


def _tables(ctx: click.Context) -> tuple[dict[str, Any], Path]:
    """Read the settings, which may have problems, and find the root of the repository."""
    given, there = ctx.obj, discover.find(ctx.obj.directory.absolute())
    named = given.config_file and given.directory / given.config_file
    return tomllib.loads(read_text(there.root, there.common, named).text or ""), there.working


def _files(ctx: click.Context) -> list[str]:
    """List the Markdown of the content folder that Git has, and what somebody has just written."""
    tables, root = _tables(ctx)
    content = keys.folder(str(tables.get("content", "content"))) or ""
    return list(sources.documents(discover.files(root), content))


def _of_state(ctx: click.Context, paths: Callable[[State], Collection[str]]) -> Collection[str]:
    with _workspace(ctx) as workspace, workspace.reading() as state:
        return list(paths(state))


@contextmanager
def _workspace(ctx: click.Context) -> Iterator[Workspace]:
    """Open the workspace of the command that is typed; the remote of a manifest is not asked."""
    from pressync.app.workspace import Workspace  # noqa: PLC0415 - as in `_runs`

    given = ctx.obj
    named = given.config_file and given.directory / given.config_file
    with Workspace.open(
        given.directory, site=given.site, config_file=named, environ=given.environ, wait=0
    ) as opened:
        site = opened.settings.site._replace(remote="")
        yield Workspace(replace(opened.clone, settings=opened.settings._replace(site=site)))


# These come from the settings that the command would read.
sites = _names(lambda ctx: _tables(ctx)[0].get("sites", {}))
fields = _names(_fields)
runs = _names(_runs)
# A document is a file of the content folder, committed or not.
documents = _paths(_files)
unbound = _paths(lambda ctx: {*_files(ctx)}.difference(_of_state(ctx, lambda state: state.manifest.entries)))
unconfirmed = _paths(lambda ctx: _of_state(ctx, lambda state: state.unconfirmed))
# The paths of the manifest, and those that it has forgotten.
recorded = _paths(
    lambda ctx: _of_state(ctx, lambda state: {*state.manifest.entries, *state.forgotten_by_manifest})
)
