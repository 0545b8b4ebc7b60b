"""Finds records that have what this clone sent from a commit which history no longer has.

`git reset --hard` takes back files and manifest together. A manifest in a file then says again what was sent
before, so file and manifest agree, and the site has the text that was taken back. Only the records of this
clone's runs know it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from shlex import quote
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.errors import Problem
from pressync.model.problem_codes import Code
from pressync.plan import orphans
from pressync.state import run_commits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pressync.model.interface import Kind
    from pressync.model.records import Entry
    from pressync.plan.survey import Known
    from pressync.repo.repository import Repository, Tree
    from pressync.state.run_records import RunRecord, RunRecords

# A reset may take back hundreds of texts. A plan names this many, and counts the others.
_NAMED = 3


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


def warnings(repository: Repository, tree: Tree, known: Known, *, readable: bool) -> list[Problem]:
    """Warn of the records that this clone made or changed from a commit which history no longer has."""
    left = orphans.find(repository, tree, known.lost())
    back = find(repository, tree, known.entries, known.runs)
    return [*orphans.problems(left), *problems(back, readable=readable)]


def find(
    repository: Repository, tree: Tree, entries: Mapping[str, Entry], runs: RunRecords | None
) -> tuple[TakenBack, ...]:
    """Give, by path, the records with a file that a run changed last at a commit which HEAD does not have."""
    commits = run_commits.read(runs.folder) if runs else {}
    unsure = set(commits.values()) - {entry.commit for entry in entries.values()} - {tree.commit}
    if not (runs and unsure) or repository.shallow:
        # In a shallow clone, a commit that is not in history may be below the cut.
        return ()
    away = unsure - repository.ancestors(repository.known(unsure), tree.commit)
    first = next((run for run, commit in commits.items() if commit in away), None)
    if first is None:
        return ()
    later = [record for run in commits if run >= first and (record := runs.read(run))]
    held = {(entry.kind, entry.id): entry for path, entry in entries.items() if path in tree.files}
    found = _compared(later, away, held)
    return tuple(sorted(found, key=lambda each: each.entry.path))


def _compared(
    runs: Sequence[RunRecord], away: set[str], held: Mapping[tuple[Kind, int], Entry]
) -> list[TakenBack]:
    """Follow each record through the runs, the oldest first."""
    from pressync.state.run_records import digest  # noqa: PLC0415 - few plans get here

    found: dict[tuple[Kind, int], TakenBack] = {}
    # The records whose entry is again as before one of these runs. Any other entry was written since.
    back = set()
    for run in runs:
        gone = Way.DELETED if run.permanent else Way.TRASHED
        for touched in run.touched:
            record = touched.kind, touched.id or 0
            entry = held.get(record)
            if entry is None:
                continue
            found.pop(record, None)
            if run.commit not in away or run.undoes or run.after is None:
                back.discard(record)
                continue
            if touched.before and replace(touched.before, conflict={}) == replace(entry, conflict={}):
                back.add(record)
            sent = run.after.get(touched.path)
            if sent is None or sent.digest != digest(entry):
                found[record] = TakenBack(entry, run.commit, Way.SENT if sent else gone)
    return [each for record, each in found.items() if record in back]


def problems(found: Sequence[TakenBack], *, readable: bool, named: int = _NAMED) -> list[Problem]:
    """Warn of the first records, with the command that sends the file again, and count the others."""
    warnings = [
        _warning(each.entry.path, _evidence(each), _todo(each, readable=readable)) for each in found[:named]
    ]
    if len(found) > named:
        rest = f"{len(found) - named} more records have what this clone sent from commits that HEAD lacks"
        warnings.append(_warning(found[named].entry.path, rest, "`pressync status` lists them"))
    return warnings


def _warning(path: str, what: str, todo: str) -> Problem:
    return Problem(path, 0, what, todo, warning=True, code=Code.TAKEN_BACK)


def _evidence(each: TakenBack) -> str:
    record, commit = f"{each.entry.kind} {each.entry.id} ({each.entry.link})", each.commit[:10]
    lacks = "HEAD does not descend from that commit"
    if each.way is Way.SENT:
        return f"{record} has on the site what this clone sent from commit {commit}, and {lacks}"
    return f"this clone deleted {record} with commit {commit}, and {lacks}"


def _todo(each: TakenBack, *, readable: bool) -> str:
    path, number = quote(each.entry.path), each.entry.id
    match each.way:
        case Way.SENT if readable:
            return f"`pressync sync --overwrite {path}` sends the file of HEAD"
        case Way.TRASHED if readable:
            return f"`pressync sync --overwrite {path}` brings it back"
        case Way.SENT:
            again = f"`pressync forget {path} && pressync adopt {path} {number}`"
            return f"after {again} the next `pressync sync` sends the file of HEAD"
        case _:
            return f"after `pressync forget {path}` the next `pressync sync` makes a new record"
