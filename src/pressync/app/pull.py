"""Pulls edits that people made on the site into the files, as Markdown; the site is not changed.

The edits are applied to the text of the last sync, and Git merges the result with the file. The file is
written before the manifest, so another pull repairs what a killed pull left. In the other order the next sync
would overwrite the edit silently.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pressync.app.revision import Revision
from pressync.client.port import require_readable
from pressync.client.record_json import is_id
from pressync.client.retry import Patience, Retry, retrying
from pressync.client.terms import clear_paths
from pressync.content.markdown_text import unresolved
from pressync.html.notes import NOTE, notes_of
from pressync.model.bounds import PAGE
from pressync.model.errors import ConfigError, Problem
from pressync.model.records import Name
from pressync.plan import pulls
from pressync.plan.build import PlanOptions, build_plan
from pressync.plan.survey import Known, Progress
from pressync.pull.puller import Pulled, Puller, remote_edits
from pressync.repo import work_tree
from pressync.repo.paths import is_below
from pressync.state.clone_facts import RunRecords
from pressync.sync import drift, vanished
from pressync.sync.prerequisites import AUTHOR

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.client.port import Library
    from pressync.model.interface import SiteTypes
    from pressync.model.records import Entry, Manifest, Record

# The number of records in one response of WordPress.
_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class PullOptions:
    """The records at `paths`, or without paths every record in conflict.

    With `force`, edits are merged into uncommitted work, too. With `look`, nothing is written. The files of a
    `proposed` pull are for a branch.
    """

    paths: tuple[str, ...] = ()
    force: bool = False
    look: bool = False
    proposed: bool = False


def pull(
    workspace: Workspace,
    request: PullOptions,
    say: Callable[[str], None] = lambda _sentence: None,
    progress: Progress = lambda _done, _total: None,
) -> list[Pulled]:
    """Merge the edits of the site into the files; the result has the records that were edited there.

    `say` prints a sentence when the service asks to wait.

    :raises RepositoryError: there is no working tree, or a merge is not finished.
    :raises ConfigError: the service cannot be read, or there is no record at the paths.
    :raises ServiceError: a read failed; files that were written before that are in the manifest.
    """
    _check(workspace)
    with workspace.state(writable=not request.look) as state:
        content = workspace.content(Revision(worktree=True), manifest=state.manifest)
        evidence = Known(state.manifest.entries, state.unconfirmed, lambda: state.forgotten_by_manifest)
        planned = build_plan(content, workspace.capabilities, evidence, PlanOptions(allow_rewind=True))
        elsewhere = pulls.elsewhere(content, planned.entries, planned.renamed, RunRecords(state.log)).texts
        noted = frozenset[str]()
        if content.tree.commit and not request.paths:
            # An earlier version pulled a note of an editor as a block.
            folder, commit = content.settings.content, content.tree.commit
            noted = content.repository.history.files_with(f"{NOTE}:", commit, folder)
        chosen = _chosen(planned.entries.values(), request.paths, noted.union(elsewhere))
        puller = Puller(
            *(state, content, planned, elsewhere),
            force=request.force,
            preview=request.look,
            proposed=request.proposed,
        )
        pulled = []
        try:
            read = _read(workspace, state.manifest, chosen, puller.learn, say)
            for done, (entry, record, lost) in enumerate(read, 1):
                progress(done, len(chosen))
                if record and not request.look:
                    state.log.see_notes({(record.kind, record.id): len(notes_of(record.noted))})
                pulled.append(puller.pull(entry, record, lost))
        finally:
            if not request.look:
                state.save("Pull")
    return [edit for edit in pulled if edit is not None]


def _check(workspace: Workspace) -> None:
    workspace.repository.require_root("run it in a clone with a working tree")
    if not workspace.capabilities.read:
        raise ConfigError(
            "the documented interface does not show how to read a record, so nothing can be pulled from it",
            where=f"site '{workspace.settings.site.name}'",
            todo="`pressync plan --diff` shows the site's text of the last response; copy it by hand",
        )


def _chosen(entries: Iterable[Entry], paths: Collection[str], others: Container[str]) -> list[Entry]:
    """Choose the entries at or below the paths; without paths those in conflict, and the `others`."""
    if paths:
        chosen = [entry for entry in entries if is_below(entry.path, paths)]
    else:
        chosen = [entry for entry in entries if entry.conflict or entry.path in others]
    if paths and not chosen:
        raise ConfigError(
            f"there is no record at {', '.join(path or '.' for path in paths)}",
            todo="`pressync status` lists the paths with a record",
        )
    return sorted(chosen, key=lambda entry: entry.path)


def _read(
    workspace: Workspace,
    manifest: Manifest,
    entries: list[Entry],
    learn: Callable[[Mapping[Name, int]], None],
    say: Callable[[str], None],
) -> Iterator[tuple[Entry, Record | None, list[str]]]:
    """Read the records in groups, for a site may not fit into memory, with the fields that lost a term.

    `learn` gets the names of terms and authors that the manifest does not have.
    """
    if not entries:
        return
    with workspace.service(1) as service:
        retry = Retry(Patience(), time.sleep, say)
        reads = retrying(require_readable(service), retry)
        for start in range(0, len(entries), _AT_ONCE):
            some = entries[start : start + _AT_ONCE]
            by_kind = {}
            for kind in {entry.kind for entry in some}:
                records_of_kind = reads.records(kind, [entry.id for entry in some if entry.kind == kind])
                by_kind[kind] = drift.with_front_page(reads, some, records_of_kind)
            pairs = [(entry, by_kind[entry.kind].get(entry.id)) for entry in some]
            edited = {name for entry, record in pairs if record for name in remote_edits(entry, record)}
            terms = service.library if edited else None
            gone = vanished.look(retrying(terms, retry), manifest, edited) if terms else vanished.Vanished()
            if terms:
                records = [record for _, record in pairs if record]
                learn(_names(retrying(terms, retry), workspace.settings.types, manifest, records, edited))
            for entry, record in pairs:
                yield entry, record, sorted(gone.explain(entry, record.fields)) if record else []


def _names(
    library: Library, types: SiteTypes, manifest: Manifest, records: Iterable[Record], edited: Collection[str]
) -> dict[Name, int]:
    """Look up the names of the terms and authors that people chose on the site, and that have none yet."""
    have_id = {(name.field, number) for name, number in manifest.names.items()}
    wanted: dict[str, set[int]] = {}
    for record in records:
        for field in {*types.taxonomies, AUTHOR} & {*edited} & record.fields.keys():
            value = record.fields[field]
            given = value if isinstance(value, tuple) else (value,)
            new = {number for number in given if is_id(number) and (field, number) not in have_id}
            if new:
                wanted.setdefault(field, set()).update(new)
    numbers: dict[Name, int] = {}
    for field, ids in wanted.items():
        if taxonomy := types.taxonomies.get(field):
            names: Mapping[int, str] = clear_paths(library.terms(field), nested=taxonomy.hierarchical)
        else:
            names = library.logins(ids)
        numbers |= {Name(field, text): number for number, text in names.items() if number in ids}
    return numbers


def unfinished(workspace: Workspace, paths: Collection[str]) -> list[Problem]:
    """Name the files at these paths in which an earlier pull has left marks, and nobody has chosen yet.

    Those that somebody has committed with their marks are found by `check` and by each sync.
    """
    root, (changed, _) = workspace.repository.root, workspace.repository.uncommitted(paths)
    texts = (
        (path, work_tree.read(root / path, PAGE)) for path in changed if root and (root / path).is_file()
    )
    problems = (unresolved(path, text.decode(errors="replace")) for path, text in texts)
    return [problem for problem in problems if problem]
