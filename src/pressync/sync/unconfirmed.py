"""Finds out what became of the unconfirmed creates: those whose response this machine never got.

A look-up settles such a create only when one explanation is left. If exactly one record holds exactly what
was sent, the create made it. If no record has its slug or its text, and the service had time to finish, the
create was not carried out. In every other case a person must decide.
"""

from __future__ import annotations

import time
from collections import defaultdict
from datetime import UTC, datetime
from shlex import quote
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pressync.model.changes import Call, CreateCall
from pressync.model.errors import ServiceError
from pressync.model.fingerprint import UNSURE, fingerprint
from pressync.model.printable import counted, listed
from pressync.model.records import TEXTS, Entry, Record, UnconfirmedCreate
from pressync.plan import match
from pressync.sync import echo

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from pressync.client.port import Reads
    from pressync.model.interface import Kind
    from pressync.state.state import State

    Say = Callable[[str], None]

# The server may still work on a request that we gave up: PHP ends one after 30 s by default. Before that, an
# empty look-up proves nothing.
SETTLING_SECONDS = 30.0

# The records that were found, by kind and slug. A slug that is absent was not looked up.
Found = dict[tuple["Kind", str], list["Record"]]


def settle_unconfirmed(
    service: Reads,
    state: State,
    *,
    settling: float = SETTLING_SECONDS,
    wait: Callable[[float], bool | None] = time.sleep,
    leaves_recent: bool = False,
    say: Say = lambda _sentence: None,
) -> frozenset[str]:
    """Look up the unconfirmed creates, and settle those for which one explanation is left.

    `wait` gets seconds and returns when they are over. If it returns true, as `threading.Event.wait` does,
    the run is stopping and nothing is settled. A run that `leaves_recent` does not wait for the creates of
    the last `settling` seconds: their paths are returned, and only a record that is found settles them. It
    waits for those of which nobody knows when they were sent, because no later run would know more.

    :raises ServiceError: the service cannot be read.
    """
    unconfirmed = list(state.unconfirmed.values())
    ages = {create.path: _age(create) for create in unconfirmed}
    pauses = {path: pause for path, age in ages.items() if (pause := settling - (age or 0.0)) > 0}
    if pauses and (not leaves_recent or None in ages.values()):
        longest = max(pauses.values())
        creates = counted(len(unconfirmed), "unconfirmed create")
        say(f"Waiting {longest:.0f} s for the server to finish, then checking whether {creates} succeeded.")
        if wait(longest):
            return frozenset(pauses)
        pauses = {}
    # 1. By slug, for all: pages of one slug below several parents find each other's records, so the second
    #    step must not begin before each page has its own.
    without_record = _settle_by_slug(service, state, unconfirmed, say)
    # 2. By text, for those whose slug no unknown record has. An empty result means that the create was not
    #    carried out, so this needs the waiting time.
    old = [create for create in without_record if create.path not in pauses]
    _settle_by_text(service, state, old, say)
    if young := frozenset(pauses.keys() & state.unconfirmed.keys()):
        were, them = ("was", "it") if len(young) == 1 else ("were", "them")
        sent = f"{counted(len(young), 'unconfirmed create')} {were} sent a moment ago"
        pause = max(pauses[path] for path in young)
        say(f"{sent}: a `pressync sync` in {pause:.0f} s tells what became of {them}.")
    return young


def _settle_by_slug(
    service: Reads, state: State, unconfirmed: Iterable[UnconfirmedCreate], say: Say
) -> list[UnconfirmedCreate]:
    """Settle the creates of which a record with their slug is the one; give those without such a record."""
    unmatched = []
    created: dict[str, str] = {}
    try:
        for create in unconfirmed:
            records = without_document(state, service.find(create.kind, [create.slug])[create.slug])
            record = match.made_by(create.fingerprints, records)
            # If the path has a record by now, a person must look at the second one.
            if record and create.path not in state.manifest.entries:
                state.resolve(create.path, _adopted(create, record))
                created[create.path] = f"{record.kind} {record.id}"
            else:
                unmatched.append((create, records))
    finally:
        named = [f"{path} ({made})" for path, made in created.items()]
        if len(named) > 1:
            say(f"{listed(named)} were unconfirmed: they were created.")
        for path, made in created.items() if len(named) == 1 else ():
            say(f"{path} was unconfirmed: it was created, as {made}.")
    without_record = []
    for create, records in unmatched:
        if free := without_document(state, records):
            _leave_to_a_person(create, free, "slug", say)
        else:
            without_record.append(create)
    return without_record


