"""Pull: what people changed on the site goes into the files as Markdown, for merging in Git.

It must not print, and changes nothing on the site. What decided its shape: the edits of the site are
done to the text that was last synced, and Git merges that with what the file says now; so neither side's
work is lost, and an untouched line keeps its bytes.

A kill at any instant is healed by another pull. The file is written first, and the manifest learns of the
edit after it: in between, the file says what the site says and the manifest still has a conflict, which
the next pull finds solved. The other way round the manifest would know of an edit that no file has, and
the next sync would overwrite it without a word.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app.revision import Revision
from pressync.client.port import require_readable
from pressync.client.retry import Patience, Retry, retrying
from pressync.model.errors import ConfigError, RepositoryError
from pressync.plan.build import PlanOptions, build_plan
from pressync.plan.survey import Known
from pressync.pull.puller import Puller
from pressync.repo.paths import is_below

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from pressync.app.workspace import Workspace
    from pressync.model.records import Entry, Record
    from pressync.pull.puller import Pulled

# As many as WordPress gives in one answer.
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class PullOptions:
    """What is asked: `paths`, or with none every record in conflict.

    With `force` uncommitted work is merged into; with `look` neither files nor the manifest are written.
    """

    paths: tuple[str, ...] = ()
    force: bool = False
    look: bool = False


def pull(
    workspace: Workspace, request: PullOptions, say: Callable[[str], None] = lambda _sentence: None
) -> list[Pulled]:
    """Take the edits of the site into the files; what was not edited there is not in the result.

    `say` is told when the service asks for patience.

    :raises RepositoryError: there are no files to write to, or a merge is not finished.
    :raises ConfigError: the service has no reads, or there is no record at the paths.
    :raises ServiceError: it cannot be read; files that were written before that are settled.
    """
    _check(workspace)
    with workspace.state(writable=not request.look) as state:
        content = workspace.content(Revision(worktree=True), site=state.manifest)
        known = Known(state.manifest.entries, state.doubts, lambda: state.forgotten_by_manifest)
        drawn = build_plan(content, workspace.capabilities, known, PlanOptions(allow_rewind=True))
        chosen = _chosen(drawn.entries.values(), request.paths)
        puller = Puller(state, content, drawn, force=request.force, look=request.look)
        pulled = []
        try:
            for entry, record in _read(workspace, chosen, say):
                pulled.append(puller.pull(entry, record))
        finally:
            if not request.look:
                state.save("Pull")
    return [each for each in pulled if each is not None]


def _check(workspace: Workspace) -> None:
    if workspace.repository.root is None:
        raise RepositoryError(
            "a bare repository has no files to write to", todo="run it in a clone with a working tree"
        )
    if not workspace.capabilities.read:
        raise ConfigError(
            "the documented interface shows no way to read a record, so nothing can be pulled from it",
            where=f"site '{workspace.settings.site.name}'",
            todo="`pressync plan --diff` shows what the echo of a write has told; take that over by hand",
        )


def _chosen(entries: Iterable[Entry], paths: Collection[str]) -> list[Entry]:
    """Choose the entries at or below the paths, by path; with no path those in conflict."""
    chosen = [entry for entry in entries if (is_below(entry.path, paths) if paths else entry.conflict)]
    if paths and not chosen:
        raise ConfigError(
            f"there is no record at {', '.join(path or '.' for path in paths)}",
            todo="`pressync status` lists what has one",
        )
    return sorted(chosen, key=lambda entry: entry.path)


def _read(
    workspace: Workspace, entries: list[Entry], say: Callable[[str], None]
) -> Iterator[tuple[Entry, Record | None]]:
    """Read the records of the entries, some at a time: a whole site need not fit into memory."""
    if not entries:
        return
    with workspace.service(1) as service:
        reads = retrying(require_readable(service), Retry(Patience(), time.sleep, say))
        for start in range(0, len(entries), _AT_ONCE):
            some = entries[start : start + _AT_ONCE]
            found = {
                kind: reads.records(kind, [entry.id for entry in some if entry.kind is kind])
                for kind in {entry.kind for entry in some}
            }
            for entry in some:
                yield entry, found[entry.kind].get(entry.id)
