"""Binds imported files to the records of the site that they came from, if the repository is synced to it.

An import writes to no service. An imported file says what the site says in other words: Markdown in the place
of blocks, names in the place of ids. So the text of the file counts as sent, and the site's value as its
version of it: a sync sends nothing before somebody edits a file. The bytes of an export prove nothing,
because WordPress 6.8 writes the comments of blocks anew. So the record of the site goes into the manifest.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from msgspec import structs

from pressync.app.revision import Revision
from pressync.client.port import ROWS
from pressync.client.retry import READS, Retry, retrying
from pressync.importing.selection import FORGOTTEN, OTHERS
from pressync.importing.sources.item import Item, KnownFile, OwnFacts, OwnSite, seen
from pressync.model.bounds import MANIFEST, FileTooLarge
from pressync.model.errors import ManifestError, ServiceError
from pressync.model.records import Desired, Entry, Manifest, Record
from pressync.plan.decide import refreshed
from pressync.plan.history import trace
from pressync.plan.known_elsewhere import once_held
from pressync.repo import work_tree
from pressync.state.manifest_file import read_for
from pressync.sync import echo, field_comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from pressync.app.workspace import Workspace
    from pressync.content.content import Content
    from pressync.importing.account import Account
    from pressync.model.interface import Kind
    from pressync.state.state import State


# The fields whose fingerprint is that of names, beside taxonomies and the files of registered fields.
_BY_NAME = frozenset({"author", "featured_media"})


@dataclass(frozen=True, slots=True)
class ImportedEntries:
    """The entries that were put into the manifest, and why files have none, by path.

    `conflicts` are the files that stay as people edited them, although their records were edited as well.
    `bound` counts the files of this import that have their records, with those that had them before.
    """

    entries: tuple[Entry, ...]
    unbound: Mapping[str, str]
    conflicts: tuple[str, ...] = ()
    bound: int = 0


def keep(
    state: State,
    own: OwnFacts,
    written: Mapping[str, str],
    folder: str,
    open_content: Callable[[Manifest], Content],
    *,
    renew: bool,
) -> ImportedEntries:
    """Put the records of imported files into the manifest; `written` has the path of each item by its key.

    Pictures were copied below `folder`. `open_content` opens the working tree. Only with `renew` an entry
    that exists is replaced: a manifest in a reference is shared by all branches, and another branch does not
    have the file's new text. The state is not saved.
    """
    content = open_content(state.manifest)
    state.learn(names=own.names, media=own.media(folder, content.tree.files, state.manifest.media))
    content = open_content(state.manifest)
    seen = {
        path: structs.replace(own.seen[key], path=path) for key, path in written.items() if key in own.seen
    }
    unbound = dict(_taken(state, seen))
    held = unbound.keys() if renew else unbound.keys() | state.manifest.entries.keys()
    seen = {path: entry for path, entry in seen.items() if path not in held}
    known = {**state.manifest.entries, **seen}
    made: list[Entry] = []
    changed = {written[key]: record for key, record in own.changed.items() if key in written}
    for path, entry in seen.items():
        read = content.read(path, known)
        if read.prepared is None:
            unbound[path] = read.problems[0].message if read.problems else "it is not a page or a post"
        else:
            agreed = as_agreed(read.prepared.desired, entry, content.tree.commit)
            made.append(in_conflict(agreed, changed[path]) if path in changed else agreed)
    _put(state, made)
    # The edits of the site belong into the entries of files that somebody has edited, too.
    held_now = state.manifest.entries
    if new := [entry for entry in own.conflicts.values() if entry != held_now.get(entry.path)]:
        state.put(*new)
    return ImportedEntries(tuple(made), unbound, tuple(sorted(own.conflicts)))


def as_agreed(desired: Desired, there: Entry, commit: str) -> Entry:
    """Make the entry of a file and a record that say the same; `there` has the fingerprints of the record."""
    ours = {**desired.create_only, **desired.fingerprints}
    by_name = {mention.field for mention in desired.mentions}
    stored = {
        name: digest
        for name, digest in there.fingerprints.items()
        if name in ours and (name in by_name or digest != ours[name])
    }
    agreed = structs.replace(there, commit=commit, fingerprints=ours, changed_by_service=stored)
    return refreshed(agreed, desired)


def in_conflict(agreed: Entry, record: Record) -> Entry:
    """Make the entry of a file that is older than its record: whatever differs there is somebody's edit."""
    fields = agreed.kind.row.fields
    names = _BY_NAME | {name for name, field in fields.items() if field.taxonomy or field.has_files}
    by_name = {name: digest for name, digest in agreed.changed_by_service.items() if name in names}
    entry = structs.replace(agreed, changed_by_service=by_name)
    return structs.replace(entry, conflict=field_comparison.edits(entry, record))


