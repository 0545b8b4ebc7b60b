"""Claims a site that several machines sync, before the first call, and settles the claim after the last one.

Another machine may consider a run dead if its claim was not renewed for 5 pulses. So a run that cannot renew
its claim stops after 2.5 pulses, long before another machine may take over.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pressync.model.changes import Create, Keep, Plan
from pressync.model.errors import Overtaken, PressyncError, RepositoryError, SafetyRefusal, StorageError
from pressync.model.fingerprint import UNSURE
from pressync.model.records import UnconfirmedCreate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pressync.state.state import State
    from pressync.sync.control import RunControl

# A run stops when it could not renew its claim for this many pulses. One call may be under way for two more.
_PATIENCE = 2.5


@contextmanager
def holding_claim(
    state: State,
    plan: Plan,
    control: RunControl,
    about: Callable[[], str] = str,
    *,
    prove: Callable[[], object] | None,
) -> Iterator[None]:
    """Claim the site for a plan, and save the manifest at the block's end, also after an error.

    `about` is asked at the end for a line of history; without one it names the commit. `prove` lets the site
    recognise the account, before other machines are told of the run; it is None if the site cannot be read.

    Nothing is claimed if the run can change nothing: the plan has no write, and no unconfirmed create can be
    looked up. If the claim is lost, the run is stopped.

    :raises PressyncError: the site does not take the account; nobody was told.
    :raises Overtaken: another run was first; the block is not entered, and nothing must be sent.
    :raises SafetyRefusal: the claim or the manifest cannot be saved; nothing must be sent.
    :raises StorageError: the manifest cannot be saved at the end.
    """
    over = threading.Event()
    renewing = threading.Thread(target=_renew, args=(state, over, control), daemon=True)
    if plan.pending or (prove and state.unconfirmed):
        if prove and state.pulse:
            prove()
        claim(state, plan)
    if state.pulse and (plan.pending or prove):
        # A run may also find at the site what it has to write, and claim it then.
        renewing.start()
    try:
        yield
    finally:
        over.set()
        if renewing.ident is not None:
            renewing.join()
        state.save(about() or _subject(plan))


def claim(state: State, plan: Plan) -> None:
    """Claim the site for a plan, or replace this run's claim when the plan was built again.

    :raises Overtaken: another run was first; nothing must be sent.
    :raises SafetyRefusal: the claim or the manifest cannot be saved; nothing must be sent.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        state.claim(announced_creates(plan, now), _subject(plan))
    except (RepositoryError, StorageError) as error:
        # The claim is the first save of the manifest, so this run could not save its results either.
        fault = f"the manifest cannot be saved: {error.what}; nothing was sent"
        raise SafetyRefusal(fault, where=error.where, todo=error.todo, code="manifest_unwritable") from error


def _subject(plan: Plan) -> str:
    return f"Sync of {plan.commit[:8]}"


def _renew(state: State, over: threading.Event, control: RunControl) -> None:
    renewed = time.monotonic()
    while not over.wait(state.pulse):
        begun = time.monotonic()
        try:
            state.renew()
            renewed = begun
        except Overtaken as error:
            control.say(f"{error.what}, and considers this run dead: stopping")
            control.stop.set()
            return
        except (PressyncError, OSError) as error:
            if time.monotonic() - renewed > _PATIENCE * state.pulse:
                control.say(f"the claim cannot be renewed ({error}): stopping, before another run begins")
                control.stop.set()
                return


# If the run dies, another machine looks these creates up. Many fields of a create are known only when it is
# sent: the id of a parent, or the address of a page that it links to. Such a field is listed as unsure, so
# a look-up does not compare it.
def announced_creates(plan: Plan, time: str) -> tuple[UnconfirmedCreate, ...]:
    """List every create of a plan as the unconfirmed create that it is if the run dies; `time` is now."""
    created = {change.path: change.desired for change in plan.changes if isinstance(change, Create)}
    kept = {change.path for change in plan.changes if isinstance(change, Keep)}
    announced = []
    for path, desired in created.items():
        fingerprints = {**desired.fingerprints, **desired.create_only}
        if "content" in fingerprints and not kept.issuperset(desired.links):
            fingerprints["content"] = UNSURE
        if desired.parent_path in created:
            fingerprints["parent"] = UNSURE
        announced.append(UnconfirmedCreate(path, desired.kind, desired.slug, time, plan.commit, fingerprints))
    return tuple(announced)
