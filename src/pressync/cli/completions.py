"""Completes documents, unconfirmed creates, unbound files, runs and fields in a shell.

Somebody waits for each key. So nothing here asks the site or a remote: a document is a file that Git lists,
and the manifest is the one that this clone has. Where nothing fits, the shell completes the names of files.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    import click
    from click.shell_completion import CompletionItem

    from pressync.app.workspace import Workspace
    from pressync.state.state import State

    Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

# A shell with more names than this is slow, and nobody reads them.
_MOST = 5_000


def _completing(found: Callable[[click.Context], Iterable[str]]) -> Completer:
    """Make the function that completes a path from the root as somebody types it in the current folder."""

    def complete(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        from shlex import quote  # noqa: PLC0415 - only shell completion needs it

        from click.shell_completion import CompletionItem  # noqa: PLC0415 - the same

        from pressync.model.errors import PressyncError  # noqa: PLC0415 - the same
        from pressync.repo import discover  # noqa: PLC0415 - the same

        try:
            here = discover.prefix(ctx.obj.directory)
            typed = sorted(path.removeprefix(here) for path in found(ctx))
        except (PressyncError, OSError, ValueError):
            typed = []
        # A shell inserts the words as they are, so a name that needs quotes is left to it.
        fitting = [path for path in typed if path.startswith(begun) and path == quote(path)]
        if not fitting or len(fitting) > _MOST:
            return [CompletionItem(begun, type="file")]
        return [CompletionItem(path) for path in fitting]

    return complete


def runs(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Complete a sync that this clone has a record of, the newest first."""
    from pressync.app.rollback import records_of  # noqa: PLC0415 - only shell completion needs it
    from pressync.model.errors import PressyncError  # noqa: PLC0415 - the same

    try:
        with _workspace(ctx) as workspace:
            found = [record.run for record in records_of(workspace).all() if not record.undoes]
    except (PressyncError, OSError):
        return []
    return [run for run in reversed(found) if run.startswith(begun)]


def fields(_ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Complete the name of a field, as the interface has it."""
    from pressync.model.interface import KINDS  # noqa: PLC0415 - only shell completion needs it

    names = sorted({field.name for row in KINDS.values() for field in row.body})
    return [name for name in names if name.startswith(begun)]


def sites(ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Complete the names of sites from the settings that the command would read; none if they are wrong."""
    from pressync.model.errors import PressyncError  # noqa: PLC0415 - only shell completion needs it

    try:
        names = _tables(ctx)[0].get("sites", {})
    except (PressyncError, OSError, ValueError):
        return []
    return [name for name in names if name.startswith(begun)]


def _tables(ctx: click.Context) -> tuple[dict[str, Any], Path]:
    """Read the settings, which may have problems, and find the root of the repository."""
    import tomllib  # noqa: PLC0415 - only shell completion needs it

    from pressync.config.settings import read_text  # noqa: PLC0415 - the same
    from pressync.repo import discover  # noqa: PLC0415 - the same

    given, there = ctx.obj, discover.find(ctx.obj.directory.absolute())
    named = given.config_file and given.directory / given.config_file
    return tomllib.loads(read_text(there.root, there.common, named).text or ""), there.working


def _files(ctx: click.Context) -> Collection[str]:
    """List the Markdown of the content folder that Git has, and what somebody has just written."""
    from pressync.config import settings_file  # noqa: PLC0415 - only shell completion needs it
    from pressync.content import sources  # noqa: PLC0415 - the same
    from pressync.repo import discover  # noqa: PLC0415 - the same

    tables, root = _tables(ctx)
    content = settings_file.folder(str(tables.get("content", "content"))) or ""
    return list(sources.documents(discover.files(root), content))


def _of_state(ctx: click.Context, paths: Callable[[State], Collection[str]]) -> Collection[str]:
    with _workspace(ctx) as workspace, workspace.reading() as state:
        return list(paths(state))


@contextmanager
def _workspace(ctx: click.Context) -> Iterator[Workspace]:
    """Open the workspace of the command that is typed; the remote of a manifest is not asked."""
    from dataclasses import replace  # noqa: PLC0415 - only shell completion needs it

    from pressync.app.workspace import Workspace  # noqa: PLC0415 - the same

    given = ctx.obj
    named = given.config_file and given.directory / given.config_file
    with Workspace.open(given.directory, site=given.site, config_file=named, wait=0) as opened:
        site = replace(opened.settings.site, remote="")
        yield Workspace(replace(opened.clone, settings=replace(opened.settings, site=site)))


# A document is a file of the content folder, committed or not.
documents = _completing(_files)
unbound = _completing(
    lambda ctx: {*_files(ctx)}.difference(_of_state(ctx, lambda state: state.manifest.entries))
)
unconfirmed = _completing(lambda ctx: _of_state(ctx, lambda state: state.unconfirmed))
# The paths of the manifest, and those that it has forgotten.
recorded = _completing(
    lambda ctx: _of_state(ctx, lambda state: {*state.manifest.entries, *state.forgotten_by_manifest})
)