def _taken(state: State, seen: Mapping[str, Entry]) -> Iterable[tuple[str, str]]:
    """Give the files whose record, or whose path, the manifest has for something else."""
    for path, entry in seen.items():
        holder, held = state.holder(entry.kind, entry.id), state.manifest.entries.get(path)
        if holder not in (None, path):
            yield path, f"{entry.kind} {entry.id} belongs to {holder}"
        elif held is not None and (held.kind, held.id) != (entry.kind, entry.id):
            yield path, f"the manifest has {held.kind} {held.id} for this file"


def _put(state: State, made: list[Entry]) -> None:
    """Put entries into the manifest, except those that it has: only their commit differs."""
    held = state.manifest.entries
    changed = []
    for entry in made:
        former = held.get(entry.path)
        new = structs.replace(entry, former=echo.former(former, entry.link)) if former else entry
        if former is None or structs.replace(new, commit=former.commit) != former:
            changed.append(new)
    if changed:
        state.put(*changed)
        for entry in changed:
            state.vouched.add(entry)
        state.vouched.save()


def look_up(own: OwnSite, facts: OwnFacts, items: Iterable[Item]) -> tuple[OwnFacts, tuple[Item, ...]] | None:
    """Read the records of these items; give the facts with them, and the items whose record is gone.

    None without credentials: a visitor sees neither the stored texts nor the other records. A record that is
    newer than the export is a conflict, which `pressync pull` solves.

    :raises ServiceError: the site cannot be read.
    """
    wanted: dict[Kind, dict[int, Item]] = defaultdict(dict)
    for item in items:
        if item.id is not None and item.key not in facts.seen:
            wanted[item.kind][item.id] = item
    wants_library = facts.copied is not None and not facts.library
    if not wanted and not wants_library:
        return facts, ()
    known, changed, gone = dict(facts.seen), dict[str, Record](), list[Item]()
    library = facts.library
    with own.connect() as service:
        if service.readable is None or service.facts is None or not service.facts.is_user:
            return None
        if wants_library:
            library = tuple(service.facts.everything(own.retry).library())
        reads = retrying(service.readable, own.retry)
        for kind, by_id in wanted.items():
            numbers = sorted(by_id)
            for some in (numbers[start : start + ROWS] for start in range(0, len(numbers), ROWS)):
                found = reads.records(kind, some)
                gone += [by_id[number] for number in some if number not in found]
                for item, record in ((by_id[number], record) for number, record in found.items()):
                    known[item.key] = seen(record)
                    # A draft has no moment in GMT, and the interface makes one of the local time.
                    if _digits(item.modified) not in map(_digits, (record.modified_gmt, record.modified)):
                        changed[item.key] = record
    return replace(facts, seen=known, changed=changed, library=library), tuple(gone)


def _digits(moment: str) -> str:
    """Give the digits of a moment: an export writes it with a blank, and the interface with a T."""
    return "".join(filter(str.isdigit, moment))


