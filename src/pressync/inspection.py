"""What a service with reads holds, beside what was settled: creates in doubt looked up, edits found.

It must not change anything on the service, nor plan. What decided its shape: a look-up settles a doubt
only when nothing else fits. Exactly one record with exactly what was sent is the one; no record at all,
once the service has had time to finish, is none; everything between stays a person's to say.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pressync import echo
from pressync.errors import ConfigError
from pressync.fingerprint import fingerprint
from pressync.model import Create, Delete, Entry
from pressync.plan import EMPTY, TRASH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pressync.interface import Kind
    from pressync.model import Doubt, Plan, Record
    from pressync.service.port import ReadableService
    from pressync.state import State

# A request that we gave up may still be at work on the server: PHP ends one after 30 s by default. Until
# then an empty look-up proves nothing.
SETTLING_SECONDS = 30.0
# What must be equal for a record to be the one that was sent; all else a site may bend.
_CERTAIN = ("title", "content", "parent")


def require_rights(service: ReadableService, plan: Plan, *, site: str, user: str | None) -> None:
    """Ask, before anything is sent, whether the user may do all that a plan needs.

    :raises ConfigError: a right is missing.
    :raises ServiceError: nobody is recognised, or the service cannot be read.
    """
    for kind in sorted({change.kind for change in plan.pending}):
        lacking = service.missing_rights(kind)
        if lacking:
            raise ConfigError(
                f"{user or 'the user'} may not do everything that a sync of {kind}s needs: "
                f"{', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} missing",
                where=f"site '{site}'",
                todo="use the application password of an editor or an administrator",
            )


def settle_doubts(
    service: ReadableService,
    state: State,
    *,
    settling: float = SETTLING_SECONDS,
    wait: Callable[[float], bool | None] = time.sleep,
    say: Callable[[str], None] = lambda _sentence: None,
) -> None:
    """Look up every create in doubt, and settle those of which the look-up leaves no doubt.

    `wait` gets seconds and returns when they are over; if it returns true (as `threading.Event.wait` does),
    the run is stopping, and nothing is settled.

    :raises ServiceError: the service cannot be read; nothing is settled then.
    """
    doubts = list(state.doubts.values())
    if not doubts:
        return
    pause = max(settling - _age(doubt) for doubt in doubts)
    if pause > 0:
        say(
            f"Looking up {len(doubts)} creates in doubt in {pause:.0f} s, when the service is done with them."
        )
        if wait(pause):
            # Stopped before the service was surely done: an empty look-up would prove nothing.
            return
    unmatched = []
    for doubt in doubts:
        found = candidates(service, state, doubt.kind, doubt.slug)
        record = matching(doubt.fingerprints, found)
        if record:
            state.resolve(doubt.path, _adopted(doubt, record))
            say(f"{doubt.path} was in doubt: it was created, as {record.kind} {record.id}.")
        else:
            unmatched.append((doubt, found))
    held = _held(state)
    for doubt, found in unmatched:
        # Only now: pages of one slug below many parents turn up for each other, until each has its own.
        if all((record.kind, record.id) in held for record in found):
            state.resolve(doubt.path, None)
            say(f"{doubt.path} was in doubt: it was not created.")


def candidates(service: ReadableService, state: State, kind: Kind, slug: str) -> list[Record]:
    """Read every record that a create with this slug may have made and that no document has."""
    held = _held(state)
    return [
        found for found in service.find(kind, slug=slug, parent=None) if (found.kind, found.id) not in held
    ]


def _held(state: State) -> set[tuple[Kind, int]]:
    return {(entry.kind, entry.id) for entry in state.manifest.entries.values()}


def matching(sent: Mapping[str, str], found: Iterable[Record]) -> Record | None:
    """Give the record that a create made, if exactly one holds exactly what was sent.

    `sent` are the fingerprints of the create's fields.
    """
    certain = {name: sent[name] for name in _CERTAIN if name in sent}
    if not certain:
        return None
    # What was sent without a parent stands at the top of the site.
    certain.setdefault("parent", fingerprint(EMPTY["parent"]))
    same = [
        record
        for record in found
        if all(
            fingerprint(record.fields.get(name, EMPTY.get(name, ""))) == digest
            for name, digest in certain.items()
        )
    ]
    return same[0] if len(same) == 1 else None


def _adopted(doubt: Doubt, record: Record) -> Entry:
    """Make the entry of a looked-up record.

    Without a blob, its file is read once more, and what differs is sent.
    """
    return Entry(
        path=doubt.path,
        kind=record.kind,
        id=record.id,
        slug=record.slug,
        link=record.link,
        modified=record.modified,
        modified_gmt=record.modified_gmt,
        blob="",
        commit=doubt.commit,
        fingerprints=doubt.fingerprints,
        bent={
            name: digest
            for name, value in record.fields.items()
            if name in doubt.fingerprints and (digest := fingerprint(value)) != doubt.fingerprints[name]
        },
    )


def note_edits(service: ReadableService, state: State, plan: Plan) -> int:
    """Read the records that a plan would overwrite, and note in the manifest what others put there.

    Returns how many records were edited; the next plan shows these as conflicts.

    :raises ServiceError: the service cannot be read.
    """
    # By id: a renamed file's change has the new path already, and the manifest still the old one.
    entries_by_id = {(entry.kind, entry.id): entry for entry in state.manifest.entries.values()}
    known: dict[Kind, dict[int, Entry]] = defaultdict(dict)
    unwanted = set()
    for change in plan.pending:
        if isinstance(change, Create):
            continue
        entry = entries_by_id.get((change.kind, change.id))
        if entry is not None and entry.fingerprints:
            known[entry.kind][entry.id] = entry
            if isinstance(change, Delete):
                unwanted.add(entry.path)
    edited = []
    for kind, entries in known.items():
        for number, record in service.records(kind, entries.keys()).items():
            if record.fields.get("status") == TRASH and entries[number].path in unwanted:
                # Somebody has put into the trash what is to go there.
                continue
            conflict = _edits(entries[number], record)
            if conflict != dict(entries[number].conflict):
                edited.append(replace(entries[number], conflict=conflict))
    if edited:
        state.put(*edited)
    return len(edited)


def _edits(entry: Entry, record: Record) -> Mapping[str, str]:
    """Find the edits of a record.

    A trashed one is edited in its status alone: its slug was changed by the trash, not by a person.
    """
    if record.fields.get("status") == TRASH:
        return {"status": TRASH} if "status" in entry.fingerprints else {}
    return echo.edits(entry, record)


def _age(doubt: Doubt) -> float:
    """Count the seconds since a create was sent, by this machine's clock; set back, it makes it young."""
    try:
        sent = datetime.fromisoformat(doubt.time)
    except ValueError:
        return 0.0
    return max(0.0, (datetime.now(UTC) - sent.astimezone(UTC)).total_seconds())