def _leave_to_a_person(create: UnconfirmedCreate, records: Iterable[Record], equal: str, say: Say) -> None:
    """Name the records that a create may have made."""
    links = [f"{record.kind} {record.id} ({record.link})" for record in records]
    resolve = f"pressync resolve {quote(create.path)}"
    say(
        f"{create.path} stays unconfirmed: {listed(links)} may be what the create made, by the {equal}, or "
        f"another. If it is, `{resolve} --id N`; if not, `{resolve} --not-created`."
    )


def _settle_by_text(
    service: Reads, state: State, unconfirmed: Collection[UnconfirmedCreate], say: Say
) -> None:
    """Settle creates whose slug no record has: a person or a plugin may have changed the slug since.

    A new record that no document has, with the text that was sent, is the one. If only its title or only its
    content is equal, a person must decide.
    """
    # One look-up for all of them: an interrupted run may leave a hundred.
    held: dict[Kind, set[int]] = {create.kind: set() for create in unconfirmed}
    for entry in state.manifest.entries.values():
        if entry.kind in held:
            held[entry.kind].add(entry.id)
    newest = {kind: service.newest(kind, besides=ids) for kind, ids in held.items()}
    missing: list[str] = []
    for create in unconfirmed:
        sent = {name: digest for name in TEXTS if (digest := create.fingerprints.get(name, UNSURE)) != UNSURE}
        alike = []
        for candidate in without_document(state, newest[create.kind]):
            texts = [name for name in sent if candidate.fields.get(name)]
            if any(match.holds(candidate, name, sent[name]) for name in texts):
                alike.append(candidate)
        record = match.made_by(create.fingerprints, alike) if "content" in sent else None
        if record and create.path not in state.manifest.entries:
            state.resolve(create.path, _adopted(create, record))
            made = f"{record.kind} {record.id} at {record.link}"
            say(f"{create.path} was unconfirmed: it was created, and is {made}.")
        elif alike:
            _leave_to_a_person(create, alike, "text", say)
        else:
            state.resolve(create.path, None)
            missing.append(create.path)
    if missing:
        were, they = ("were", "they were") if len(missing) > 1 else ("was", "it was")
        say(f"{listed(missing)} {were} unconfirmed: {they} not created.")


def without_document(state: State, records: Iterable[Record]) -> list[Record]:
    """Select the records that belong to no document, without those that this clone has put in the trash.

    Otherwise the trashed record of an undone run would be a second explanation of the same create.
    """
    free = [record for record in records if state.holder(record.kind, record.id) is None]
    in_trash = [record for record in free if record.is_trashed]
    ours = state.created_copy.removed() if in_trash else frozenset()
    return [record for record in free if record not in in_trash or (record.kind, record.id) not in ours]


def _adopted(create: UnconfirmedCreate, record: Record) -> Entry:
    """Make the entry of a record that was found; without a blob, the next plan reads the file again."""
    return replace(
        echo.of_record(create.path, record, create.commit, create.fingerprints),
        changed_by_service={
            name: digest
            for name, value in record.fields.items()
            if create.fingerprints.get(name, UNSURE) not in (UNSURE, digest := fingerprint(value))
        },
    )


def _age(create: UnconfirmedCreate) -> float | None:
    """Count the seconds since a create was sent; None for a time to come: a clock was wrong, then or now."""
    try:
        sent = datetime.fromisoformat(create.time).astimezone(UTC)
    except (ValueError, OverflowError):  # somebody wrote it by hand, or no calendar has it
        return None
    age = (datetime.now(UTC) - sent).total_seconds()
    return age if age >= 0 else None


# One lost response loses a batch of 25 creates. To look them up one by one took 50 requests and more, over
# a connection that had just failed.
def look_up_lost(service: Reads, lost: Iterable[tuple[Kind, str]]) -> Found:
    """Read the records that lost creates, each a kind and a slug, may have made; none if the read fails."""
    slugs: dict[Kind, set[str]] = defaultdict(set)
    for kind, slug in lost:
        slugs[kind].add(slug)
    try:
        looked = {kind: service.find(kind, wanted) for kind, wanted in slugs.items()}
    except ServiceError:
        return {}
    return {(kind, slug): records for kind, by_slug in looked.items() for slug, records in by_slug.items()}


def advice(call: Call, path: str, error: ServiceError, *, readable: bool) -> str:
    """Say what happens next with a call that stays unconfirmed."""
    if not isinstance(call, CreateCall):
        return f"{error}; the next sync sends it again"
    if readable:
        return f"{error}; the next sync checks whether it was carried out"
    resolve = f"pressync resolve {quote(path)}"
    return (
        f"{error}; it may exist: look for it on the site, then `{resolve} --id N` or "
        f"`{resolve} --not-created`"
    )