def own_site(workspace: Workspace, retry: Retry = READS) -> OwnSite | None:
    """Give the configured site as a possible source; None for a service that cannot be one."""
    url = workspace.settings.site.url
    if url is None or not workspace.capabilities.read:
        return None

    def known() -> Mapping[tuple[Kind, int], KnownFile]:
        with workspace.reading() as state:
            entries = state.manifest.entries
        content = workspace.content(Revision(worktree=True))
        new = {path: blob for path, blob in content.sources.items() if path not in entries}
        renamed = trace(workspace.repository, content.tree, entries, new, rewind=False).renamed if new else {}
        now = {path: renamed.get(path, path) for path in entries}
        blobs = content.tree.files
        return {
            (entry.kind, entry.id): KnownFile(entry, now[path], blobs[now[path]])
            for path, entry in entries.items()
            if now[path] in blobs
        }

    return OwnSite(url, lambda: workspace.service(1), known, partial(_not_ours, workspace), retry=retry)


def _not_ours(
    workspace: Workspace, records: Collection[tuple[Kind, int]]
) -> Mapping[tuple[Kind, int], tuple[str, str]]:
    """Say which records have another manifest, or had a file here once: the kind of the reason, and why."""
    with workspace.reading() as state:
        entries = state.manifest.entries
        held = {(entry.kind, entry.id): path for path, entry in entries.items()}
        once = (
            once_held(workspace.repository, workspace.settings, state, set(records) - held.keys())
            if held
            else ()
        )
    forgotten = "the manifest had it once; `--forgotten` imports it again"
    removed = {
        record: (
            FORGOTTEN,
            f"its file {held[record]} is removed, and a sync of that commit deletes the record",
        )
        for record in records
        if record in held
    }
    return dict.fromkeys(once, (FORGOTTEN, forgotten)) | removed | dict(_elsewhere(workspace, records))


def _elsewhere(
    workspace: Workspace, records: Collection[tuple[Kind, int]]
) -> Iterator[tuple[tuple[Kind, int], tuple[str, str]]]:
    """Give the records that another manifest of this site has, which is a file of this work tree."""
    settings = workspace.settings
    folder = (workspace.repository.root or workspace.manifest_path.parent) / ".pressync"
    for file in sorted(folder.glob("*.json")):
        # Most of these files are for other sites, or are not manifests.
        with suppress(ManifestError, FileTooLarge, OSError):
            data = work_tree.read(file, MANIFEST)
            other = read_for(settings.site.target, data, file.name, settings.types)
            for entry in other.entries.values() if file != workspace.manifest_path else ():
                if (entry.kind, entry.id) in records:
                    yield (entry.kind, entry.id), (OTHERS, f"{file.name} has it for {entry.path}")


def bind(workspace: Workspace, own: OwnSite | None, account: Account) -> ImportedEntries | None:
    """Put the records of imported files into the manifest; None if they came from somewhere else.

    :raises ServiceError: the source is an export, and the site cannot be read.
    """
    if own is None or account.own is None:
        return None
    paths = {file.item.key: file.path for file in account.files if not file.item.is_current}
    try:
        looked = look_up(own, account.own, (file.item for file in account.files if file.item.key in paths))
    except ServiceError as error:
        error.todo = error.todo or "import again: the files are written, and get their records then"
        raise
    if looked is None:
        return None
    facts, gone = looked
    with workspace.state(writable=True) as state:
        settled = keep(
            state,
            facts,
            paths,
            workspace.settings.content,
            lambda manifest: workspace.content(Revision(worktree=True), manifest=manifest),
            renew=workspace.settings.site.reference is None,
        )
        state.save(f"Import {len(settled.entries)} from the site")
        held = {(entry.kind, entry.id) for entry in state.manifest.entries.values()}
    bound = sum(
        (file.item.kind, file.item.id) in held and file.path not in settled.unbound for file in account.files
    )
    lost = {paths[item.key]: f"{item.kind} {item.id} is no longer on the site" for item in gone}
    return replace(settled, unbound={**settled.unbound, **lost}, bound=bound)
