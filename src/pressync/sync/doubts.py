"""What a service with reads is asked before a run: the user's rights, and what became of creates in doubt.

It must not change anything on the service, nor plan. What decided its shape: a look-up settles a doubt
only when nothing else fits. Exactly one record with exactly what was sent is the one; no record at all
with its slug or its text, once the service has had time to finish, is none; everything between stays a
person's to say.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pressync.model.errors import ConfigError
from pressync.model.fingerprint import fingerprint
from pressync.model.records import TEXTS, UNSURE, Entry
from pressync.plan.decide import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from pressync.client.port import Reads
    from pressync.model.changes import Plan
    from pressync.model.interface import Kind
    from pressync.model.records import Doubt, Record
    from pressync.state.state import State

# A request that we gave up may still be at work on the server: PHP ends one after 30 s by default. Until
# then an empty look-up proves nothing.
SETTLING_SECONDS = 30.0
# What must be equal for a record to be the one that was sent; all else a site may bend.
_CERTAIN = ("title", "content", "parent")


def require_rights(service: Reads, plan: Plan, *, site: str, user: str | None) -> None:
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
    service: Reads,
    state: State,
    *,
    settling: float = SETTLING_SECONDS,
    among: Collection[str] | None = None,
    wait: Callable[[float], bool | None] | None = time.sleep,
    say: Callable[[str], None] = lambda _sentence: None,
) -> frozenset[str]:
    """Look up every create in doubt, and settle those of which the look-up leaves no doubt.

    Gives the paths that are too young for it: the service may still be at work, so an empty look-up proves
    nothing yet. With `wait` they are waited for; `among` names the only paths to look at. `wait` gets seconds
    and returns when they are over; if it returns true (as `threading.Event.wait` does), the run is stopping,
    and nothing is settled.

    :raises ServiceError: the service cannot be read; nothing is settled then.
    """
    doubts = [doubt for path, doubt in state.doubts.items() if among is None or path in among]
    if not doubts:
        return frozenset()
    young = {doubt.path: pause for doubt in doubts if (pause := settling - _age(doubt)) > 0}
    if young and wait is not None:
        say(_waiting(max(young.values()), len(doubts)))
        if wait(max(young.values())):
            # Stopped before the service was surely done: an empty look-up would prove nothing.
            return frozenset(young)
        young = {}
    unmatched = []
    for doubt in doubts:
        found = candidates(service, state, doubt.kind, doubt.slug)
        record = matching(doubt.fingerprints, found)
        # Where the path has a record by now, a second one is for a person to look at.
        if record and doubt.path not in state.manifest.entries:
            state.resolve(doubt.path, _adopted(doubt, record))
            say(f"{doubt.path} was in doubt: it was created, as {record.kind} {record.id}.")
        else:
            unmatched.append((doubt, found))
    # Only now: pages of one slug below many parents turn up for each other, until each has its own.
    nameless = [d for d, found in unmatched if d.path not in young and not _unknown(state, found)]
    # One look for all of them: a run that was cut off may leave a hundred.
    newest = {kind: _newest(service, state, kind) for kind in {doubt.kind for doubt in nameless}}
    for doubt in nameless:
        _settle_by_text(state, doubt, _unknown(state, newest[doubt.kind]), say)
    return frozenset(young.keys() & state.doubts.keys())


def _waiting(pause: float, count: int) -> str:
    creates = "1 unconfirmed create" if count == 1 else f"{count} unconfirmed creates"
    return f"Waiting {pause:.0f} s for the server to finish, then checking whether {creates} succeeded."


def _settle_by_text(state: State, doubt: Doubt, newest: Iterable[Record], say: Callable[[str], None]) -> None:
    """Settle a doubt that nothing has the slug of: somebody, or a plugin, may have changed it since.

    A new record that nobody knows, with the text that was sent, is the one; with its title or its content
    alone, it stays a person's to say.
    """
    sent = {name: digest for name in TEXTS if (digest := doubt.fingerprints.get(name, UNSURE)) != UNSURE}
    alike = [
        record
        for record in newest
        if any(record.fields.get(name) and _holds(record, name, sent[name]) for name in sent)
    ]
    record = matching(doubt.fingerprints, alike) if "content" in sent else None
    if record and doubt.path not in state.manifest.entries:
        state.resolve(doubt.path, _adopted(doubt, record))
        say(f"{doubt.path} was in doubt: it was created, and is {record.kind} {record.id} at {record.link}.")
    elif not alike:
        state.resolve(doubt.path, None)
        say(f"{doubt.path} was in doubt: it was not created.")


def candidates(service: Reads, state: State, kind: Kind, slug: str) -> list[Record]:
    """Read every record that a create with this slug may have made and that no document has."""
    return _unknown(state, service.find(kind, slug=slug, parent=None))


def _newest(service: Reads, state: State, kind: Kind) -> list[Record]:
    known = {entry.id for entry in state.manifest.entries.values() if entry.kind is kind}
    return service.newest(kind, besides=known)


def _unknown(state: State, found: Iterable[Record]) -> list[Record]:
    return [record for record in found if state.holder(record.kind, record.id) is None]


def matching(sent: Mapping[str, str], found: Iterable[Record]) -> Record | None:
    """Give the record that a create made, if exactly one holds exactly what was sent.

    `sent` are the fingerprints of the create's fields; `UNSURE` is one that was not known yet.
    """
    certain = {name: sent[name] for name in _CERTAIN if sent.get(name, UNSURE) != UNSURE}
    if not certain:
        return None
    # What was sent without a parent stands at the top of the site, and what had one stands below another.
    top = fingerprint(EMPTY["parent"])
    if "parent" not in sent:
        certain["parent"] = top
    same = [
        record
        for record in found
        if all(_holds(record, name, digest) for name, digest in certain.items())
        and not (sent.get("parent") == UNSURE and _holds(record, "parent", top))
    ]
    return same[0] if len(same) == 1 else None


def _holds(record: Record, name: str, digest: str) -> bool:
    return fingerprint(record.fields.get(name, EMPTY.get(name, ""))) == digest


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
        changed_by_service={
            name: digest
            for name, value in record.fields.items()
            if doubt.fingerprints.get(name, UNSURE) not in (UNSURE, digest := fingerprint(value))
        },
    )


def _age(doubt: Doubt) -> float:
    """Count the seconds since a create was sent, by this machine's clock; set back, it makes it young."""
    try:
        sent = datetime.fromisoformat(doubt.time).astimezone(UTC)
    except (ValueError, OverflowError):  # somebody wrote it, and no calendar of ours has it
        return 0.0
    return max(0.0, (datetime.now(UTC) - sent).total_seconds())
