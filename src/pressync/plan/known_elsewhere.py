"""Finds records of pressync that the manifest lacks or has as before, and that another place still knows.

| who knows the record | what happened | the plan |
|---|---|---|
| this clone's copy of the manifest | `git reset --hard` took file and entry back | a warning: `orphans` |
| the runs of this clone | `git reset --hard` took a text or a removal back | a warning: `taken_back` |
| the runs of this clone | a removed file comes back after `git revert` | a note: `returned` |
| the file beside a manifest in a reference | a clone synced to it after the move | a refusal: `left_behind` |
| the history of the manifest | its record is in the trash and has the address | it is ours: `once_held` |

Without these places a sync would create such a record again, or leave it on the site and say nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from shlex import quote
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model import bounds
from pressync.model.changes import Change, Create, Delete, Refusal, Update
from pressync.model.errors import Code, Problem
from pressync.model.interface import KIND_NAME
from pressync.model.printable import counted, listed
from pressync.model.records import Entry, Manifest, RecordKey, keys_of
from pressync.state import clone_facts
from pressync.state.manifest import codec
from pressync.state.manifest_ref import MANIFEST, MOVE, MOVED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pressync.config.settings import Settings, Site
    from pressync.content.content import Content
    from pressync.model.records import RolledBack
    from pressync.plan.survey import Known
    from pressync.repo.repository import Repository, Tree
    from pressync.state.clone_facts import RunRecord, RunRecords
    from pressync.state.state import State

# A reset may concern hundreds of records. A plan names this many, and counts the others.
_NAMED = 3
_MOST_IDS = 1000
_RECORD = re.compile(rf'^[+-].*"kind": ?"({KIND_NAME.pattern})", ?"id": ?([0-9]+)', re.MULTILINE)


class Way(Enum):
    """How a run left a record: with other values, in the trash, or deleted for good."""

    SENT = auto()
    TRASHED = auto()
    DELETED = auto()


@dataclass(frozen=True, slots=True)
class TakenBack:
    """A record whose entry is again as before a run, the commit of the run, and how it left the record."""

    entry: Entry
    commit: str
    way: Way


def warnings(
    repository: Repository, tree: Tree, known: Known, *, readable: bool, named: int | None = _NAMED
) -> list[Problem]:
    """Warn of the records that this clone made or changed from a commit which history no longer has.

    At most `named` of each sort have a warning of their own; None: all of them.
    """
    left = orphans(repository, tree, known.lost())
    back = taken_back(repository, tree, known.entries, known.runs)
    return [*of_orphans(left, named=named), *of_taken_back(back, readable=readable, named=named)]


def _not_in_history(repository: Repository, tree: Tree, commits: set[str]) -> set[str]:
    """Select the commits that HEAD lacks. In a shallow clone, such a commit may be below the cut."""
    if not commits or repository.shallow:
        return set()
    return commits - repository.history.ancestors(repository.history.known(commits), tree.commit)


def _first(told: Iterable[tuple[str, str, str]], code: Code, rest: str, named: int | None) -> list[Problem]:
    """Warn of the first records by path, evidence and way out; `rest` tells of the others."""
    every = [Problem(path, 0, problem, todo, warning=True, code=code) for path, problem, todo in told]
    if named is None or len(every) <= named:
        return every
    more = f"{len(every) - named} more records {rest}"
    todo = "`pressync status` lists them"
    return [*every[:named], Problem(every[named].path, 0, more, todo, warning=True, code=code)]


# Records that this clone made, and that neither a file nor the manifest has.


def orphans(repository: Repository, tree: Tree, lost: Mapping[str, Entry]) -> tuple[Entry, ...]:
    """Give, by path, the lost records that have no file and whose commit is not in the tree's history.

    A record that another clone deleted looks the same in the notes of this clone. The commit of the last
    write tells them apart: HEAD descends from it unless history was taken back.
    """
    absent = {path: entry for path, entry in lost.items() if path not in tree.files and entry.commit}
    away = _not_in_history(repository, tree, {entry.commit for entry in absent.values()})
    return tuple(entry for _, entry in sorted(absent.items()) if entry.commit in away)


def of_orphans(entries: Sequence[Entry], *, named: int | None = _NAMED) -> list[Problem]:
    """Warn of them, with the commands that keep or drop each of them."""
    told = []
    for entry in entries:
        path, commit = quote(entry.path), entry.commit[:10]
        problem = (
            f"{entry.kind} {entry.id} ({entry.link}) is left on the site: this clone made it, neither a "
            f"file nor the manifest has it, and HEAD does not descend from commit {commit}, where it "
            "was last written"
        )
        todo = (
            f"to keep it, `git restore --source={commit} -- {path}`, commit the file and "
            f"`pressync adopt {path} {entry.id}`; `pressync forget {path}` leaves it on the site for good"
        )
        told.append((entry.path, problem, todo))
    return _first(told, Code.ORPHANED_RECORD, "that this clone made are left on the site", named)


# Records that have what this clone sent from a commit which history no longer has.


def taken_back(
    repository: Repository, tree: Tree, entries: Mapping[str, Entry], runs: RunRecords | None
) -> tuple[TakenBack, ...]:
    """Give, by path, the records with a file that a run changed last at a commit which HEAD does not have.

    A manifest in a file says again what was sent before. So file and manifest agree, and the site has the
    text that was taken back.
    """
    commits = runs.log.commits() if runs else {}
    unsure = set(commits.values()) - {entry.commit for entry in entries.values()} - {tree.commit}
    away = _not_in_history(repository, tree, unsure)
    first = next((run for run, commit in commits.items() if commit in away), None)
    if runs is None or first is None:
        return ()
    later = [record for record in (runs.read(run) for run in commits if run >= first) if record]
    held = {(entry.kind, entry.id): entry for path, entry in entries.items() if path in tree.files}
    taken = _compared(later, away, held)
    return tuple(sorted(taken, key=lambda row: row.entry.path))


def _compared(runs: Sequence[RunRecord], away: set[str], held: Mapping[RecordKey, Entry]) -> list[TakenBack]:
    """Follow each record through the runs, the oldest first."""
    taken: dict[RecordKey, TakenBack] = {}
    # The records whose entry is again as before one of these runs. Any other entry was written since.
    back = set()
    for run in runs:
        gone = Way.DELETED if run.permanent else Way.TRASHED
        for touched in run.touched:
            record = touched.kind, touched.id or 0
            entry = held.get(record)
            if entry is None:
                continue
            taken.pop(record, None)
            if run.commit not in away or run.undoes or run.after is None:
                back.discard(record)
                continue
            if touched.before and replace(touched.before, conflict={}) == replace(entry, conflict={}):
                back.add(record)
            sent = run.after.get(touched.path)
            if sent is None or sent.digest != clone_facts.digest(entry):
                taken[record] = TakenBack(entry, run.commit, Way.SENT if sent else gone)
    return [row for record, row in taken.items() if record in back]


def of_taken_back(taken: Sequence[TakenBack], *, readable: bool, named: int | None = _NAMED) -> list[Problem]:
    """Warn of them, with the command that sends the file again."""
    told = []
    for row in taken:
        record, commit = f"{row.entry.kind} {row.entry.id} ({row.entry.link})", row.commit[:10]
        problem = f"this clone deleted {record} with commit {commit}"
        if row.way is Way.SENT:
            problem = f"{record} has on the site what this clone sent from commit {commit}"
        problem += ", and HEAD does not descend from that commit"
        told.append((row.entry.path, problem, _send_again(row, readable=readable)))
    return _first(told, Code.TAKEN_BACK, "have what this clone sent from commits that HEAD lacks", named)


def _send_again(row: TakenBack, *, readable: bool) -> str:
    path, number = quote(row.entry.path), row.entry.id
    match row.way:
        case Way.SENT if readable:
            return f"`pressync sync --overwrite {path}` sends the file of HEAD"
        case Way.TRASHED if readable:
            return f"`pressync sync --overwrite {path}` brings it back"
        case Way.SENT:
            again = f"`pressync forget {path} && pressync adopt {path} {number}`"
            return f"after {again} the next `pressync sync` sends the file of HEAD"
        case _:
            return f"after `pressync forget {path}` the next `pressync sync` makes a new record"


# Files that come back, whose records a run of this clone has put into the trash.


def returned(changes: Iterable[Change], runs: RunRecords | None) -> list[str]:
    """Name the creates at whose paths this clone has deleted a record, one sentence for each run.

    The manifest has no record for such a file, so a sync makes a new one with another id. A rollback brings
    the old one back.
    """
    paths = {change.path for change in changes if isinstance(change, Create)}
    last: dict[str, tuple[str, str]] = {}
    for run in runs.all(largest=clone_facts.LARGEST_FOR_PLANS) if runs and paths else ():
        for touched in run.touched:
            last.pop(touched.path, None)
            # The record of a killed run does not say which records it has put into the trash.
            is_gone = run.after is not None and touched.path not in run.after
            is_trashed = is_gone and touched.before is not None and not run.permanent
            if touched.path in paths and is_trashed and not run.undoes:
                last[touched.path] = run.run, f"{touched.path} was {touched.kind} {touched.id}"
    by_run: dict[str, list[str]] = {}
    for _, (name, was) in sorted(last.items()):
        by_run.setdefault(name, []).append(was)
    said = []
    for name, were in by_run.items():
        one = len(were) == 1
        them, its, new = ("it", "its id", "a new one") if one else ("them", "their ids", "new ones")
        back = f"`pressync rollback {quote(name)}` undoes that run and brings {them} back with {its}"
        said.append(
            f"{listed(were)} until run {name} put {them} into the trash: {back}, and a sync makes {new}."
        )
    return said


def sent_again(content: Content, changes: Iterable[Change], mark: RolledBack | None) -> Iterator[str]:
    """Say how many changes repeat what a run did before it was rolled back; one edit lifts the refusal."""
    pending = [c for c in changes if isinstance(c, Create | Update | Delete)] if mark else []
    history = content.repository.history
    if mark is None or not (pending and history.known([mark.commit])):
        return
    sent = history.blobs_at([(mark.commit, change.path) for change in pending])
    # No blob is that of a file which the commit does not have.
    wanted = [(c.path, None if isinstance(c, Delete) else c.desired.blob) for c in pending]
    again = [blob for path, blob in wanted if sent.get((mark.commit, path)) == blob]
    gone = again.count(None)
    parts = []
    if written := len(again) - gone:
        parts.append(f"{counted(written, 'file is', 'files are')} still as it sent them")
    if gone:
        parts.append(f"{counted(gone, 'file is', 'files are')} still gone as at its commit")
    if parts:
        does = " and ".join(filter(None, ("sends" if written else "", "deletes" if gone else "")))
        yield f"Run {mark.run} was rolled back, and {' and '.join(parts)}: a sync {does} all of that again."


# Records in a manifest's file that the reference lacks, after a site has moved to the reference.


def left_behind(repository: Repository, site: Site, tree: Tree, entries: Iterable[Entry]) -> Refusal | None:
    """Refuse to create while the committed file has records that the reference never had.

    A clone that had not pulled syncs once more to the file, and Git merges that file. A record that the
    reference dropped later does not count.
    """
    blob = tree.files.get(site.file)
    if site.reference is None or blob is None:
        return None
    there = codec.decode_for(site.target, repository.text(blob, bounds.MANIFEST))
    before = after_last_move(repository, site.reference, site.target)
    if there is None or before is None:
        return None
    held = keys_of(before.entries.values()) | keys_of(entries)
    more = len(keys_of(there.entries.values()) - held)
    if not more:
        return None
    return Refusal(
        "two_manifests",
        f"{site.file} in the commit has {counted(more, 'record')} that {site.reference} does not have: "
        "a sync would create them again; `pressync manifest move --to ref` puts both together",
    )


def after_last_move(repository: Repository, reference: str, target: str) -> Manifest | None:
    """Read the reference as it was after the last move, or at its beginning; None if that is not known."""
    past = repository.history
    commit = past.last_with_subject(MOVE, reference) or past.first(reference)
    for name in (MANIFEST, MOVED):
        blob = repository.port.resolve(f"{commit}:{name}") if commit else None
        if blob:
            return codec.decode_for(target, repository.text(blob, bounds.MANIFEST))
    return None


# Records in the trash that have an address, and that pressync created.


def once_held(
    repository: Repository, settings: Settings, state: State, records: Collection[RecordKey]
) -> frozenset[RecordKey]:
    """Select the records that a manifest of this site once held; they are not records of somebody else.

    A clone without the manifest's history in Git knows only those that it has removed itself.
    """
    removed, site = state.created_copy.removed(), settings.site
    certain = {record for record in records if record in removed}
    unknown = set(records) - certain
    if not unknown:
        return frozenset(certain)
    where, name = (site.reference, MANIFEST) if site.reference else ("HEAD", site.manifest)
    # A command line has room for some thousands of ids. An import asks for those of a whole site.
    ids = "|".join(str(number) for _, number in sorted(unknown)) if len(unknown) <= _MOST_IDS else "[0-9]+"
    said = repository.history.patches_with(f'"id": ?({ids})\\b', where, name)
    named = {(kind, int(number)) for kind, number in _RECORD.findall(said)}
    return frozenset(certain | {record for record in unknown if record in named})
